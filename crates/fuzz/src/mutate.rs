//! Inputs made from others by chance, and by what the program compared: the part of the search that asks no solver.
//!
//! Every choice comes from a generator whose seed is the user's and the test's, so that the same search makes the same inputs.

use crate::layout::Comparison;
use crate::server::Compared;
use std::collections::BTreeSet;

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64, of: &str) -> Chance {
        Chance(seed ^ crate::store::digest(of.as_bytes()))
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.draw() % n as u64) as usize
    }
}

/// Values at which programs change their mind.
const TELLING: [u64; 14] =
    [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, u64::MAX];
/// Changes on top of each other.
const MOST_CHANGES: usize = 6;
/// The most bytes that one change inserts or removes.
const MOST_MOVED: usize = 32;

/// Words that the program compares with; the latest are kept.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    words: Vec<Vec<u8>>,
    known: BTreeSet<Vec<u8>>,
}

const MOST_WORDS: usize = 512;

impl Dictionary {
    pub fn add(&mut self, word: &[u8]) {
        if !word.is_empty() && self.words.len() < MOST_WORDS && self.known.insert(word.to_vec()) {
            self.words.push(word.to_vec());
        }
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// What a run compared; constants first, since those are the program's own.
    pub fn learn(&mut self, compared: &Compared) {
        for c in compared.numbers.iter().filter(|c| c.constant != 0 && c.bytes >= 2) {
            self.add(&bytes_of(c.first, c.bytes));
        }
        for (a, b) in &compared.words {
            self.add(a);
            self.add(b);
        }
    }
}

/// An input with some changes.
pub fn havoc(input: &[u8], other: &[u8], words: &Dictionary, chance: &mut Chance, longest: usize) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 + chance.below(MOST_CHANGES) {
        change(&mut bytes, other, words, chance);
    }
    bytes.truncate(longest);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], words: &Dictionary, chance: &mut Chance) {
    if bytes.is_empty() {
        return insert_some(bytes, words, chance);
    }
    let at = chance.below(bytes.len());
    match chance.below(12) {
        0 => bytes[at] ^= 1 << chance.below(8),
        1 => bytes[at] = chance.draw() as u8,
        2 => bytes[at] = bytes[at].wrapping_add(1 + chance.below(16) as u8),
        3 => bytes[at] = bytes[at].wrapping_sub(1 + chance.below(16) as u8),
        4 | 5 => telling_number(bytes, at, chance),
        6 => remove(bytes, at, chance),
        7 => repeat(bytes, at, chance),
        8 => insert_some(bytes, words, chance),
        9 | 10 => overwrite_word(bytes, at, words, chance),
        _ => splice(bytes, other, chance),
    }
}

fn telling_number(bytes: &mut [u8], at: usize, chance: &mut Chance) {
    let size = [1, 2, 4, 8][chance.below(4)];
    let value = TELLING[chance.below(TELLING.len())].wrapping_add(chance.below(3) as u64).wrapping_sub(1);
    let mut text = bytes_of(value, size as u32);
    if chance.below(2) == 0 {
        text.reverse();
    }
    put(bytes, at, &text);
}

fn put(bytes: &mut [u8], at: usize, text: &[u8]) {
    for (to, from) in bytes[at..].iter_mut().zip(text) {
        *to = *from;
    }
}

fn remove(bytes: &mut Vec<u8>, at: usize, chance: &mut Chance) {
    let count = (1 + chance.below(MOST_MOVED)).min(bytes.len() - at);
    bytes.drain(at..at + count);
}

fn repeat(bytes: &mut Vec<u8>, at: usize, chance: &mut Chance) {
    let count = (1 + chance.below(MOST_MOVED)).min(bytes.len() - at);
    let part = bytes[at..at + count].to_vec();
    bytes.splice(at..at, part);
}

fn insert_some(bytes: &mut Vec<u8>, words: &Dictionary, chance: &mut Chance) {
    let at = chance.below(bytes.len() + 1);
    let part = match words.words.as_slice() {
        [] => random_bytes(chance),
        _ if chance.below(2) == 0 => random_bytes(chance),
        known => known[chance.below(known.len())].clone(),
    };
    bytes.splice(at..at, part);
}

