//! Terms as SMT-LIB 2 definitions, one per term, each printed once.
//!
//! A term of one bit is `Bool`; where an operator wants bits it is converted in place. Copies, fills, scans and mismatches are
//! spelled out cell by cell where the index is narrow or the length a small constant, else defined by a quantified formula.
//! Absent: names of variables. They are numbered, so that no name needs quoting.

use blitz_base::Bv;
use blitz_term::{Op, Sort, Term, Terms};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Arrays with this index width or less are spelled out cell by cell.
const NARROW: u16 = 5;
/// Bulk writes of up to this constant length are spelled out.
const SHORT: u64 = 64;

/// What has been printed so far.
#[derive(Default)]
pub struct Printer {
    done: FxHashSet<Term>,
    vars: Vec<Term>,
    arrays: bool,
    quantifiers: bool,
}

impl Printer {
    /// The variables declared so far.
    pub fn vars(&self) -> &[Term] {
        &self.vars
    }

    /// The smallest logic that has everything printed so far.
    pub fn logic(&self) -> &'static str {
        match (self.quantifiers, self.arrays) {
            (true, _) => "ALL",
            (false, true) => "QF_ABV",
            (false, false) => "QF_BV",
        }
    }

    /// Appends the definitions a term needs and gives its name.
    pub fn define(&mut self, terms: &Terms, root: Term, out: &mut String) -> String {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.done.contains(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.children(t).into_iter().filter(|c| !self.done.contains(c)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            self.done.insert(t);
            self.print(terms, t, out);
        }
        name(terms, root)
    }

    fn print(&mut self, terms: &Terms, t: Term, out: &mut String) {
        let sort = sort_text(terms.sort(t));
        self.arrays |= terms.is_array(t);
        // Constant arrays are outside the standard logics; solvers take them under ALL only.
        self.quantifiers |= matches!(terms.op(t), Op::ConstArray(_));
        match terms.op(t) {
            Op::Const => {}
            Op::Var(_) => {
                self.vars.push(t);
                push(out, format_args!("(declare-const {} {sort})\n", name(terms, t)));
            }
            Op::Copy { .. } | Op::Fill { .. } => self.bulk_write(terms, t, out),
            Op::Scan { .. } | Op::Mismatch { .. } => self.search(terms, t, out),
            _ => {
                let body = body(terms, t);
                push(out, format_args!("(define-const {} {sort} {body})\n", name(terms, t)));
            }
        }
    }

    fn bulk_write(&mut self, terms: &Terms, t: Term, out: &mut String) {
        let w = Write1::of(terms, t);
        let (index, _) = terms.array_widths(t);
        let (this, sort) = (name(terms, t), sort_text(terms.sort(t)));
        if index <= NARROW || w.len.is_some_and(|n| n <= SHORT) {
            let mut body = w.below.clone();
            match w.len.filter(|n| *n <= SHORT) {
                Some(len) => {
                    for k in 0..len {
                        let k = constant(&Bv::from_u64(index, k));
                        body = format!("(store {body} (bvadd {} {k}) {})", w.off, (w.cell)(&k));
                    }
                }
                None => {
                    for p in 0..1_u64 << index {
                        let p = constant(&Bv::from_u64(index, p));
                        let k = format!("(bvsub {p} {})", w.off);
                        let cell = (w.cell)(&k);
                        let old = format!("(select {} {p})", w.below);
                        body = format!("(store {body} {p} (ite (bvult {k} {}) {cell} {old}))", w.len_name);
                    }
                }
            }
            push(out, format_args!("(define-const {this} {sort} {body})\n"));
            return;
        }
        self.quantifiers = true;
        let k = format!("(bvsub p {})", w.off);
        let cell = (w.cell)(&k);
        push(out, format_args!("(declare-const {this} {sort})\n"));
        push(
            out,
            format_args!(
                "(assert (forall ((p (_ BitVec {index}))) (= (select {this} p) (ite (bvult {k} {}) {cell} (select {} p)))))\n",
                w.len_name, w.below
            ),
        );
    }

    fn search(&mut self, terms: &Terms, t: Term, out: &mut String) {
        let (limit, hit) = search_parts(terms, t);
        let width = terms.width(t);
        let (this, sort) = (name(terms, t), sort_text(terms.sort(t)));
        let limit_text = bits(terms, limit);
        let constant_limit = terms.as_u64(limit).filter(|n| *n <= SHORT);
        if width <= NARROW || constant_limit.is_some() {
            let end = constant_limit.unwrap_or(1 << width);
            let mut body = limit_text.clone();
            for k in (0..end).rev() {
                let k = constant(&Bv::from_u64(width, k));
                body = format!("(ite (and (bvult {k} {limit_text}) {}) {k} {body})", hit(&k));
            }
            let body = if width == 1 { format!("(= {body} #b1)") } else { body };
            push(out, format_args!("(define-const {this} {sort} {body})\n"));
            return;
        }
        self.quantifiers = true;
        push(out, format_args!("(declare-const {this} {sort})\n"));
        push(out, format_args!("(assert (bvule {this} {limit_text}))\n"));
        push(out, format_args!("(assert (=> (bvult {this} {limit_text}) {}))\n", hit(&this)));
        push(
            out,
            format_args!("(assert (forall ((k (_ BitVec {width}))) (=> (bvult k {this}) (not {}))))\n", hit("k")),
        );
    }
}

