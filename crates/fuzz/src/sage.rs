//! SAGE's generational search (Godefroid, Levin, Molnar: Automated Whitebox Fuzz Testing, NDSS 2008, Figures 3 and 4).
//!
//! One symbolic execution is dear, so every decision of it from the test's bound on is negated, and each that can be is a child. The
//! children are run, scored by the blocks they are the first to cover, and expanded in that order.
//!
//! The paper sets a child's bound to the decision that was negated, and negates from the bound on; its own example has 16 runs all the same, which needs
//! the bound to be the decision *after* it (else each child would first lead back to its parent). That is what is done here.

use crate::store::Origin;
use std::collections::BTreeMap;

/// What a model of a negated condition changes about an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub bytes: BTreeMap<usize, u8>,
    /// Another length, where the condition asks for one.
    pub len: Option<usize>,
}

/// A new input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    pub bytes: Vec<u8>,
    pub bound: u32,
    pub origin: Origin,
}

/// SAGE's Combine: the input with the bytes that the model names, and all others as they were.
pub fn combine(input: &[u8], change: &Change) -> Vec<u8> {
    let mut bytes = input.to_vec();
    if let Some(len) = change.len {
        bytes.resize(len, 0);
    }
    for (&at, &byte) in &change.bytes {
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
    }
    bytes
}

/// SAGE's ExpandExecution: negates each decision from `bound` on. `negate` gives the change that a model asks for, if there is one, and how it came about.
pub fn expand(
    input: &[u8],
    bound: usize,
    decisions: usize,
    mut negate: impl FnMut(usize) -> Option<(Change, Origin)>,
) -> Vec<Child> {
    let mut children = Vec::new();
    for j in bound..decisions {
        if let Some((change, origin)) = negate(j) {
            children.push(Child { bytes: combine(input, &change), bound: j as u32 + 1, origin });
        }
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn combine_is_the_papers() {
        let change = Change { bytes: BTreeMap::from([(3, b'F')]), len: None };
        assert_eq!(combine(b"abcde", &change), b"abcFe");
        let longer = Change { bytes: BTreeMap::from([(4, b'!')]), len: Some(5) };
        assert_eq!(combine(b"abc", &longer), b"abc\0!");
        let shorter = Change { bytes: BTreeMap::from([(2, b'!')]), len: Some(2) };
        assert_eq!(combine(b"abc", &shorter), b"ab");
    }

    #[test]
    fn expansion_begins_at_the_bound_and_leaves_out_what_has_no_model() {
        let mut asked = Vec::new();
        let children = expand(b"xy", 1, 4, |j| {
            asked.push(j);
            (j != 2).then(|| (Change { bytes: BTreeMap::from([(0, j as u8)]), len: None }, Origin::Negated))
        });
        assert_eq!(asked, [1, 2, 3]);
        assert_eq!(children.iter().map(|c| c.bound).collect::<Vec<_>>(), [2, 4]);
    }

    /// The lecture's `top`: four decisions, one per byte.
    const WORD: &[u8; 4] = b"bad!";

    fn blocks(input: &[u8]) -> BTreeSet<usize> {
        let right = input.iter().zip(WORD).filter(|(a, b)| a == b).count();
        let hits = (0..4).filter(|&i| input[i] == WORD[i]).map(|i| i + 1);
        // The entry, one block per letter that is right, and the abort.
        hits.chain([0]).chain((right >= 3).then_some(5)).collect()
    }

    fn negate(input: &[u8], j: usize) -> Option<(Change, Origin)> {
        let other = if input[j] == WORD[j] { b"good"[j] } else { WORD[j] };
        Some((Change { bytes: BTreeMap::from([(j, other)]), len: None }, Origin::Negated))
    }

    #[test]
    fn top_has_sixteen_paths_in_five_generations_and_five_aborts() {
        let mut covered = blocks(b"good");
        let mut work: Vec<(usize, usize, Vec<u8>, usize, u32)> = vec![(covered.len(), 0, b"good".to_vec(), 0, 0)];
        let (mut generations, mut aborts, mut order, mut scores) = ([0; 5], 0, 1, BTreeMap::new());
        scores.insert(b"good".to_vec(), covered.len());
        while !work.is_empty() {
            work.sort_by_key(|(score, order, ..)| (std::cmp::Reverse(*score), *order));
            let (_, _, input, bound, generation) = work.remove(0);
            generations[generation as usize] += 1;
            aborts += usize::from(blocks(&input).contains(&5));
            for child in expand(&input, bound, 4, |j| negate(&input, j)) {
                let score = blocks(&child.bytes).difference(&covered).count();
                covered.extend(blocks(&child.bytes));
                scores.insert(child.bytes.clone(), score);
                work.push((score, order, child.bytes, child.bound as usize, generation + 1));
                order += 1;
            }
        }
        assert_eq!((generations, aborts, scores.len()), ([1, 4, 6, 4, 1], 5, 16));
        let score = |word: &str| scores[word.as_bytes()];
        // Each letter is new once, and so is the abort; nothing after that.
        assert_eq!(["bood", "gaod", "godd", "goo!"].map(score), [1, 1, 1, 1]);
        assert_eq!(scores.values().filter(|s| **s == 0).count(), 10);
    }
}
