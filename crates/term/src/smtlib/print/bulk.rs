//! Bulk terms for solvers that do not know them: spelled out where the length is bounded by a small number, else defined by a quantified formula.

use super::{Printer, line, sort_text};
use crate::node::{Op, Term};
use crate::sort::Sort;
use crate::terms::Terms;
use blitz_base::Bv;

/// Lengths up to this are spelled out.
const SPELLED: u64 = 64;

/// The texts of a bulk write.
struct Write {
    array: String,
    off: String,
    len: String,
    cell: Cell,
}

/// What a bulk write puts at distance `k`.
enum Cell {
    Value(String),
    From { array: String, off: String },
}

/// The texts of a search: the offset of each side, and the limit.
struct Search {
    left: (String, String),
    right: Right,
    limit: String,
    /// Whether it stops where both sides are equal, or where they differ.
    equal: bool,
}

enum Right {
    Value(String),
    Array(String, String),
}

impl Printer {
    /// The most that a length can be, if that is little.
    fn bounded(terms: &Terms, len: Term) -> Option<u64> {
        let width = terms.width(len);
        if width > 64 {
            return terms.as_u64(len).filter(|&n| n <= SPELLED);
        }
        let most = terms.known_bits(len).max(width);
        (most <= SPELLED).then_some(most)
    }

    pub(super) fn bulk_write(&mut self, terms: &Terms, t: Term, name: &str, out: &mut String) {
        let text = |c: Term| self.bits(terms, c);
        let (write, len) = match terms.op(t) {
            Op::Copy { dst, dst_off, src, src_off, len } => {
                let cell = Cell::From { array: text(src), off: text(src_off) };
                (Write { array: text(dst), off: text(dst_off), len: text(len), cell }, len)
            }
            Op::Fill { array, off, value, len } => {
                let cell = Cell::Value(text(value));
                (Write { array: text(array), off: text(off), len: text(len), cell }, len)
            }
            other => unreachable!("{other:?} is no bulk write"),
        };
        let (index, _) = terms.array_widths(t);
        let sort = sort_text(terms.sort(t));
        match Self::bounded(terms, len) {
            Some(most) => spell_write(&write, most, index, &sort, name, out),
            None => {
                self.beyond = true;
                line(out, format_args!("(declare-const {name} {sort})"));
                let cell = match &write.cell {
                    Cell::Value(value) => value.clone(),
                    Cell::From { array, off } => {
                        format!("(select {array} (bvadd (bvsub i {}) {off}))", write.off)
                    }
                };
                line(
                    out,
                    format_args!(
                        "(assert (forall ((i (_ BitVec {index}))) (= (select {name} i) (ite (bvult (bvsub i {}) {}) {cell} (select {} i)))))",
                        write.off, write.len, write.array
                    ),
                );
            }
        }
    }

    pub(super) fn search(&mut self, terms: &Terms, t: Term, name: &str, out: &mut String) {
        let text = |c: Term| self.bits(terms, c);
        let (search, limit) = match terms.op(t) {
            Op::Scan { array, off, value, limit } => {
                let right = Right::Value(text(value));
                (Search { left: (text(array), text(off)), right, limit: text(limit), equal: true }, limit)
            }
            Op::Mismatch { a, a_off, b, b_off, limit } => {
                let right = Right::Array(text(b), text(b_off));
                (Search { left: (text(a), text(a_off)), right, limit: text(limit), equal: false }, limit)
            }
            other => unreachable!("{other:?} is no search"),
        };
        let width = terms.width(limit);
        match Self::bounded(terms, limit) {
            Some(most) => {
                let mut body = search.limit.clone();
                for n in (0..most).rev() {
                    let n = Bv::from_u64(width, n).to_string();
                    body = format!("(ite (and (bvult {n} {}) {}) {n} {body})", search.limit, search.hit(&n));
                }
                line(out, format_args!("(define-fun {name} () {} {body})", sort_text(Sort::Bv(width))));
            }
            None => {
                self.beyond = true;
                line(out, format_args!("(declare-const {name} {})", sort_text(Sort::Bv(width))));
                line(out, format_args!("(assert (bvule {name} {}))", search.limit));
                line(out, format_args!("(assert (or (= {name} {}) {}))", search.limit, search.hit(name)));
                line(
                    out,
                    format_args!(
                        "(assert (forall ((k (_ BitVec {width}))) (=> (bvult k {name}) (not {}))))",
                        search.hit("k")
                    ),
                );
            }
        }
    }
}

impl Search {
    /// Whether distance `n` is a hit.
    fn hit(&self, n: &str) -> String {
        let (array, off) = &self.left;
        let left = format!("(select {array} (bvadd {off} {n}))");
        let right = match &self.right {
            Right::Value(value) => value.clone(),
            Right::Array(array, off) => format!("(select {array} (bvadd {off} {n}))"),
        };
        if self.equal { format!("(= {left} {right})") } else { format!("(distinct {left} {right})") }
    }
}

/// One definition per cell, each on top of the one before.
fn spell_write(write: &Write, most: u64, index: u16, sort: &str, name: &str, out: &mut String) {
    let mut below = write.array.clone();
    for k in 0..most {
        let here = if k + 1 == most { name.to_string() } else { format!("{name}.{k}") };
        let k = Bv::from_u64(index, k).to_string();
        let value = match &write.cell {
            Cell::Value(value) => value.clone(),
            Cell::From { array, off } => format!("(select {array} (bvadd {off} {k}))"),
        };
        line(
            out,
            format_args!(
                "(define-fun {here} () {sort} (ite (bvult {k} {}) (store {below} (bvadd {} {k}) {value}) {below}))",
                write.len, write.off
            ),
        );
        below = here;
    }
    if most == 0 {
        line(out, format_args!("(define-fun {name} () {sort} {below})"));
    }
}
