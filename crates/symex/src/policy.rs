//! What a policy decides.
//!
//! The machine (`machine`, `step`) says what an instruction means. A policy says what is done at a *call* (inline it,
//! leave it out, put what it may do in its place), at a *loop* (run it again, wait, run it once for all iterations),
//! where paths *join* (at once, or what was stopped elsewhere comes along). The walk (`walk`) goes through a function's
//! blocks in weak topological order and asks it there. A path (`policies/follow`) has a walk of its own: there one
//! state goes one of the ways that a fork has.
//!
//! Why a trait with a type parameter and not an enum: each policy has state and methods of its own (waves can be
//! advanced, rounds can be run, a segment has ports), and an `Executor<Waves>` has those and no others, so nothing asks
//! at run time whether it is what it must be. The defaults are those of `Merge`, so a policy's file says what is
//! special about it and nothing else.
//!
//! Invariant: a policy never changes what an instruction means. The trait is not exported: the set of policies is
//! closed.

use crate::guard::Guard;
use crate::ids::Mark;
use crate::memory::Refusal;
use crate::outcome::PathEnd;
use crate::state::{Arrival, State};
use crate::walk::{Executor, Goes};
use blitz_analysis::Instance;
use blitz_base::span::Loc;
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, CallSite, CheckKind, FuncId, InstData, InstId, MemCheck, PropertyId, ThreadOp};
use blitz_term::Term;

/// A call that is about to be made under a state's condition.
pub struct Call<'p> {
    pub inst: InstId,
    pub callee: FuncId,
    pub data: &'p InstData,
    pub site: &'p CallSite,
    pub args: Vec<Term>,
    /// By which the policy knows this execution of the instruction.
    pub mark: Mark,
}

/// What is done with a call.
pub enum Called {
    /// It is inlined, or does what a function without a body does.
    Inlined { state: State, mark: Option<Mark>, instance: Instance },
    /// It is not: this is how it comes back, if it does.
    LeftOut(Option<Arrival>),
}

/// Functions with the conditions under which a pointer means them.
pub type Targets = Vec<(Term, FuncId)>;

pub trait Policy<'p, 'a>: Sized {
    // Calls.

    /// The functions that a call through a pointer is followed to; none if the path ends there.
    fn targets(
        x: &mut Executor<'p, 'a, Self>,
        state: &State,
        pointer: Term,
        loc: Loc,
    ) -> Result<Option<Targets>, Refusal> {
        x.functions(state, pointer, loc).map(Some)
    }

    /// A call instruction is executed; gives the number by which this execution of it is known.
    fn comes_to_call(_: &mut Executor<'p, 'a, Self>, _state: &State, _inst: InstId) -> Mark {
        Mark(0)
    }

    /// What is done with a call.
    fn call(_: &mut Executor<'p, 'a, Self>, state: State, _call: &Call<'p>) -> Called {
        Called::Inlined { state, mark: None, instance: Instance::SHARED }
    }

    /// What comes back besides from calls that the present instruction made earlier.
    fn comes_back(_: &mut Executor<'p, 'a, Self>, _data: &'p InstData) -> Option<Arrival> {
        None
    }

    /// A function is about to run; none if it has to wait.
    fn enter(_: &mut Executor<'p, 'a, Self>, _func: FuncId, arrival: Arrival, _loc: Loc) -> Option<Arrival> {
        Some(arrival)
    }

    /// The number by which an activation is known, made by a call with this number.
    fn mark_frame(_: &mut Executor<'p, 'a, Self>, _func: FuncId, call: Option<Mark>) -> Mark {
        call.unwrap_or_default()
    }

    /// The innermost activation returns these values.
    fn returns(_: &mut Executor<'p, 'a, Self>, _values: &[Term]) {}

    // Loops.

    /// A loop is come to.
    fn run_loop(x: &mut Executor<'p, 'a, Self>, l: LoopId) {
        x.iterate(l);
    }

