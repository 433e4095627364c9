//! Any SMT-LIB 2 process as a back end.
//!
//! Terms are printed as definitions once and sent when a check needs them; assumptions become literals that imply them. The
//! model is read back variable by variable and evaluated against the terms, so a wrong answer `sat` is noticed.
//! Everything sent is kept: after a timeout the process is killed, and the next check starts a new one with the same text.
//! Invariant: whatever the process does, the worst outcome is `Unknown` with a message that names it.

mod known;
mod process;
pub mod sexpr;
mod value;

pub use known::{KNOWN, KnownSolver, find as find_known};

use crate::verify::Verified;
use crate::{Outcome, Solver, SolverError, SolverStats, UnknownReason};
use blitz_base::Budget;
use blitz_term::smtlib::Printer;
use blitz_term::{Assignment, Term, Terms, Value};
use process::Process;
use rustc_hash::FxHashMap;
use sexpr::Sexpr;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A command line that reads SMT-LIB 2 from its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    pub name: String,
    pub program: String,
    pub args: Vec<String>,
}

/// What a process said, unverified.
pub(crate) enum Reply {
    Sat(Vec<(Term, Sexpr)>),
    Unsat,
}

/// A process behind the `Solver` trait.
pub struct SmtLib {
    command: CommandLine,
    printer: Printer,
    /// The variables printed so far with their symbols.
    symbols: Vec<(Term, String)>,
    /// Everything the process has to know, in order.
    script: String,
    sent: usize,
    process: Option<(Process, &'static str)>,
    asserted: Vec<Term>,
    proxies: FxHashMap<Term, String>,
    assumed: FxHashMap<String, Term>,
    failed: Vec<Term>,
    verified: Option<Verified>,
    checks: u64,
    solve_time: Duration,
}

impl SmtLib {
    pub fn new(command: CommandLine) -> Result<Self, SolverError> {
        if known::on_path(&command.program).is_none() {
            return Err(SolverError::Missing(format!("the solver command `{}` is not on PATH", command.program)));
        }
        Ok(Self {
            command,
            printer: Printer::default(),
            symbols: Vec::new(),
            script: String::new(),
            sent: 0,
            process: None,
            asserted: Vec::new(),
            proxies: FxHashMap::default(),
            assumed: FxHashMap::default(),
            failed: Vec::new(),
            verified: None,
            checks: 0,
            solve_time: Duration::ZERO,
        })
    }

    /// A live process that has been told everything.
    fn catch_up(&mut self) -> Result<(), UnknownReason> {
        let logic = self.printer.logic();
        if self.process.as_ref().is_none_or(|(_, l)| *l != logic) {
            let CommandLine { name, program, args } = &self.command;
            let process = Process::start(name, program, args)
                .map_err(|e| UnknownReason::Backend(format!("{name} did not start: {e}")))?;
            process.send(format!(
                "(set-option :print-success false)\n(set-option :produce-models true)\n\
                 (set-option :produce-unsat-assumptions true)\n(set-logic {logic})\n"
            ));
            self.process = Some((process, logic));
            self.sent = 0;
        }
        let text = self.script[self.sent..].to_owned();
        self.sent = self.script.len();
        self.live().send(text);
        Ok(())
    }

    fn live(&mut self) -> &mut Process {
        let (process, _) = self.process.as_mut().expect("the process should have been started");
        process
    }

    /// A literal that implies the term.
    fn proxy(&mut self, terms: &Terms, t: Term) -> String {
        if let Some(known) = self.proxies.get(&t) {
            return known.clone();
        }
        let name = self.printer.define(terms, t, &mut self.script);
        // The printer keeps names that begin like this free of variables.
        let proxy = format!("?a{}", self.proxies.len());
        writeln!(self.script, "(declare-const {proxy} Bool)\n(assert (=> {proxy} {name}))")
            .expect("writing to a string should not fail");
        self.proxies.insert(t, proxy.clone());
        proxy
    }

