//! Threads one after the other, each through all its rounds: the memory that a round begins with is guessed.
//!
//! After Lal and Reps, "Reducing concurrent analysis under a context bound to sequential analysis" (CAV 2008). The first thread runs its slots of all rounds,
//! each from guessed memory; the next one runs its slots, each from what the one before left in the same round; and so on. An execution is one only if
//! each round begins with what the last thread left in the round before, which is asked at the very end. So a claim holds together with that: it
//! is looked at after all threads have run. Where in a slot a thread stops is decided as in the other order (`points`), so the two share what a step means and differ in
//! everything that has to do with turns: one is an oracle for the other.
//!
//! Besides memory it is guessed which threads have ended and whether others have moved. Only the first thread starts threads, so who has been started is known.
//! Absent, each a gap: memory other than global variables that threads share, threads that start threads.

use super::guesses::{Guessed, Guesses};
use super::{Parked, Rounds, Slot};
use crate::outcome::Found;
use crate::saved::Key;
use crate::state::{Arrival, State};
use crate::walk::Executor;
use blitz_base::span::Loc;
use blitz_term::{Sort, Term};
use std::collections::BTreeMap;

/// What is known of the rounds while threads run through them.
struct ThroughRounds<'p> {
    count: usize,
    /// By round: what the slot that ran last left.
    shared: Vec<State>,
    /// By round, none for the first.
    guessed: Vec<Option<Guessed>>,
    /// By round and thread: whether it was started when the first thread's slot ended.
    started: Vec<Vec<Term>>,
    /// By thread and round: whether it had ended after its slot.
    done: Vec<Vec<Term>>,
    /// By thread and round: guesses, whether it had ended when the round began, and whether others moved since its slot in the round before.
    ended: BTreeMap<(usize, usize), Term>,
    moved: BTreeMap<(usize, usize), Term>,
    /// Threads that were started in a round.
    begins: BTreeMap<(usize, usize), BTreeMap<Key, Parked<'p>>>,
    /// How much had been found when a slot began: round, thread.
    marks: Vec<(usize, usize, Found)>,
    /// What can't be guessed.
    trouble: Option<&'static str>,
}

