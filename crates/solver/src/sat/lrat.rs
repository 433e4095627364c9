//! An independent checker for incremental LRAT proofs.
//!
//! It knows nothing of the solver: it holds the clauses that were submitted to the solver (told by us, not by the proof),
//! and accepts a derived clause only if unit propagation along the given antecedents, and nothing else, refutes its
//! negation. Cruz-Filipe et al., "Efficient certified RAT verification" (2017), restricted to RUP steps: the solver is
//! configured so that RAT steps do not occur, and one that does is refused.
//!
//! The text read here is LRAT with four more lines, as the formula grows while it is solved:
//! ```text
//! o ID LITS 0          a submitted clause gets this number
//! r ID LITS 0          a clause weakened before comes back
//! w ID                 the clause leaves the solver but may come back
//! ID LITS 0 HINTS 0    a derived clause
//! ID d IDS 0           deletion
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Why a proof was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LratError {
    Syntax(String),
    NotSubmitted(u64),
    UnknownClause { step: u64, hint: u64 },
    NotWeakened(u64),
    DuplicateId(u64),
    HintNotUnit { step: u64, hint: u64 },
    NoConflict(u64),
    WrongConclusion(String),
}

impl fmt::Display for LratError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LratError::Syntax(line) => write!(f, "the proof has a malformed line: {line}"),
            LratError::NotSubmitted(id) => write!(f, "proof clause {id} was never given to the solver"),
            LratError::UnknownClause { step, hint } => {
                write!(f, "proof step {step} uses clause {hint}, which does not exist")
            }
            LratError::NotWeakened(id) => write!(f, "proof clause {id} is restored but differs from what was removed"),
            LratError::DuplicateId(id) => write!(f, "proof clause {id} exists already"),
            LratError::HintNotUnit { step, hint } => {
                write!(f, "proof step {step}: antecedent {hint} does not propagate")
            }
            LratError::NoConflict(step) => write!(f, "proof step {step} does not follow from its antecedents"),
            LratError::WrongConclusion(why) => write!(f, "the proof does not end in the answer: {why}"),
        }
    }
}

impl std::error::Error for LratError {}

/// The clauses of a proof so far.
#[derive(Default)]
pub struct Checker {
    submitted: FxHashSet<Box<[i32]>>,
    clauses: FxHashMap<u64, Box<[i32]>>,
    weakened: FxHashMap<u64, Box<[i32]>>,
    /// Value per variable of the assignment being propagated: 0, 1 or -1.
    values: Vec<i8>,
    trail: Vec<i32>,
    steps: u64,
}

impl Checker {
    /// A clause given to the solver.
    pub fn submit(&mut self, lits: &[i32]) {
        self.submitted.insert(normal(lits));
    }

    /// Derived clauses accepted so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Checks one line of the proof.
    pub fn line(&mut self, line: &str) -> Result<(), LratError> {
        let bad = || LratError::Syntax(line.to_owned());
        let mut words = line.split_ascii_whitespace();
        let first = words.next().ok_or_else(bad)?;
        match first {
            "o" | "r" => {
                let id = parse_id(words.next(), line)?;
                let lits = parse_lits(&mut words, line)?;
                if first == "o" { self.original(id, &lits) } else { self.restore(id, &lits) }
            }
            "w" => {
                let id = parse_id(words.next(), line)?;
                self.weaken(id)
            }
            _ => {
                let id = parse_id(Some(first), line)?;
                let mut rest = words.clone();
                if rest.next() == Some("d") {
                    let ids = parse_hints(&mut rest, line)?;
                    ids.iter().for_each(|id| self.delete(*id));
                    return Ok(());
                }
                let lits = parse_lits(&mut words, line)?;
                let hints = parse_hints(&mut words, line)?;
                self.derive(id, &lits, &hints)
            }
        }
    }

    fn original(&mut self, id: u64, lits: &[i32]) -> Result<(), LratError> {
        let clause = normal(lits);
        if !self.submitted.contains(&clause) {
            return Err(LratError::NotSubmitted(id));
        }
        self.insert(id, clause)
    }

