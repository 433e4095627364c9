//! Printing terms: definitions for solvers (`Printer`, `print_query`) and one expression for people (`print_term`).
//!
//! One bit is `Bool`; where an operator wants bits, it is converted in place. Names of variables are kept, quoted if they have to be.

mod bulk;

use super::sexp::is_symbol_char;
use crate::node::{Op, Term};
use crate::sort::Sort;
use crate::terms::Terms;
use std::collections::HashMap;
use std::fmt::Write;

/// Prints terms as definitions, each term once; what was printed before is referred to by name.
#[derive(Clone, Default)]
pub struct Printer {
    names: HashMap<Term, String>,
    /// Symbols of variables, so that no two share one.
    taken: HashMap<String, Term>,
    vars: Vec<Term>,
    arrays: bool,
    /// Something beyond the standard logics: a quantifier or a constant array.
    beyond: bool,
}

/// A whole script that asks whether all assertions hold together.
pub fn print_query(terms: &Terms, assertions: &[Term]) -> String {
    let mut printer = Printer::default();
    let mut body = String::new();
    for &assertion in assertions {
        let name = printer.define(terms, assertion, &mut body);
        line(&mut body, format_args!("(assert {name})"));
    }
    format!("(set-logic {})\n{body}(check-sat)\n", printer.logic())
}

/// A symbol, in bars if it needs them; characters that no symbol can have become `_`.
pub fn quote_symbol(name: &str) -> String {
    let plain = !name.is_empty()
        && name.chars().all(is_symbol_char)
        && !name.starts_with(|c: char| c.is_ascii_digit() || c == '@' || c == '.')
        && !RESERVED.contains(&name);
    if plain { name.to_string() } else { format!("|{}|", name.replace(['|', '\\'], "_")) }
}

const RESERVED: [&str; 13] =
    ["let", "forall", "exists", "match", "par", "_", "!", "as", "true", "false", "not", "and", "or"];

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string should not fail");
    out.push('\n');
}

impl Printer {
    /// The smallest common logic for everything printed so far.
    pub fn logic(&self) -> &'static str {
        match (self.beyond, self.arrays) {
            (true, _) => "ALL",
            (false, true) => "QF_ABV",
            (false, false) => "QF_BV",
        }
    }

    /// The variables declared so far, in order.
    pub fn vars(&self) -> &[Term] {
        &self.vars
    }

    /// Appends what a term needs (declarations, definitions, and assertions for bulk terms) and gives the text that stands for it.
    ///
    /// The definitions hold until the level they were printed at is popped; whoever pops goes on with a copy made before the push.
    pub fn define(&mut self, terms: &Terms, root: Term, out: &mut String) -> String {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.names.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.children(t).into_iter().rev().filter(|c| !self.names.contains_key(c)));
            if stack.len() == before {
                let name = self.print(terms, t, out);
                self.names.insert(t, name);
                stack.pop();
            }
        }
        self.names[&root].clone()
    }

    /// The text that stands for a term defined before, as bits even if it is one bit.
    fn bits(&self, terms: &Terms, t: Term) -> String {
        as_bits(terms, t, self.names[&t].clone())
    }

    fn print(&mut self, terms: &Terms, t: Term, out: &mut String) -> String {
        self.arrays |= terms.is_array(t);
        self.beyond |= matches!(terms.op(t), Op::ConstArray(_));
        let name = format!("?{}", t.index());
        let sort = sort_text(terms.sort(t));
        match terms.op(t) {
            Op::Const => return constant(terms, t),
            Op::Var(_) => {
                let symbol = self.symbol(terms, t);
                line(out, format_args!("(declare-const {symbol} {sort})"));
                self.vars.push(t);
                return symbol;
            }
            Op::Copy { .. } | Op::Fill { .. } => self.bulk_write(terms, t, &name, out),
            Op::Scan { .. } | Op::Mismatch { .. } => self.search(terms, t, &name, out),
            _ => {
                let body = expression(terms, t, |c| self.names[&c].clone());
                line(out, format_args!("(define-fun {name} () {sort} {body})"));
            }
        }
        name
    }

    fn symbol(&mut self, terms: &Terms, var: Term) -> String {
        let name = terms.var_name(var).unwrap_or_default();
        // Names of definitions are ours.
        let mut wanted = if name.starts_with('?') { format!("_{name}") } else { name.to_string() };
        while self.taken.get(&quote_symbol(&wanted)).is_some_and(|&other| other != var) {
            wanted = format!("{wanted}!{}", var.index());
        }
        let symbol = quote_symbol(&wanted);
        self.taken.insert(symbol.clone(), var);
        symbol
    }
}

/// The sort of a definition; cells and indices of arrays are bits always.
fn sort_text(sort: Sort) -> String {
    sort.to_string()
}

fn constant(terms: &Terms, t: Term) -> String {
    if terms.is_true(t) {
        return "true".to_string();
    }
    if terms.is_false(t) {
        return "false".to_string();
    }
    terms.as_const(t).map_or_else(String::new, |value| value.to_string())
}

/// The text of a term that may be a `Bool`, as bits.
fn as_bits(terms: &Terms, t: Term, text: String) -> String {
    if terms.is_array(t) || terms.width(t) > 1 {
        return text;
    }
    match text.as_str() {
        "true" => "#b1".to_string(),
        "false" => "#b0".to_string(),
        _ => format!("(ite {text} #b1 #b0)"),
    }
}

