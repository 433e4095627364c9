//! Locks in a trace: which calls of the library take and let go which lock, and who holds what after each step.

use crate::model::{Step, StepKind};
use blitz_base::Bv;
use blitz_base::span::Loc;
use blitz_interp::Event;
use blitz_ir::{FuncId, Program};
use std::collections::BTreeMap;

/// What a call did with a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Took,
    LetGo,
}

/// A lock that was taken or let go, and where the user's code did so.
#[derive(Clone, Copy)]
pub(crate) struct LockEvent<'a> {
    pub deed: Deed,
    pub lock: &'a Bv,
    pub loc: Loc,
}

/// A call: the function, its arguments, and where it was made.
type Call<'a> = (FuncId, &'a [Bv], Loc);

/// The calls that each thread has open.
#[derive(Default)]
pub(crate) struct LockCalls<'a> {
    open: BTreeMap<u32, Vec<Call<'a>>>,
}

/// What a function does: takes the lock of an argument when it returns 0, lets it go when it is called, or both (a wait for a condition).
fn role(name: &str) -> Option<(&[Deed], usize)> {
    match name {
        "pthread_mutex_lock"
        | "pthread_mutex_trylock"
        | "pthread_mutex_timedlock"
        | "pthread_mutex_clocklock"
        | "pthread_rwlock_rdlock"
        | "pthread_rwlock_tryrdlock"
        | "pthread_rwlock_timedrdlock"
        | "pthread_rwlock_wrlock"
        | "pthread_rwlock_timedwrlock"
        | "pthread_rwlock_trywrlock"
        | "pthread_spin_lock"
        | "pthread_spin_trylock"
        | "mtx_lock"
        | "mtx_trylock" => Some((&[Deed::Took], 0)),
        "pthread_mutex_unlock" | "pthread_rwlock_unlock" | "pthread_spin_unlock" | "mtx_unlock" => {
            Some((&[Deed::LetGo], 0))
        }
        "pthread_cond_wait" | "pthread_cond_timedwait" | "cnd_wait" => Some((&[Deed::LetGo, Deed::Took], 1)),
        _ => None,
    }
}

impl<'a> LockCalls<'a> {
    /// What an event of a thread does with a lock.
    pub fn event(&mut self, program: &Program, thread: u32, event: &'a Event) -> Option<LockEvent<'a>> {
        let open = self.open.entry(thread).or_default();
        match event {
            Event::Enter { func, args, loc } if program.decl(*func).model => {
                let (deeds, at) = role(&program.decl(*func).name)?;
                open.push((*func, args, *loc));
                let lock = args.get(at)?;
                deeds.contains(&Deed::LetGo).then_some(LockEvent { deed: Deed::LetGo, lock, loc: *loc })
            }
            Event::Leave { func, results, .. } if program.decl(*func).model => {
                let (deeds, at) = role(&program.decl(*func).name)?;
                let (_, args, loc) = open.pop_if(|(f, ..)| f == func)?;
                // A wait whose time is up holds its lock again as well.
                let got = results.first().is_none_or(Bv::is_zero) || deeds.len() == 2;
                let lock = args.get(at)?;
                (got && deeds.contains(&Deed::Took)).then_some(LockEvent { deed: Deed::Took, lock, loc })
            }
            _ => None,
        }
    }
}

/// Marks where another thread goes on, and what each thread holds.
pub(crate) fn mark_turns(steps: &mut [Step]) {
    let mut held: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let (mut before, mut whole) = (None, true);
    for step in steps {
        whole &= step.what != StepKind::Cut;
        let Some(thread) = step.thread else { continue };
        step.switch = before.is_some_and(|b| b != thread);
        before = Some(thread);
        let own = held.entry(thread).or_default();
        match (step.what, &step.name) {
            (StepKind::Lock, Some(name)) => own.push(name.clone()),
            (StepKind::Unlock, Some(name)) => {
                if let Some(at) = own.iter().rposition(|n| n == name) {
                    own.remove(at);
                }
            }
            _ => {}
        }
        // Where a part of the trace is left out, nobody knows.
        if whole {
            step.held.clone_from(own);
        }
    }
}
