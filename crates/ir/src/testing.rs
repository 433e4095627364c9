//! Helpers of this crate's tests: a small random generator and functions made from bare graphs.

pub mod eval;
pub mod generate;

use crate::func::{Block, Func, FuncBuilder};
use crate::inst::Terminator;
use crate::types::Type;
use blitz_base::Bv;
use blitz_base::span::Loc;

/// A fixed-seed generator (xorshift); seeds should not be 0.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }
}

pub fn random_edges(rng: &mut Rng, n: usize, max: usize) -> Vec<(u32, u32)> {
    let count = rng.below(max + 1);
    (0..count).map(|_| (rng.below(n) as u32, rng.below(n) as u32)).collect()
}

/// A function with these edges and nothing else: a block without one returns, one with several switches on a parameter.
pub fn graph(n: usize, edges: &[(u32, u32)]) -> Func {
    let mut b = FuncBuilder::new();
    for _ in 0..n {
        b.block();
    }
    let selector = b.block_param(Func::ENTRY, Type::I32);
    let mut targets = vec![Vec::new(); n];
    for &(from, to) in edges {
        targets[from as usize].push(Block(to));
    }
    for (from, list) in targets.into_iter().enumerate() {
        let term = match list.split_last() {
            None => Terminator::Return { values: Vec::new() },
            Some((&last, rest)) => Terminator::Switch {
                value: selector,
                cases: (0..).zip(rest).map(|(i, &to)| (Bv::from_u64(32, i), to, Vec::new())).collect(),
                default: (last, Vec::new()),
            },
        };
        b.terminate(Block::new(from), term, Loc::UNKNOWN);
    }
    b.func
}