fn random_bytes(chance: &mut Chance) -> Vec<u8> {
    let byte = chance.draw() as u8;
    let same = chance.below(2) == 0;
    (0..1 + chance.below(MOST_MOVED)).map(|_| if same { byte } else { chance.draw() as u8 }).collect()
}

fn overwrite_word(bytes: &mut Vec<u8>, at: usize, words: &Dictionary, chance: &mut Chance) {
    if words.is_empty() {
        return insert_some(bytes, words, chance);
    }
    let word = &words.words[chance.below(words.len())];
    if at + word.len() > bytes.len() {
        bytes.truncate(at);
        bytes.extend_from_slice(word);
    } else {
        put(bytes, at, word);
    }
}

fn splice(bytes: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    if other.is_empty() {
        return;
    }
    let (keep, from) = (chance.below(bytes.len() + 1), chance.below(other.len()));
    bytes.truncate(keep);
    bytes.extend_from_slice(&other[from..]);
}

fn bytes_of(value: u64, size: u32) -> Vec<u8> {
    value.to_le_bytes()[..(size as usize).min(8)].to_vec()
}

/// Places at which one side of a comparison may stand in an input.
const MOST_PLACES: usize = 4;

/// Inputs in which what was compared with a part of them takes its place. No solver: the part is looked for as it is, in either byte order.
pub fn replacements(input: &[u8], compared: &Compared, most: usize) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    let mut offer = |bytes: Vec<u8>| {
        if found.len() < most && bytes != input && known.insert(bytes.clone()) {
            found.push(bytes);
        }
    };
    for (a, b) in &compared.words {
        for (ours, theirs) in [(a, b), (b, a)] {
            for at in places(input, ours) {
                offer([&input[..at], theirs, &input[at + ours.len()..]].concat());
                let mut over = input.to_vec();
                if at + theirs.len() <= over.len() {
                    put(&mut over, at, theirs);
                    offer(over);
                }
            }
        }
    }
    for c in &compared.numbers {
        for (ours, theirs) in [(c.second, c.first), (c.first, c.second)] {
            for text in number_replacements(input, c, ours, theirs) {
                offer(text);
            }
        }
    }
    found
}

fn number_replacements(input: &[u8], c: &Comparison, ours: u64, theirs: u64) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    // A comparison of 4 bytes may be about 2 or 1 of the input's, widened.
    let sizes = [8, 4, 2, 1].into_iter().filter(|s| *s <= c.bytes && (*s == 8 || ours >> (8 * s) == 0));
    for size in sizes {
        for value in [theirs, theirs.wrapping_add(1), theirs.wrapping_sub(1)] {
            for reversed in [false, true] {
                let (mut from, mut to) = (bytes_of(ours, size), bytes_of(value, size));
                if reversed {
                    from.reverse();
                    to.reverse();
                }
                for at in places(input, &from) {
                    let mut bytes = input.to_vec();
                    put(&mut bytes, at, &to);
                    found.push(bytes);
                }
            }
        }
    }
    found
}

fn places(input: &[u8], part: &[u8]) -> Vec<usize> {
    if part.is_empty() || part.len() > input.len() {
        return Vec::new();
    }
    let at = |(i, w): (usize, &[u8])| (w == part).then_some(i);
    input.windows(part.len()).enumerate().filter_map(at).take(MOST_PLACES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_inputs() {
        let make = |seed| {
            let mut chance = Chance::new(seed, "00-000001");
            (0..50)
                .map(|_| havoc(b"hello world", b"other", &Dictionary::default(), &mut chance, 64))
                .collect::<Vec<_>>()
        };
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
        assert!(make(3).iter().all(|b| b.len() <= 64));
    }

    #[test]
    fn what_the_input_was_compared_with_takes_its_place() {
        let compared = Compared {
            numbers: vec![Comparison { first: 0xdead_beef, second: 0x6463_6261, bytes: 4, constant: 1 }],
            words: vec![(b"GET".to_vec(), b"xyz".to_vec())],
        };
        let made = replacements(b"..abcd..xyz", &compared, 100);
        assert!(made.contains(&b"..\xef\xbe\xad\xde..xyz".to_vec()));
        assert!(made.contains(&b"..abcd..GET".to_vec()));
        let other = replacements(b"dcba", &compared, 100);
        assert!(other.contains(&b"\xde\xad\xbe\xef".to_vec()), "{other:?}");
    }
}
