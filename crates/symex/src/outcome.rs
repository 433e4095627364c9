//! What an execution yields: claims, inputs, and what it left out.

use crate::ids::OccurrenceNo;
use crate::passed::Passed;
use crate::policies::havoc::OpenCall;
use blitz_base::span::Loc;
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, CheckKind, FuncId, InputName, PropertyId, Type, Unsupported};
use blitz_term::Term;

/// Everything a symbolic execution found out.
#[derive(Default)]
pub struct Execution {
    pub claims: Vec<Claim>,
    /// What path conditions say where checks have passed that claims were made of.
    pub passed: Vec<Term>,
    /// In the order in which any concrete run takes them; each only where its guard holds.
    pub inputs: Vec<Input>,
    /// Where unwinding stopped though the guard may hold.
    pub cuts: Vec<Cut>,
    /// What could not be encoded; reaching it makes an answer unknown.
    pub gaps: Vec<Gap>,
    /// Where executions went on behind violations of kinds that are switched off: what is proved rests on it.
    pub behind: Vec<Passing>,
    /// Calls that were left open, in the order of execution.
    pub open: Vec<OpenCall>,
    /// Functions that were called without body or model, by first call.
    pub bodiless: Vec<FuncId>,
    /// Properties whose check was reached, with the condition of reaching it.
    pub reached: Vec<(PropertyId, Term)>,
    /// What was gone through.
    pub blocks_passed: Passed,
    /// Runs were left out because a search in text would have ended far away.
    pub narrowed: bool,
    /// How much was run: points at which the budget was looked at.
    pub steps: u64,
    /// The execution was stopped by its budget.
    pub stopped: Option<blitz_base::Stop>,
}

/// How much was found so far.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub claims: usize,
    pub inputs: usize,
    pub cuts: usize,
    pub gaps: usize,
    pub behind: usize,
    pub reached: usize,
}

impl Execution {
    pub(crate) fn found(&self) -> Found {
        Found {
            claims: self.claims.len(),
            inputs: self.inputs.len(),
            cuts: self.cuts.len(),
            gaps: self.gaps.len(),
            behind: self.behind.len(),
            reached: self.reached.len(),
        }
    }

    /// Takes back what was found since.
    pub(crate) fn take_back(&mut self, to: Found) {
        self.claims.truncate(to.claims);
        self.inputs.truncate(to.inputs);
        self.cuts.truncate(to.cuts);
        self.gaps.truncate(to.gaps);
        self.behind.truncate(to.behind);
        self.reached.truncate(to.reached);
    }
}

/// `property` is violated where `violated` holds: the first `depth` conjuncts of the guard there, and `bad`.
#[derive(Clone, Debug)]
pub struct Claim {
    pub property: PropertyId,
    pub kind: CheckKind,
    pub violated: Term,
    pub depth: u32,
    pub bad: Term,
    pub loc: Loc,
}

/// An execution goes on behind a violation of a kind that is switched off.
#[derive(Clone, Debug)]
pub struct Passing {
    pub guard: Term,
    pub kind: CheckKind,
    pub loc: Loc,
    pub yields: Yields,
}

/// What a read yields behind a violation of a kind that is switched off; what writes nowhere yields nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yields {
    Anything,
    /// What the memory held when it was freed.
    Kept,
}

/// A value that comes from outside.
#[derive(Clone, Debug)]
pub struct Input {
    pub guard: Term,
    pub kind: InputKind,
    pub name: InputName,
    pub loc: Loc,
    /// Which execution of its instruction it is, where a segment is run.
    pub occurrence: OccurrenceNo,
}

#[derive(Clone, Debug)]
pub enum InputKind {
    Value {
        term: Term,
        ty: Type,
    },
    /// The first `len` elements of a byte array.
    Bytes {
        array: Term,
        len: Term,
    },
    /// Whether an allocation fails.
    AllocFails {
        term: Term,
    },
}

/// Unwinding stopped here.
#[derive(Clone, Debug)]
pub struct Cut {
    pub guard: Term,
    pub func: FuncId,
    pub what: CutKind,
    pub loc: Loc,
    pub bound: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CutKind {
    Loop(LoopId),
    Recursion,
    /// Jumps back to the function's `setjmp`s.
    Jump,
}

/// A loop, or the recursion of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    pub func: FuncId,
    pub what: CutKind,
}

/// How a path ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// The program ended with this status, by `exit` or by coming back from `main`.
    Exit(Term),
    /// It ended abnormally (`abort`).
    Halt(Term),
    /// A check fails whatever the inputs of this path are, or nothing satisfies what is assumed here.
    Blocked,
    /// Something is not supported (an entry of `Execution::gaps`).
    Gap,
    /// A bound was reached (an entry of `Execution::cuts`).
    Cut(CutKind),
    /// Back at the head of a loop with nothing changed.
    Repeated,
    /// The chooser ended it.
    Pruned,
    /// The budget or the limit of steps did (`Execution::stopped`).
    Stopped,
}

/// Something that was not encoded.
#[derive(Clone, Debug)]
pub struct Gap {
    pub guard: Term,
    pub what: Unsupported,
    pub loc: Loc,
    /// Where the activations stood, the outermost first: block and instruction. What comes before them does not hang on
    /// the gap.
    pub stood: Vec<Spot>,
}

/// An instruction that an activation has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub func: FuncId,
    pub block: Block,
    pub index: usize,
}
