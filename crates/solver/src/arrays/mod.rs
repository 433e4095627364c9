//! Arrays by lemmas on demand, on the live solver.
//!
//! A read is a word of free bits until a candidate model disagrees with what the array says. Then the one instance it
//! violates is added (read over write along the path the model takes, equal reads of one array, an equality at one index, a
//! scan at one position) and the solver goes on. Brummayer and Biere, "Lemmas on demand for the extensional theory of arrays"
//! (2009), extended by bulk writes (one hop each, whatever their length) and by scans and mismatches, whose "nothing before
//! n" is instantiated only at the positions a candidate gets wrong.
//!
//! Why it ends: instances are at index terms of the formula as long as one has the value in question, and unmentioned cells
//! of an array variable default to a value that no scan looks for.
//!
//! Invariants: clauses are collected during a round and added after it, since the solver forgets its model with the first
//! new clause. A round that adds nothing has proved the candidate to be a model.
//! Absent: index widths over 64 bits where whole arrays are compared or scanned; such a formula is refused by name.

mod bulk;
pub mod candidate;
mod chains;
mod extensional;
mod relevant;
pub mod runs;
mod sources;
mod tables;
mod values;
mod walk;

use crate::UnknownReason;
use crate::aig::Edge;
use crate::blast::Circuit;
use crate::cnf::Cnf;
use crate::sat::Sat;
use blitz_term::{Op, Term, Terms};
pub use candidate::Candidate;
use relevant::Relevance;
use rustc_hash::{FxHashMap, FxHashSet};
use sources::Detail;
use tables::Tables;

/// Circuit, clauses and SAT solver with the array theory on top.
pub struct Core {
    pub circuit: Circuit,
    pub cnf: Cnf,
    pub sat: Sat,
    theory: Theory,
}

/// The atoms of the theory and what has been done about them.
#[derive(Default)]
struct Theory {
    /// Atoms of the circuit that are sorted into the lists below.
    known: usize,
    reads: Vec<Term>,
    /// The arrays that reads start from.
    read_arrays: FxHashSet<Term>,
    equalities: Vec<Term>,
    scans: Vec<Term>,
    chains: chains::Chains,
    mismatches: Vec<Term>,
    /// How many instances the next violation of an atom adds.
    batch: FxHashMap<Term, usize>,
    /// Index variables that were told to differ.
    spread: FxHashSet<Term>,
    /// Reads that were told where their value can come from.
    told: FxHashSet<(Term, Detail)>,
    tables: Tables,
    /// Clauses that were found when the time was up: they are said before the next question.
    left: Vec<Vec<Edge>>,
    lemmas: u64,
    relevance: Relevance,
}

/// What a look at a candidate gave.
pub enum Round {
    /// The candidate is a model.
    Consistent,
    /// Lemmas were added.
    Refined,
    Unknown(UnknownReason),
}

impl Core {
    pub fn new(sat: Sat) -> Self {
        Self { circuit: Circuit::default(), cnf: Cnf::default(), sat, theory: Theory::default() }
    }

    /// Whether whole arrays are compared somewhere.
    pub fn compares_arrays(&self) -> bool {
        !self.theory.equalities.is_empty()
    }

    pub fn lemmas(&self) -> u64 {
        self.theory.lemmas
    }

    /// Adds what holds of the atoms that came up since the last call.
    pub fn constrain_new_atoms(&mut self, terms: &mut Terms) {
        let mut clauses = std::mem::take(&mut self.theory.left);
        self.sort_new_atoms(terms, &mut clauses);
        self.add(clauses);
    }

    /// Inside of a round, what is new has to count: it came from below the question, or supports what does.
    fn sort_atoms_of_round(&mut self, terms: &mut Terms, clauses: &mut Vec<Vec<Edge>>) {
        let before = self.theory.known;
        self.sort_new_atoms(terms, clauses);
        let relevance = &self.theory.relevance;
        let counts = |atom: &Term| relevance.holds(*atom);
        debug_assert!(self.circuit.atoms()[before..].iter().all(counts), "an atom of this round should count in it");
    }

