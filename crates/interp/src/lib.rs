//! Concrete semantics: runs a program of the IR on values, and says how it ended.
//!
//! Why: a violation counts only when a run has shown it. This is the run: complete (every instruction, every check
//! kind), independent of the symbolic semantics, and quick enough for real programs.
//!
//! How: each function is translated once into register code (`code`, `translate`), which one loop executes (`exec`) over an
//! object table with shadow bits (`memory`). Everything rare (violations, wide integers, exotic floats, host
//! services) leaves the loop through a slow path.
//!
//! Invariants: a slot of at most 64 bits has zeros above its width; wider values take consecutive slots, lowest
//! first; slots of a frame are written before they are read (the IR is in SSA form, definitions dominate uses); calls
//! of the program never recurse on our own stack; the same program, configuration and world give the same result.
//!
//! Absent on purpose: terms, solvers, printing. Output goes to a sink that the caller gives.

mod bodiless;
mod calls;
mod checks;
mod clocks;
mod code;
mod config;
mod describe;
mod exec;
mod explore;
mod finite;
mod float;
mod fuse;
mod held;
mod host;
mod input;
mod keyed;
mod leaks;
mod live;
mod machine;
mod memory;
mod outcome;
mod pages;
mod schedule;
mod script;
mod slow;
mod soft;
mod threads;
mod trace;
mod translate;
mod unset;
mod wide;

pub use config::{Entry, InputSource, InputValue, OutputSink, RunConfig, TraceLevel};
pub use explore::{Explored, Extent, explore};
pub use keyed::{ROOT_KEY, occurrence_key};
pub use outcome::{
    Doing, Event, Frame, NamedValue, ObjectInfo, ObjectKind, ObjectName, Outcome, RunResult, ThreadStand, UsedInput,
    Via, Violation,
};
pub use schedule::{Schedule, Slot};
pub use script::{Observed, Script, Source, Taken, Waiting};

use blitz_base::Budget;
use blitz_ir::Program;

/// Runs the program and keeps what it writes in `RunResult::output`.
pub fn run(program: &Program, config: &RunConfig, budget: &Budget) -> RunResult {
    Runner::new(program, config.trace).run(config, budget)
}

/// Runs the program; what it writes goes to `sink`.
pub fn run_with(program: &Program, config: &RunConfig, budget: &Budget, sink: &mut dyn OutputSink) -> RunResult {
    Runner::new(program, config.trace).run_with(config, budget, sink)
}

/// A program that is run more than once: its functions are translated when they are first called, and stay so.
pub struct Runner<'p> {
    program: &'p Program,
    codes: code::Codes<'p>,
}

impl<'p> Runner<'p> {
    /// For runs that are traced as `trace` says.
    pub fn new(program: &'p Program, trace: TraceLevel) -> Self {
        Self { program, codes: code::Codes::new(program, trace) }
    }

    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// How runs are traced.
    pub fn trace(&self) -> TraceLevel {
        self.codes.trace()
    }

    /// Runs it and keeps what it writes in `RunResult::output`.
    pub fn run(&self, config: &RunConfig, budget: &Budget) -> RunResult {
        let mut captured = config::Captured::default();
        let mut result = self.run_with(config, budget, &mut captured);
        result.output = captured.chunks;
        result
    }

    fn run_with(&self, config: &RunConfig, budget: &Budget, sink: &mut dyn OutputSink) -> RunResult {
        assert_eq!(config.trace, self.codes.trace(), "the code was made for runs traced in another way");
        machine::Machine::new(self.program, &self.codes, config, budget, sink).run()
    }
}
