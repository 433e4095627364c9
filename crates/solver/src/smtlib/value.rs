//! Values as solvers print them.

use super::sexpr::Sexpr;
use blitz_base::Bv;
use blitz_term::{ArrayValue, Sort, Value};
use std::collections::HashMap;

/// The value of this sort that an expression stands for.
pub fn parse(expr: &Sexpr, sort: Sort) -> Result<Value, String> {
    match sort {
        Sort::Bv(width) => bits(expr, width).map(Value::Bv),
        Sort::Array { index, elem } => array(expr, index, elem).map(Value::Array),
    }
}

fn bits(expr: &Sexpr, width: u16) -> Result<Bv, String> {
    let value = match expr {
        Sexpr::Atom(a) => atom(a, width),
        Sexpr::List(items) => match items.as_slice() {
            [Sexpr::Atom(u), Sexpr::Atom(n), Sexpr::Atom(w)] if u == "_" && *w == width.to_string() => {
                n.strip_prefix("bv").and_then(|d| decimal(d, width))
            }
            _ => None,
        },
        Sexpr::Text(_) => None,
    };
    value.ok_or_else(|| format!("{expr} is no value of {width} bits"))
}

fn atom(text: &str, width: u16) -> Option<Bv> {
    let (digits, shift) = match text {
        "true" if width == 1 => return Some(Bv::one(1)),
        "false" if width == 1 => return Some(Bv::zero(1)),
        _ => match (text.strip_prefix("#b"), text.strip_prefix("#x")) {
            (Some(b), _) => (b, 1),
            (None, Some(x)) => (x, 4),
            (None, None) => return None,
        },
    };
    if digits.len() * shift != usize::from(width) {
        return None;
    }
    let digits: Option<Vec<u32>> = digits.chars().rev().map(|c| c.to_digit(1 << shift)).collect();
    let digits = digits?;
    Some(Bv::from_bits(width, |i| digits[usize::from(i) / shift] >> (usize::from(i) % shift) & 1 == 1))
}

fn decimal(text: &str, width: u16) -> Option<Bv> {
    let ten = Bv::from_u64(width.max(8), 10);
    let mut value = Bv::zero(width.max(8));
    for c in text.chars() {
        let digit = Bv::from_u64(width.max(8), c.to_digit(10)?.into());
        value = value.mul(&ten).add(&digit);
    }
    Some(if width < 8 { value.extract(width - 1, 0) } else { value })
}

/// `(store A i v)`, `((as const S) v)` and `let` around them; the nesting is unwound by a loop.
fn array(expr: &Sexpr, index: u16, elem: u16) -> Result<ArrayValue, String> {
    let mut env: HashMap<String, Sexpr> = HashMap::new();
    let mut writes = Vec::new();
    let mut at = expr.clone();
    let unknown = |e: &Sexpr| format!("{e} is no array value we know");
    loop {
        at = match &at {
            Sexpr::Atom(a) => env.get(a).cloned().ok_or_else(|| unknown(&at))?,
            Sexpr::Text(_) => return Err(unknown(&at)),
            Sexpr::List(items) => match items.as_slice() {
                [Sexpr::Atom(s), below, i, v] if s == "store" => {
                    writes.push((bits(i, index)?, bits(v, elem)?));
                    below.clone()
                }
                [Sexpr::Atom(l), Sexpr::List(bindings), body] if l == "let" => {
                    for b in bindings {
                        if let Some([Sexpr::Atom(name), value]) = b.list() {
                            env.insert(name.clone(), value.clone());
                        }
                    }
                    body.clone()
                }
                [Sexpr::List(head), v] if head.first().and_then(Sexpr::atom) == Some("as") => {
                    let mut value = ArrayValue::new(index, bits(v, elem)?);
                    for (i, v) in writes.into_iter().rev() {
                        value.set(i, v);
                    }
                    return Ok(value);
                }
                _ => return Err(unknown(&at)),
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::sexpr::parse_first;
    use super::*;

    fn value(text: &str, sort: Sort) -> Result<Value, String> {
        let (expr, _) = parse_first(&format!("{text} ")).unwrap().unwrap();
        parse(&expr, sort)
    }

    #[test]
    fn bit_vectors_in_all_notations() {
        let want = Ok(Value::Bv(Bv::from_u64(8, 0xa5)));
        for text in ["#xa5", "#b10100101", "(_ bv165 8)"] {
            assert_eq!(value(text, Sort::Bv(8)), want, "{text}");
        }
        assert_eq!(value("true", Sort::Bv(1)), Ok(Value::Bv(Bv::one(1))));
        assert_eq!(value("(_ bv5 3)", Sort::Bv(3)), Ok(Value::Bv(Bv::from_u64(3, 5))));
        for text in ["#xa", "#b2", "a5", "(_ bv1 9)", "\"x\""] {
            assert!(value(text, Sort::Bv(8)).is_err(), "{text}");
        }
    }

    #[test]
    fn arrays_as_stores_over_a_constant() {
        let sort = Sort::Array { index: 8, elem: 8 };
        let text =
            "(let ((a!1 (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x01) #x02 #x03))) (store a!1 #x02 #x04))";
        let Ok(Value::Array(a)) = value(text, sort) else { panic!("an array should be parsed") };
        assert_eq!(a.get(&Bv::from_u64(8, 2)), Bv::from_u64(8, 4));
        assert_eq!(a.get(&Bv::from_u64(8, 3)), Bv::from_u64(8, 1));
        assert!(value("(_ as-array k!0)", sort).is_err());
    }
}
