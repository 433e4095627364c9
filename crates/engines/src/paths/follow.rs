//! The path of a run: symbolic execution that goes where given inputs lead (concolic execution).
//!
//! Every input of the path is a variable, and the run gives it a value; which way a fork goes is the value of its condition. So nothing has to
//! be recorded while the program runs, and a run that went elsewhere is one of which the interpreter and the symbolic semantics
//! disagree: a defect of ours, or a place where the semantics guesses (`Followed::guesses`).

use blitz_base::Bv;
use blitz_interp::InputValue;
use blitz_ir::channel::Guess;
use blitz_ir::{Channel, FuncId};
use blitz_symex::follow::{Chooser, Decision, Fork, Path, PathEnd, PathRun};
use blitz_symex::{Input, InputKind};
use blitz_term::{ArrayValue, Assignment, Evaluator, Sort, Term, Terms, Value};

/// A run and its path condition.
pub struct Followed {
    pub path: Path,
    /// The inputs it took, as values; those it was given and zeros beyond.
    pub inputs: Vec<InputValue>,
    /// At each decision, the conditions of all ways there.
    pub(crate) ways: Vec<Vec<Term>>,
    pub(crate) assignment: Assignment,
    /// Inputs that a library model makes up where it does not follow its data: a run does not take them, so the two may part here.
    pub guesses: usize,
}

impl Followed {
    pub fn decisions(&self) -> &[Decision] {
        &self.path.decisions
    }

    /// A limit ended it before the program did.
    pub fn is_cut_short(&self) -> bool {
        matches!(self.path.end, PathEnd::Stopped)
    }

    pub fn end(&self) -> &PathEnd {
        &self.path.end
    }
}

pub(super) fn follow(run: PathRun<'_, '_, '_>, entry: FuncId, inputs: &[InputValue]) -> Followed {
    let mut chooser = Follow {
        given: inputs,
        taken: Vec::new(),
        ways: Vec::new(),
        eval: Evaluator::owned(Assignment::new()),
        guesses: 0,
    };
    let path = run.from_start(entry, &mut chooser);
    let Follow { taken, ways, eval, guesses, .. } = chooser;
    Followed { path, inputs: taken, ways, assignment: eval.assignment().clone(), guesses }
}

struct Follow<'a> {
    given: &'a [InputValue],
    taken: Vec<InputValue>,
    ways: Vec<Vec<Term>>,
    eval: Evaluator<'static>,
    guesses: usize,
}

impl Chooser<'_> for Follow<'_> {
    fn choose(&mut self, terms: &mut Terms, fork: &Fork<'_>) -> Option<usize> {
        let taken = fork.open.iter().copied().find(|&i| self.eval.holds(terms, fork.alternatives[i]))?;
        self.ways.push(fork.alternatives.to_vec());
        Some(taken)
    }

    fn took_input(&mut self, terms: &Terms, position: usize, input: &Input) {
        self.guesses += usize::from(input.name.channel() == Channel::Guess(Guess::NotFollowed));
        let given = self.given.get(position);
        let value = match &input.kind {
            InputKind::Value { term, .. } | InputKind::AllocFails { term } => {
                if terms.is_const(*term) {
                    self.taken.push(InputValue::Bool(false));
                    return;
                }
                let value = bits(given, terms.width(*term));
                self.eval.set(*term, Value::Bv(value.clone()));
                match input.kind {
                    InputKind::AllocFails { .. } => InputValue::Bool(!value.is_zero()),
                    InputKind::Value { .. } | InputKind::Bytes { .. } => InputValue::Value(value),
                }
            }
            InputKind::Bytes { array, .. } => {
                let bytes = bytes(given);
                let Sort::Array { index, .. } = terms.sort(*array) else { unreachable!("bytes should be an array") };
                self.eval.set(*array, Value::Array(array_of(index, &bytes)));
                InputValue::Bytes(bytes)
            }
        };
        self.taken.push(value);
    }

    fn ends_repeated(&self) -> bool {
        false
    }
}

fn bits(given: Option<&InputValue>, width: u16) -> Bv {
    match given {
        Some(InputValue::Value(v)) => v.resize(width),
        Some(InputValue::Bool(b)) => Bv::from_u64(width, u64::from(*b)),
        Some(InputValue::Bytes(bytes)) => {
            let limb = |chunk: &[u8]| chunk.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b));
            let limbs: Vec<u64> = bytes.chunks(8).map(limb).collect();
            Bv::from_limbs(width, &limbs)
        }
        None => Bv::zero(width),
    }
}

fn bytes(given: Option<&InputValue>) -> Vec<u8> {
    match given {
        Some(InputValue::Bytes(bytes)) => bytes.clone(),
        Some(InputValue::Value(v)) => {
            let whole = usize::from(v.width()).div_ceil(8);
            v.limbs().iter().flat_map(|l| l.to_le_bytes()).take(whole).collect()
        }
        Some(InputValue::Bool(b)) => vec![u8::from(*b)],
        None => Vec::new(),
    }
}

/// Bytes from index 0 on, zeros elsewhere.
fn array_of(index: u16, bytes: &[u8]) -> ArrayValue {
    let mut out = ArrayValue::new(index, Bv::zero(8));
    for (i, &byte) in bytes.iter().enumerate().filter(|(_, b)| **b != 0) {
        out = out.with(Bv::from_u64(index, i as u64), Bv::from_u64(8, u64::from(byte)));
    }
    out
}