    fn restore(&mut self, id: u64, lits: &[i32]) -> Result<(), LratError> {
        let clause = normal(lits);
        match self.weakened.get(&id) {
            Some(known) if *known == clause => {
                self.clauses.insert(id, clause);
                Ok(())
            }
            Some(_) | None => Err(LratError::NotWeakened(id)),
        }
    }

    fn weaken(&mut self, id: u64) -> Result<(), LratError> {
        let clause = self.clauses.get(&id).ok_or(LratError::NotWeakened(id))?;
        self.weakened.insert(id, clause.clone());
        Ok(())
    }

    fn delete(&mut self, id: u64) {
        self.clauses.remove(&id);
    }

    fn insert(&mut self, id: u64, clause: Box<[i32]>) -> Result<(), LratError> {
        match self.clauses.insert(id, clause) {
            None => Ok(()),
            Some(_) => Err(LratError::DuplicateId(id)),
        }
    }

    fn derive(&mut self, id: u64, lits: &[i32], hints: &[u64]) -> Result<(), LratError> {
        let follows = self.propagate(id, lits, hints);
        self.backtrack();
        follows?;
        self.steps += 1;
        self.insert(id, normal(lits))
    }

    fn propagate(&mut self, id: u64, lits: &[i32], hints: &[u64]) -> Result<(), LratError> {
        for lit in lits {
            if self.value(*lit) > 0 {
                return Ok(()); // a tautology
            }
            self.assign(-lit);
        }
        for hint in hints {
            let Some(clause) = self.clauses.get(hint) else {
                return Err(LratError::UnknownClause { step: id, hint: *hint });
            };
            match unit(&self.values, clause) {
                Unit::Conflict => return Ok(()),
                Unit::Propagates(lit) => self.assign(lit),
                Unit::Useless => return Err(LratError::HintNotUnit { step: id, hint: *hint }),
            }
        }
        Err(LratError::NoConflict(id))
    }

    fn value(&self, lit: i32) -> i8 {
        value(&self.values, lit)
    }

    fn assign(&mut self, lit: i32) {
        let var = lit.unsigned_abs() as usize;
        if var >= self.values.len() {
            self.values.resize(var + 1, 0);
        }
        if self.values[var] == 0 {
            self.values[var] = if lit > 0 { 1 } else { -1 };
            self.trail.push(lit);
        }
    }

    fn backtrack(&mut self) {
        for lit in self.trail.drain(..) {
            self.values[lit.unsigned_abs() as usize] = 0;
        }
    }

    /// The clause with this number must say that the assumptions `failed` can't all hold.
    pub fn conclude(&self, id: u64, failed: &[i32]) -> Result<(), LratError> {
        let wrong = |why: String| Err(LratError::WrongConclusion(why));
        let Some(clause) = self.clauses.get(&id) else {
            return wrong(format!("clause {id} does not exist"));
        };
        match clause.iter().find(|lit| !failed.contains(&-**lit)) {
            Some(lit) => wrong(format!("literal {lit} of clause {id} is no failed assumption")),
            None => Ok(()),
        }
    }
}

enum Unit {
    Conflict,
    Propagates(i32),
    Useless,
}

fn unit(values: &[i8], clause: &[i32]) -> Unit {
    let mut open = None;
    for lit in clause {
        match value(values, *lit) {
            -1 => {}
            0 if open.is_none() => open = Some(*lit),
            _ => return Unit::Useless,
        }
    }
    open.map_or(Unit::Conflict, Unit::Propagates)
}

fn value(values: &[i8], lit: i32) -> i8 {
    let value = values.get(lit.unsigned_abs() as usize).copied().unwrap_or(0);
    if lit > 0 { value } else { -value }
}

fn normal(lits: &[i32]) -> Box<[i32]> {
    let mut clause = lits.to_vec();
    clause.sort_unstable();
    clause.dedup();
    clause.into_boxed_slice()
}

fn parse_id(word: Option<&str>, line: &str) -> Result<u64, LratError> {
    word.and_then(|w| w.parse().ok()).ok_or_else(|| LratError::Syntax(line.to_owned()))
}

