//! Where a read ends up in a candidate model, and the lemma that says so.
//!
//! A read walks down its array: past writes elsewhere, into the branch that is taken, through copies with its index shifted,
//! along an equality that defines a variable, until a written value or a cell of an array variable. The first walk only
//! compares values. When the value found contradicts the read's, the walk is repeated and collects its path as edges.

use super::{Candidate, Core};
use crate::aig::{Edge, word};
use blitz_base::Bv;
use blitz_term::{Op, Term, Terms};

/// Where a walk ended.
pub(super) enum End {
    /// The read sees this value.
    Value(Term),
    /// The read sees this cell of an array variable.
    Cell(Term, Bv),
}

/// The conditions under which a walk goes where it went, and the index it arrives with.
pub(super) struct Path {
    conditions: Vec<Edge>,
    pub(super) index: Term,
}

impl Path {
    fn push(&mut self, condition: Edge) {
        if condition != Edge::TRUE {
            self.conditions.push(condition);
        }
    }
}

/// Conditions in front of a lemma are folded to one gate per this many, so that long paths share them.
const FOLD: usize = 48;

impl Core {
    /// Walks every read; adds a lemma for each that contradicts what it finds.
    pub(super) fn check_reads(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        clauses: &mut Vec<Vec<Edge>>,
    ) -> u64 {
        let mut violated = 0;
        let mut i = 0;
        loop {
            self.sort_new_atoms(terms, clauses);
            let Some(&read) = self.theory.reads.get(i) else {
                return violated;
            };
            i += 1;
            if let Some(clause) = self.check_read(terms, candidate, read) {
                clauses.push(clause);
                violated += 1;
            }
        }
    }

    fn check_read(&mut self, terms: &mut Terms, candidate: &mut Candidate, read: Term) -> Option<Vec<Edge>> {
        let seen = candidate.value(self, terms, read);
        match self.walk(terms, candidate, read, None) {
            End::Value(found) => {
                if candidate.value(self, terms, found) == seen {
                    return None;
                }
                let path = self.path(terms, candidate, read);
                Some(self.lemma(terms, path.conditions, read, found))
            }
            End::Cell(array, index) => {
                let Some(&first) = candidate.cells.get(&(array, index.clone())) else {
                    candidate.cells.insert((array, index.clone()), read);
                    candidate.cells_of.entry(array).or_default().push((index, read));
                    return None;
                };
                if candidate.value(self, terms, first) == seen {
                    return None;
                }
                let (mut one, two) = (self.path(terms, candidate, first), self.path(terms, candidate, read));
                let same = self.same_index(terms, candidate, (one.index, two.index), true);
                one.conditions.extend(two.conditions);
                one.push(same);
                Some(self.lemma(terms, one.conditions, first, read))
            }
        }
    }

    /// Under the conditions both terms are equal.
    fn lemma(&mut self, terms: &Terms, conditions: Vec<Edge>, a: Term, b: Term) -> Vec<Edge> {
        let (a, b) = (self.circuit.word(terms, a), self.circuit.word(terms, b));
        let equal = word::eq(&mut self.circuit.g, &a, &b);
        let mut clause = vec![equal];
        if conditions.len() <= FOLD {
            clause.extend(conditions.iter().map(|c| !*c));
        } else {
            for part in conditions.chunks(FOLD) {
                clause.push(!self.circuit.g.and_all(part));
            }
        }
        clause
    }

    pub(super) fn path(&mut self, terms: &mut Terms, candidate: &mut Candidate, read: Term) -> Path {
        let Op::Select(_, index) = terms.op(read) else { unreachable!("a read should be a select") };
        let mut path = Path { conditions: Vec::new(), index };
        self.walk(terms, candidate, read, Some(&mut path));
        path
    }

    fn walk(&mut self, terms: &mut Terms, candidate: &mut Candidate, read: Term, path: Option<&mut Path>) -> End {
        let Op::Select(array, index) = terms.op(read) else { unreachable!("a read should be a select") };
        let mut at = array;
        let mut position = candidate.value(self, terms, index);
        let mut path = path;
        loop {
            match terms.op(at) {
                Op::Store(below, index, value) => {
                    let hit = candidate.value(self, terms, index) == position;
                    if let Some(p) = path.as_deref_mut() {
                        let same = self.same_index(terms, candidate, (p.index, index), hit);
                        p.push(same.flip_if(!hit));
                    }
                    if hit {
                        return End::Value(value);
                    }
                    at = below;
                }
                Op::Ite(c, then_side, else_side) => {
                    let taken = candidate.is_true(self, terms, c);
                    if let Some(p) = path.as_deref_mut() {
                        p.push(self.circuit.edge(terms, c).flip_if(!taken));
                    }
                    at = if taken { then_side } else { else_side };
                }
                Op::ConstArray(value) => return End::Value(value),
                Op::Copy { dst, dst_off, src, src_off, len } => {
                    let relative = position.sub(&candidate.value(self, terms, dst_off));
                    let inside = relative.ult(&candidate.value(self, terms, len));
                    if let Some(p) = path.as_deref_mut() {
                        let relative = self.in_range(terms, candidate, p, (dst_off, len), inside);
                        if inside {
                            p.index = terms.add(relative, src_off);
                        }
                    }
                    if inside {
                        position = relative.add(&candidate.value(self, terms, src_off));
                    }
                    at = if inside { src } else { dst };
                }
                Op::Fill { array, off, value, len } => {
                    let relative = position.sub(&candidate.value(self, terms, off));
                    let inside = relative.ult(&candidate.value(self, terms, len));
                    if let Some(p) = path.as_deref_mut() {
                        self.in_range(terms, candidate, p, (off, len), inside);
                    }
                    if inside {
                        return End::Value(value);
                    }
                    at = array;
                }
                Op::Var(_) => {
                    let Some(&(equality, other)) = candidate.defs.get(&at) else {
                        return End::Cell(at, position);
                    };
                    if let Some(p) = path.as_deref_mut() {
                        p.push(self.circuit.edge(terms, equality));
                    }
                    at = other;
                }
                other => unreachable!("an array should be here, not {other:?}"),
            }
        }
    }

