//! After a round: who is stuck, who stands before a conflicting access, and whether more rounds could show more.
//!
//! A *peek* runs each thread on from where it stands up to its next visible point, and takes everything back but one thing: where it waits
//! for a condition that does not hold. A deadlock is a state in which some thread has not ended and all that have not wait so. Threads that assume what does not
//! hold don't wait: their execution is none.
//!
//! Two threads race if both stand before accesses to the same bytes, one of them a write, in some execution: then nothing orders
//! the two. For programs whose threads are ordered by locks, starts and joins alone, that is so for some execution exactly if two
//! accesses of some execution are not ordered by happens-before (Boehm and Adve, "Foundations of the C++ concurrency memory model", PLDI 2008, section 5).
//! Since a thread may stop and stay at any visible point, it is enough to look after the last round.
//!
//! Rounds are complete if no execution needs more. An execution that does begins with one of `R` full rounds, each beginning with a
//! thread that comes, in the order of turns, before the last one that moved in the round before, and a thread before the last one of round `R` can move.

use super::{Access, Parked, Rounds};
use crate::state::State;
use crate::walk::{Executor, Goes};
use blitz_base::span::Loc;
use blitz_ir::{CheckKind, PropertyId};
use blitz_term::Term;

/// What the steps right after a round would do.
#[derive(Default)]
pub(super) struct Peek {
    /// Where the thread waits for what does not hold, and the property that says it never has to for good.
    waits: Vec<(Term, Option<PropertyId>)>,
    accesses: Vec<Access>,
}

/// What holds after a round.
pub struct LastClaims {
    /// Some thread has not ended, and none that has not can go on: per place where one waits.
    pub deadlocks: Vec<(PropertyId, Term)>,
    /// The same wherever they wait: such a state is not followed, though one that waits may wake up for no reason.
    pub stuck: Term,
    pub races: Vec<Race>,
    /// Executions that may not fit into the rounds so far.
    pub beyond: Term,
}

/// Two threads stand before conflicting accesses.
pub struct Race {
    /// Their numbers.
    pub threads: (Term, Term),
    pub properties: (PropertyId, PropertyId),
    pub condition: Term,
}