/// A copy or fill: what it writes over, where, how much, and the new cell at a distance from the start.
struct Write1 {
    below: String,
    off: String,
    len: Option<u64>,
    len_name: String,
    cell: Box<dyn Fn(&str) -> String>,
}

impl Write1 {
    fn of(terms: &Terms, t: Term) -> Self {
        match terms.op(t) {
            Op::Copy { dst, dst_off, src, src_off, len } => {
                let (src, src_off) = (name(terms, src), bits(terms, src_off));
                Self {
                    below: name(terms, dst),
                    off: bits(terms, dst_off),
                    len: terms.as_u64(len),
                    len_name: bits(terms, len),
                    cell: Box::new(move |k| format!("(select {src} (bvadd {src_off} {k}))")),
                }
            }
            Op::Fill { array, off, value, len } => {
                let value = bits(terms, value);
                Self {
                    below: name(terms, array),
                    off: bits(terms, off),
                    len: terms.as_u64(len),
                    len_name: bits(terms, len),
                    cell: Box::new(move |_| value.clone()),
                }
            }
            other => unreachable!("a bulk write should be here, not {other:?}"),
        }
    }
}

type Hit = Box<dyn Fn(&str) -> String>;

/// The limit of a search and whether position `k` is a hit.
fn search_parts(terms: &Terms, t: Term) -> (Term, Hit) {
    match terms.op(t) {
        Op::Scan { array, off, value, limit } => {
            let (array, off, value) = (name(terms, array), bits(terms, off), bits(terms, value));
            (limit, Box::new(move |k| format!("(= (select {array} (bvadd {off} {k})) {value})")))
        }
        Op::Mismatch { a, a_off, b, b_off, limit } => {
            let (a, a_off) = (name(terms, a), bits(terms, a_off));
            let (b, b_off) = (name(terms, b), bits(terms, b_off));
            let hit =
                move |k: &str| format!("(distinct (select {a} (bvadd {a_off} {k})) (select {b} (bvadd {b_off} {k})))");
            (limit, Box::new(hit))
        }
        other => unreachable!("a search should be here, not {other:?}"),
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string should not fail");
}

/// The name of a term; a constant is its own name.
pub fn name(terms: &Terms, t: Term) -> String {
    match terms.op(t) {
        Op::Const => {
            let value = terms.as_const(t).expect("a constant should have a value");
            match (value.width(), value.is_zero()) {
                (1, true) => "false".to_owned(),
                (1, false) => "true".to_owned(),
                _ => constant(&value),
            }
        }
        Op::Var(_) => var_name(t),
        _ => format!("t{}", t.index()),
    }
}

/// The name of a variable.
pub fn var_name(var: Term) -> String {
    format!("v{}", var.index())
}

/// The term as a bit-vector, also where it has one bit.
fn bits(terms: &Terms, t: Term) -> String {
    let name = name(terms, t);
    if terms.is_array(t) || terms.width(t) > 1 {
        return name;
    }
    match name.as_str() {
        "true" => "#b1".to_owned(),
        "false" => "#b0".to_owned(),
        _ => format!("(ite {name} #b1 #b0)"),
    }
}

fn constant(value: &Bv) -> String {
    let mut text = String::from("#b");
    for i in (0..value.width()).rev() {
        text.push(if value.bit(i) { '1' } else { '0' });
    }
    text
}

fn sort_text(sort: Sort) -> String {
    match sort {
        Sort::Bv(1) => "Bool".to_owned(),
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, elem } => format!("(Array (_ BitVec {index}) (_ BitVec {elem}))"),
    }
}

