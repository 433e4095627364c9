//! What an engine is told.

use blitz_ir::Checks;

/// The engines there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Chooses and combines.
    Auto,
    /// Everything inlined, every loop unwound to its bound, one formula.
    Bmc,
    /// Backwards from the error, one procedure at a time.
    Compositional,
}

impl Engine {
    pub const ALL: &[Engine] = &[Engine::Auto, Engine::Bmc, Engine::Compositional];

    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Bmc => "bmc",
            Engine::Compositional => "compositional",
        }
    }

    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.iter().copied().find(|e| e.name() == name)
    }
}

/// The configuration of a check.
#[derive(Clone, Debug)]
pub struct CheckConfig {
    pub engine: Engine,
    /// The function that execution begins with; `main` is reached through the libc's start code.
    pub entry: String,
    /// How often the body of a loop runs at most; unlimited if not given (bmc then takes 1).
    pub unwind: Option<u32>,
    /// Bounds of single loops, by name (`main.1`).
    pub unwindset: Vec<(String, u32)>,
    pub checks: Checks,
    /// Only these properties, by name; all if empty.
    pub properties: Vec<String>,
    pub solver: String,
    pub certify: bool,
    pub alloc_may_fail: bool,
    /// Stop at the first violation.
    pub stop_at_first: bool,
    pub propagation: Propagation,
}

/// What the compositional engine follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// Calls that matter to the condition.
    Data,
    /// Every call.
    Control,
}

impl Default for CheckConfig {
    fn default() -> Self {
        Self {
            engine: Engine::Auto,
            entry: "main".into(),
            unwind: None,
            unwindset: Vec::new(),
            checks: Checks::default(),
            properties: Vec::new(),
            solver: "cadical".into(),
            certify: false,
            alloc_may_fail: true,
            stop_at_first: false,
            propagation: Propagation::Data,
        }
    }
}
