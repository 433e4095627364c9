//! The engines of one property, taking turns.
//!
//! Each has a share of the work, counted in propagated literals and written clauses; whoever is furthest behind its share goes next, for a slice. That
//! depends on nothing but the model, so the same engine gives the answer every time. An induction step that holds waits until `bmc` has covered
//! the bounds below it.

use crate::answer::{Invariant, Proof, Reason, StateLit, Status};
use crate::bits::{BitGoal, Bits};
use crate::bmc::Bmc;
use crate::check::{Options, Stats};
use crate::engine::{Engine, Progress};
use crate::ic3::Ic3;
use crate::invariant::{self, Checked, Excludes, Trust};
use crate::kind::{Induction, StepAnswer};
use crate::lasso::Lasso;
use crate::ts::{Goal, Ts};
use blitz_base::Budget;
use blitz_solver::UnknownReason;

/// Conflicts of one slice of an engine on an unrolling.
const SLICE_CONFLICTS: u32 = 2_000;
/// Propagated literals of one slice of IC3.
const SLICE_TICKS: u64 = 2_000_000;
/// What a slice costs at least, in propagated literals: questions that are answered without any count too.
const SLICE_WORK: u64 = 2_000;
/// Shares of the work: IC3 decides most models, safe ones and violated ones, so it gets half.
const SHARES: [(Turn, u64); 4] = [(Turn::Ic3, 6), (Turn::Bmc, 3), (Turn::Lasso, 3), (Turn::Step, 2)];

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Bmc,
    Step,
    Ic3,
    Lasso,
}

/// An answer, and which engine gave it.
pub struct Decided {
    pub status: Status,
    pub engine: Engine,
    pub stats: Stats,
}

/// Decides the property of `bits`, which is a cone of `ts`.
pub fn decide(ts: &Ts, goal: &Goal, bits: &Bits, options: &Options, budget: &Budget) -> Decided {
    match bits.goal(0) {
        BitGoal::Bad(_) => decide_safety(ts, goal, bits, None, options, budget),
        BitGoal::Justice(_) => {
            let lasso = (options.engine != Engine::Ic3).then(|| Lasso::new(ts, goal, bits));
            let safety = bits.liveness_to_safety();
            decide_safety(ts, goal, &safety, lasso, options, budget)
        }
    }
}

fn decide_safety(
    ts: &Ts,
    goal: &Goal,
    bits: &Bits,
    lasso: Option<Lasso>,
    options: &Options,
    budget: &Budget,
) -> Decided {
    // Bounded model checking alone is asked for where the unrolling as such is wanted.
    let swept = if options.engine == Engine::Bmc { None } else { bits.swept(budget) };
    let system = System { all: bits, facts: swept.as_ref().map_or(&[], |s| &s.facts) };
    let bits = swept.as_ref().map_or(bits, |s| &s.bits);
    let cubed = bits.with_initial_cube();
    let cube = cubed.as_ref().unwrap_or(bits);
    let folded = cube.folded();
    let ic3_bits = folded.as_ref().unwrap_or(cube);
    let uses = |engines: &[Engine]| engines.contains(&options.engine);
    let live = lasso.is_some();
    let schedule = Schedule {
        // A lasso is found sooner by its own engine; the step of induction needs the bounds of its own system covered.
        bmc: (uses(&[Engine::Kind, Engine::Auto]) || uses(&[Engine::Bmc]) && !live).then(|| Bmc::new(ts, goal, bits)),
        step: uses(&[Engine::Kind, Engine::Auto]).then(|| Induction::new(bits)),
        ic3: uses(&[Engine::Ic3, Engine::Auto]).then(|| Ic3::new(ts, goal, ic3_bits)),
        lasso,
        step_holds: None,
        slices: [0; SHARES.len()],
        bound: options.bound,
    };
    schedule.run(&system, options, budget)
}

/// The system before equal latches were merged: what a proof is about.
struct System<'a> {
    all: &'a Bits,
    /// Why those may be merged.
    facts: &'a [Vec<StateLit>],
}

impl System<'_> {
    /// An invariant of the merged system, checked as one of this. It is believed only then; one that fails is a defect of ours.
    fn invariant(&self, mut found: Invariant, trust: Trust, budget: &Budget) -> Status {
        found.clauses.extend_from_slice(self.facts);
        let cubed = self.all.with_initial_cube();
        match invariant::check(cubed.as_ref().unwrap_or(self.all), &found, Excludes::Bad, trust, budget) {
            Checked::Holds { .. } => Status::Proved(Proof::Invariant(found)),
            Checked::Wrong(why) => panic!("an invariant of ic3 should be one, but {why}"),
            Checked::Stopped(reason) => Status::Unknown { reason: Reason::Solver(reason), holds_up_to: None },
        }
    }

    /// A proof by induction on the merged system: what was merged is checked anew.
    fn induction(&self, k: usize, trust: Trust, budget: &Budget) -> Status {
        let facts = Invariant { clauses: self.facts.to_vec(), ..Invariant::default() };
        match invariant::check(self.all, &facts, Excludes::Nothing, trust, budget) {
            Checked::Holds { .. } => Status::Proved(Proof::Induction { k, others: 0 }),
            Checked::Wrong(why) => panic!("latches that were merged should be equal, but {why}"),
            Checked::Stopped(reason) => Status::Unknown { reason: Reason::Solver(reason), holds_up_to: None },
        }
    }
}

