//! The formula of a program at given bounds, for people and for other solvers: what `bmc` would ask, without asking.
//!
//! Why: teaching needs to see the equations, and a formula written to a file can be given to any solver.
//!
//! Equations are those of the user's functions in the order of execution. A value is printed by the name of the last equation that gave it, so
//! that each line is as short as the statement behind it; `x#2` is the second value of `x`, `guard#1` a path condition.
//!
//! Direction: exact within the bounds where `gaps` is empty. Cuts are no violations; `Formula::question` takes them in on request, as
//! CBMC's unwinding assertions.

use crate::Refused;
use crate::bounds::Unwind;
use crate::config::CheckConfig;
use blitz_base::Budget;
use blitz_base::span::Loc;
use blitz_ir::{FuncId, Program, PropertyId, Unsupported};
use blitz_solver::Outcome;
use blitz_symex::state::State;
use blitz_symex::{Claim, Cut, Equation, Executor, Gap, Record, Said};
use blitz_term::smtlib::{print_query, print_term_with};
use blitz_term::{Postorder, Term, Terms};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The formula in parts.
pub struct Formula<'p> {
    program: &'p Program,
    terms: Terms,
    claims: Vec<Claim>,
    cuts: Vec<Cut>,
    gaps: Vec<Gap>,
    record: Record,
}

/// Which parts a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Claims,
    /// A loop that goes on beyond its bound counts as violated, too.
    ClaimsAndBounds,
}

/// One equation, ready to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub loc: Loc,
    pub func: FuncId,
    pub text: String,
    /// What it gives a value to, or assumes.
    term: Term,
}

/// A property with the condition under which it is violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub property: PropertyId,
    pub loc: Loc,
    pub text: String,
    /// The equations it is made of, by position.
    pub lines: Vec<usize>,
}

impl Formula<'_> {
    /// It can hold exactly if some claim is violated.
    fn question(&mut self, asked: Asked) -> Term {
        let mut parts: Vec<Term> = self.claims.iter().map(|c| c.violated).collect();
        if asked == Asked::ClaimsAndBounds {
            parts.extend(self.cuts.iter().map(|c| c.guard));
        }
        self.terms.or_all(&parts)
    }

    /// What is not part of it.
    pub fn gaps(&self) -> impl Iterator<Item = &Unsupported> {
        self.gaps.iter().map(|g| &g.what)
    }

    /// A script that is satisfiable exactly if something is violated.
    pub fn smt2(&mut self, asked: Asked) -> String {
        let question = self.question(asked);
        print_query(&self.terms, &[question])
    }

    /// The same as clauses.
    pub fn dimacs(&mut self, asked: Asked, budget: &Budget) -> Result<String, Refused> {
        let question = self.question(asked);
        let made = blitz_solver::dimacs(&mut self.terms, question, budget).map_err(|e| Refused(e.to_string()))?;
        match made.outcome {
            Outcome::Unknown(why) => Err(Refused(format!("the clauses are not complete: {why}"))),
            Outcome::Sat | Outcome::Unsat => Ok(made.text),
        }
    }

    /// The equations, and the claims in terms of them.
    pub fn equations(&self) -> (Vec<Line>, Vec<Condition>) {
        let mut names = Names { terms: &self.terms, of: HashMap::new(), counts: BTreeMap::new() };
        let mut lines = Vec::new();
        for e in &self.record.equations {
            let suffix = names.guard(e, &mut lines).map_or(String::new(), |g| format!("  if {g}"));
            let (text, term) = match &e.what {
                Said::Is { place, value } => (names.define(place, *value), *value),
                Said::At { address, value } => {
                    (format!("*{} = {}", names.print(*address), names.print(*value)), *value)
                }
                Said::Assumed(cond) => (format!("assume {}", names.print(*cond)), *cond),
            };
            lines.push(Line { loc: e.loc, func: e.func, text: text + &suffix, term });
        }
        let conditions = self.claims.iter().map(|c| Condition {
            property: c.property,
            loc: c.loc,
            text: names.print(c.violated),
            lines: self.relevant(&lines, c.violated),
        });
        let conditions = conditions.collect();
        (lines, conditions)
    }

    /// The equations whose values occur in a condition.
    fn relevant(&self, lines: &[Line], condition: Term) -> Vec<usize> {
        let parts: HashSet<Term> = Postorder::new(&self.terms, &[condition]).collect();
        let occurs = |l: &Line| !self.terms.is_const(l.term) && parts.contains(&l.term);
        (0..lines.len()).filter(|&i| occurs(&lines[i])).collect()
    }

    /// The equations by line, then the claims, for people.
    pub fn text(&self) -> String {
        let (lines, conditions) = self.equations();
        let place = |loc: Loc| match loc.is_known() {
            true => format!("{}:{}", self.program.file(loc.file), loc.line),
            false => "-".to_owned(),
        };
        let width = lines.iter().map(|l| place(l.loc).len()).max().unwrap_or(0);
        let mut out = String::new();
        for line in &lines {
            let function = &self.program.decl(line.func).name;
            out.push_str(&format!("{:width$}  {function}: {}\n", place(line.loc), line.text));
        }
        for c in &conditions {
            let property = self.program.property(c.property);
            let head = format!("{}  {}  {}", property.name, place(c.loc), property.text);
            out.push_str(&format!("\n{head}\n  violated where {}\n", c.text));
        }
        out
    }
}

