//! The default back end: our bit-blaster and array theory on CaDiCaL.

use crate::arrays::{Candidate, Core, Round};
use crate::sat::certify::Certifier;
use crate::sat::{Sat, SatResult};
use crate::verify::{self, Verified};
use crate::{Certify, Outcome, Solver, SolverConfig, SolverError, SolverStats, UnknownReason};
use blitz_base::{Budget, Bv, Labour, Stop};
use blitz_term::{ArrayValue, Assignment, Sort, Term, Terms, Value};
use rustc_hash::FxHashMap;
use rustsat::types::Lit;
use std::time::{Duration, Instant};

/// Bit-blasting to a live CaDiCaL.
pub struct Cadical {
    core: Core,
    conflicts: Option<u32>,
    asserted: Vec<Term>,
    /// How many of them are encoded.
    encoded: usize,
    /// What encoding may take: that of the last question.
    budget: Budget,
    assumptions: Vec<Term>,
    failed: Vec<Term>,
    candidate: Option<Candidate>,
    verified: Option<Verified>,
    checks: u64,
    solve_time: Duration,
}

impl Cadical {
    pub fn new(config: &SolverConfig) -> Result<Self, SolverError> {
        let certifier = match &config.certify {
            Certify::Off => None,
            Certify::InMemory => Some(Certifier::in_memory()),
            Certify::ToFile(path) => Some(Certifier::to_file(path).map_err(|e| SolverError::Start(e.to_string()))?),
        };
        Ok(Self {
            core: Core::new(Sat::new(certifier)),
            conflicts: config.conflicts,
            asserted: Vec::new(),
            encoded: 0,
            budget: Budget::unlimited(),
            assumptions: Vec::new(),
            failed: Vec::new(),
            candidate: None,
            verified: None,
            checks: 0,
            solve_time: Duration::ZERO,
        })
    }

    /// Keeps all clauses from now on.
    pub(crate) fn record_clauses(&mut self) {
        self.core.sat.record();
    }

    /// The number of variables, and the clauses since `record_clauses`.
    pub(crate) fn recorded(&self) -> (u32, &[Vec<Lit>]) {
        (self.core.sat.vars(), self.core.sat.recorded())
    }

    /// Encodes what was asserted, as far as the budget goes.
    fn encode_asserted(&mut self, terms: &mut Terms) -> Result<(), Stop> {
        while let Some(&t) = self.asserted.get(self.encoded) {
            self.core.circuit.prepare(terms, t, &self.budget)?;
            self.encoded += 1;
            let edge = self.core.circuit.edge(terms, t);
            self.core.constrain_new_atoms(terms);
            let core = &mut self.core;
            core.cnf.assert(&core.circuit.g, &mut core.sat, edge);
        }
        Ok(())
    }

    /// Encodes all that a question needs.
    fn encode(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &Budget) -> Result<Vec<Lit>, Stop> {
        self.budget = budget.clone();
        let (gates, clauses) = (self.core.circuit.g.len(), self.core.sat.clauses());
        let lits = self.encode_all(terms, assumptions, budget);
        budget.spend(Labour::Gate, (self.core.circuit.g.len() - gates) as u64);
        budget.spend(Labour::Clause, self.core.sat.clauses() - clauses);
        lits
    }

    fn encode_all(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &Budget) -> Result<Vec<Lit>, Stop> {
        self.core.cnf.go_on(&self.core.circuit.g, &mut self.core.sat, budget);
        self.encode_asserted(terms)?;
        for &t in assumptions {
            self.core.circuit.prepare(terms, t, budget)?;
        }
        let lits = self.assumption_literals(terms, assumptions);
        self.core.cnf.solve_linear(&self.core.circuit.g, &mut self.core.sat);
        match self.stopped(budget) {
            Some(stop) => Err(stop),
            None => Ok(lits),
        }
    }

    /// Why nothing can be asked now, if so. Clauses may be missing though memory was given back since.
    fn stopped(&self, budget: &Budget) -> Option<Stop> {
        budget.expired().or_else(|| (!self.core.cnf.is_complete()).then_some(Stop::Memory))
    }

    fn assumption_literals(&mut self, terms: &mut Terms, assumptions: &[Term]) -> Vec<Lit> {
        let edges: Vec<_> = assumptions.iter().map(|t| self.core.circuit.edge(terms, *t)).collect();
        self.core.constrain_new_atoms(terms);
        let core = &mut self.core;
        edges.into_iter().map(|e| core.cnf.literal(&core.circuit.g, &mut core.sat, e)).collect()
    }

    fn decide(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &Budget) -> Outcome {
        let lits = match self.encode(terms, assumptions, budget) {
            Ok(lits) => lits,
            Err(stop) => return Outcome::Unknown(stop.into()),
        };
        let mut marked = false;
        let conflicts = budget.effort().or(self.conflicts);
        loop {
            match self.core.sat.solve(&lits, conflicts, budget) {
                SatResult::Unknown(reason) => return Outcome::Unknown(reason),
                SatResult::Unsat => {
                    self.failed = self.terms_of_failed(&lits, assumptions);
                    return Outcome::Unsat;
                }
                SatResult::Sat => {}
            }
            if !marked {
                let roots: Vec<Term> = self.asserted.iter().chain(assumptions).copied().collect();
                self.core.mark_relevant(terms, &roots);
                marked = true;
            }
            let mut candidate = Candidate::take(&self.core, budget);
            budget.spend(Labour::Value, self.core.circuit.g.len() as u64);
            match self.core.refine(terms, &mut candidate) {
                Round::Consistent => {
                    self.candidate = Some(candidate);
                    return Outcome::Sat;
                }
                Round::Refined => {}
                Round::Unknown(reason) => return Outcome::Unknown(reason),
            }
            if let Some(stop) = self.stopped(budget) {
                return Outcome::Unknown(stop.into());
            }
        }
    }