fn parse_lits<'a>(words: &mut impl Iterator<Item = &'a str>, line: &str) -> Result<Vec<i32>, LratError> {
    parse_until_zero(words, line)
}

fn parse_hints<'a>(words: &mut impl Iterator<Item = &'a str>, line: &str) -> Result<Vec<u64>, LratError> {
    parse_until_zero(words, line)
}

fn parse_until_zero<'a, T: std::str::FromStr + PartialEq + From<bool>>(
    words: &mut impl Iterator<Item = &'a str>,
    line: &str,
) -> Result<Vec<T>, LratError> {
    let bad = || LratError::Syntax(line.to_owned());
    let mut numbers = Vec::new();
    for word in words {
        let number: T = word.parse().map_err(|_| bad())?;
        if number == T::from(false) {
            return Ok(numbers);
        }
        numbers.push(number);
    }
    Err(bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker(submitted: &[&[i32]]) -> Checker {
        let mut c = Checker::default();
        submitted.iter().for_each(|lits| c.submit(lits));
        c
    }

    fn run(c: &mut Checker, lines: &[&str]) -> Result<(), LratError> {
        lines.iter().try_for_each(|l| c.line(l))
    }

    const SQUARE: [&[i32]; 4] = [&[1, 2], &[1, -2], &[-1, 2], &[-1, -2]];
    const SQUARE_LINES: [&str; 4] = ["o 1 1 2 0", "o 2 1 -2 0", "o 3 -1 2 0", "o 4 -1 -2 0"];

    #[test]
    fn a_refutation_checks() {
        let mut c = checker(&SQUARE);
        run(&mut c, &SQUARE_LINES).unwrap();
        run(&mut c, &["5 1 0 1 2 0", "6 0 5 3 4 0"]).unwrap();
        assert_eq!(c.conclude(6, &[]), Ok(()));
        assert_eq!(c.steps(), 2);
    }

    #[test]
    fn failed_assumptions_are_compared() {
        let mut c = checker(&SQUARE[..2]);
        run(&mut c, &SQUARE_LINES[..2]).unwrap();
        c.line("5 1 0 1 2 0").unwrap();
        assert_eq!(c.conclude(5, &[-1]), Ok(()));
        assert!(matches!(c.conclude(5, &[1]), Err(LratError::WrongConclusion(_))));
    }

    #[test]
    fn wrong_steps_are_refused() {
        let mut c = checker(&SQUARE);
        run(&mut c, &SQUARE_LINES).unwrap();
        assert_eq!(c.line("5 1 0 1 0"), Err(LratError::NoConflict(5)));
        assert_eq!(c.line("5 0 1 2 0"), Err(LratError::HintNotUnit { step: 5, hint: 1 }));
        assert_eq!(c.line("5 0 9 0"), Err(LratError::UnknownClause { step: 5, hint: 9 }));
        assert_eq!(c.line("5 1 0 1 2 0"), Ok(()));
        assert_eq!(c.line("5 1 0 1 2 0"), Err(LratError::DuplicateId(5)));
    }

    #[test]
    fn clauses_nobody_submitted_are_refused() {
        let mut c = checker(&SQUARE);
        assert_eq!(c.line("o 1 1 0"), Err(LratError::NotSubmitted(1)));
    }

    #[test]
    fn weakened_clauses_come_back_only_as_they_were() {
        let mut c = checker(&SQUARE);
        run(&mut c, &SQUARE_LINES).unwrap();
        run(&mut c, &["w 1", "1 d 1 0"]).unwrap();
        assert_eq!(c.line("r 1 1 0"), Err(LratError::NotWeakened(1)));
        assert_eq!(c.line("r 1 2 1 0"), Ok(()));
        assert_eq!(c.line("r 2 1 -2 0"), Err(LratError::NotWeakened(2)));
    }

    #[test]
    fn nonsense_is_refused() {
        for line in ["", "x", "5 1", "5 1 0 2", "o", "o a 1 0", "5 1 0 -3 0", "5 d x 0"] {
            assert!(matches!(Checker::default().line(line), Err(LratError::Syntax(_))), "{line}");
        }
    }
}