    /// Whether iterations that the data decides don't count against a loop's bound in the user's functions either.
    fn counts_by_data(_: &Executor<'p, 'a, Self>) -> bool {
        false
    }

    /// Nothing arrived in the innermost running loop: the iteration in which it goes on all the same, and how many
    /// before don't count.
    fn stopped_iteration(_: &Executor<'p, 'a, Self>, _l: LoopId) -> Option<(u32, u32)> {
        None
    }

    /// Whether the next iteration of the innermost running loop is run now. If not, the policy has taken what arrived
    /// in it.
    fn iterates(_: &mut Executor<'p, 'a, Self>, _l: LoopId, _done: u32) -> bool {
        true
    }

    /// The innermost running loop is over.
    fn loop_over(_: &mut Executor<'p, 'a, Self>, _l: LoopId) {}

    /// Whether a path ends that comes back to the head of a loop with nothing changed.
    fn drops_repeated(_: &Executor<'p, 'a, Self>) -> bool {
        true
    }

    // Blocks and joins.

    /// Runs a block for what arrives at its beginning, and for whatever else goes on in it.
    fn run_block(x: &mut Executor<'p, 'a, Self>, block: Block, arrival: Option<Arrival>) {
        if let Some(arrival) = arrival {
            x.run_block(block, arrival);
        }
    }

    /// Runs an instruction.
    fn instruction(x: &mut Executor<'p, 'a, Self>, state: &mut State, inst: InstId) -> Goes {
        x.execute(state, inst)
    }

    /// Which of several `setjmp`s a jump goes back to, by their conditions and places; none if the path ends here.
    fn jump(
        _: &mut Executor<'p, 'a, Self>,
        _state: &State,
        targets: &[(Term, FuncId, Block)],
        _loc: Loc,
    ) -> Option<Vec<usize>> {
        Some((0..targets.len()).collect())
    }

    /// Whether an innermost activation is run on from a `setjmp` once more, after so many times. If not, the policy has
    /// taken what jumped there.
    fn jumps_again(x: &mut Executor<'p, 'a, Self>, jumped: u32, arrival: &Arrival) -> bool {
        x.jumps_again(jumped, arrival)
    }

    /// Whether what jumps to points of the same `setjmp` is joined before it goes on.
    fn joins_jumps(_: &Executor<'p, 'a, Self>) -> bool {
        false
    }

    /// Whether nothing that matters can follow in a block of the innermost activation.
    fn leads_nowhere(_: &Executor<'p, 'a, Self>, _to: Block) -> bool {
        false
    }

    /// A path ends.
    fn path_ends(_: &mut Executor<'p, 'a, Self>, _guard: &Guard, _end: PathEnd, _loc: Loc) {}

    /// The program ends under this condition: what others still reach is no leak.
    fn keep_roots(_: &mut Executor<'p, 'a, Self>, _guard: Term) {}

    /// An input was taken, the one with this place.
    fn takes_input(_: &mut Executor<'p, 'a, Self>, _position: usize) {}

    // Threads.

    /// A primitive of threads.
    fn thread(
        x: &mut Executor<'p, 'a, Self>,
        state: &mut State,
        data: &InstData,
        op: ThreadOp,
        args: &[Term],
    ) -> Result<Goes, Refusal> {
        Ok(x.alone(state, data, op, args))
    }

    /// The path goes on only where a condition holds; the property says that it never waits for good.
    fn waits(x: &mut Executor<'p, 'a, Self>, state: &State, cond: Term, property: Option<PropertyId>, loc: Loc) {
        if let Some(property) = property {
            let fails = x.m.terms.not(cond);
            x.m.claim(state, CheckKind::Deadlock, property, fails, loc);
        }
    }

    /// Memory is accessed that other threads may see.
    fn shares(_: &mut Executor<'p, 'a, Self>, _state: &State, _check: &MemCheck) {}
}
