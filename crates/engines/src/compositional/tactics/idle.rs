//! At the start of the program: what the calls that were left out are taken to do.
//!
//! A call that is made whatever happens, or that the condition does not mention, is *idle*: it changes nothing. What is left is *in
//! question*; the hunt takes it not to be made at all. Neither is a claim about the program: the run on the inputs decides.
//!
//! A direct look settles all calls at once. The others, which came the long way from the check to the start, take only those to be idle
//! that are made in any case, and correct one wrong turn after the other: with everything idle there, the turns that matter
//! come late and all together (the options of sntp).

use super::super::hunt::Hunt;
use super::super::obligation::{Obligation, Site, Step};
use super::Tactic;
use blitz_ir::Type;
use blitz_symex::segment::CallRecord;
use blitz_term::{Term, Terms, vars_of};
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

/// The condition when idle calls change nothing.
pub(in super::super) struct Settled {
    pub psi: Term,
    /// The calls in question, and when they are made.
    pub calls: Vec<(Site, Term)>,
    /// The calls that are made whatever happens.
    pub made: BTreeSet<Site>,
}

/// A call that changes nothing: what its ports are then.
struct IdleCall {
    site: Site,
    pairs: Rc<Vec<(Term, Term)>>,
}

impl<'p> Hunt<'p, '_> {
    /// Takes calls to be idle until none is left that is made for certain. `Err`: these have to be run in place first.
    pub(in super::super) fn settle(&mut self, o: &mut Obligation<'p>) -> Result<Settled, BTreeSet<Site>> {
        let first = self.mover.assume_returns(o, o.psi);
        let mut all = self.mover.left_out(o, self.control());
        for (_, happens) in &mut all {
            *happens = self.mover.assume_returns(o, *happens);
        }
        let (mut psi, mut calls, mut made) = (first, all.clone(), BTreeSet::new());
        if !self.uses(Tactic::Idle) {
            return Ok(Settled { psi, calls, made });
        }
        let mut idle = self.idle_calls(o, &calls, &made);
        loop {
            let more = self.certainly_made(psi, &calls);
            if self.mover.direct {
                self.run_in_place("gives a pointer", o, self.giving_pointers(o, psi, &more))?;
            }
            if more.is_empty() || self.budget.expired().is_some() {
                break;
            }
            made.extend(more);
            idle = self.idle_calls(o, &calls, &made);
            let with = self.changing_nothing(first, &idle, None);
            if self.mover.terms.is_false(with) {
                let needed = self.needed(first, &idle, &made);
                self.run_in_place("always made and needed", o, needed)?;
                (psi, calls) = (first, all.clone());
                calls.retain(|(site, _)| !made.contains(site));
                idle.clear();
                break;
            }
            psi = with;
            calls = all.iter().filter(|(site, _)| !made.contains(site)).copied().collect();
            if !self.mover.direct {
                break;
            }
            for (_, happens) in &mut calls {
                *happens = self.changing_nothing(*happens, &idle, None);
            }
        }
        o.trail.steps.extend(idle.into_iter().map(|call| Step::Opened(call.pairs)));
        Ok(Settled { psi, calls, made })
    }

    fn run_in_place(&self, why: &str, o: &Obligation<'p>, sites: BTreeSet<Site>) -> Result<(), BTreeSet<Site>> {
        if sites.iter().all(|s| o.treatment.inline.contains(s)) {
            return Ok(());
        }
        self.config.say(|| format!("  {why}, so inlined: {}", self.names(&sites)));
        Err(sites)
    }

    /// The calls without which the condition is syntactically false.
    fn certainly_made(&mut self, psi: Term, calls: &[(Site, Term)]) -> BTreeSet<Site> {
        let terms = &mut *self.mover.terms;
        let mut made = BTreeSet::new();
        for (site, happens) in calls {
            if self.budget.expired().is_some() {
                break;
            }
            let absent = terms.not(*happens);
            let without = terms.and(psi, absent);
            let without = terms.propagate(without, self.budget);
            if terms.is_false(without) {
                made.insert(*site);
            }
        }
        made
    }

    /// The library calls among these whose result is a pointer that the condition depends on. At the start every object is known: a
    /// pointer that nobody made would only be guessed at.
    fn giving_pointers(&self, o: &Obligation<'p>, psi: Term, made: &BTreeSet<Site>) -> BTreeSet<Site> {
        let vars: HashSet<Term> = vars_of(self.mover.terms, &[psi]).into_iter().collect();
        let gives = |c: &CallRecord| {
            let decl = self.program.decl(c.callee);
            let mut results = decl.signature.results.iter().zip(&c.ports.results);
            decl.model && results.any(|(ty, port)| *ty == Type::Ptr && vars.contains(port))
        };
        let sites = o.calls.iter().filter(|c| gives(c)).filter_map(|c| self.mover.site(o, c));
        sites.filter(|s| made.contains(s)).collect()
    }

    /// The calls that are not in question, the latest first.
    fn idle_calls(&mut self, o: &Obligation<'p>, calls: &[(Site, Term)], made: &BTreeSet<Site>) -> Vec<IdleCall> {
        let in_question: BTreeSet<Site> = calls.iter().map(|(s, _)| *s).filter(|s| !made.contains(s)).collect();
        let direct = self.mover.direct;
        let is_idle = |site: &Site| made.contains(site) || direct && !in_question.contains(site);
        let mut order: Vec<usize> = (0..o.calls.len()).collect();
        order.sort_by(|&a, &b| o.calls[b].order.cmp(&o.calls[a].order));
        let mut idle = Vec::new();
        for i in order {
            let record = Rc::clone(&o.calls[i]);
            if let Some(site) = self.mover.site(o, &record)
                && is_idle(&site)
            {
                idle.push(IdleCall { site, pairs: Rc::new(self.mover.unchanged(o, &record)) });
            }
        }
        idle
    }

    /// A term when these calls, but for one, change nothing.
    fn changing_nothing(&mut self, t: Term, idle: &[IdleCall], but: Option<Site>) -> Term {
        let budget = self.budget;
        let others = idle.iter().filter(|call| Some(call.site) != but);
        let each = |terms: &mut Terms, t: Term, call: &IdleCall| match budget.expired() {
            Some(_) => terms.fls(),
            None => terms.substitute_within(t, &call.pairs, budget).unwrap_or_else(|| terms.fls()),
        };
        let terms = &mut *self.mover.terms;
        let changed = others.fold(t, |t, call| each(terms, t, call));
        terms.propagate(changed, budget)
    }

    /// The calls that can't change nothing: each by itself if that can be told, else all.
    fn needed(&mut self, psi: Term, idle: &[IdleCall], made: &BTreeSet<Site>) -> BTreeSet<Site> {
        let mut needed = BTreeSet::new();
        for &site in made {
            if self.budget.expired().is_some() {
                return BTreeSet::new();
            }
            let without = self.changing_nothing(psi, idle, Some(site));
            if !self.mover.terms.is_false(without) {
                needed.insert(site);
            }
        }
        if needed.is_empty() { made.clone() } else { needed }
    }
}
