//! Nondeterministic expressions: sets on the right of `:=` and of `in`.
//!
//! Such an expression is a list of alternatives, each with the condition under which it can be chosen; a value belongs to it if it is one of them.

use super::SmvError;
use super::ast::{BinaryOp, Expr, ExprId, Program};
use super::flat::{Entity, Flat, Scoped};
use super::lower::{Lower, World};
use super::value::{Int, Value, equal, widen};
use blitz_term::Term;

/// One thing that may be chosen.
#[derive(Clone, Debug)]
pub enum Pick {
    One(Value),
    /// Any integer from one to the other.
    Between(Int, Int),
}

/// Whether an expression has a set in it that something is chosen from.
pub fn is_choice(program: &Program, flat: &Flat, (id, inst): Scoped, hops: u32) -> bool {
    let below = |e: &ExprId| hops > 0 && is_choice(program, flat, (*e, inst), hops - 1);
    match program.exprs.get(id) {
        Expr::Set(_) | Expr::Range(..) | Expr::Binary(BinaryOp::Union, ..) => true,
        Expr::Case(arms) => arms.iter().any(|(_, value)| below(value)),
        Expr::Choice(_, yes, no) => below(yes) || below(no),
        Expr::Name(_) | Expr::Dot(..) => match flat.entity(program, inst, id) {
            Some(Entity::Expr(scoped)) => hops > 0 && is_choice(program, flat, scoped, hops - 1),
            _ => false,
        },
        _ => false,
    }
}

impl Lower<'_> {
    /// What may be chosen, each with its condition.
    pub fn picks(&mut self, scoped: Scoped) -> Result<Vec<(Term, Pick)>, SmvError> {
        let (id, inst) = scoped;
        let tru = self.ts.terms.tru();
        match self.program.exprs.get(id) {
            Expr::Set(items) => self.all_picks(items.iter().map(|&i| (i, inst))),
            Expr::Binary(BinaryOp::Union, a, b) => self.all_picks([(*a, inst), (*b, inst)].into_iter()),
            Expr::Range(low, high) => {
                let (low, high) = (self.integer((*low, inst))?, self.integer((*high, inst))?);
                Ok(vec![(tru, Pick::Between(low, high))])
            }
            Expr::Case(arms) => {
                let lowered = self.arms(id, arms, inst, |l, value| l.picks(value))?;
                Ok(lowered.into_iter().flat_map(|(condition, picks)| self.narrowed(condition, picks)).collect())
            }
            Expr::Choice(condition, yes, no) => {
                let condition = self.condition((*condition, inst))?;
                let otherwise = self.ts.terms.not(condition);
                let yes = self.under(condition, |l| l.picks((*yes, inst)))?;
                let no = self.under(otherwise, |l| l.picks((*no, inst)))?;
                let mut all = self.narrowed(condition, yes);
                all.extend(self.narrowed(otherwise, no));
                Ok(all)
            }
            Expr::Name(_) | Expr::Dot(..) => match self.chosen_definition(scoped) {
                Some(definition) => self.picks(definition),
                None => Ok(vec![(tru, Pick::One(self.value(scoped)?))]),
            },
            _ => Ok(vec![(tru, Pick::One(self.value(scoped)?))]),
        }
    }

    fn narrowed(&mut self, condition: Term, picks: Vec<(Term, Pick)>) -> Vec<(Term, Pick)> {
        picks.into_iter().map(|(when, pick)| (self.ts.terms.and(condition, when), pick)).collect()
    }

    fn all_picks(&mut self, parts: impl Iterator<Item = Scoped>) -> Result<Vec<(Term, Pick)>, SmvError> {
        let mut all = Vec::new();
        for part in parts {
            all.extend(self.picks(part)?);
        }
        Ok(all)
    }

    /// The definition a name stands for, if that is a choice.
    fn chosen_definition(&self, (id, inst): Scoped) -> Option<Scoped> {
        let World::Smv { flat, .. } = &self.world else { return None };
        match flat.entity(self.program, inst, id) {
            Some(Entity::Expr(scoped)) if is_choice(self.program, flat, scoped, super::model::MAX_HOPS) => Some(scoped),
            _ => None,
        }
    }

    fn integer(&mut self, scoped: Scoped) -> Result<Int, SmvError> {
        match self.value(scoped)? {
            Value::Int(int) => Ok(int),
            other => {
                let kind = other.kind(&self.ts.terms);
                Err(SmvError::new(self.pos(scoped.0), format!("an integer should be here, not {kind}")))
            }
        }
    }

    /// `a in S`.
    pub fn membership(&mut self, a: Scoped, set: Scoped) -> Result<Term, SmvError> {
        let value = self.value(a)?;
        let picks = self.picks(set)?;
        self.among(&value, &picks, set.0)
    }

    /// That a value is one of those that may be chosen.
    pub fn among(&mut self, value: &Value, picks: &[(Term, Pick)], id: ExprId) -> Result<Term, SmvError> {
        let mut any = Vec::new();
        let pos = self.pos(id);
        for (condition, pick) in picks {
            let is = match pick {
                Pick::One(other) => equal(&mut self.ts.terms, value, other, pos, "in")?,
                Pick::Between(low, high) => self.between(value, *low, *high, id)?,
            };
            any.push(self.ts.terms.and(*condition, is));
        }
        Ok(self.ts.terms.or_all(&any))
    }

    fn between(&mut self, value: &Value, low: Int, high: Int, id: ExprId) -> Result<Term, SmvError> {
        let Value::Int(int) = value else {
            let kind = value.kind(&self.ts.terms);
            return Err(SmvError::new(self.pos(id), format!("a range does not go with {kind}")));
        };
        let terms = &mut self.ts.terms;
        let width = [int.term, low.term, high.term].map(|t| terms.width(t)).into_iter().max().unwrap_or(1);
        let (value, low, high) = (widen(terms, *int, width), widen(terms, low, width), widen(terms, high, width));
        let above = terms.sle(low, value);
        let below = terms.sle(value, high);
        Ok(terms.and(above, below))
    }
}
