//! Where a read ends up in a candidate model, and the lemma that says so.
//!
//! A read walks down its array: past writes elsewhere, into the branch that is taken, through copies with its index shifted,
//! along an equality that defines a variable, until a written value or a cell of an array variable. The first walk only
//! compares values. When the value found contradicts the read's, the walk is repeated and collects its path as edges.

use super::sources::Detail;
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
    fn of(terms: &Terms, read: Term) -> Self {
        let Op::Select(_, index) = terms.op(read) else { unreachable!("a read should be a select") };
        Path { conditions: Vec::new(), index }
    }

    pub(super) fn conditions(&self) -> &[Edge] {
        &self.conditions
    }

    pub(super) fn push(&mut self, condition: Edge) {
        if condition != Edge::TRUE {
            self.conditions.push(condition);
        }
    }
}

/// Conditions in front of a lemma are folded to one gate per this many, so that long paths share them.
const FOLD: usize = 48;
/// How many arrays below a violated write are looked at for each lemma that may be made.
const HOPS_PER_LEMMA: usize = 16;
/// From this batch on a read is told that it sees something written at its index.
const STUBBORN: usize = 64;

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
            self.sort_atoms_of_round(terms, clauses);
            let Some(&read) = self.theory.reads.get(i) else {
                return violated;
            };
            i += 1;
            if !self.theory.relevance.holds(read) {
                continue;
            }
            if candidate.stopped().is_some() {
                return violated;
            }
            let before = clauses.len();
            violated += self.check_read(terms, candidate, read, clauses);
            debug_assert!(
                before == clauses.len() || clauses[before..].iter().any(|c| candidate.refutes(self, c)),
                "a violated read should give a lemma that the candidate violates"
            );
        }
    }

    fn check_read(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        read: Term,
        clauses: &mut Vec<Vec<Edge>>,
    ) -> u64 {
        let seen = candidate.value(self, terms, read);
        let mut walker = Walker::start(self, terms, candidate, read);
        let mut passed = 0;
        let mut in_stores = false;
        loop {
            passed += 1;
            if !in_stores && let Some(table) = self.table(terms, walker.at) {
                let (at, position) = (walker.at, walker.position.clone());
                return self.check_table(terms, candidate, read, (at, &table, &position), clauses);
            }
            // The rest of a chain of writes at constants is a table only if its beginning is.
            in_stores = matches!(terms.op(walker.at), Op::Store(_, index, _) if terms.is_const(index));
            // Where reads meet at the same cell of the same array, the rest of the way is the same for both.
            if self.theory.read_arrays.contains(&walker.at) {
                let cell = (walker.at, walker.position.clone());
                if let Some(&first) = candidate.cells.get(&cell) {
                    if candidate.value(self, terms, first) == seen {
                        return 0;
                    }
                    clauses.push(self.congruence(terms, candidate, (first, read), cell.0));
                    return 1;
                }
                candidate.cells.insert(cell, read);
            }
            let found = match walker.step(self, terms, candidate, None) {
                Step::Moved => continue,
                Step::End(End::Value(found)) | Step::Hit { value: found, .. } => found,
                Step::End(End::Cell(array, index)) => {
                    return self.check_cell(terms, candidate, read, (array, index), clauses);
                }
            };
            if candidate.value(self, terms, found) == seen {
                return 0;
            }
            if passed > FOLD && self.tell_values(terms, candidate, read, clauses) {
                return 1;
            }
            return self.lemmas_along(terms, candidate, read, clauses);
        }
    }

    /// Says which values the read may see at all, instead of a lemma over a long path. False if the candidate respects that.
    fn tell_values(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        read: Term,
        clauses: &mut Vec<Vec<Edge>>,
    ) -> bool {
        let Some(source) = self.some_source(terms, candidate, read, Detail::Value) else { return false };
        let clause = vec![source];
        let refuted = candidate.refutes(self, &clause);
        clauses.push(clause);
        refuted
    }

    fn check_cell(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        read: Term,
        cell: (Term, Bv),
        clauses: &mut Vec<Vec<Edge>>,
    ) -> u64 {
        let first = *candidate.cells.entry(cell.clone()).or_insert(read);
        if first == read {
            candidate.cells_of.entry(cell.0).or_default().push((cell.1, read));
            return 0;
        }
        if candidate.value(self, terms, first) == candidate.value(self, terms, read) {
            return 0;
        }
        clauses.push(self.congruence(terms, candidate, (first, read), cell.0));
        1
    }

    /// Reads that arrive at an array with equal indices are equal.
    fn congruence(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        reads: (Term, Term),
        array: Term,
    ) -> Vec<Edge> {
        let mut one = self.path(terms, candidate, reads.0, array);
        let two = self.path(terms, candidate, reads.1, array);
        let same = self.same_index(terms, candidate, (one.index, two.index), true);
        one.conditions.extend(two.conditions);
        one.push(same);
        self.lemma(terms, &one.conditions, reads.0, reads.1)
    }

    /// Lemmas for a read that contradicts the write it sees, and for the next writes it would see if not for that one.
    ///
    /// How far this goes doubles with each violation of the same read: where thousands of writes at free indices may be
    /// meant, one round each would be the rule otherwise. A read that keeps being wrong is told about all writes at once.
    fn lemmas_along(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        read: Term,
        clauses: &mut Vec<Vec<Edge>>,
    ) -> u64 {
        let batch = self.next_batch(read);
        self.note_batch(read, batch);
        if batch >= STUBBORN {
            clauses.extend(self.some_source(terms, candidate, read, Detail::ValueAndIndex).map(|source| vec![source]));
        }
        let mut path = Path::of(terms, read);
        let mut walker = Walker::start(self, terms, candidate, read);
        let mut made = 0;
        let mut hops_left = HOPS_PER_LEMMA * batch;
        loop {
            if made > 0 {
                hops_left -= 1;
                if hops_left == 0 {
                    break;
                }
            }
            match walker.step(self, terms, candidate, Some(&mut path)) {
                Step::Moved => {}
                Step::End(End::Cell(..)) => break,
                Step::End(End::Value(value)) => {
                    clauses.push(self.lemma(terms, &path.conditions, read, value));
                    made += 1;
                    break;
                }
                Step::Hit { same, value } => {
                    let mut conditions = std::mem::take(&mut path.conditions);
                    let misses = conditions.len();
                    conditions.extend((same != Edge::TRUE).then_some(same));
                    clauses.push(self.lemma(terms, &conditions, read, value));
                    made += 1;
                    conditions.truncate(misses);
                    path.conditions = conditions;
                    if made == batch || same == Edge::TRUE {
                        break;
                    }
                    path.push(!same);
                }
            }
        }
        made as u64
    }

    /// Lets the solver try different values for free indices: equal ones would all be one cell in the first candidates,
    /// and each write there would have to be told from the others by a lemma.
    fn spread(&mut self, terms: &Terms, index: Term) {
        if !matches!(terms.op(index), Op::Var(_)) || !self.theory.spread.insert(index) {
            return;
        }
        let number = self.theory.spread.len();
        for (i, bit) in self.circuit.word(terms, index).into_iter().enumerate() {
            self.cnf.prefer(&mut self.sat, bit, i < 64 && number >> i & 1 == 1);
        }
    }

    /// Under the conditions both terms are equal.
    pub(super) fn lemma(&mut self, terms: &Terms, conditions: &[Edge], a: Term, b: Term) -> Vec<Edge> {
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

    /// The conditions under which the read arrives at the array, which it does in this candidate.
    pub(super) fn path(&mut self, terms: &mut Terms, candidate: &mut Candidate, read: Term, array: Term) -> Path {
        let mut path = Path::of(terms, read);
        let mut walker = Walker::start(self, terms, candidate, read);
        while walker.at != array {
            match walker.step(self, terms, candidate, Some(&mut path)) {
                Step::Moved => {}
                Step::Hit { .. } | Step::End(_) => unreachable!("{read} should arrive at {array}"),
            }
        }
        path
    }

    /// Whether two indices are equal, as an edge that has the value `holds` in the candidate.
    ///
    /// The term builder decides most comparisons of addresses. It knows more than the candidate does (which may still
    /// contradict the theory), so its word is taken only where both agree.
    pub(super) fn same_index(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        (a, b): (Term, Term),
        holds: bool,
    ) -> Edge {
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
                        mentioned.exact = Some(self.path(terms, candidate, read, at).index);
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

/// A read on its way down.
struct Walker {
    at: Term,
    position: Bv,
}

enum Step {
    Moved,
    /// A write at the read's index. The walk has moved past it, as if it were elsewhere, and its condition is not in the path.
    Hit {
        same: Edge,
        value: Term,
    },
    End(End),
}

impl Walker {
    fn start(core: &mut Core, terms: &Terms, candidate: &mut Candidate, read: Term) -> Self {
        let Op::Select(at, index) = terms.op(read) else { unreachable!("a read should be a select") };
        core.spread(terms, index);
        Self { at, position: candidate.value(core, terms, index) }
    }

    /// One array down, with the condition added to the path if there is one.
    fn step(&mut self, core: &mut Core, terms: &mut Terms, candidate: &mut Candidate, path: Option<&mut Path>) -> Step {
        match terms.op(self.at) {
            Op::Store(below, index, value) => {
                self.at = below;
                core.spread(terms, index);
                let hit = candidate.value(core, terms, index) == self.position;
                let Some(path) = path else {
                    return if hit { Step::Hit { same: Edge::TRUE, value } } else { Step::Moved };
                };
                let same = core.same_index(terms, candidate, (path.index, index), hit);
                if hit {
                    return Step::Hit { same, value };
                }
                path.push(!same);
                Step::Moved
            }
            Op::Ite(c, then_side, else_side) => {
                let taken = candidate.is_true(core, terms, c);
                if let Some(p) = path {
                    p.push(core.circuit.edge(terms, c).flip_if(!taken));
                }
                self.at = if taken { then_side } else { else_side };
                Step::Moved
            }
            Op::ConstArray(value) => Step::End(End::Value(value)),
            Op::Copy { dst, dst_off, src, src_off, len } => {
                let relative = self.position.sub(&candidate.value(core, terms, dst_off));
                let inside = relative.ult(&candidate.value(core, terms, len));
                if let Some(p) = path {
                    let relative = core.in_range(terms, candidate, p, (dst_off, len), inside);
                    if inside {
                        p.index = terms.add(relative, src_off);
                    }
                }
                if inside {
                    self.position = relative.add(&candidate.value(core, terms, src_off));
                }
                self.at = if inside { src } else { dst };
                Step::Moved
            }
            Op::Fill { array, off, value, len } => {
                let relative = self.position.sub(&candidate.value(core, terms, off));
                let inside = relative.ult(&candidate.value(core, terms, len));
                if let Some(p) = path {
                    core.in_range(terms, candidate, p, (off, len), inside);
                }
                self.at = array;
                if inside { Step::End(End::Value(value)) } else { Step::Moved }
            }
            Op::Var(_) => {
                let Some(&(equality, other)) = candidate.defs.get(&self.at) else {
                    return Step::End(End::Cell(self.at, self.position.clone()));
                };
                if let Some(p) = path {
                    p.push(core.circuit.edge(terms, equality));
                }
                self.at = other;
                Step::Moved
            }
            other => unreachable!("an array should be here, not {other:?}"),
        }
    }
}

#[derive(Default)]
struct Mentioned {
    exact: Option<Term>,
    near: Option<Term>,
}
