//! A small SAT solver for very many very small questions.
//!
//! IC3 asks thousands of questions a second, each about a few gates of a large circuit. CaDiCaL assigns every variable before it says yes, and
//! sets itself up anew for each question; this one decides only on the variables that a question is about (its *domain*), which is what
//! makes the difference. Otherwise it is a plain CDCL solver after MiniSat (Eén and Sörensson 2003): watched literals with blockers, first-UIP
//! learning with local minimisation, activities, phases, Luby restarts, assumptions with cores.
//!
//! The caller promises that any assignment of the domain that violates no clause can be extended to all variables: true for a domain
//! that is closed under the inputs of its gates, with every variable of the other clauses in it. And it says which variables are gates: once the others
//! have values, propagation gives them theirs, so a gate is decided on only where conflicts have met it. Most never are, and need no place in the heap.
//! Invariants: a clause's first two literals are watched; a reason implies one of its first two; at level 0 nothing is ever unassigned,
//! but for released variables that occur in no clause.
//! Absent: preprocessing, proofs (`Sat` has them), time. Effort is counted in propagated literals.

use blitz_base::{Budget, Labour, Stop};

mod heap;
mod learn;

use heap::Heap;

/// A variable, twice, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LightLit(u32);

impl LightLit {
    /// The positive literal of a variable.
    pub fn positive(var: u32) -> Self {
        Self(var << 1)
    }

