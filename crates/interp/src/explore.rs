//! All schedules of a program, one run after the other: a proof where they come to an end, and an oracle for the engines.
//!
//! A run follows decisions made before (which thread goes on, what a one-bit input is, whether an allocation fails) and takes the first way at each new one; the last
//! decision with a way left is changed for the next run. A run ends early in a state that was seen before: whatever follows was or will be looked at from there. That is
//! stateless search with a set of states (Godefroid, VeriSoft, POPL 1997). As an oracle it is without any reduction: that should have nothing to be wrong about. As a
//! proof it passes over points that make no difference (`reduce`).
//!
//! A state counts as seen if a digest of 128 bits was: two different states of one program with the same digest would be taken for one (hash compaction, as in SPIN).
//!
//! What a run does that not every execution under its schedule does makes the exploration *incomplete*, with the reason: an input that is more than compared with
//! constants (`finite`; unless the configuration gives it), a library model with behaviours too few, a function without a body, bytes that are loaded before anything was stored there.

mod digest;
mod reduce;

use crate::code::{Codes, From};
use crate::config::{Captured, RunConfig, TraceLevel};
use crate::finite;
use crate::machine::{Activation, End, Machine};
use crate::memory::PATTERN;
use crate::outcome::{Outcome, RunResult};
use blitz_base::Budget;
use blitz_base::Labour;
use blitz_ir::{Approximation, Channel, CheckKind, InputName, Inst, InstId, Program, PropertyId};
use reduce::Reduction;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What was found in all schedules.
#[derive(Default)]
pub struct Explored {
    /// The first run that violates each property.
    pub violated: BTreeMap<PropertyId, RunResult>,
    /// How the runs ended that ended by themselves.
    pub ends: BTreeMap<String, u64>,
    pub runs: u64,
    pub states: usize,
    /// The properties whose check some run came to.
    pub reached: BTreeSet<PropertyId>,
    /// Threads in the run that had most of them.
    pub threads: usize,
    /// Why not everything was looked at.
    pub incomplete: Option<String>,
}

/// How far an exploration goes.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub max_runs: u64,
    /// Allocations fail, too.
    pub failures: bool,
    /// It ends as soon as it can't be complete.
    pub proof: bool,
    /// Visible points before accesses that nobody races with are passed over.
    pub reduced: bool,
}

/// The decisions of the run that is made, and the states that were seen.
#[derive(Default)]
pub struct Exploration {
    decisions: Vec<Decision>,
    next: usize,
    seen: HashSet<(u64, u64)>,
    pruned: bool,
    refused: Option<String>,
    failures: bool,
    proof: bool,
    /// Some memory holds anything until something is stored there.
    unset: bool,
    reached: BTreeSet<PropertyId>,
    /// Checks whose property is in `reached`: function and operation, and the call from the user's code where it is a model's.
    noted: HashSet<(u64, u64)>,
    /// The last decision, if it was about who goes on.
    choice: Option<usize>,
    reduction: Option<Reduction>,
    /// By input: the values that stand for all, where these are few.
    values: HashMap<(u32, InstId), Option<Vec<u64>>>,
}

struct Decision {
    options: Vec<u32>,
    chosen: usize,
}

impl Exploration {
    /// The way taken where there are several.
    fn decide(&mut self, options: &[u32]) -> u32 {
        if self.next == self.decisions.len() {
            self.decisions.push(Decision { options: options.to_vec(), chosen: 0 });
        }
        let decision = &self.decisions[self.next];
        self.next += 1;
        self.choice = None;
        decision.options[decision.chosen]
    }

    /// The thread that goes on.
    fn choose(&mut self, able: &[u32]) -> u32 {
        let chosen = self.decide(able);
        self.choice = Some(self.next - 1);
        chosen
    }

    /// The thread that was chosen last has to wait, without having done anything. What others can do instead is what they can do now: that is decided from here.
    pub fn chosen_waits(&mut self) {
        if let Some(at) = self.choice.take() {
            let decision = &mut self.decisions[at];
            decision.options.truncate(decision.chosen + 1);
        }
    }

    /// Everything from the beginning, for a reduction that has learnt.
    fn begin_again(&mut self) {
        self.decisions.clear();
        self.seen.clear();
        (self.next, self.pruned, self.choice) = (0, false, None);
    }

    pub fn refuse(&mut self, why: impl FnOnce() -> String) {
        self.refused.get_or_insert_with(why);
    }

    /// Changes the last decision that has a way left; false if there is none.
    fn advance(&mut self) -> bool {
        (self.next, self.pruned, self.choice) = (0, false, None);
        while let Some(last) = self.decisions.last_mut() {
            last.chosen += 1;
            if last.chosen < last.options.len() {
                return true;
            }
            self.decisions.pop();
        }
        false
    }
}

