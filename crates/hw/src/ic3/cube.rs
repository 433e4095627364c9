//! Cubes: conjunctions of literals over latches.

/// A latch, true or false.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LatchLit(u32);

impl LatchLit {
    pub fn new(latch: usize, value: bool) -> Self {
        Self((latch as u32) << 1 | u32::from(!value))
    }

    pub fn latch(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn value(self) -> bool {
        self.0 & 1 == 0
    }
}

/// A conjunction of literals, sorted, each latch once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cube {
    lits: Vec<LatchLit>,
    /// A bit per latch, modulo 64: a cube that implies another has all bits of it.
    signature: u64,
}

impl Cube {
    pub fn new(mut lits: Vec<LatchLit>) -> Self {
        lits.sort_unstable();
        lits.dedup();
        let signature = lits.iter().fold(0, |s, l| s | 1 << (l.0 % 64));
        Self { lits, signature }
    }

    pub fn lits(&self) -> &[LatchLit] {
        &self.lits
    }

    pub fn len(&self) -> usize {
        self.lits.len()
    }

    pub fn contains(&self, lit: LatchLit) -> bool {
        self.signature & 1 << (lit.0 % 64) != 0 && self.lits.binary_search(&lit).is_ok()
    }

    /// Whether every state of `other` is one of this: its literals are among the other's.
    pub fn subsumes(&self, other: &Cube) -> bool {
        self.len() <= other.len()
            && self.signature & !other.signature == 0
            && self.lits.iter().all(|l| other.lits.binary_search(l).is_ok())
    }

    /// Without one literal.
    pub fn without(&self, lit: LatchLit) -> Cube {
        Cube::new(self.lits.iter().copied().filter(|&l| l != lit).collect())
    }

    /// The literals that both have.
    pub fn common(&self, other: &Cube) -> Cube {
        Cube::new(self.lits.iter().copied().filter(|&l| other.contains(l)).collect())
    }
}
