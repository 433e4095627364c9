//! How far an engine is, for whoever watches: data, no words.

use blitz_ir::PropertyId;

/// Told after every step; it must be quick.
pub type Observer<'a> = &'a (dyn Fn(&Progress) + Sync);

/// Where an engine stands after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    pub engine: &'static str,
    pub step: u32,
    /// How many properties there are, and how many of them were violated.
    pub properties: usize,
    pub violated: usize,
    /// The properties that are neither violated nor proved, each with the depth up to which it holds.
    pub open: Vec<(PropertyId, u32)>,
    /// The loops and recursions that still matter.
    pub loops: Vec<LoopProgress>,
    /// Resident bytes.
    pub memory: u64,
    pub terms: usize,
    pub clauses: u64,
    pub queries: u64,
    /// The property that is looked at, where they are taken one by one.
    pub at: Option<String>,
    /// Where paths are followed one by one.
    pub paths: Option<PathProgress>,
}

/// How far a search path by path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathProgress {
    pub paths: u64,
    /// Ways that wait to be followed.
    pub waiting: usize,
    /// Blocks of the user's functions that paths went through, of all there are.
    pub covered: usize,
    pub blocks: usize,
}

/// One loop, or the recursion of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopProgress {
    /// `main.1`, or the function's name for recursion.
    pub name: String,
    /// All executions that run it at most this often were looked at.
    pub depth: u32,
    /// Terms that unwinding it has made.
    pub cost: u64,
}