    /// Sends everything the check needs; the answer is for `wait`.
    pub(crate) fn begin(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<(), UnknownReason> {
        self.verified = None;
        self.failed.clear();
        self.checks += 1;
        let proxies: Vec<String> = assumptions.iter().map(|t| self.proxy(terms, *t)).collect();
        let new: Vec<Term> = self.printer.vars()[self.symbols.len()..].to_vec();
        for var in new {
            let symbol = self.printer.define(terms, var, &mut self.script);
            self.symbols.push((var, symbol));
        }
        self.assumed = proxies.iter().cloned().zip(assumptions.iter().copied()).collect();
        self.catch_up()?;
        let query = if proxies.is_empty() {
            "(check-sat)\n".to_owned()
        } else {
            format!("(check-sat-assuming ({}))\n", proxies.join(" "))
        };
        self.live().send(query);
        Ok(())
    }

    /// Waits for the answer; needs no terms, so it may run beside others.
    pub(crate) fn wait(&mut self, budget: &Budget) -> Result<Reply, UnknownReason> {
        let start = Instant::now();
        let reply = self.reply(budget);
        self.solve_time += start.elapsed();
        if reply.is_err() {
            // Whatever state the process is in, the next check starts a new one.
            self.process = None;
        }
        reply
    }

    fn reply(&mut self, budget: &Budget) -> Result<Reply, UnknownReason> {
        match self.answer(budget)?.as_str() {
            "sat" => self.read_model(budget).map(Reply::Sat),
            "unsat" => {
                self.take_failed(budget)?;
                Ok(Reply::Unsat)
            }
            "unknown" => Err(self.live().failed("answered unknown")),
            other => Err(self.live().nonsense(other)),
        }
    }

    /// Holds the reply against the terms.
    pub(crate) fn finish(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        reply: Reply,
    ) -> Result<Outcome, UnknownReason> {
        match reply {
            Reply::Unsat => Ok(Outcome::Unsat),
            Reply::Sat(values) => {
                self.take_model(terms, assumptions, values)?;
                Ok(Outcome::Sat)
            }
        }
    }

    fn decide(&mut self, terms: &Terms, assumptions: &[Term], budget: &Budget) -> Result<Outcome, UnknownReason> {
        self.begin(terms, assumptions)?;
        let reply = self.wait(budget)?;
        self.finish(terms, assumptions, reply)
    }

    /// The next word, past acknowledgements.
    fn answer(&mut self, budget: &Budget) -> Result<String, UnknownReason> {
        loop {
            match self.read(budget)? {
                Sexpr::Atom(a) if a == "success" || a == "unsupported" => {}
                other => return Ok(other.to_string()),
            }
        }
    }

    fn read(&mut self, budget: &Budget) -> Result<Sexpr, UnknownReason> {
        let expr = self.live().read(budget)?;
        match expr.list() {
            Some([Sexpr::Atom(e), message]) if e == "error" => {
                let text = format!("reported an error: {message}");
                Err(self.live().failed(&text))
            }
            Some(_) | None => Ok(expr),
        }
    }

    fn take_failed(&mut self, budget: &Budget) -> Result<(), UnknownReason> {
        if self.assumed.is_empty() {
            return Ok(());
        }
        self.live().send("(get-unsat-assumptions)\n".to_owned());
        let reply = self.read(budget)?;
        let names = reply.list().unwrap_or_default();
        let mut failed: Vec<Term> = names.iter().filter_map(|n| self.assumed.get(n.atom()?).copied()).collect();
        if reply.list().is_none() || failed.len() != names.len() {
            return Err(self.live().nonsense(&reply.to_string()));
        }
        failed.sort_unstable();
        self.failed = failed;
        Ok(())
    }

    fn read_model(&mut self, budget: &Budget) -> Result<Vec<(Term, Sexpr)>, UnknownReason> {
        let vars = self.symbols.clone();
        let mut values = Vec::with_capacity(vars.len());
        for some in vars.chunks(256) {
            let names: Vec<&str> = some.iter().map(|(_, name)| name.as_str()).collect();
            self.live().send(format!("(get-value ({}))\n", names.join(" ")));
            let reply = self.read(budget)?;
            let pairs = reply.list().unwrap_or_default();
            if pairs.len() != some.len() {
                return Err(self.live().nonsense(&reply.to_string()));
            }
            values.extend(some.iter().map(|(var, _)| *var).zip(pairs.iter().cloned()));
        }
        Ok(values)
    }

    fn take_model(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        values: Vec<(Term, Sexpr)>,
    ) -> Result<(), UnknownReason> {
        let name = &self.command.name;
        let mut model = Assignment::new();
        for (var, pair) in values {
            let parsed = match pair.list() {
                Some([_, value]) => value::parse(value, terms.sort(var)),
                Some(_) | None => Err(pair.to_string()),
            };
            let parsed =
                parsed.map_err(|e| UnknownReason::Backend(format!("{name} printed a model we can't read: {e}")))?;
            model.set(var, parsed);
        }
        let roots: Vec<Term> = self.asserted.iter().chain(assumptions).copied().collect();
        match Verified::new(terms, model, &roots) {
            Ok(verified) => {
                self.verified = Some(verified);
                Ok(())
            }
            Err(wrong) => Err(UnknownReason::Backend(format!("{name} gave a model that is none: {wrong}"))),
        }
    }

    fn model_or_panic(&mut self) -> &mut Verified {
        self.verified.as_mut().expect("a value should be asked for after Sat")
    }
}

impl Solver for SmtLib {
    fn name(&self) -> String {
        self.command.name.clone()
    }

    fn assert(&mut self, terms: &mut Terms, t: Term) {
        self.verified = None;
        self.failed.clear();
        self.asserted.push(t);
        let name = self.printer.define(terms, t, &mut self.script);
        writeln!(self.script, "(assert {name})").expect("writing to a string should not fail");
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &Budget) -> Outcome {
        self.decide(terms, assumptions, budget).unwrap_or_else(Outcome::Unknown)
    }

    fn value(&mut self, terms: &mut Terms, t: Term) -> Value {
        self.model_or_panic().value(terms, t)
    }

    fn model(&mut self, terms: &mut Terms, roots: &[Term]) -> Assignment {
        self.model_or_panic().restricted(terms, roots)
    }

    fn failed_assumptions(&mut self) -> Vec<Term> {
        self.failed.clone()
    }

    fn stats(&self) -> SolverStats {
        SolverStats { checks: self.checks, solve_time: self.solve_time, ..SolverStats::default() }
    }
}
