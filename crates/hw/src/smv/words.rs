//! Operators and functions on words.

use super::SmvError;
use super::ast::{BinaryOp, ExprId, Function};
use super::lex::MAX_WORD_BITS;
use super::lower::{Lower, Lowered};
use super::value::{Int, Value, fit, int_const, mismatch, signed_width, widen};
use blitz_term::Term;

/// Two words of one width and signedness; an integer constant beside a word becomes one.
pub fn pair(l: &mut Lower<'_>, id: ExprId, x: &Value, y: &Value, op: &str) -> Result<(Term, Term, bool), SmvError> {
    if let (Value::Word { term, signed }, _) | (_, Value::Word { term, signed }) = (x, y) {
        let width = l.ts.terms.width(*term);
        let both = (l.as_word(x, width, *signed), l.as_word(y, width, *signed));
        if let (Some(a), Some(b)) = both {
            return Ok((a, b, *signed));
        }
    }
    Err(mismatch(&l.ts.terms, x, y, l.pos(id), op))
}

/// An operator of which at least one side is no integer.
pub fn binary(l: &mut Lower<'_>, id: ExprId, op: BinaryOp, x: &Value, y: &Value) -> Lowered {
    match op {
        BinaryOp::Shl | BinaryOp::Shr => return shift(l, id, op, x, y),
        BinaryOp::Concat => return concat(l, id, x, y),
        _ => {}
    }
    let (a, b, signed) = pair(l, id, x, y, op.name())?;
    if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
        let zero = l.ts.terms.zero(l.ts.terms.width(b));
        let wrong = l.ts.terms.eq(b, zero);
        l.oblige(wrong, l.pos(id), "this can divide by zero");
    }
    let pos = l.pos(id);
    let terms = &mut l.ts.terms;
    let term = match (op, signed) {
        (BinaryOp::Add, _) => terms.add(a, b),
        (BinaryOp::Sub, _) => terms.sub(a, b),
        (BinaryOp::Mul, _) => terms.mul(a, b),
        (BinaryOp::Div, true) => terms.sdiv(a, b),
        (BinaryOp::Div, false) => terms.udiv(a, b),
        (BinaryOp::Mod, true) => terms.srem(a, b),
        (BinaryOp::Mod, false) => terms.urem(a, b),
        (BinaryOp::Xor, _) => terms.xor(a, b),
        (BinaryOp::Xnor, _) => {
            let differ = terms.xor(a, b);
            terms.not(differ)
        }
        _ => return Err(mismatch(terms, x, y, pos, op.name())),
    };
    Ok(Value::Word { term, signed })
}

fn shift(l: &mut Lower<'_>, id: ExprId, op: BinaryOp, x: &Value, y: &Value) -> Lowered {
    let Value::Word { term, signed } = *x else {
        return Err(mismatch(&l.ts.terms, x, y, l.pos(id), op.name()));
    };
    let width = l.ts.terms.width(term);
    let by = match y {
        Value::Word { term: by, signed: false } => *by,
        Value::Int(int) if int.low >= 0 => int.term,
        _ => return Err(mismatch(&l.ts.terms, x, y, l.pos(id), op.name())),
    };
    let terms = &mut l.ts.terms;
    // Both in one width; an amount that does not fit shifts everything out, as the operator does.
    let wide = width.max(terms.width(by));
    let by = terms.zext(by, wide);
    let value = if signed { terms.sext(term, wide) } else { terms.zext(term, wide) };
    let moved = match (op, signed) {
        (BinaryOp::Shl, _) => terms.shl(value, by),
        (_, true) => terms.ashr(value, by),
        (_, false) => terms.lshr(value, by),
    };
    Ok(Value::Word { term: terms.extract(moved, width - 1, 0), signed })
}

