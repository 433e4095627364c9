//! Formulas of LTL over a model's names.

use super::SmvError;
use super::ast::{Binary, BinaryOp, Expr, ExprId, Program, Unary, UnaryOp};
use super::flat::{InstId, Scoped};
use super::lower::{Lower, World};
use super::parse::expression;
use crate::ltl::{Formula, FormulaId};
use crate::ts::Ts;

/// Reads a formula over the names of a system. Signals of one bit are booleans, others unsigned words; an integer constant beside a word is one.
pub fn formula(ts: &mut Ts, text: &str) -> Result<Formula, SmvError> {
    let (exprs, root) = expression(text)?;
    let program = Program { exprs, modules: Vec::new() };
    let mut lower = Lower::new(&program, ts, World::System);
    let found = ltl(&mut lower, (root, InstId(0)))?;
    match lower.obligations.into_iter().next() {
        None => Ok(found),
        Some(o) => Err(o.error),
    }
}

/// An expression as a formula of LTL.
pub fn ltl(l: &mut Lower<'_>, scoped: Scoped) -> Result<Formula, SmvError> {
    let mut formula = Formula::new();
    let root = build(l, &mut formula, scoped)?;
    formula.set_root(root);
    Ok(formula)
}

/// Whether an operator of time is in an expression.
pub fn is_temporal(program: &Program, id: ExprId) -> bool {
    let below = |ids: &[ExprId]| ids.iter().any(|&e| is_temporal(program, e));
    match program.exprs.get(id) {
        Expr::Bool(_) | Expr::Number(_) | Expr::Word { .. } | Expr::Name(_) | Expr::Dot(..) => false,
        Expr::Unary(UnaryOp::Temporal(_) | UnaryOp::Ctl(_), _) => true,
        Expr::Binary(BinaryOp::Temporal(_) | BinaryOp::CtlUntil | BinaryOp::CtlExistsUntil, ..) => true,
        Expr::Unary(_, a) => below(&[*a]),
        Expr::Index(a, b) | Expr::Binary(_, a, b) | Expr::Range(a, b) => below(&[*a, *b]),
        Expr::Bits(a, b, c) | Expr::Choice(a, b, c) => below(&[*a, *b, *c]),
        Expr::And(list) | Expr::Or(list) | Expr::Set(list) | Expr::Call(_, list) => below(list),
        Expr::Case(arms) => arms.iter().any(|&(c, v)| below(&[c, v])),
    }
}

/// A condition as an atom.
pub fn atom(l: &mut Lower<'_>, f: &mut Formula, scoped: Scoped) -> Result<FormulaId, SmvError> {
    let term = l.condition(scoped)?;
    Ok(if term == l.ts.terms.tru() {
        f.tru()
    } else if term == l.ts.terms.fls() {
        f.fls()
    } else {
        f.atom(term)
    })
}

fn build(l: &mut Lower<'_>, f: &mut Formula, scoped: Scoped) -> Result<FormulaId, SmvError> {
    let (id, inst) = scoped;
    if !is_temporal(l.program, id) {
        return atom(l, f, scoped);
    }
    let program = l.program;
    let mut sub = |f: &mut Formula, e: ExprId| build(l, f, (e, inst));
    match program.exprs.get(id) {
        Expr::Unary(UnaryOp::Not, a) => {
            let a = sub(f, *a)?;
            Ok(f.not(a))
        }
        Expr::Unary(UnaryOp::Temporal(op), a) => {
            let a = sub(f, *a)?;
            Ok(unary(f, *op, a))
        }
        Expr::And(parts) => {
            let mut all = f.tru();
            for &part in parts {
                let part = sub(f, part)?;
                all = f.and(all, part);
            }
            Ok(all)
        }
        Expr::Or(parts) => {
            let mut any = f.fls();
            for &part in parts {
                let part = sub(f, part)?;
                any = f.or(any, part);
            }
            Ok(any)
        }
        Expr::Binary(op, a, b) => {
            let (x, y) = (sub(f, *a)?, sub(f, *b)?);
            binary(f, *op, x, y).ok_or_else(|| refused(l, id, op.name()))
        }
        Expr::Choice(c, a, b) => {
            let (c, a, b) = (sub(f, *c)?, sub(f, *a)?, sub(f, *b)?);
            let (yes, no) = (f.implies(c, a), f.or(c, b));
            Ok(f.and(yes, no))
        }
        Expr::Unary(UnaryOp::Ctl(op), _) => {
            let message = format!("{} belongs to CTL (SPEC), not to LTL", op.name());
            Err(SmvError::new(l.pos(id), message))
        }
        _ => Err(refused(l, id, "this operator")),
    }
}

fn refused(l: &Lower<'_>, id: ExprId, op: &str) -> SmvError {
    SmvError::new(l.pos(id), format!("{op} does not go with a formula of LTL"))
}

fn unary(f: &mut Formula, op: Unary, a: FormulaId) -> FormulaId {
    match op {
        Unary::X => f.next(a),
        Unary::F => f.eventually(a),
        Unary::G => f.always(a),
        Unary::Y => f.yesterday(a),
        Unary::Z => f.weak_yesterday(a),
        Unary::O => f.once(a),
        Unary::H => f.historically(a),
    }
}

fn binary(f: &mut Formula, op: BinaryOp, a: FormulaId, b: FormulaId) -> Option<FormulaId> {
    Some(match op {
        BinaryOp::Implies => f.implies(a, b),
        BinaryOp::Iff | BinaryOp::Xnor | BinaryOp::Eq => f.iff(a, b),
        BinaryOp::Xor | BinaryOp::Ne => {
            let same = f.iff(a, b);
            f.not(same)
        }
        BinaryOp::Temporal(Binary::U) => f.until(a, b),
        BinaryOp::Temporal(Binary::R) => f.release(a, b),
        BinaryOp::Temporal(Binary::W) => f.weak_until(a, b),
        BinaryOp::Temporal(Binary::S) => f.since(a, b),
        BinaryOp::Temporal(Binary::T) => f.triggered(a, b),
        _ => return None,
    })
}