/// Runs a program in all schedules.
pub fn explore(program: &Program, config: &RunConfig, extent: Extent, budget: &Budget) -> Explored {
    let config = RunConfig { trace: TraceLevel::None, ..config.clone() };
    let codes = Codes::explored(program);
    let mut found = Explored::default();
    let globals: u64 = program.globals.iter().map(|g| 8 + g.size / 8).sum();
    let reduction = extent.reduced.then(|| Reduction::new(program));
    let mut exploration =
        Exploration { failures: extent.failures, proof: extent.proof, reduction, ..Exploration::default() };
    loop {
        // Every run begins with fresh memory.
        budget.spend(Labour::Instruction, globals);
        let mut sink = Captured::default();
        let mut machine = Machine::new(program, &codes, &config, budget, &mut sink);
        machine.threads.exploration = Some(exploration);
        let (result, used) = machine.run_explored();
        exploration = used.expect("an exploration should come back from its run");
        found.runs += 1;
        found.states = exploration.seen.len();
        found.note(result, &exploration);
        let stop = found.runs >= extent.max_runs || budget.expired().is_some();
        let again = exploration.reduction.as_ref().is_some_and(Reduction::has_learnt);
        if again {
            exploration.learn();
        }
        let over = !again && !exploration.advance() || extent.proof && found.incomplete.is_some();
        if stop && !over {
            found.incomplete.get_or_insert_with(|| format!("more than {} runs", found.runs));
        }
        if stop || over {
            found.reached = std::mem::take(&mut exploration.reached);
            return found;
        }
    }
}

impl Explored {
    fn note(&mut self, result: RunResult, exploration: &Exploration) {
        self.threads = self.threads.max(result.schedule.iter().map(|s| s.thread as usize + 1).max().unwrap_or(1));
        let made_up = result.answered.first().map(|_| "a function without a body".to_owned());
        let why = match &result.outcome {
            Outcome::Violation(v) => {
                self.violated.entry(v.property).or_insert(result);
                None
            }
            Outcome::Exit(_) if exploration.pruned => None,
            Outcome::Exit(status) => {
                *self.ends.entry(format!("exit {status}")).or_default() += 1;
                None
            }
            Outcome::Halt(status) => {
                *self.ends.entry(format!("halt {status}")).or_default() += 1;
                None
            }
            Outcome::AssumeFailed(_) => None,
            Outcome::Unsupported { what, .. } => Some(what.to_string()),
            Outcome::OutOfSteps => Some("a run with too many steps".to_owned()),
            Outcome::Stopped(_) => Some("out of time or memory".to_owned()),
        };
        if let Some(why) = why.or_else(|| exploration.refused.clone()).or(made_up) {
            self.incomplete.get_or_insert(why);
        }
    }
}

impl Machine<'_, '_> {
    /// The thread that an exploration lets go on; the run ends where the state is known.
    pub fn explored_choice(&mut self, able: &[u32]) -> Result<u32, End> {
        let fresh = self.threads.exploration.as_ref().is_some_and(|e| e.next == e.decisions.len());
        if fresh {
            let (state, words) = self.digest();
            self.budget.spend(Labour::Instruction, words);
            let Some(exploration) = &mut self.threads.exploration else { return Ok(able[0]) };
            if !exploration.seen.insert(state) {
                exploration.pruned = true;
                return Err(Box::new(Outcome::Exit(0)));
            }
        }
        match (&mut self.threads.exploration, able) {
            (Some(exploration), [_, _, ..]) => Ok(exploration.choose(able)),
            (Some(exploration), _) => {
                exploration.choice = None;
                Ok(able[0])
            }
            (None, _) => Ok(able[0]),
        }
    }

    /// An input in an exploration, if this is one and the configuration gives none.
    pub fn explored_input(&mut self, bits: u16, name: &InputName) -> Option<u64> {
        let unset = if name.channel() == Channel::Unset { self.unset_input(bits) } else { None };
        let top = self.top();
        let (code, origin) = (top.code, top.code.origins[top.pc as usize]);
        let exploration = self.threads.exploration.as_mut()?;
        let known = match origin.get() {
            From::Inst(inst) if matches!(code.func.inst(inst).inst, Inst::Input { .. }) => {
                let cell =
                    exploration.values.entry((code.id.0, inst)).or_insert_with(|| finite::values(code.func, inst));
                cell.clone()
            }
            From::Inst(_) | From::Term(_) => None,
        };
        if unset.is_some() {
            return unset;
        }
        if bits == 1 {
            return Some(u64::from(exploration.decide(&[0, 1])));
        }
        if let Some(values) = known {
            let ways: Vec<u32> = (0..values.len() as u32).collect();
            return values.get(exploration.decide(&ways) as usize).copied();
        }
        exploration.refuse(|| format!("an input of more than one bit: {name}"));
        Some(0)
    }