/// The operator of a term applied to the texts of its children.
fn expression(terms: &Terms, t: Term, text: impl Fn(Term) -> String) -> String {
    let bits = |c: Term| as_bits(terms, c, text(c));
    let one_bit = !terms.is_array(t) && terms.width(t) == 1;
    // A result of bits that is one bit has to become a Bool.
    let from_bits = |e: String| if one_bit { format!("(= {e} #b1)") } else { e };
    let logic = |boolean: &'static str, words: &'static str| if one_bit { boolean } else { words };
    let two = |name: &str, a: Term, b: Term| format!("({name} {} {})", text(a), text(b));
    match terms.op(t) {
        Op::Const => constant(terms, t),
        Op::Var(_) => quote_symbol(terms.var_name(t).unwrap_or_default()),
        Op::Not(x) => format!("({} {})", logic("not", "bvnot"), text(x)),
        Op::And(x, y) => two(logic("and", "bvand"), x, y),
        Op::Xor(x, y) => two(logic("xor", "bvxor"), x, y),
        Op::Neg(x) => format!("(bvneg {})", text(x)),
        Op::Add(x, y) => two("bvadd", x, y),
        Op::Mul(x, y) => two("bvmul", x, y),
        Op::Udiv(x, y) => two("bvudiv", x, y),
        Op::Urem(x, y) => two("bvurem", x, y),
        Op::Sdiv(x, y) => two("bvsdiv", x, y),
        Op::Srem(x, y) => two("bvsrem", x, y),
        Op::Shl(x, y) => two("bvshl", x, y),
        Op::Lshr(x, y) => two("bvlshr", x, y),
        Op::Ashr(x, y) => two("bvashr", x, y),
        Op::Eq(x, y) => two("=", x, y),
        Op::Ult(x, y) => two("bvult", x, y),
        Op::Slt(x, y) => two("bvslt", x, y),
        Op::Ite(c, x, y) => format!("(ite {} {} {})", text(c), text(x), text(y)),
        Op::Concat(x, y) if terms.is_zero(x) => format!("((_ zero_extend {}) {})", terms.width(x), bits(y)),
        Op::Concat(x, y) => format!("(concat {} {})", bits(x), bits(y)),
        Op::Extract { arg, hi, lo } => from_bits(format!("((_ extract {hi} {lo}) {})", text(arg))),
        Op::Sext(x) => format!("((_ sign_extend {}) {})", terms.width(t) - terms.width(x), bits(x)),
        Op::ConstArray(v) => format!("((as const {}) {})", sort_text(terms.sort(t)), bits(v)),
        Op::Store(a, i, v) => format!("(store {} {} {})", text(a), bits(i), bits(v)),
        Op::Select(a, i) => from_bits(format!("(select {} {})", text(a), bits(i))),
        Op::Copy { .. } => bulk_expression("blitz.copy", terms, t, bits),
        Op::Fill { .. } => bulk_expression("blitz.fill", terms, t, bits),
        Op::Scan { .. } => from_bits(bulk_expression("blitz.scan", terms, t, bits)),
        Op::Mismatch { .. } => from_bits(bulk_expression("blitz.mismatch", terms, t, bits)),
    }
}

fn bulk_expression(name: &str, terms: &Terms, t: Term, bits: impl Fn(Term) -> String) -> String {
    let children: Vec<String> = terms.children(t).into_iter().map(bits).collect();
    format!("({name} {})", children.join(" "))
}

/// Texts longer than this get a name even if they are used once, which keeps printing linear.
const LONG: usize = 160;

/// A term as one expression, with a `let` for each part used more than once. Bulk terms print as functions of ours that `parse_script` knows.
pub fn print_term(terms: &Terms, root: Term) -> String {
    print_term_with(terms, root, &HashMap::new())
}

/// The same; parts that have a name are printed by it.
pub fn print_term_with(terms: &Terms, root: Term, named: &HashMap<Term, String>) -> String {
    let (order, uses) = unnamed_parts(terms, root, named);
    let mut texts: HashMap<Term, String> = HashMap::new();
    let mut head = String::new();
    let mut lets = 0;
    for &t in &order {
        if let Some(name) = named.get(&t).filter(|_| t != root) {
            texts.insert(t, name.clone());
            continue;
        }
        let text = readable(terms, t, &texts);
        let leaf = terms.is_const(t) || terms.is_var(t);
        if t == root || leaf || (uses[&t] == 1 && text.len() < LONG) {
            texts.insert(t, text);
        } else {
            let name = format!("?{}", t.index());
            let _ = write!(head, "(let (({name} {text})) ");
            lets += 1;
            texts.insert(t, name);
        }
    }
    format!("{head}{}{}", texts[&root], ")".repeat(lets))
}

/// The parts of a term as far as they have no name, children first, and how often each is used.
fn unnamed_parts(terms: &Terms, root: Term, named: &HashMap<Term, String>) -> (Vec<Term>, HashMap<Term, usize>) {
    let (mut order, mut uses): (Vec<Term>, HashMap<Term, usize>) = (Vec::new(), HashMap::new());
    let mut stack = vec![(root, false)];
    let mut seen = std::collections::HashSet::new();
    while let Some((t, whole)) = stack.pop() {
        if whole {
            order.push(t);
        } else if seen.insert(t) {
            stack.push((t, true));
            if t == root || !named.contains_key(&t) {
                for child in terms.children(t) {
                    *uses.entry(child).or_default() += 1;
                    stack.push((child, false));
                }
            }
        }
    }
    (order, uses)
}

/// The expression with the operators people write instead of the ones we keep.
fn readable(terms: &Terms, t: Term, texts: &HashMap<Term, String>) -> String {
    let text = |c: Term| texts[&c].clone();
    let Op::Not(inner) = terms.op(t) else {
        return expression(terms, t, text);
    };
    match terms.op(inner) {
        Op::Ult(x, y) => format!("(bvule {} {})", text(y), text(x)),
        Op::Slt(x, y) => format!("(bvsle {} {})", text(y), text(x)),
        _ => expression(terms, t, text),
    }
}