fn concat(l: &mut Lower<'_>, id: ExprId, x: &Value, y: &Value) -> Lowered {
    let bits = |v: &Value| match v {
        Value::Word { term, .. } | Value::Bool(term) => Some(*term),
        Value::Int(_) | Value::Symbol(_) => None,
    };
    match (bits(x), bits(y)) {
        (Some(a), Some(b))
            if u32::from(l.ts.terms.width(a)) + u32::from(l.ts.terms.width(b)) <= MAX_WORD_BITS.into() =>
        {
            Ok(Value::Word { term: l.ts.terms.concat(a, b), signed: false })
        }
        (Some(_), Some(_)) => too_wide(l, id),
        _ => Err(mismatch(&l.ts.terms, x, y, l.pos(id), "::")),
    }
}

fn too_wide(l: &Lower<'_>, id: ExprId) -> Lowered {
    Err(SmvError::new(l.pos(id), format!("words of more than {MAX_WORD_BITS} bits are not supported")))
}

/// `w[high:low]`.
pub fn extract(l: &mut Lower<'_>, id: ExprId, word: &Value, high: Option<i64>, low: Option<i64>) -> Lowered {
    let Value::Word { term, .. } = *word else {
        let kind = word.kind(&l.ts.terms);
        return Err(SmvError::new(l.pos(id), format!("only words have bits, not {kind}")));
    };
    let width = i64::from(l.ts.terms.width(term));
    match (high, low) {
        (Some(high), Some(low)) if 0 <= low && low <= high && high < width => {
            Ok(Value::Word { term: l.ts.terms.extract(term, high as u16, low as u16), signed: false })
        }
        _ => Err(SmvError::new(l.pos(id), format!("bits of this word should be constants from 0 to {}", width - 1))),
    }
}