impl<'p, 'a> Executor<'p, 'a, Rounds<'p>> {
    /// To be called after a round.
    pub fn last_claims(&mut self) -> LastClaims {
        let count = self.thread_count();
        let guard = self.policy.shared.guard.clone().term(self.m.terms);
        let (mut some, mut all_wait, mut can_move) = (Vec::new(), guard, Vec::new());
        let peeks: Vec<Peek> = (0..count).map(|t| self.peek(t)).collect();
        for (t, peek) in peeks.iter().enumerate() {
            let waits: Vec<Term> = peek.waits.iter().map(|(w, _)| *w).collect();
            let waits = self.m.terms.or_all(&waits);
            let alive = self.alive(t);
            some.push(alive);
            let stuck = self.m.terms.implies(alive, waits);
            all_wait = self.m.terms.and(all_wait, stuck);
            let free = self.m.terms.not(waits);
            can_move.push(self.m.terms.and(alive, free));
        }
        let some = self.m.terms.or_all(&some);
        let deadlock = self.m.terms.and(all_wait, some);
        let mut deadlocks = Vec::new();
        for (wait, property) in peeks.iter().flat_map(|p| &p.waits) {
            let condition = self.m.terms.and(deadlock, *wait);
            if let Some(property) = property.filter(|_| !self.m.terms.is_false(condition)) {
                deadlocks.push((property, condition));
            }
        }
        let races = self.races(guard, &peeks);
        let beyond = self.beyond(guard, &can_move);
        LastClaims { deadlocks, stuck: deadlock, races, beyond }
    }

    /// Started, and not at its end.
    fn alive(&mut self, t: usize) -> Term {
        let thread = &self.policy.list[t];
        let (started, done) = (thread.started, thread.done);
        let going = self.m.terms.not(done);
        self.m.terms.and(started, going)
    }

    /// What a thread would do next.
    fn peek(&mut self, t: usize) -> Peek {
        let now = self.policy.shared.clone();
        if self.policy.list[t].parked.is_empty() || now.guard.is_false(self.m.terms) {
            return Peek::default();
        }
        let thread = &self.policy.list[t];
        let (parked, changed, others) = (thread.parked.clone(), thread.changed.clone(), thread.others_started);
        let seen = thread.slots_seen;
        let before = (self.m.exits.mark(), self.m.out.found());
        let pool = self.resumable(t, &now);
        let turn = super::Turn { thread: t, pool, peek: Some(Peek::default()), ..super::Turn::default() };
        self.policy.turn = turn;
        self.run_pool();
        let turn = std::mem::take(&mut self.policy.turn);
        self.m.exits.take_back(before.0);
        self.m.out.take_back(before.1);
        let thread = &mut self.policy.list[t];
        (thread.parked, thread.changed, thread.others_started) = (parked, changed, others);
        thread.slots_seen = seen;
        turn.peek.unwrap_or_default()
    }

    /// What came to a visible point (where `point` holds; inside of an atomic section there is none) has made its step. What stands there makes one.
    pub(super) fn peek_on(&mut self, state: &mut State, parked: Option<Parked<'p>>, point: Option<Term>) -> Goes {
        let Some(parked) = parked else {
            let Some(point) = point else { return Goes::On };
            let inside = self.m.terms.not(point);
            state.guard = state.guard.and(self.m.terms, inside);
            return if state.guard.is_false(self.m.terms) { Goes::Nowhere } else { Goes::On };
        };
        let cond = parked.state.guard.term(self.m.terms);
        self.m.absorb_saved(cond, &parked.frames);
        *state = parked.state;
        // A wake-up without a signal is for those that others have moved since.
        if let Some(tally) = &mut state.tally {
            tally.resumed = self.m.terms.and(cond, parked.waited);
        }
        Goes::On
    }

    /// A thread goes on only where a condition holds.
    pub(super) fn note_wait(&mut self, state: &State, holds: Term, property: Option<PropertyId>) {
        let fails = self.m.terms.not(holds);
        let waits = self.m.terms.and(state.guard.term(self.m.terms), fails);
        let property = property.map(|p| self.m.attribute(CheckKind::Deadlock, p));
        if let Some(peek) = &mut self.policy.turn.peek {
            peek.waits.push((waits, property));
        }
    }

    pub(super) fn note_access(&mut self, access: Access) {
        if let Some(peek) = &mut self.policy.turn.peek {
            peek.accesses.push(access);
        }
    }

    fn races(&mut self, guard: Term, peeks: &[Peek]) -> Vec<Race> {
        let mut out = Vec::new();
        for (u, of_u) in peeks.iter().enumerate() {
            for (t, of_t) in peeks[..u].iter().enumerate() {
                for a in &of_t.accesses {
                    for b in of_u.accesses.iter().filter(|b| (a.write || b.write) && !(a.atomic && b.atomic)) {
                        let conflict = self.conflict(a, b);
                        let condition = self.m.terms.and(guard, conflict);
                        if !self.m.terms.is_false(condition) {
                            let threads = (self.policy.list[t].id, self.policy.list[u].id);
                            out.push(Race { threads, properties: (a.property, b.property), condition });
                        }
                    }
                }
            }
        }
        out
    }

    /// The two touch the same bytes, and not both in atomic sections, which are ordered.
    fn conflict(&mut self, a: &Access, b: &Access) -> Term {
        let (end_a, end_b) = (self.m.terms.add(a.ptr, a.size), self.m.terms.add(b.ptr, b.size));
        let (left, right) = (self.m.terms.ult(a.ptr, end_b), self.m.terms.ult(b.ptr, end_a));
        let same = self.m.terms.and(left, right);
        let sections = self.m.terms.and(a.section, b.section);
        let unordered = self.m.terms.not(sections);
        let (both, conflict) = (self.m.terms.and(a.guard, b.guard), self.m.terms.and(same, unordered));
        self.m.terms.and(both, conflict)
    }

    /// Every round was needed, and a thread can move that had its turn before the last one that moved.
    fn beyond(&mut self, guard: Term, can_move: &[Term]) -> Term {
        let slots = self.policy.slots.clone();
        let rounds = self.policy.round;
        let mut out = guard;
        let mut before: Option<Vec<Term>> = None;
        for round in 1..=rounds {
            let mut moved = vec![self.m.terms.fls(); can_move.len()];
            for slot in slots.iter().filter(|s| s.round == round) {
                moved[slot.order] = slot.moved;
            }
            let needed = match &before {
                None => self.m.terms.or_all(&moved),
                Some(last) => self.descends(last, &moved),
            };
            out = self.m.terms.and(out, needed);
            before = Some(moved);
        }
        let goes_on = self.descends(&before.unwrap_or_default(), can_move);
        self.m.terms.and(out, goes_on)
    }

    /// Whether some thread that moves later comes before the last one that moved.
    fn descends(&mut self, moved: &[Term], later: &[Term]) -> Term {
        let mut out = self.m.terms.fls();
        let mut any_later_up_to = self.m.terms.fls();
        for (i, &m) in moved.iter().enumerate() {
            // `i` is the last one that moved.
            let after = self.m.terms.or_all(&moved[i + 1..]);
            let none_after = self.m.terms.not(after);
            let last = self.m.terms.and(m, none_after);
            let both = self.m.terms.and(last, any_later_up_to);
            out = self.m.terms.or(out, both);
            any_later_up_to = self.m.terms.or(any_later_up_to, later[i]);
        }
        out
    }

    /// The program ends where all threads have.
    pub(super) fn end_if_all_done(&mut self) {
        let main = self.policy.list[0].done;
        if self.m.terms.is_false(main) {
            return;
        }
        let count = self.thread_count();
        let alive: Vec<Term> = (0..count).map(|t| self.alive(t)).collect();
        let some = self.m.terms.or_all(&alive);
        let none = self.m.terms.not(some);
        let shared = self.policy.shared.clone();
        let ended = State { guard: shared.guard.and(self.m.terms, none), ..shared.clone() };
        if ended.guard.is_false(self.m.terms) {
            return;
        }
        self.leave(ended, Loc::UNKNOWN);
        let guard = shared.guard.and(self.m.terms, some);
        self.policy.shared.guard = guard;
    }

    /// What threads that stand somewhere still reach is no leak.
    pub(super) fn keep_roots_of_others(&mut self, guard: Term) {
        let threads = &self.policy;
        let running = threads.turn.thread;
        let others = threads.list.iter().enumerate().filter(|(t, _)| *t != running || self.m.frames.is_empty());
        let mut roots = Vec::new();
        for p in others.flat_map(|(_, thread)| thread.parked.values()) {
            let pointers = p.frames.iter().filter(|f| !self.m.program.decl(f.func).model).flat_map(|f| {
                let body = self.m.program.body(f.func).expect("a function that ran should have a body");
                f.values.iter().filter(|(v, _)| body.ty(*v) == blitz_ir::Type::Ptr).map(|(_, t)| *t)
            });
            let word = self.m.space.ptr_bits();
            let args = p.args.iter().copied().filter(|a| self.m.terms.width(*a) == word);
            let here = p.state.guard.term(self.m.terms);
            roots.extend(pointers.chain(args).map(|t| (here, t)));
        }
        for (here, root) in roots {
            let cond = self.m.terms.and(guard, here);
            self.m.exits.exit_roots.push((cond, root));
        }
    }
}