    fn sort_new_atoms(&mut self, terms: &mut Terms, clauses: &mut Vec<Vec<Edge>>) {
        while let Some(&atom) = self.circuit.atoms().get(self.theory.known) {
            self.theory.known += 1;
            match terms.op(atom) {
                Op::Select(array, _) => {
                    self.theory.reads.push(atom);
                    self.theory.read_arrays.insert(array);
                }
                Op::Eq(a, b) => {
                    self.theory.equalities.push(atom);
                    self.witness_of_difference(terms, atom, (a, b), clauses);
                }
                Op::Scan { .. } => {
                    self.theory.scans.push(atom);
                    self.bound_scan(terms, atom, clauses);
                    self.link_scan(terms, atom, clauses);
                }
                Op::Mismatch { .. } => {
                    self.theory.mismatches.push(atom);
                    self.bound_mismatch(terms, atom, clauses);
                }
                other => unreachable!("only the array theory should have atoms, not {other:?}"),
            }
        }
    }

    fn add(&mut self, clauses: Vec<Vec<Edge>>) {
        for clause in clauses {
            self.cnf.assert_clause(&self.circuit.g, &mut self.sat, &clause);
        }
    }

    /// The same for so long as there is time.
    fn add_in_time(&mut self, candidate: &Candidate, clauses: Vec<Vec<Edge>>) {
        let mut rest = clauses.into_iter();
        while candidate.stopped().is_none()
            && let Some(clause) = rest.next()
        {
            self.cnf.assert_clause(&self.circuit.g, &mut self.sat, &clause);
        }
        self.theory.left.extend(rest);
    }

    /// What is said of the atom rests on the term.
    fn support(&mut self, terms: &Terms, atom: Term, term: Term) {
        self.theory.relevance.support(terms, atom, term);
    }

    /// Holds the solver's model against the theory and adds the lemmas it violates.
    pub fn refine(&mut self, terms: &mut Terms, candidate: &mut Candidate) -> Round {
        if self.theory.known == 0 && self.circuit.atoms().is_empty() {
            return Round::Consistent;
        }
        let mut clauses = Vec::new();
        self.orient_equalities(terms, candidate);
        loop {
            let mut violated = self.check_reads(terms, candidate, &mut clauses);
            if let Some(stop) = candidate.stopped() {
                self.theory.left.append(&mut clauses);
                return Round::Unknown(stop.into());
            }
            if violated == 0 {
                match self.check_bulk(terms, candidate, &mut clauses) {
                    Ok(count) => violated = count,
                    Err(reason) => {
                        self.theory.left.append(&mut clauses);
                        return Round::Unknown(reason);
                    }
                }
            }
            self.theory.lemmas += violated;
            // Terms that only came up on the way bring atoms of their own; their reads have to be walked too.
            let settled = self.theory.known == self.circuit.atoms().len();
            self.sort_atoms_of_round(terms, &mut clauses);
            if !clauses.is_empty() {
                let before = self.sat.clauses();
                self.add_in_time(candidate, clauses);
                if let Some(stop) = candidate.stopped() {
                    return Round::Unknown(stop.into());
                }
                if self.sat.clauses() > before {
                    return Round::Refined;
                }
                let what = "the array theory made no progress, which is a defect of ours";
                return Round::Unknown(UnknownReason::Backend(what.to_owned()));
            }
            if settled {
                return Round::Consistent;
            }
            candidate.runs.clear();
        }
    }

    fn check_bulk(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        clauses: &mut Vec<Vec<Edge>>,
    ) -> Result<u64, UnknownReason> {
        candidate.choose_defaults(self, terms);
        self.value_definitions(terms, candidate)?;
        in_time(candidate)?;
        let equal = self.check_equalities(terms, candidate, clauses)?;
        in_time(candidate)?;
        let scans = self.check_scans(terms, candidate, clauses)?;
        in_time(candidate)?;
        let mismatches = self.check_mismatches(terms, candidate, clauses)?;
        Ok(equal + scans + mismatches)
    }
}

fn in_time(candidate: &Candidate) -> Result<(), UnknownReason> {
    candidate.stopped().map_or(Ok(()), |stop| Err(stop.into()))
}