    /// Whether an allocation fails, if this is an exploration and the configuration says nothing.
    pub fn explored_failure(&mut self) -> Option<bool> {
        let exploration = self.threads.exploration.as_mut()?;
        Some(exploration.failures && exploration.decide(&[0, 1]) == 1)
    }

    /// Whether bytes of an input are left as they are: those of memory that nothing was stored in, as long as nobody loads them. Others are refused.
    pub fn explored_bytes(&mut self, ptr: u64, len: u64, name: &InputName) -> bool {
        let Some(exploration) = &mut self.threads.exploration else { return false };
        if len == 0 {
            return false;
        }
        if name.channel() != Channel::Unset {
            exploration.refuse(|| format!("an input of {len} bytes: {name}"));
            return false;
        }
        exploration.unset = true;
        let Some((data, shadow)) = self.memory.writable(ptr, len) else { return false };
        // SAFETY: the bytes and their shadow are there.
        unsafe {
            data.write_bytes(PATTERN, len as usize);
            shadow.write_bytes(0, len as usize);
        }
        true
    }

    /// Some memory holds anything from here on.
    pub fn loads_are_watched(&mut self) {
        if let Some(exploration) = &mut self.threads.exploration {
            exploration.unset = true;
        }
    }

    /// Bytes are about to be loaded: where nothing was stored they could be others.
    pub fn watch(&mut self, ptr: u64, len: u64) -> Result<(), End> {
        if !self.threads.exploration.as_ref().is_some_and(|e| e.unset) || len == 0 {
            return Ok(());
        }
        let Some(shadow) = self.memory.shadow(ptr, len) else { return Ok(()) };
        // SAFETY: the shadow of that many bytes is there.
        let set = unsafe { std::slice::from_raw_parts(shadow, len as usize) }.iter().all(|&b| b == 0xff);
        if let Some(exploration) = self.threads.exploration.as_mut().filter(|_| !set) {
            exploration.refuse(|| "bytes that are loaded before anything is stored there".to_owned());
        }
        Ok(())
    }

    /// A library model leaves out what the real function may do.
    pub fn passes_fewer(&mut self, what: &Approximation) {
        if let Some(exploration) = &mut self.threads.exploration {
            // A reduction sees what races with accesses of models, and is then given up.
            if what.at_once && exploration.reduction.is_some() {
                return;
            }
            exploration.refuse(|| what.to_string());
        }
    }

    /// The real world answers: another one could answer otherwise.
    pub fn meets_world(&mut self) {
        if let Some(exploration) = self.threads.exploration.as_mut().filter(|e| e.proof) {
            exploration.refuse(|| "an answer of the machine".to_owned());
        }
    }

    /// A check is reached, or what a leak would be called for.
    pub fn note_check(&mut self) -> Result<(), End> {
        let (top, user) = (self.top(), self.frames.iter().rev().find(|f| !f.code.model));
        let at = |f: &Activation| u64::from(f.code.id.0) << 32 | u64::from(f.pc);
        let key = (at(top), if top.code.model { user.map_or(0, at) } else { 0 });
        let From::Inst(inst) = top.code.origins[top.pc as usize].get() else { return Ok(()) };
        let inst = &top.code.func.inst(inst).inst;
        if !self.threads.exploration.as_mut().is_some_and(|e| e.noted.insert(key)) {
            return Ok(());
        }
        let single = |kind: CheckKind, p: &Option<PropertyId>| p.iter().map(|p| (kind, *p)).collect();
        let properties: Vec<(CheckKind, PropertyId)> = match inst {
            Inst::Check { property, .. } if property.unasked_kind().is_some() => Vec::new(),
            Inst::Check { property, .. } => vec![(self.program.property(*property).kind, *property)],
            Inst::CheckMem(check) => asked(&check.properties),
            Inst::HeapAlloc { leak, .. } => single(CheckKind::MemoryLeak, leak),
            Inst::Await { property, .. } => single(CheckKind::Deadlock, property),
            other => unreachable!("{other:?} should not be announced"),
        };
        for (kind, own) in properties {
            let (property, _) = self.attribute(kind, own);
            self.threads.exploration.as_mut().map(|e| e.reached.insert(property));
        }
        Ok(())
    }
}

/// The kinds that are not switched off.
fn asked(properties: &[(CheckKind, PropertyId)]) -> Vec<(CheckKind, PropertyId)> {
    properties.iter().copied().filter(|(_, p)| p.unasked_kind().is_none()).collect()
}