/// The operator applied to its children; `Bool` where the term has one bit.
fn body(terms: &Terms, t: Term) -> String {
    let n = |x: Term| name(terms, x);
    let b = |x: Term| bits(terms, x);
    let one_bit = !terms.is_array(t) && terms.width(t) == 1;
    let bool_or = |boolean: &str, word: &str, children: &[Term]| {
        let op = if one_bit { boolean } else { word };
        let args: Vec<String> = children.iter().map(|c| name(terms, *c)).collect();
        format!("({op} {})", args.join(" "))
    };
    // The operators above the first blank are Boolean by nature, the rest yield bits.
    let word = match terms.op(t) {
        Op::Not(x) => return bool_or("not", "bvnot", &[x]),
        Op::And(x, y) => return bool_or("and", "bvand", &[x, y]),
        Op::Xor(x, y) => return bool_or("xor", "bvxor", &[x, y]),
        Op::Eq(x, y) => return format!("(= {} {})", n(x), n(y)),
        Op::Ult(x, y) => return format!("(bvult {} {})", b(x), b(y)),
        Op::Slt(x, y) => return format!("(bvslt {} {})", b(x), b(y)),
        Op::Ite(c, x, y) => return format!("(ite {} {} {})", n(c), n(x), n(y)),

        Op::Neg(x) => format!("(bvneg {})", b(x)),
        Op::Add(x, y) => format!("(bvadd {} {})", b(x), b(y)),
        Op::Mul(x, y) => format!("(bvmul {} {})", b(x), b(y)),
        Op::Udiv(x, y) => format!("(bvudiv {} {})", b(x), b(y)),
        Op::Urem(x, y) => format!("(bvurem {} {})", b(x), b(y)),
        Op::Sdiv(x, y) => format!("(bvsdiv {} {})", b(x), b(y)),
        Op::Srem(x, y) => format!("(bvsrem {} {})", b(x), b(y)),
        Op::Shl(x, y) => format!("(bvshl {} {})", b(x), b(y)),
        Op::Lshr(x, y) => format!("(bvlshr {} {})", b(x), b(y)),
        Op::Ashr(x, y) => format!("(bvashr {} {})", b(x), b(y)),
        Op::Concat(x, y) => format!("(concat {} {})", b(x), b(y)),
        Op::Extract { arg, hi, lo } => format!("((_ extract {hi} {lo}) {})", b(arg)),
        Op::Sext(x) => format!("((_ sign_extend {}) {})", terms.width(t) - terms.width(x), b(x)),
        Op::Select(a, i) => format!("(select {} {})", n(a), b(i)),
        Op::Store(a, i, v) => format!("(store {} {} {})", n(a), b(i), b(v)),
        Op::ConstArray(v) => format!("((as const {}) {})", sort_text(terms.sort(t)), b(v)),
        Op::Const | Op::Var(_) | Op::Copy { .. } | Op::Fill { .. } | Op::Scan { .. } | Op::Mismatch { .. } => {
            unreachable!("{t} should not be printed as an application")
        }
    };
    if one_bit { format!("(= {word} #b1)") } else { word }
}
