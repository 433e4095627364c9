//! Certificates: every `unsat` of the SAT solver comes with an LRAT proof that our own checker accepts.
//!
//! CaDiCaL tells each step through its tracer; the steps are written as text to memory or to a file, and the checker reads
//! that text. The clauses that the proof may start from are told to the checker by us as they are submitted.
//! Invariant: nothing CaDiCaL says is believed, neither which clauses it was given nor which assumptions failed.
//! Absent: certificates of `sat` (models are evaluated instead) and of the step from terms to clauses.

use super::lrat::{Checker, LratError};
use rustsat::types::Lit;
use rustsat_cadical::{CaDiCaL, CaDiCaLClause, ClauseId, Conclusion, ProofTracerHandle, TraceProof};
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Why an answer got no certificate.
#[derive(Debug)]
pub enum CertifyError {
    Write(PathBuf, std::io::Error),
    Read(PathBuf, std::io::Error),
    NotConcluded,
    Refused(LratError),
}

impl fmt::Display for CertifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertifyError::Write(path, e) => write!(f, "the proof can't be written to {}: {e}", path.display()),
            CertifyError::Read(path, e) => write!(f, "the proof can't be read back from {}: {e}", path.display()),
            CertifyError::NotConcluded => f.write_str("the SAT solver gave no conclusion for its proof"),
            CertifyError::Refused(e) => write!(f, "{e}"),
        }
    }
}

impl std::error::Error for CertifyError {}

/// Where the proof is kept until it is checked.
enum Store {
    Memory(Vec<u8>),
    File { path: PathBuf, out: BufWriter<File>, read: BufReader<File> },
}

/// Receives the proof and checks it.
pub struct Certifier {
    checker: Checker,
    handle: Option<Handle>,
    store: Option<Store>,
}

struct Handle(ProofTracerHandle<Tracer>);

// SAFETY: the pointers inside point to boxes that only the solver and this handle reach, and both move together.
unsafe impl Send for Handle {}

impl Certifier {
    /// Keeps the proof in memory.
    pub fn in_memory() -> Self {
        Self::with(Store::Memory(Vec::new()))
    }

    /// Writes the proof to a file, which stays for others to check.
    pub fn to_file(path: &Path) -> Result<Self, CertifyError> {
        let out = File::create(path).map_err(|e| CertifyError::Write(path.to_owned(), e))?;
        let read = File::open(path).map_err(|e| CertifyError::Read(path.to_owned(), e))?;
        Ok(Self::with(Store::File { path: path.to_owned(), out: BufWriter::new(out), read: BufReader::new(read) }))
    }

    fn with(store: Store) -> Self {
        Self { checker: Checker::default(), handle: None, store: Some(store) }
    }

    /// Must be called before the first clause.
    pub fn connect(&mut self, solver: &mut CaDiCaL<'static, 'static>) {
        let store = self.store.take().expect("a certifier should be connected once");
        let tracer = Tracer { store, failure: None, conclusion: None };
        self.handle = Some(Handle(solver.connect_proof_tracer(tracer, true)));
    }

    pub fn submit(&mut self, lits: &[Lit]) {
        let lits: Vec<i32> = lits.iter().map(|l| l.to_ipasir()).collect();
        self.checker.submit(&lits);
    }

    pub fn steps(&self) -> u64 {
        self.checker.steps()
    }

    /// Checks the proof since the last answer and that it refutes the assumptions `failed`.
    pub fn check_unsat(&mut self, solver: &mut CaDiCaL<'static, 'static>, failed: &[Lit]) -> Result<(), CertifyError> {
        let handle = self.handle.as_ref().expect("the certifier should be connected");
        let tracer = solver.proof_tracer_mut(&handle.0);
        if let Some(e) = tracer.failure.take() {
            // What was lost can't be had again: no later answer has a certificate either.
            let again = std::io::Error::new(e.kind(), e.to_string());
            tracer.failure = Some(again);
            return Err(CertifyError::Write(tracer.path(), e));
        }
        let conclusion = tracer.conclusion.take().ok_or(CertifyError::NotConcluded)?;
        tracer.drain(&mut self.checker)?;
        let failed: Vec<i32> = failed.iter().map(|l| l.to_ipasir()).collect();
        self.checker.conclude(conclusion, &failed).map_err(CertifyError::Refused)
    }
}

