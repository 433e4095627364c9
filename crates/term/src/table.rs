//! The hash-consing table: from nodes to ids.
//!
//! One array of 8-byte slots (32 bits of hash, 32 bits of id), linear probing, ordered by the hash's highest bits. Why not a general map: a lookup
//! touches one cache line, the nodes themselves are read only if the hash agrees, and growing moves slots in order without reading nodes.
//! Invariant: a slot is zero when empty, which no entry is, as ids are not zero. At most three quarters of the slots are used.

#[derive(Clone)]
pub(crate) struct Table {
    slots: Vec<u64>,
    len: usize,
    /// The slot of a hash is its highest bits: `hash >> shift`.
    shift: u32,
}

/// Where a search ended.
pub(crate) enum Found {
    Id(u32),
    /// The slot to put a new entry in.
    Free(usize),
}

const FIRST_BITS: u32 = 10;

impl Table {
    pub fn new() -> Self {
        Self { slots: vec![0; 1 << FIRST_BITS], len: 0, shift: 32 - FIRST_BITS }
    }

    /// The id with this hash for which `same` says yes, or a free slot.
    #[inline]
    pub fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> Found {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Found::Free(at);
            }
            if (slot >> 32) as u32 == hash && same(slot as u32) {
                return Found::Id(slot as u32);
            }
            at = (at + 1) & mask;
        }
    }

    /// Puts a new entry in the slot that `find` returned.
    #[inline]
    pub fn insert(&mut self, at: usize, hash: u32, id: u32) {
        debug_assert!(id != 0 && self.slots[at] == 0, "a new entry should go into a free slot");
        self.slots[at] = u64::from(hash) << 32 | u64::from(id);
        self.len += 1;
        if self.len * 4 > self.slots.len() * 3 {
            self.grow();
        }
    }

    fn grow(&mut self) {
        assert!(self.shift > 0, "there should be fewer than 3 * 2^30 terms");
        self.shift -= 1;
        let mut slots = vec![0u64; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for &slot in self.slots.iter().filter(|&&slot| slot != 0) {
            let mut at = (slot >> 32 >> self.shift) as usize;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = slot;
        }
        self.slots = slots;
    }

    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_put_in_through_growth_and_clashes() {
        let mut table = Table::new();
        // Few hashes, so that most entries clash.
        let hash = |id: u32| (id % 97).wrapping_mul(0x9e37_79b9);
        for id in 1..5000 {
            match table.find(hash(id), |other| other == id) {
                Found::Free(at) => table.insert(at, hash(id), id),
                Found::Id(_) => panic!("{id} should be new"),
            }
        }
        for id in 1..5000 {
            assert!(matches!(table.find(hash(id), |other| other == id), Found::Id(found) if found == id));
        }
        assert!(matches!(table.find(hash(3), |_| false), Found::Free(_)));
    }
}
