//! What an engine is asked to do, and how.

use crate::compositional::tactics::Tactics;
use crate::explore::ExploreOptions;
use crate::verdict::Violation;
use blitz_ir::{Checks, Program};
use blitz_symex::{Behind, Bodiless, Bounds};
use std::sync::mpsc::Sender;

/// The engines there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Chooses and combines.
    Auto,
    /// Everything inlined, every loop unwound to its bound, one formula.
    Bmc,
    /// Loops unwound step by step on one live solver; needs no bound.
    Incremental,
    /// `main` first, calls opened where the answer needs them.
    Stratified,
    /// Backwards from the error, one procedure at a time.
    Compositional,
    /// One path after the other, forking where control may go several ways.
    Explore,
}

impl Engine {
    pub const ALL: &[Engine] =
        &[Engine::Auto, Engine::Bmc, Engine::Incremental, Engine::Stratified, Engine::Compositional, Engine::Explore];

    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Bmc => "bmc",
            Engine::Incremental => "incremental",
            Engine::Stratified => "stratified",
            Engine::Compositional => "compositional",
            Engine::Explore => "explore",
        }
    }

    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.iter().copied().find(|e| e.name() == name)
    }
}

/// Running so many instructions in place costs less than leaving out what they do.
pub const DEFAULT_INLINE: usize = 60;

/// The configuration of a check.
#[derive(Clone, Debug)]
pub struct CheckConfig {
    pub engine: Engine,
    /// How often the body of a loop runs at most; unlimited if not given (bmc then takes 1).
    pub unwind: Option<u32>,
    /// Bounds of single loops, by name (`main.1`).
    pub unwindset: Vec<(String, u32)>,
    /// Bounds say how often a loop may come back to its beginning, plus one (CBMC), not how often its body may run.
    pub counts_ways_back: bool,
    pub checks: Checks,
    /// Only these properties, by name; all if empty.
    pub properties: Vec<String>,
    pub solver: String,
    pub certify: bool,
    pub alloc_may_fail: bool,
    /// Stop at the first violation.
    pub stop_at_first: bool,
    /// How long the search goes on behind a violation, if it does.
    pub search_on: SearchOn,
    /// Where violations go as soon as a run has shown them. Whoever takes them makes their inputs smaller (`smaller`).
    pub found: Option<Sender<Violation>>,
    pub propagation: Propagation,
    pub granularity: Granularity,
    pub weakening: Weakening,
    /// The tactics of the compositional engine that are switched on.
    pub tactics: Tactics,
    /// Preconditions of at most this many terms stay exact; larger ones are under-approximated.
    pub exact: usize,
    /// The stratified engine never leaves calls open of functions with at most this many instructions, callees included, and
    /// without loops.
    pub inline: usize,
    /// Threads for engines whose questions are independent.
    pub jobs: usize,
    /// Told what the engines do, as they do it.
    pub log: Option<fn(&str)>,
    /// Which loops the incremental engine unwinds next.
    pub loop_policy: LoopPolicy,
    /// What executions do behind violations of kinds that are switched off; engines that know no such place end there.
    pub behind: Behind,
    /// What functions without a body may do. Answers hold for `Havoc` alone; `check` sees to that.
    pub bodiless: Bodiless,
    /// Functions whose library model counts as exact, or that change nothing if they have neither body nor model. Named in the report.
    pub assumed_models: Vec<String>,
    /// Steps of symbolic execution after which an engine ends.
    pub max_steps: Option<u64>,
    /// The incremental engine checks after this many further iterations of each loop; growing steps if not given.
    pub check_interval: Option<u32>,
    /// How the explore engine searches.
    pub explore: ExploreOptions,
    /// Turns of each thread; growing if not given.
    pub rounds: Option<u32>,
    /// How programs with threads are made sequential.
    pub threads: Sequentialization,
}

/// How the turns of threads become one symbolic execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sequentialization {
    /// Every schedule by itself, as far as that goes soon; then lazy.
    #[default]
    SchedulesFirst,
    /// Round after round, each thread from what the one before left: only states that are reached.
    Lazy,
    /// Thread after thread through all rounds, from guessed memory (Lal and Reps): for programs that share global variables only.
    LalReps,
}