struct Tracer {
    store: Store,
    failure: Option<std::io::Error>,
    conclusion: Option<u64>,
}

impl Tracer {
    fn path(&self) -> PathBuf {
        match &self.store {
            Store::Memory(_) => PathBuf::new(),
            Store::File { path, .. } => path.clone(),
        }
    }

    fn write(&mut self, line: &str) {
        if self.failure.is_some() {
            return;
        }
        let result = match &mut self.store {
            Store::Memory(buffer) => buffer.write_all(line.as_bytes()),
            Store::File { out, .. } => out.write_all(line.as_bytes()),
        };
        self.failure = result.err();
    }

    /// Gives the checker all lines it has not seen.
    fn drain(&mut self, checker: &mut Checker) -> Result<(), CertifyError> {
        match &mut self.store {
            Store::Memory(buffer) => {
                let text = std::mem::take(buffer);
                check_lines(&text[..], checker, Path::new("memory"))
            }
            Store::File { path, out, read } => {
                out.flush().map_err(|e| CertifyError::Write(path.clone(), e))?;
                check_lines(read, checker, path)
            }
        }
    }
}

fn check_lines(text: impl BufRead, checker: &mut Checker, path: &Path) -> Result<(), CertifyError> {
    let mut text = text;
    let mut line = String::new();
    loop {
        line.clear();
        let read = text.read_line(&mut line).map_err(|e| CertifyError::Read(path.to_owned(), e))?;
        if read == 0 {
            return Ok(());
        }
        checker.line(&line).map_err(CertifyError::Refused)?;
    }
}

fn clause_text(clause: &CaDiCaLClause) -> String {
    let mut text = String::new();
    for lit in clause.iter() {
        text.push_str(&lit.to_ipasir().to_string());
        text.push(' ');
    }
    text.push('0');
    text
}

fn ids_text(ids: &[ClauseId]) -> String {
    let mut text = String::new();
    for id in ids {
        text.push_str(&id.0.to_string());
        text.push(' ');
    }
    text.push('0');
    text
}

impl TraceProof for Tracer {
    fn add_original_clause(&mut self, id: ClauseId, _redundant: bool, clause: &CaDiCaLClause, restored: bool) {
        let kind = if restored { 'r' } else { 'o' };
        self.write(&format!("{kind} {} {}\n", id.0, clause_text(clause)));
    }

    fn add_derived_clause(&mut self, id: ClauseId, _redundant: bool, clause: &CaDiCaLClause, antecedents: &[ClauseId]) {
        self.write(&format!("{} {} {}\n", id.0, clause_text(clause), ids_text(antecedents)));
    }

    fn add_assumption_clause(&mut self, id: ClauseId, clause: &CaDiCaLClause, antecedents: &[ClauseId]) {
        self.write(&format!("{} {} {}\n", id.0, clause_text(clause), ids_text(antecedents)));
    }

    fn delete_clause(&mut self, id: ClauseId, _redundant: bool, _clause: &CaDiCaLClause) {
        self.write(&format!("{} d {} 0\n", id.0, id.0));
    }

    fn weaken_minus(&mut self, id: ClauseId, _clause: &CaDiCaLClause) {
        self.write(&format!("w {}\n", id.0));
    }

    fn conclude_unsat(&mut self, _conclusion: Conclusion, failing: &[ClauseId]) {
        self.conclusion = failing.first().and_then(|id| u64::try_from(id.0).ok());
    }
}