struct Schedule<'a> {
    bmc: Option<Bmc<'a>>,
    step: Option<Induction<'a>>,
    ic3: Option<Ic3<'a>>,
    lasso: Option<Lasso<'a>>,
    /// The k for which the step of induction holds.
    step_holds: Option<usize>,
    /// How many slices each engine had, in the order of `SHARES`.
    slices: [u64; SHARES.len()],
    bound: Option<usize>,
}

impl Schedule<'_> {
    fn run(mut self, system: &System, options: &Options, budget: &Budget) -> Decided {
        loop {
            match self.settled() {
                Some(Status::Proved(Proof::Induction { k, .. })) => {
                    return self.decided(system.induction(k, options.trust, budget), Turn::Step);
                }
                Some(status) => return self.decided(status, self.bounding()),
                None => {}
            }
            let Some(turn) = self.next() else { panic!("some engine should have work left") };
            match self.advance(turn, budget) {
                Progress::More => {}
                Progress::Violated(violation) => return self.decided(Status::Violated(violation), turn),
                Progress::Proved(Proof::Invariant(found)) => {
                    let status = system.invariant(found, options.trust, budget);
                    return self.decided(status, turn);
                }
                Progress::Open => {
                    let status = Status::Unknown { reason: Reason::OpenLoop, holds_up_to: None };
                    return self.decided(status, turn);
                }
                Progress::Proved(proof) => return self.decided(Status::Proved(proof), turn),
                Progress::Stopped(reason) => {
                    let status = self.unknown(reason);
                    return self.decided(status, turn);
                }
            }
        }
    }

    /// The engine that counts bounds.
    fn bounding(&self) -> Turn {
        match (&self.lasso, &self.bmc) {
            (Some(_), _) => Turn::Lasso,
            (None, Some(_)) => Turn::Bmc,
            (None, None) => Turn::Ic3,
        }
    }

    /// How many bounds, from 0 on, have no counterexample.
    fn covered(&self) -> usize {
        let bounds = [
            self.bmc.as_ref().filter(|_| self.lasso.is_none()).map(Bmc::bound),
            self.lasso.as_ref().map(Lasso::bound),
            self.ic3.as_ref().filter(|_| self.lasso.is_none()).map(Ic3::bound),
        ];
        bounds.into_iter().flatten().max().unwrap_or(0)
    }

    /// What the bounds so far decide.
    fn settled(&self) -> Option<Status> {
        if let (Some(k), Some(bmc)) = (self.step_holds, &self.bmc)
            && bmc.bound() >= k
        {
            return Some(Status::Proved(Proof::Induction { k, others: 0 }));
        }
        let most = self.bound?;
        (self.covered() > most).then_some(Status::HoldsUpTo(most))
    }

    /// The engine that is furthest behind its share.
    fn next(&mut self) -> Option<Turn> {
        let behind = |(i, &(turn, share)): (usize, &(Turn, u64))| {
            let work = self.work(turn)? + SLICE_WORK * self.slices[i];
            Some((work / share, i))
        };
        let (_, chosen) = SHARES.iter().enumerate().filter_map(behind).min()?;
        self.slices[chosen] += 1;
        Some(SHARES[chosen].0)
    }

    fn work(&self, turn: Turn) -> Option<u64> {
        match turn {
            Turn::Bmc => self.bmc.as_ref().map(Bmc::work),
            Turn::Step if self.step_holds.is_some() => None,
            Turn::Step => self.step.as_ref().map(Induction::work),
            Turn::Ic3 => self.ic3.as_ref().map(Ic3::ticks),
            Turn::Lasso => self.lasso.as_ref().map(Lasso::work),
        }
    }

    fn advance(&mut self, turn: Turn, budget: &Budget) -> Progress {
        let gone = "an engine whose turn it is should be there";
        match turn {
            Turn::Bmc => self.bmc.as_mut().expect(gone).advance(Some(SLICE_CONFLICTS), budget),
            Turn::Lasso => self.lasso.as_mut().expect(gone).advance(Some(SLICE_CONFLICTS), budget),
            Turn::Ic3 => self.ic3.as_mut().expect(gone).advance(SLICE_TICKS, budget),
            Turn::Step => {
                let step = self.step.as_mut().expect(gone);
                match step.advance(Some(SLICE_CONFLICTS), budget) {
                    StepAnswer::Holds => {
                        self.step_holds = Some(step.k());
                        Progress::More
                    }
                    StepAnswer::More => Progress::More,
                    StepAnswer::Stopped(reason) => Progress::Stopped(reason),
                }
            }
        }
    }

    fn unknown(&self, reason: UnknownReason) -> Status {
        Status::Unknown { reason: Reason::Solver(reason), holds_up_to: self.covered().checked_sub(1) }
    }

    fn decided(&self, status: Status, turn: Turn) -> Decided {
        let engine = match (turn, &status) {
            (_, Status::Proved(Proof::Induction { .. })) | (Turn::Step, _) => Engine::Kind,
            (Turn::Bmc | Turn::Lasso, _) => Engine::Bmc,
            (Turn::Ic3, _) => Engine::Ic3,
        };
        let mut stats = Stats::default();
        let sizes = [self.bmc.as_ref().map(Bmc::size), self.lasso.as_ref().map(Lasso::size)];
        for (vars, clauses) in sizes.into_iter().flatten() {
            stats.vars += u64::from(vars);
            stats.clauses += clauses;
        }
        stats.conflicts = self.bmc.as_ref().map_or(0, Bmc::conflicts)
            + self.lasso.as_ref().map_or(0, Lasso::conflicts)
            + self.ic3.as_ref().map_or(0, Ic3::conflicts);
        Decided { status, engine, stats }
    }
}