impl Sequentialization {
    pub fn name(self) -> &'static str {
        match self {
            Sequentialization::SchedulesFirst | Sequentialization::Lazy => "lazy",
            Sequentialization::LalReps => "lal-reps",
        }
    }
}

/// How long a search goes on behind a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchOn {
    /// For some times the work that was done until then: without a time limit of the user's the search might have no end.
    Somewhat,
    /// Until every property is decided or the budget is used up.
    ToTheEnd,
}

/// Which loops are unwound next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopPolicy {
    /// All that can still matter, each as far as the others.
    RoundRobin,
    /// Those that have cost least so far.
    Cost,
    /// Those nearest to a property that is open.
    Distance,
}

/// What the compositional engine follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// Calls that matter to the condition.
    Data,
    /// Every call.
    Control,
}

/// What the compositional engine takes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Granularity {
    /// A function, from its entry.
    Function,
    /// So many statements of one.
    Statements(u32),
}

/// When the compositional engine makes a precondition weaker than the first one it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weakening {
    /// When nothing else is left to try.
    Lazy,
    /// At once, to a choice between this many.
    Eager(u32),
}

impl CheckConfig {
    /// What symbolic execution needs of it. Loops of library models run at most `model_bound` times.
    pub fn symbolic<'a>(&'a self, bounds: &'a dyn Bounds, model_bound: u32) -> blitz_symex::Config<'a> {
        blitz_symex::Config {
            bounds,
            checks: self.checks,
            alloc_may_fail: self.alloc_may_fail,
            model_bound,
            bodiless: self.bodiless,
            assumed: &self.assumed_models,
            asked: &self.properties,
            max_steps: self.max_steps,
            near: false,
            behind: Behind::Gap,
        }
    }

    /// Whether a property of this name is asked for.
    pub(crate) fn asks_for(&self, name: &str) -> bool {
        self.properties.is_empty() || self.properties.iter().any(|p| p == name)
    }

    /// Whether nobody has to look any further: the first violation is enough, and there is one of what is asked for.
    pub(crate) fn is_enough(&self, program: &Program, violations: &[Violation]) -> bool {
        self.stop_at_first && violations.iter().any(|v| self.asks_for(&program.property(v.what().property).name))
    }

    /// Hands a violation out, if somebody takes it.
    pub(crate) fn announce(&self, violation: &Violation) {
        if let Some(taker) = &self.found {
            // Who no longer listens gets it with the report.
            let _ = taker.send(violation.clone());
        }
    }

    /// The same configuration for a worker beside others. It announces nothing, since who is first would be chance; what
    /// all have found is announced in order when they have ended.
    pub(crate) fn of_worker(&self) -> CheckConfig {
        CheckConfig { found: None, ..self.clone() }
    }

    /// Tells what happens, if somebody listens.
    pub(crate) fn say(&self, text: impl FnOnce() -> String) {
        if let Some(log) = self.log {
            log(&text());
        }
    }
}

/// The default size up to which preconditions stay exact.
pub const EXACT: usize = 30_000;

impl Default for CheckConfig {
    fn default() -> Self {
        Self {
            engine: Engine::Auto,
            unwind: None,
            unwindset: Vec::new(),
            counts_ways_back: false,
            checks: Checks::default(),
            properties: Vec::new(),
            solver: "cadical".into(),
            certify: false,
            alloc_may_fail: true,
            stop_at_first: false,
            search_on: SearchOn::Somewhat,
            found: None,
            propagation: Propagation::Data,
            granularity: Granularity::Function,
            loop_policy: LoopPolicy::RoundRobin,
            check_interval: None,
            weakening: Weakening::Lazy,
            tactics: Tactics::ALL,
            exact: EXACT,
            inline: DEFAULT_INLINE,
            jobs: 1,
            log: None,
            behind: Behind::AnyValue,
            bodiless: Bodiless::Harmless,
            assumed_models: Vec::new(),
            max_steps: None,
            explore: ExploreOptions::default(),
            rounds: None,
            threads: Sequentialization::default(),
        }
    }
}
