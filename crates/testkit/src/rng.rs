//! The one random generator of tests: SplitMix64, the same numbers for the same seed everywhere.

/// A generator with a fixed seed; every seed is good.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "there should be a number to choose");
        self.bits() % n
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }

    /// Bits that find mistakes more often than evenly drawn ones do: small, near a power of two, or anything.
    pub fn interesting(&mut self) -> u64 {
        match self.below(6) {
            0 | 1 => self.below(9),
            2 => (1u64 << self.below(64)).wrapping_add(self.below(3)).wrapping_sub(1),
            3 => (self.below(9)).wrapping_neg(),
            4 => f64::to_bits(*self.pick(&[0.5, 1.0, -1.5, 1e10, -3.25, f64::INFINITY, f64::MIN_POSITIVE])),
            _ => self.bits(),
        }
    }
}
