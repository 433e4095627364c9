//! What a run is given.

use crate::schedule::Schedule;
use crate::script::Script;
use blitz_base::Bv;
use blitz_ir::{Checks, GlobalId, PropertyId};

/// Everything a run depends on besides the program (and, with `InputSource::Host`, the world).
#[derive(Clone, Debug)]
pub struct RunConfig {
    pub entry: Entry,
    /// `argv`, the program's name first; what `Builtin::Host` hands out.
    pub args: Vec<Vec<u8>>,
    /// `NAME=value` each.
    pub env: Vec<Vec<u8>>,
    pub inputs: InputSource,
    /// Which thread goes on where several could.
    pub schedule: Schedule,
    /// Initial contents of globals that are defined nowhere (zeros if not listed here).
    pub globals: Vec<(GlobalId, Vec<u8>)>,
    pub trace: TraceLevel,
    /// At most this many events are kept: the latest ones.
    pub max_events: usize,
    /// IR instructions after which the run gives up.
    pub max_steps: Option<u64>,
    /// Calls that may be open at once.
    pub max_depth: usize,
    /// Kinds that end the run when violated; others are passed over.
    pub checks: Checks,
    /// If given, violations of other properties are passed over (and listed in `RunResult::passed_over`).
    pub only: Option<PropertyId>,
    /// Functions without a body that set and keep nothing of what they are given.
    pub assumed_models: Vec<String>,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            entry: Entry::Program,
            args: vec![b"program".to_vec()],
            env: Vec::new(),
            inputs: InputSource::Host { values: Vec::new(), seed: None },
            schedule: Schedule::RoundRobin,
            globals: Vec::new(),
            trace: TraceLevel::None,
            max_events: 1_000_000,
            max_steps: None,
            max_depth: 200_000,
            checks: Checks::default(),
            only: None,
            assumed_models: Vec::new(),
        }
    }
}

/// Where the run begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The start code of the libc models, `__blitz_entry`, which calls `main`.
    Program,
    /// A function of this name with these arguments. Its end is the end of the program.
    Func(String, Vec<Bv>),
}

/// Where inputs come from.
#[derive(Clone, Debug)]
pub enum InputSource {
    /// The real world answers host services and allocations succeed. `Inst::Input` takes these values in order, then
    /// draws from a generator with this seed, or gives zeros.
    Host { values: Vec<InputValue>, seed: Option<u64> },
    /// These, in order; zeros once they run out. For the replay of an engine's counterexample.
    Recorded(Vec<InputValue>),
    /// By the key of where they are asked for (`occurrence_key`); zeros elsewhere. For an engine that saw parts only.
    Keyed(std::collections::HashMap<u64, InputValue>),
    /// Arguments and standard input as they are typed; zeros elsewhere. The run tells what it made of them.
    Script(Script),
}

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputValue {
    /// For `Inst::Input` and results of functions without a body.
    Value(Bv),
    /// For `Inst::InputBytes`.
    Bytes(Vec<u8>),
    /// For `Builtin::AllocFails`.
    Bool(bool),
}

/// How much of the run is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceLevel {
    None,
    /// Calls, returns, inputs, allocations, output.
    Calls,
    /// Also branches.
    Branches,
    /// Also assignments.
    Full,
}

/// Takes what the program writes.
pub trait OutputSink {
    /// Bytes written to a file descriptor of the program: 1 and 2, and what the models call output.
    fn write(&mut self, fd: i32, bytes: &[u8]);
}

/// A sink that keeps everything.
#[derive(Default)]
pub(crate) struct Captured {
    pub chunks: Vec<(i32, Vec<u8>)>,
}

impl OutputSink for Captured {
    fn write(&mut self, fd: i32, bytes: &[u8]) {
        match self.chunks.last_mut() {
            Some((last, chunk)) if *last == fd => chunk.extend_from_slice(bytes),
            _ => self.chunks.push((fd, bytes.to_vec())),
        }
    }
}