    /// The first assumption of each failed literal.
    fn terms_of_failed(&self, lits: &[Lit], assumptions: &[Term]) -> Vec<Term> {
        let mut first: FxHashMap<Lit, Term> = FxHashMap::default();
        for (lit, term) in lits.iter().zip(assumptions) {
            first.entry(*lit).or_insert(*term);
        }
        self.core.sat.failed().iter().filter_map(|l| first.get(l).copied()).collect()
    }

    fn variable(&mut self, terms: &Terms, candidate: &mut Candidate, var: Term) -> Value {
        match terms.sort(var) {
            Sort::Bv(width) => {
                let known = candidate.known_value(&self.core, var);
                Value::Bv(known.unwrap_or_else(|| Bv::zero(width)))
            }
            Sort::Array { .. } => Value::Array(self.array_variable(terms, candidate, var)),
        }
    }

    fn array_variable(&mut self, terms: &Terms, candidate: &mut Candidate, var: Term) -> ArrayValue {
        let (index, elem) = terms.array_widths(var);
        let Ok(runs) = self.core.runs_of(terms, candidate, var) else {
            // Too wide for runs, so never compared or scanned: its cells are all there is.
            let mut value = ArrayValue::new(index, Bv::zero(elem));
            for (position, cell) in candidate.cells_of(&mut self.core, terms, var) {
                value = value.with(position, cell);
            }
            return value;
        };
        let widest = runs.runs().max_by_key(|r| r.last - r.first);
        let default = widest.map_or_else(|| Bv::zero(elem), |r| r.value.clone());
        let mut value = ArrayValue::new(index, default.clone());
        for run in runs.runs().filter(|r| *r.value != default) {
            let first = Bv::from_u64(index, run.first);
            value = if run.first == run.last {
                value.with(first, run.value.clone())
            } else {
                value.filled(&first, run.value, &Bv::from_u64(index, run.last - run.first + 1))
            };
        }
        value
    }

    /// The model, evaluated against everything asserted and assumed.
    fn verified(&mut self, terms: &mut Terms) -> &mut Verified {
        if let Err(wrong) = self.verify(terms) {
            panic!("a model of {} should satisfy the formula: {wrong}", self.name());
        }
        self.verified.as_mut().expect("the model was just verified")
    }

    fn verify(&mut self, terms: &mut Terms) -> Result<(), verify::WrongModel> {
        if self.verified.is_none() {
            let mut candidate = self.candidate.take().expect("a value should be asked for after Sat");
            let roots: Vec<Term> = self.asserted.iter().chain(&self.assumptions).copied().collect();
            let mut model = Assignment::new();
            for var in verify::variables(terms, &roots) {
                let value = self.variable(terms, &mut candidate, var);
                model.set(var, value);
            }
            self.candidate = Some(candidate);
            self.verified = Some(Verified::new(terms, model, &roots)?);
        }
        Ok(())
    }

    fn forget_answer(&mut self) {
        self.candidate = None;
        self.verified = None;
        self.failed.clear();
    }
}

impl Solver for Cadical {
    fn name(&self) -> String {
        "cadical".to_owned()
    }

    fn assert(&mut self, terms: &mut Terms, t: Term) {
        self.forget_answer();
        self.asserted.push(t);
        // What the last question's budget does not cover is left to the next question.
        let _left = self.encode_asserted(terms);
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &Budget) -> Outcome {
        self.forget_answer();
        self.assumptions = assumptions.to_vec();
        self.checks += 1;
        let start = Instant::now();
        let outcome = self.decide(terms, assumptions, budget);
        self.solve_time += start.elapsed();
        if outcome == Outcome::Sat && self.core.compares_arrays() {
            // The theory's hardest part. If it is ever wrong, that is no answer rather than a wrong one.
            if let Err(wrong) = self.verify(terms) {
                let why = format!("no model of its arrays was found, which is a defect of ours ({wrong})");
                return Outcome::Unknown(UnknownReason::Backend(why));
            }
        } else if cfg!(debug_assertions) && outcome == Outcome::Sat {
            self.verified(terms);
        }
        outcome
    }

    fn value(&mut self, terms: &mut Terms, t: Term) -> Value {
        self.verified(terms);
        let verified = self.verified.as_mut().expect("the model was just verified");
        verified.value(terms, t)
    }

    fn model(&mut self, terms: &mut Terms, roots: &[Term]) -> Assignment {
        self.verified(terms);
        let verified = self.verified.as_mut().expect("the model was just verified");
        verified.restricted(terms, roots)
    }

    fn failed_assumptions(&mut self) -> Vec<Term> {
        self.failed.clone()
    }

    fn stats(&self) -> SolverStats {
        SolverStats {
            vars: self.core.sat.vars().into(),
            clauses: self.core.sat.clauses(),
            checks: self.checks,
            conflicts: self.core.sat.conflicts(),
            lemmas: self.core.lemmas(),
            certified: self.core.sat.certified_steps(),
            solve_time: self.solve_time,
        }
    }
}