impl<'p, 'a> Executor<'p, 'a, Rounds<'p>> {
    /// Runs all threads through so many rounds. What was found is right if the guesses have not grown.
    pub fn run_one_by_one(&mut self, rounds: u32, guesses: &mut Guesses) {
        let first = self.policy.shared.clone();
        let mut all = ThroughRounds {
            count: rounds as usize,
            shared: vec![first],
            guessed: vec![None],
            started: Vec::new(),
            done: Vec::new(),
            ended: BTreeMap::new(),
            moved: BTreeMap::new(),
            begins: BTreeMap::new(),
            marks: Vec::new(),
            trouble: None,
        };
        let mut t = 0;
        while t < self.policy.list.len() && !self.m.stopped() {
            self.run_through(t, &mut all, guesses);
            t += 1;
        }
        if !self.m.stopped() {
            self.conclude(all);
        }
    }

    /// A thread's slots of all rounds.
    fn run_through(&mut self, t: usize, all: &mut ThroughRounds<'p>, guesses: &mut Guesses) {
        all.done.push(Vec::new());
        for r in 0..all.count {
            if t == 0 && r > 0 {
                self.begin_round(r, all, guesses);
            }
            all.marks.push((r, t, self.m.out.found()));
            self.enter_slot(t, r, all, guesses);
            let before = self.policy.shared.clone();
            self.run_slot(t);
            if self.m.stopped() {
                return;
            }
            self.leave_slot(t, r, all, guesses, &before);
        }
    }

    /// The first thread has left its slot in the round before; what the others make of that is guessed.
    fn begin_round(&mut self, r: usize, all: &mut ThroughRounds<'p>, guesses: &Guesses) {
        let left = all.shared[r - 1].clone();
        let guessed = self.m.guess(guesses, &left.memory);
        let state = State { memory: guessed.memory.clone(), tally: left.tally, ..State::start() };
        all.shared.push(state);
        all.guessed.push(Some(guessed));
    }

    /// Threads as they are when the slot begins.
    fn enter_slot(&mut self, t: usize, r: usize, all: &mut ThroughRounds<'p>, guesses: &Guesses) {
        let no = self.m.terms.fls();
        let count = self.thread_count();
        let moved = match r {
            0 => no,
            _ => {
                let guess = self.m.terms.fresh("moved", Sort::Bv(1));
                all.moved.insert((t, r), guess);
                guess
            }
        };
        let ended: Vec<Term> = (0..count).map(|u| self.has_ended(u, t, r, all)).collect();
        let begins = all.begins.remove(&(t, r)).unwrap_or_default();
        let threads = &mut self.policy;
        threads.round = r as u32 + 1;
        threads.shared = all.shared[r].clone();
        threads.guessed_move = Some(moved);
        for (u, thread) in threads.list.iter_mut().enumerate() {
            thread.done = ended[u];
            if t > 0 {
                thread.started = all.started[r].get(u).copied().unwrap_or(no);
            }
        }
        threads.list[t].changed = guesses.numbers();
        threads.list[t].others_started = t != 0;
        for (key, parked) in begins {
            self.stand_at_beginning(t, key, parked);
        }
    }

    /// Whether thread `u` has ended when thread `t` has its slot in round `r`.
    fn has_ended(&mut self, u: usize, t: usize, r: usize, all: &mut ThroughRounds<'p>) -> Term {
        match r {
            _ if u < t => all.done[u][r],
            0 => self.m.terms.fls(),
            _ if u == t => all.done[u][r - 1],
            _ => *all.ended.entry((u, r)).or_insert_with(|| self.m.terms.fresh("ended", Sort::Bv(1))),
        }
    }

    /// A thread that was started in this round joins what waits to begin since an earlier one.
    fn stand_at_beginning(&mut self, t: usize, key: Key, parked: Parked<'p>) {
        let Some(earlier) = self.policy.list[t].parked.remove(&key) else {
            self.policy.list[t].parked.insert(key, parked);
            return;
        };
        let mut slot = Some(Arrival { state: parked.state, args: parked.args });
        self.m.join_into(&mut slot, Arrival { state: earlier.state, args: earlier.args }, Loc::UNKNOWN);
        let Arrival { state, args } = slot.expect("a joined state should be there");
        self.policy.list[t].parked.insert(key, Parked { state, args, ..earlier });
    }

    /// What the slot left, as far as others can see it.
    fn leave_slot(&mut self, t: usize, r: usize, all: &mut ThroughRounds<'p>, guesses: &mut Guesses, before: &State) {
        let after = self.policy.shared.clone();
        let trouble = self.m.learn_writes(guesses, t == 0, &before.memory, &after.memory);
        all.trouble = all.trouble.or(trouble);
        let mut memory = before.memory.clone();
        memory.take_over(&after.memory, &guesses.numbers());
        all.shared[r] = State { memory, ..after };
        all.done[t].push(self.policy.list[t].done);
        if t > 0 {
            return;
        }
        let started: Vec<Term> = self.policy.list.iter().map(|u| u.started).collect();
        all.started.push(started);
        for u in 1..self.thread_count() {
            let begins = std::mem::take(&mut self.policy.list[u].parked);
            if !begins.is_empty() {
                all.begins.insert((u, r), begins);
            }
        }
    }

    /// After all threads: each claim is made only where its round and those before it are those of one execution.
    fn conclude(&mut self, all: ThroughRounds<'p>) {
        let mut real = vec![self.m.terms.tru()];
        for r in 1..all.count {
            let so_far = self.continues(r, &all);
            real.push(self.m.terms.and(real[r - 1], so_far));
        }
        self.hold_together(&all, &real);
        let (last, count) = (all.count - 1, self.thread_count());
        let mut shared = all.shared[last].clone();
        shared.guard = shared.guard.and(self.m.terms, real[last]);
        if let Some(what) = all.trouble {
            self.m.gap(&shared, format!("{what}, one by one"), Loc::UNKNOWN);
        }
        let threads = &mut self.policy;
        threads.slots.sort_by_key(|s| (s.round, s.order));
        threads.shared = shared;
        threads.guessed_move = None;
        let seen = |slots: &[Slot], t: usize| slots.partition_point(|s| (s.round, s.order) <= (all.count as u32, t));
        for t in 0..count {
            let after = seen(&threads.slots, t);
            let thread = &mut threads.list[t];
            thread.slots_seen = after;
            thread.done = all.done[t][last];
            if let Some(&started) = all.started[last].get(t) {
                thread.started = started;
            }
        }
    }

    /// Round `r` begins with what the one before left, and what else was guessed of it is so.
    fn continues(&mut self, r: usize, all: &ThroughRounds<'p>) -> Term {
        let left = all.shared[r - 1].clone();
        let mut out = left.guard.term(self.m.terms);
        if let Some(guessed) = &all.guessed[r] {
            let same = self.m.guesses_hold(guessed, &left.memory);
            out = self.m.terms.and(out, same);
        }
        for (&(u, _), &guess) in all.ended.iter().filter(|((_, round), _)| *round == r) {
            let same = self.m.terms.eq(guess, all.done[u][r - 1]);
            out = self.m.terms.and(out, same);
        }
        for (&(t, _), &guess) in all.moved.iter().filter(|((_, round), _)| *round == r) {
            let between = |s: &&Slot| {
                let (round, order) = (s.round as usize - 1, s.order);
                round == r - 1 && order > t || round == r && order < t
            };
            let moves: Vec<Term> = self.policy.slots.iter().filter(between).map(|s| s.moved).collect();
            let any = self.m.terms.or_all(&moves);
            let same = self.m.terms.eq(guess, any);
            out = self.m.terms.and(out, same);
        }
        out
    }

    /// Adds to what each slot found that its rounds are real, and puts inputs in the order of turns.
    fn hold_together(&mut self, all: &ThroughRounds<'p>, real: &[Term]) {
        let end = self.m.out.found();
        let mut inputs = Vec::new();
        for (i, &(r, t, from)) in all.marks.iter().enumerate() {
            let to = all.marks.get(i + 1).map_or(end, |m| m.2);
            let (out, terms, real) = (&mut self.m.out, &mut *self.m.terms, real[r]);
            for claim in &mut out.claims[from.claims..to.claims] {
                claim.violated = terms.and(claim.violated, real);
            }
            for cut in &mut out.cuts[from.cuts..to.cuts] {
                cut.guard = terms.and(cut.guard, real);
            }
            for gap in &mut out.gaps[from.gaps..to.gaps] {
                gap.guard = terms.and(gap.guard, real);
            }
            for (_, reached) in &mut out.reached[from.reached..to.reached] {
                *reached = terms.and(*reached, real);
            }
            inputs.extend(out.inputs[from.inputs..to.inputs].iter().map(|input| ((r, t), input.clone())));
        }
        inputs.sort_by_key(|(turn, _)| *turn);
        self.m.out.inputs.splice(all.marks.first().map_or(0, |m| m.2.inputs).., inputs.into_iter().map(|(_, i)| i));
    }
}
