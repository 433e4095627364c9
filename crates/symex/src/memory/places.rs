//! Memory from outside by parts: which of them an instruction's pointers go over.
//!
//! The world divides the memory of a program into parts that no single access straddles (`World::places`). A part has
//! contents of its own, indexed by the whole pointer; what these say of bytes outside of the part means nothing, and
//! nobody reads it.

use super::*;

impl Space<'_> {
    /// The leaves of a load, store or scan: it is in one part.
    pub(super) fn single_leaves(&mut self, terms: &mut Terms, p: Term) -> Result<Vec<Leaf>, Refusal> {
        self.first_leaves(terms, p, 0)
    }

    /// The same for an operand.
    pub(super) fn first_leaves(&mut self, terms: &mut Terms, p: Term, operand: usize) -> Result<Vec<Leaf>, Refusal> {
        let mut leaves = self.leaves(terms, p)?;
        for leaf in &mut leaves {
            if let Some(class) = leaf.class
                && let Some(place) = self.parts(class, operand).first()
            {
                leaf.object = Holder::Region(place.part);
            }
        }
        Ok(leaves)
    }

    /// The leaves of an operand that a range begins at: one for each part of an object from outside.
    pub(super) fn data_leaves(&mut self, terms: &mut Terms, p: Term, operand: usize) -> Result<Vec<Leaf>, Refusal> {
        let mut out = Vec::new();
        for leaf in self.leaves(terms, p)? {
            match leaf.class {
                Some(class) => {
                    let parts = self.parts(class, operand);
                    out.extend(parts.iter().map(|place| Leaf { object: Holder::Region(place.part), ..leaf }));
                }
                None => out.push(leaf),
            }
        }
        Ok(out)
    }

    /// What an operand of the instruction goes over; where its function has no classes of its own, all of the
    /// pointer's.
    fn parts(&self, class: Class, operand: usize) -> Rc<[Place]> {
        match &self.operands[operand] {
            Some(parts) => Rc::clone(parts),
            None => self.world().map_or_else(|| Rc::from([]), |world| world.places(class, None)),
        }
    }

    /// The bytes that a copy from one leaf to another is about: `Some(None)` for all, `None` if there are none.
    pub(super) fn common(&self, to: Leaf, from: Leaf) -> Option<Option<Spans>> {
        let (to, from) = (self.spans(to, 0), self.spans(from, 1));
        match (to, from) {
            (None, from) => Some(from),
            // What else comes with it is in other parts, and means nothing.
            (Some(_), None) => Some(None),
            (Some(to), Some(from)) if inside(&to, &from) => Some(None),
            (Some(to), Some(from)) => {
                let both = to.iter().flat_map(|a| from.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
                let both: Spans = both.filter(|(a, b)| a < b).collect();
                (!both.is_empty()).then_some(Some(both))
            }
        }
    }

    fn spans(&self, leaf: Leaf, operand: usize) -> Option<Spans> {
        let class = leaf.class?;
        let parts = self.parts(class, operand);
        if parts.len() == 1 {
            return None;
        }
        parts.iter().find(|p| Holder::Region(p.part) == leaf.object).and_then(|p| p.spans.clone())
    }
}

fn inside(small: &Spans, large: &Spans) -> bool {
    small.iter().all(|(a, b)| large.iter().any(|(c, d)| c <= a && b <= d))
}

/// The pieces of a copy: where to, where from and how many bytes each.
pub(super) fn pieces(terms: &mut Terms, bits: u16, spans: Option<Spans>, all: [Term; 3]) -> Vec<[Term; 3]> {
    let Some(spans) = spans else { return vec![all] };
    let piece = |&(from, to): &(i64, i64)| {
        let by = terms.bv_signed(bits, from);
        [terms.add(all[0], by), terms.add(all[1], by), terms.bv_signed(bits, to - from)]
    };
    spans.iter().map(piece).collect()
}

/// Some bytes of an object as an array; the others mean nothing.
pub fn excerpt(
    space: &Space<'_>,
    terms: &mut Terms,
    contents: &Contents,
    size: Option<u64>,
    spans: Option<&Spans>,
) -> Option<Term> {
    let bits = space.index_bits();
    let Some(spans) = spans else { return contents.clone().array(terms, size, bits) };
    let zero = terms.bv(8, 0);
    let mut out = Contents::filled(zero);
    for &(from, to) in spans.iter() {
        let (off, len) = (terms.bv_signed(bits, from), terms.bv_signed(bits, to - from));
        let range = Range { off, len, within: space.within(size) };
        out.copy(terms, range, &mut contents.clone(), off, size).ok()?;
    }
    out.array(terms, size, bits)
}