/// A function.
pub fn call(l: &mut Lower<'_>, id: ExprId, function: Function, args: Vec<Value>) -> Lowered {
    match (function, &args[..]) {
        (Function::Word1, [Value::Bool(bit)]) => Ok(Value::Word { term: *bit, signed: false }),
        (Function::Bool, [Value::Word { term, .. }]) if l.ts.terms.width(*term) == 1 => Ok(Value::Bool(*term)),
        (Function::Bool, [Value::Int(int)]) => {
            let zero = l.ts.terms.zero(l.ts.terms.width(int.term));
            Ok(Value::Bool(l.ts.terms.ne(int.term, zero)))
        }
        (Function::Bool, [Value::Bool(bit)]) => Ok(Value::Bool(*bit)),
        (Function::ToInt, [value]) => to_int(l, id, value),
        (Function::Signed, [Value::Word { term, .. }]) => Ok(Value::Word { term: *term, signed: true }),
        (Function::Unsigned, [Value::Word { term, .. }]) => Ok(Value::Word { term: *term, signed: false }),
        (Function::Extend, [Value::Word { term, signed }, by]) => {
            let width = by.constant().map(|by| by.saturating_add(l.ts.terms.width(*term).into()));
            resize(l, id, *term, *signed, width)
        }
        (Function::Resize, [Value::Word { term, signed }, width]) => resize(l, id, *term, *signed, width.constant()),
        (Function::Abs, [Value::Int(int)]) => {
            let zero = int_const(&mut l.ts.terms, 0);
            let Value::Int(minus) = l.arithmetic(id, BinaryOp::Sub, zero, *int)? else {
                unreachable!("a difference of integers should be one");
            };
            extreme(l, *int, minus, Extreme::Most)
        }
        (Function::Max, [Value::Int(a), Value::Int(b)]) => extreme(l, *a, *b, Extreme::Most),
        (Function::Min, [Value::Int(a), Value::Int(b)]) => extreme(l, *a, *b, Extreme::Least),
        (Function::Count, bits) => count(l, id, bits),
        (Function::Uwconst | Function::Swconst, [value, width]) => {
            constant(l, id, function == Function::Swconst, value, width)
        }
        _ => Err(SmvError::new(l.pos(id), "this function does not take such arguments")),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Most,
    Least,
}

fn extreme(l: &mut Lower<'_>, a: Int, b: Int, which: Extreme) -> Lowered {
    let terms = &mut l.ts.terms;
    let width = terms.width(a.term).max(terms.width(b.term));
    let (x, y) = (widen(terms, a, width), widen(terms, b, width));
    let less = terms.slt(x, y);
    let (term, low, high) = match which {
        Extreme::Most => (terms.ite(less, y, x), a.low.max(b.low), a.high.max(b.high)),
        Extreme::Least => (terms.ite(less, x, y), a.low.min(b.low), a.high.min(b.high)),
    };
    Ok(Value::Int(fit(terms, term, low, high)))
}

fn to_int(l: &mut Lower<'_>, id: ExprId, value: &Value) -> Lowered {
    let terms = &mut l.ts.terms;
    match value {
        Value::Int(int) => Ok(Value::Int(*int)),
        Value::Bool(bit) => Ok(Value::Int(Int { term: terms.zext(*bit, 2), low: 0, high: 1 })),
        Value::Word { term, signed } if terms.width(*term) <= 62 => {
            let width = terms.width(*term);
            let half = 1i64 << (width - 1);
            Ok(Value::Int(match signed {
                true => Int { term: *term, low: -half, high: half - 1 },
                false => Int { term: terms.zext(*term, width + 1), low: 0, high: 2 * half - 1 },
            }))
        }
        Value::Word { .. } => Err(SmvError::new(l.pos(id), "toint of words of more than 62 bits is not supported")),
        Value::Symbol(_) => Err(SmvError::new(l.pos(id), "toint does not go with a symbolic constant")),
    }
}

fn resize(l: &mut Lower<'_>, id: ExprId, term: Term, signed: bool, width: Option<i64>) -> Lowered {
    let Some(width) = width.and_then(|w| u16::try_from(w).ok()).filter(|w| (1..=MAX_WORD_BITS).contains(w)) else {
        return Err(SmvError::new(l.pos(id), format!("the width should be a constant from 1 to {MAX_WORD_BITS}")));
    };
    let terms = &mut l.ts.terms;
    let term = match (width <= terms.width(term), signed) {
        (true, false) => terms.extract(term, width - 1, 0),
        // A signed word keeps its sign when it gets narrower.
        (true, true) if width == 1 => terms.sign_bit(term),
        (true, true) => {
            let sign = terms.sign_bit(term);
            let rest = terms.extract(term, width - 2, 0);
            terms.concat(sign, rest)
        }
        (false, false) => terms.zext(term, width),
        (false, true) => terms.sext(term, width),
    };
    Ok(Value::Word { term, signed })
}

fn count(l: &mut Lower<'_>, id: ExprId, bits: &[Value]) -> Lowered {
    let high = bits.len() as i64;
    let width = signed_width(0, high);
    let mut sum = l.ts.terms.zero(width);
    for value in bits {
        let Some(bit) = value.truth(&mut l.ts.terms) else {
            let kind = value.kind(&l.ts.terms);
            return Err(SmvError::new(l.pos(id), format!("count takes booleans, not {kind}")));
        };
        let bit = l.ts.terms.zext(bit, width);
        sum = l.ts.terms.add(sum, bit);
    }
    Ok(Value::Int(Int { term: sum, low: 0, high }))
}

fn constant(l: &mut Lower<'_>, id: ExprId, signed: bool, value: &Value, width: &Value) -> Lowered {
    let width = width.constant().and_then(|w| u16::try_from(w).ok()).filter(|w| (1..=MAX_WORD_BITS).contains(w));
    let term = width.and_then(|width| l.as_word(value, width, signed));
    match term {
        Some(term) => Ok(Value::Word { term, signed }),
        None => Err(SmvError::new(l.pos(id), "a word constant should be made of a number that fits and a width")),
    }
}