    pub fn var(self) -> u32 {
        self.0 >> 1
    }

    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The literal negated when `flip` holds.
    pub fn flip_if(self, flip: bool) -> Self {
        Self(self.0 ^ u32::from(flip))
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for LightLit {
    type Output = LightLit;
    fn not(self) -> LightLit {
        LightLit(self.0 ^ 1)
    }
}

/// Where a clause begins in the arena.
type Cref = u32;
const NO_CLAUSE: Cref = u32::MAX;
/// Words before a clause's literals: its length with the learnt flag, and its activity.
const HEADER: usize = 2;
const LEARNT: u32 = 1 << 31;

const ACTIVITY_DECAY: f64 = 0.95;
const CLAUSE_DECAY: f32 = 0.999;
/// Conflicts of the shortest run between restarts.
const RESTART_UNIT: u64 = 50;
/// Learnt clauses that are kept at first, and how many more after each reduction.
const FIRST_LEARNTS: usize = 2_000;
const MORE_LEARNTS: usize = 300;
/// Released variables are collected in batches: each passes over all clauses.
const RELEASE_BATCH: usize = 300;
/// Conflicts between two looks at the clock.
const CONFLICTS_PER_LOOK: u64 = 256;
/// Cache lines that propagating one literal looks at, roughly.
const LINES_PER_LITERAL: u64 = 4;

/// With `BINARY` in its clause the blocker is all the rest of it, and the clause need not be looked at.
#[derive(Clone, Copy)]
struct Watch {
    clause: Cref,
    blocker: LightLit,
}

const BINARY: Cref = 1 << 31;

/// The solver.
pub struct Light {
    arena: Vec<u32>,
    clauses: Vec<Cref>,
    learnts: Vec<Cref>,
    wasted: usize,
    watches: Vec<Vec<Watch>>,
    /// Per literal: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    level: Vec<u32>,
    reason: Vec<Cref>,
    phase: Vec<bool>,
    seen: Vec<bool>,
    /// Whether a variable follows from others.
    gate: Vec<bool>,
    /// A variable is in the domain if this is the current epoch or `ALWAYS`.
    domain: Vec<u32>,
    epoch: u32,
    /// Variables of the domain that no conflict has met, in the order in which they came: those of this question, and those of all.
    idle: Vec<u32>,
    idle_always: Vec<u32>,
    /// Before this place in the two lists together, everything has a value.
    idle_at: usize,
    trail: Vec<LightLit>,
    limits: Vec<Limit>,
    head: usize,
    heap: Heap,
    bump: f64,
    clause_bump: f32,
    core: Vec<LightLit>,
    max_learnts: usize,
    released: Vec<u32>,
    free: Vec<u32>,
    unsat: bool,
    ticks: u64,
    conflicts: u64,
}

const ALWAYS: u32 = u32::MAX;

/// Where a decision level begins.
#[derive(Clone, Copy)]
struct Limit {
    trail: usize,
    idle: usize,
}

impl Default for Light {
    fn default() -> Self {
        Self {
            arena: Vec::new(),
            clauses: Vec::new(),
            learnts: Vec::new(),
            wasted: 0,
            watches: Vec::new(),
            values: Vec::new(),
            level: Vec::new(),
            reason: Vec::new(),
            phase: Vec::new(),
            seen: Vec::new(),
            gate: Vec::new(),
            domain: Vec::new(),
            epoch: 0,
            idle: Vec::new(),
            idle_always: Vec::new(),
            idle_at: 0,
            trail: Vec::new(),
            limits: Vec::new(),
            head: 0,
            heap: Heap::default(),
            bump: 1.0,
            clause_bump: 1.0,
            core: Vec::new(),
            max_learnts: FIRST_LEARNTS,
            released: Vec::new(),
            free: Vec::new(),
            unsat: false,
            ticks: 0,
            conflicts: 0,
        }
    }
}

/// Variables, clauses, questions.
impl Light {
    /// A variable that occurs nowhere.
    pub fn new_var(&mut self) -> u32 {
        if let Some(var) = self.free.pop() {
            self.gate[var as usize] = false;
            return var;
        }
        let var = self.level.len() as u32;
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.extend([0, 0]);
        self.level.push(0);
        self.reason.push(NO_CLAUSE);
        self.phase.push(false);
        self.seen.push(false);
        self.gate.push(false);
        self.domain.push(0);
        self.heap.add_var();
        var
    }

    /// A variable that clauses will give a value to, once those it is made from have theirs.
    pub fn new_gate(&mut self) -> u32 {
        let var = self.new_var();
        self.gate[var as usize] = true;
        var
    }

    /// Makes a variable a candidate for decisions by activity, if a conflict has met it.
    fn offer(&mut self, var: u32) {
        if self.heap.is_active(var) {
            self.heap.insert(var);
        }
    }

    /// Gives back a variable that is no more needed; the clauses with its negation go with it.
    pub fn release(&mut self, var: u32) {
        self.backtrack(0);
        self.add_clause(&[!LightLit::positive(var)]);
        self.released.push(var);
        if self.released.len() >= RELEASE_BATCH {
            self.simplify();
        }
    }

    /// Literals propagated so far: what the work is measured in.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Conflicts so far.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// Begins a new domain: only what is always in one.
    pub fn clear_domain(&mut self) {
        self.backtrack(0);
        self.epoch += 1;
        self.idle.clear();
        self.idle_at = 0;
    }

    /// Puts a variable into the domain of the next question; false if it was in it.
    pub fn enter_domain(&mut self, var: u32) -> bool {
        let slot = &mut self.domain[var as usize];
        if *slot == self.epoch || *slot == ALWAYS {
            return false;
        }
        *slot = self.epoch;
        self.offer(var);
        if !self.gate[var as usize] {
            self.idle.push(var);
        }
        true
    }

    /// Puts a variable into the domain of every question.
    pub fn always_in_domain(&mut self, var: u32) {
        if std::mem::replace(&mut self.domain[var as usize], ALWAYS) == ALWAYS {
            return;
        }
        self.offer(var);
        if !self.gate[var as usize] {
            self.idle_always.push(var);
        }
    }

    /// Adds a clause for good.
    pub fn add_clause(&mut self, lits: &[LightLit]) {
        self.backtrack(0);
        if self.unsat {
            return;
        }
        let Some(kept) = self.simplified(lits) else { return };
        match kept[..] {
            [] => self.unsat = true,
            [unit] => {
                self.assign(unit, NO_CLAUSE);
                self.unsat = self.propagate() != NO_CLAUSE;
            }
            _ => {
                let clause = self.allocate(&kept, 0);
                self.clauses.push(clause);
            }
        }
    }

    /// The literals that are open, each once; none if the clause holds anyway.
    fn simplified(&mut self, lits: &[LightLit]) -> Option<Vec<LightLit>> {
        let mut kept: Vec<LightLit> = Vec::with_capacity(lits.len());
        let mut holds = false;
        for &lit in lits {
            match self.values[lit.index()] {
                1 => holds = true,
                -1 => {}
                _ if std::mem::replace(&mut self.seen[lit.var() as usize], true) => holds |= kept.contains(&!lit),
                _ => kept.push(lit),
            }
        }
        for lit in &kept {
            self.seen[lit.var() as usize] = false;
        }
        (!holds).then_some(kept)
    }

    /// Whether the clauses have a model in which the assumptions hold; `Err` if the budget ran out.
    pub fn solve(&mut self, assumptions: &[LightLit], budget: &Budget) -> Result<bool, Stop> {
        self.backtrack(0);
        self.core.clear();
        if self.unsat {
            return Ok(false);
        }
        if let Some(stop) = budget.interrupted() {
            return Err(stop);
        }
        let before = self.ticks;
        let answer = self.runs(assumptions, budget);
        budget.spend(Labour::Tick, LINES_PER_LITERAL * (self.ticks - before));
        answer
    }

    /// Runs of the search, each for some conflicts, until one has the answer.
    fn runs(&mut self, assumptions: &[LightLit], budget: &Budget) -> Result<bool, Stop> {
        for run in 0.. {
            match self.search(assumptions, luby(run) * RESTART_UNIT, budget)? {
                Some(answer) => return Ok(answer),
                None => self.backtrack(0),
            }
        }
        unreachable!("the search should end with an answer")
    }

    /// The value of a literal after a yes; none where it does not matter.
    pub fn value(&self, lit: LightLit) -> Option<bool> {
        match self.values[lit.index()] {
            0 => None,
            value => Some(value > 0),
        }
    }

    /// The assumptions that a no rests on.
    pub fn core(&self) -> &[LightLit] {
        &self.core
    }

    /// The phase that a variable is tried with first.
    pub fn set_phase(&mut self, lit: LightLit) {
        self.phase[lit.var() as usize] = !lit.negated();
    }
}

/// Clauses in the arena.
impl Light {
    fn allocate(&mut self, lits: &[LightLit], flag: u32) -> Cref {
        let clause = self.arena.len() as Cref;
        self.arena.extend([lits.len() as u32 | flag, self.clause_bump.to_bits()]);
        self.arena.extend(lits.iter().map(|l| l.0));
        self.attach(clause);
        clause
    }

    fn attach(&mut self, clause: Cref) {
        let (first, second) = (self.lit(clause, 0), self.lit(clause, 1));
        let clause = if self.len(clause) == 2 { clause | BINARY } else { clause };
        self.watches[first.index()].push(Watch { clause, blocker: second });
        self.watches[second.index()].push(Watch { clause, blocker: first });
    }

    fn len(&self, clause: Cref) -> usize {
        (self.arena[clause as usize] & !LEARNT) as usize
    }

    fn lit(&self, clause: Cref, i: usize) -> LightLit {
        LightLit(self.arena[clause as usize + HEADER + i])
    }

    /// The literal that the clause implies, if it is the reason of one.
    fn implied(&self, clause: Cref) -> Option<LightLit> {
        let implied = |l: &LightLit| self.values[l.index()] > 0 && self.reason[l.var() as usize] == clause;
        [self.lit(clause, 0), self.lit(clause, 1)].into_iter().find(implied)
    }

    fn satisfied(&self, clause: Cref) -> bool {
        (0..self.len(clause)).any(|i| self.values[self.lit(clause, i).index()] > 0)
    }

    /// At level 0: drops what is satisfied, and so frees the released variables.
    fn simplify(&mut self) {
        self.backtrack(0);
        if self.unsat {
            return;
        }
        for &lit in &self.trail {
            self.reason[lit.var() as usize] = NO_CLAUSE;
        }
        let mut clauses = std::mem::take(&mut self.clauses);
        let mut learnts = std::mem::take(&mut self.learnts);
        clauses.retain(|&c| !self.satisfied(c));
        learnts.retain(|&c| !self.satisfied(c));
        self.collect(clauses, learnts);
        for var in std::mem::take(&mut self.released) {
            let lit = LightLit::positive(var);
            self.values[lit.index()] = 0;
            self.values[(!lit).index()] = 0;
            self.free.push(var);
        }
        let values = &self.values;
        self.trail.retain(|l| values[l.index()] != 0);
        self.head = self.trail.len();
    }

    /// Drops the less active half of the learnt clauses.
    fn reduce(&mut self) {
        let mut learnts = std::mem::take(&mut self.learnts);
        let activity = |s: &Self, c: Cref| f32::from_bits(s.arena[c as usize + 1]);
        learnts.sort_by(|&a, &b| activity(self, b).total_cmp(&activity(self, a)).then(a.cmp(&b)));
        let keep = learnts.len() / 2;
        let mut at = 0;
        learnts.retain(|&c| {
            at += 1;
            at <= keep || self.len(c) <= 2 || self.implied(c).is_some()
        });
        let clauses = std::mem::take(&mut self.clauses);
        self.collect(clauses, learnts);
    }

    /// Moves the clauses that stay to a new arena and watches them again. Reasons move along, but only once all clauses have moved: till then the
    /// place of one that has may be the place of another that has not.
    fn collect(&mut self, clauses: Vec<Cref>, learnts: Vec<Cref>) {
        let old = std::mem::take(&mut self.arena);
        let mut reasons = Vec::new();
        self.watches.iter_mut().for_each(Vec::clear);
        let mut moved = |list: Vec<Cref>, s: &mut Self| -> Vec<Cref> {
            list.into_iter()
                .map(|c| {
                    let length = HEADER + (old[c as usize] & !LEARNT) as usize;
                    let to = s.arena.len() as Cref;
                    s.arena.extend_from_slice(&old[c as usize..c as usize + length]);
                    for lit in [s.lit(to, 0), s.lit(to, 1)] {
                        if s.values[lit.index()] > 0 && s.reason[lit.var() as usize] == c {
                            reasons.push((lit.var() as usize, to));
                        }
                    }
                    s.attach(to);
                    to
                })
                .collect()
        };
        self.clauses = moved(clauses, self);
        self.learnts = moved(learnts, self);
        for (var, to) in reasons {
            self.reason[var] = to;
        }
        self.wasted = 0;
    }
}

/// The search.
impl Light {
    fn search(&mut self, assumptions: &[LightLit], conflicts: u64, budget: &Budget) -> Result<Option<bool>, Stop> {
        let end = self.conflicts + conflicts;
        loop {
            let conflict = self.propagate();
            if conflict != NO_CLAUSE {
                self.conflicts += 1;
                if self.limits.is_empty() {
                    self.unsat = true;
                    return Ok(Some(false));
                }
                self.learn(conflict);
                if self.conflicts.is_multiple_of(CONFLICTS_PER_LOOK)
                    && let Some(stop) = budget.expired()
                {
                    self.backtrack(0);
                    return Err(stop);
                }
                continue;
            }
            if self.conflicts >= end {
                return Ok(None);
            }
            if self.learnts.len() >= self.max_learnts {
                self.reduce();
                self.max_learnts += MORE_LEARNTS;
            }
            if let Some(answer) = self.decide(assumptions) {
                return Ok(Some(answer));
            }
        }
    }

    /// The next assumption or decision; an answer if there is none left or an assumption is false.
    fn decide(&mut self, assumptions: &[LightLit]) -> Option<bool> {
        while let Some(&lit) = assumptions.get(self.limits.len()) {
            match self.values[lit.index()] {
                1 => self.push_limit(),
                -1 => {
                    self.final_core(lit);
                    return Some(false);
                }
                _ => {
                    self.push_limit();
                    self.assign(lit, NO_CLAUSE);
                    return None;
                }
            }
        }
        let Some(var) = self.next_active().or_else(|| self.next_idle()) else { return Some(true) };
        self.push_limit();
        let phase = self.phase[var as usize];
        self.assign(LightLit::positive(var).flip_if(!phase), NO_CLAUSE);
        None
    }

    fn push_limit(&mut self) {
        self.limits.push(Limit { trail: self.trail.len(), idle: self.idle_at });
    }

    fn is_open(&self, var: u32) -> bool {
        self.values[LightLit::positive(var).index()] == 0
    }

    /// The open variable of the domain that conflicts met most.
    fn next_active(&mut self) -> Option<u32> {
        loop {
            let var = self.heap.pop()?;
            let mark = self.domain[var as usize];
            if self.is_open(var) && (mark == self.epoch || mark == ALWAYS) {
                return Some(var);
            }
        }
    }

    /// The first open variable of the domain that is no gate.
    fn next_idle(&mut self) -> Option<u32> {
        loop {
            let own = self.idle.get(self.idle_at);
            let var = *own.or_else(|| self.idle_always.get(self.idle_at - self.idle.len()))?;
            if self.is_open(var) {
                return Some(var);
            }
            self.idle_at += 1;
        }
    }

    fn assign(&mut self, lit: LightLit, reason: Cref) {
        self.values[lit.index()] = 1;
        self.values[(!lit).index()] = -1;
        let var = lit.var() as usize;
        self.level[var] = self.limits.len() as u32;
        self.reason[var] = reason;
        self.trail.push(lit);
    }

    fn propagate(&mut self) -> Cref {
        while self.head < self.trail.len() {
            let falsified = !self.trail[self.head];
            self.head += 1;
            self.ticks += 1;
            let conflict = self.visit_watches(falsified);
            if conflict != NO_CLAUSE {
                self.head = self.trail.len();
                return conflict;
            }
        }
        NO_CLAUSE
    }

    fn visit_watches(&mut self, falsified: LightLit) -> Cref {
        let mut list = std::mem::take(&mut self.watches[falsified.index()]);
        let mut conflict = NO_CLAUSE;
        let (mut from, mut to) = (0, 0);
        while from < list.len() {
            let watch = list[from];
            from += 1;
            if self.values[watch.blocker.index()] > 0 {
                list[to] = watch;
                to += 1;
                continue;
            }
            if watch.clause & BINARY != 0 {
                let clause = watch.clause ^ BINARY;
                list[to] = watch;
                to += 1;
                if self.values[watch.blocker.index()] < 0 {
                    conflict = clause;
                    break;
                }
                self.assign(watch.blocker, clause);
                continue;
            }
            match self.find_watch(watch.clause, falsified) {
                Found::Moved => {}
                Found::Satisfied(first) => {
                    list[to] = Watch { clause: watch.clause, blocker: first };
                    to += 1;
                }
                Found::Unit(first) => {
                    list[to] = Watch { clause: watch.clause, blocker: first };
                    to += 1;
                    if self.values[first.index()] < 0 {
                        conflict = watch.clause;
                        break;
                    }
                    self.assign(first, watch.clause);
                }
            }
        }
        while from < list.len() {
            list[to] = list[from];
            from += 1;
            to += 1;
        }
        list.truncate(to);
        self.watches[falsified.index()] = list;
        conflict
    }

    /// Another literal to watch instead of the falsified one.
    fn find_watch(&mut self, clause: Cref, falsified: LightLit) -> Found {
        let base = clause as usize + HEADER;
        let length = self.len(clause);
        let lits = &mut self.arena[base..base + length];
        if lits[0] == falsified.0 {
            lits.swap(0, 1);
        }
        let first = LightLit(lits[0]);
        if self.values[first.index()] > 0 {
            return Found::Satisfied(first);
        }
        for i in 2..length {
            if self.values[lits[i] as usize] >= 0 {
                lits.swap(1, i);
                let watched = LightLit(lits[1]);
                self.watches[watched.index()].push(Watch { clause, blocker: first });
                return Found::Moved;
            }
        }
        Found::Unit(first)
    }

    fn backtrack(&mut self, level: usize) {
        if self.limits.len() <= level {
            return;
        }
        let Limit { trail: start, idle } = self.limits[level];
        self.idle_at = idle;
        for i in (start..self.trail.len()).rev() {
            let lit = self.trail[i];
            self.values[lit.index()] = 0;
            self.values[(!lit).index()] = 0;
            self.phase[lit.var() as usize] = !lit.negated();
            let mark = self.domain[lit.var() as usize];
            if mark == self.epoch || mark == ALWAYS {
                self.offer(lit.var());
            }
        }
        self.trail.truncate(start);
        self.limits.truncate(level);
        self.head = start;
    }
}

/// Where the search for a watch ended.
enum Found {
    Moved,
    Satisfied(LightLit),
    Unit(LightLit),
}

/// 1, 1, 2, 1, 1, 2, 4, ... (Luby, Sinclair, Zuckerman 1993).
fn luby(index: u64) -> u64 {
    let (mut size, mut power, mut index) = (1u64, 0u32, index);
    while size < index + 1 {
        power += 1;
        size = 2 * size + 1;
    }
    while size - 1 != index {
        size = (size - 1) / 2;
        power -= 1;
        index %= size;
    }
    1 << power
}

#[cfg(test)]
mod tests;
