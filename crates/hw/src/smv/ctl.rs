//! CTL, as far as it says the same as LTL: the universal deterministic part ("The Common Fragment of CTL and LTL", Maidl 2000).
//!
//! `AG`, `AX`, `&`, `p -> f`, `p | f` nest; `AF p` and `A [p U q]` take conditions without operators of time. There the path quantifiers can be dropped.
//! `AF AG p` can't be: it says more than `F G p`. Everything else is refused by name.

use super::SmvError;
use super::ast::{BinaryOp, Expr, ExprId, Quantified, UnaryOp};
use super::flat::{InstId, Scoped};
use super::lower::Lower;
use super::names::{atom, is_temporal};
use crate::ltl::{Formula, FormulaId};

/// A formula of CTL as one of LTL that says the same.
pub fn ctl(l: &mut Lower<'_>, scoped: Scoped) -> Result<Formula, SmvError> {
    let mut formula = Formula::new();
    let root = build(l, &mut formula, scoped)?;
    formula.set_root(root);
    Ok(formula)
}

fn build(l: &mut Lower<'_>, f: &mut Formula, scoped: Scoped) -> Result<FormulaId, SmvError> {
    let (id, inst) = scoped;
    if !is_temporal(l.program, id) {
        return atom(l, f, scoped);
    }
    match l.program.exprs.get(id) {
        Expr::Unary(UnaryOp::Ctl(op), a) => quantified(l, f, *op, (*a, inst)),
        Expr::Binary(BinaryOp::CtlUntil, a, b) => {
            let (a, b) = (plain(l, f, "A [ U ]", (*a, inst))?, plain(l, f, "A [ U ]", (*b, inst))?);
            Ok(f.until(a, b))
        }
        Expr::And(parts) => {
            let mut all = f.tru();
            for &part in parts {
                let part = build(l, f, (part, inst))?;
                all = f.and(all, part);
            }
            Ok(all)
        }
        Expr::Or(parts) => disjunction(l, f, id, parts, inst),
        Expr::Binary(BinaryOp::Implies, a, b) => {
            let condition = plain(l, f, "the left side of `->`", (*a, inst))?;
            let then = build(l, f, (*b, inst))?;
            Ok(f.implies(condition, then))
        }
        Expr::Binary(BinaryOp::CtlExistsUntil, ..) => Err(refused(l, id, "E [ U ]")),
        Expr::Unary(UnaryOp::Temporal(_), _) | Expr::Binary(BinaryOp::Temporal(_), ..) => {
            Err(SmvError::new(l.pos(id), "an operator of LTL needs LTLSPEC, not SPEC"))
        }
        _ => Err(refused(l, id, "this use of path quantifiers")),
    }
}

fn quantified(l: &mut Lower<'_>, f: &mut Formula, op: Quantified, arg: Scoped) -> Result<FormulaId, SmvError> {
    match op {
        Quantified::Ag => {
            let a = build(l, f, arg)?;
            Ok(f.always(a))
        }
        Quantified::Ax => {
            let a = build(l, f, arg)?;
            Ok(f.next(a))
        }
        Quantified::Af => {
            let a = plain(l, f, "AF", arg)?;
            Ok(f.eventually(a))
        }
        Quantified::Ex | Quantified::Ef | Quantified::Eg => Err(refused(l, arg.0, op.name())),
    }
}

/// A condition without operators of time.
fn plain(l: &mut Lower<'_>, f: &mut Formula, whose: &str, scoped: Scoped) -> Result<FormulaId, SmvError> {
    if is_temporal(l.program, scoped.0) {
        let message = format!("path quantifiers inside {whose} are not supported");
        return Err(SmvError::new(l.pos(scoped.0), message));
    }
    atom(l, f, scoped)
}

fn disjunction(
    l: &mut Lower<'_>,
    f: &mut Formula,
    id: ExprId,
    parts: &[ExprId],
    inst: InstId,
) -> Result<FormulaId, SmvError> {
    if parts.iter().filter(|p| is_temporal(l.program, **p)).count() > 1 {
        return Err(refused(l, id, "`|` between formulas with path quantifiers"));
    }
    let mut any = f.fls();
    for &part in parts {
        let part = build(l, f, (part, inst))?;
        any = f.or(any, part);
    }
    Ok(any)
}

fn refused(l: &Lower<'_>, id: ExprId, what: &str) -> SmvError {
    SmvError::new(l.pos(id), format!("{what} is not supported: of CTL only AG, AX, AF p and A [p U q] are"))
}