    /// Whether two indices are equal, as an edge that has the value `holds` in the candidate.
    ///
    /// The term builder decides most comparisons of addresses. It knows more than the candidate does (which may still
    /// contradict the theory), so its word is taken only where both agree.
    fn same_index(&mut self, terms: &mut Terms, candidate: &mut Candidate, (a, b): (Term, Term), holds: bool) -> Edge {
        let same = terms.eq(a, b);
        if candidate.is_true(self, terms, same) == holds {
            return self.circuit.edge(terms, same);
        }
        let (a, b) = (self.circuit.word(terms, a), self.circuit.word(terms, b));
        word::eq(&mut self.circuit.g, &a, &b)
    }

    /// Adds whether the index lies in `off .. off + len`; gives the index relative to `off`.
    fn in_range(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        path: &mut Path,
        (off, len): (Term, Term),
        inside: bool,
    ) -> Term {
        let relative = terms.sub(path.index, off);
        let condition = terms.ult(relative, len);
        let edge = if candidate.is_true(self, terms, condition) == inside {
            self.circuit.edge(terms, condition)
        } else {
            let (relative, len) = (self.circuit.word(terms, relative), self.circuit.word(terms, len));
            word::ult(&mut self.circuit.g, &relative, &len)
        };
        path.push(edge.flip_if(!inside));
        relative
    }

    /// A term of the formula that has the value `position` where `array` mentions it, as seen from `array`.
    ///
    /// Instances at such terms hold for every model, those at a constant only push the model to the next constant.
    pub(super) fn mentioned_index(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        array: Term,
        position: &Bv,
    ) -> Option<Term> {
        let wanted = position;
        let mut at = array;
        let mut position = position.clone();
        // Shifts to undo on the way up: source and destination offsets of the copies passed through.
        let mut shifts: Vec<(Term, Term)> = Vec::new();
        let mut next_best: Option<(Term, usize)> = None;
        let found = loop {
            let (candidates, below) = self.mentioned_here(terms, candidate, at, &position, &mut shifts);
            if let Some(exact) = candidates.exact {
                break Some((exact, shifts.len()));
            }
            next_best = next_best.or(candidates.near.map(|t| (t, shifts.len())));
            match below {
                Some((array, p)) => {
                    at = array;
                    position = p;
                }
                None => break next_best,
            }
        };
        let (mut term, depth) = found?;
        for (src_off, dst_off) in shifts[..depth].iter().rev() {
            let relative = terms.sub(term, *src_off);
            term = terms.add(relative, *dst_off);
        }
        (candidate.value(self, terms, term) == *wanted).then_some(term)
    }

    fn mentioned_here(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        at: Term,
        position: &Bv,
        shifts: &mut Vec<(Term, Term)>,
    ) -> (Mentioned, Option<(Term, Bv)>) {
        let mut mentioned = Mentioned::default();
        let below = match terms.op(at) {
            Op::Store(below, index, _) => {
                let value = candidate.value(self, terms, index);
                if value == *position {
                    mentioned.exact = Some(index);
                } else if value.add(&Bv::one(value.width())) == *position {
                    let one = terms.bv(value.width(), 1);
                    mentioned.near = Some(terms.add(index, one));
                }
                Some((below, position.clone()))
            }
            Op::Ite(c, then_side, else_side) => {
                let taken = candidate.is_true(self, terms, c);
                Some((if taken { then_side } else { else_side }, position.clone()))
            }
            Op::ConstArray(_) => None,
            Op::Copy { dst, dst_off, src, src_off, len } => {
                let relative = self.boundary(terms, candidate, (dst_off, len), position, &mut mentioned);
                if relative.ult(&candidate.value(self, terms, len)) {
                    // A boundary is seen from above this copy, so it must not be shifted by it.
                    if mentioned.exact.is_none() {
                        shifts.push((src_off, dst_off));
                    }
                    let start = candidate.value(self, terms, src_off);
                    Some((src, relative.add(&start)))
                } else {
                    Some((dst, position.clone()))
                }
            }
            Op::Fill { array, off, len, .. } => {
                let relative = self.boundary(terms, candidate, (off, len), position, &mut mentioned);
                let inside = relative.ult(&candidate.value(self, terms, len));
                (!inside).then(|| (array, position.clone()))
            }
            Op::Var(_) => match candidate.defs.get(&at) {
                Some(&(_, other)) => Some((other, position.clone())),
                None => {
                    if let Some(&read) = candidate.cells.get(&(at, position.clone())) {
                        mentioned.exact = Some(self.path(terms, candidate, read).index);
                    }
                    None
                }
            },
            other => unreachable!("an array should be here, not {other:?}"),
        };
        (mentioned, below)
    }

    /// Position relative to a range; its first cell and the one after its last are mentioned.
    fn boundary(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        (off, len): (Term, Term),
        position: &Bv,
        mentioned: &mut Mentioned,
    ) -> Bv {
        let relative = position.sub(&candidate.value(self, terms, off));
        if relative.is_zero() {
            mentioned.exact = Some(off);
        } else if relative == candidate.value(self, terms, len) {
            mentioned.exact = Some(terms.add(off, len));
        }
        relative
    }
}

#[derive(Default)]
struct Mentioned {
    exact: Option<Term>,
    near: Option<Term>,
}