/// Names of terms, by the equations so far.
struct Names<'t> {
    terms: &'t Terms,
    of: HashMap<Term, String>,
    counts: BTreeMap<String, u32>,
}

impl Names<'_> {
    fn print(&self, t: Term) -> String {
        match self.of.get(&t) {
            Some(name) => name.clone(),
            None => print_term_with(self.terms, t, &self.of),
        }
    }

    /// `x#2 = value`; from now on the value is printed by that name.
    fn define(&mut self, place: &str, value: Term) -> String {
        let text = self.print(value);
        let count = self.counts.entry(place.to_owned()).and_modify(|n| *n += 1).or_insert(1);
        let name = format!("{place}#{count}");
        if !self.terms.is_const(value) && !self.terms.is_var(value) {
            self.of.insert(value, name.clone());
        }
        format!("{name} = {text}")
    }

    /// The name of the condition under which an instruction is executed, if there is one; a new one gets a line of its own.
    fn guard(&mut self, e: &Equation, lines: &mut Vec<Line>) -> Option<String> {
        if self.terms.is_true(e.guard) {
            return None;
        }
        let simple = self.terms.is_const(e.guard) || self.terms.is_var(e.guard);
        if !simple && !self.of.contains_key(&e.guard) {
            let text = self.define("guard", e.guard);
            lines.push(Line { loc: e.loc, func: e.func, text, term: e.guard });
        }
        Some(self.print(e.guard))
    }
}

/// Builds the formula.
pub fn formula<'p>(program: &'p Program, config: &CheckConfig, budget: &Budget) -> Result<Formula<'p>, Refused> {
    if program.threads {
        return Err(Refused("the formula of a program with threads has a part per round and is not shown".into()));
    }
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().name("formula".into()).stack_size(crate::STACK);
        let handle = worker.spawn_scoped(scope, || build(program, config, budget)).expect("a thread should start");
        handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn build<'p>(program: &'p Program, config: &CheckConfig, budget: &Budget) -> Result<Formula<'p>, Refused> {
    let entry = crate::start(program)?;
    let bounds = Unwind::new(program, config, config.unwind.unwrap_or(1))?;
    let symbolic = config.symbolic(&bounds, crate::tuning::MODEL_BOUND);
    let mut terms = Terms::new();
    let mut executor = Executor::new(program, &mut terms, &symbolic, budget).recording();
    executor.run(entry, Vec::new(), State::start());
    let (execution, record) = executor.finish_recorded();
    if let Some(stop) = execution.stopped {
        return Err(Refused(format!("the formula is not complete: {stop}")));
    }
    let wanted = |c: &Claim| config.asks_for(&program.property(c.property).name);
    let claims = execution.claims.into_iter().filter(wanted).collect();
    Ok(Formula { program, terms, claims, cuts: execution.cuts, gaps: execution.gaps, record })
}
