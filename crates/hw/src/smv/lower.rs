//! Expressions become terms.
//!
//! `next(e)` is `e` over next values: of a variable with a deterministic `next` that is its right side, of any other an input. Definitions are
//! lowered once per time and shared. Where a mistake shows only for some values (a division by zero), an [`Obligation`] is kept for `check`.

use super::ast::{BinaryOp, EnumValue, Expr, ExprId, Program, Storage, UnaryOp};
use super::flat::{Entity, Flat, InstId, Scoped, VarId};
use super::value::{Int, Value, equal, fit, int_cases, int_const, mismatch, signed_width, widen, word_of};
use super::{Pos, SmvError, words};
use crate::ts::Ts;
use blitz_term::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Which values names stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Time {
    Now,
    Next,
}

/// Something that must never hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    pub wrong: Term,
    pub error: SmvError,
}

/// A variable's terms.
#[derive(Clone, Copy, Debug, Default)]
pub struct VarTerms {
    /// Its variable in the system; none if it is defined by a deterministic assignment to its present value.
    pub now: Option<Term>,
    /// The input that is its next value; none if its next value is a function.
    pub chosen: Option<Term>,
}

/// What names mean: an SMV model's declarations, or the names of any system.
pub enum World<'a> {
    Smv { flat: &'a Flat, vars: Vec<VarTerms> },
    System,
}

/// Turns expressions into terms of `ts`.
pub struct Lower<'a> {
    pub program: &'a Program,
    pub ts: &'a mut Ts,
    pub world: World<'a>,
    pub time: Time,
    /// Whether `next` may be used here.
    pub next_allowed: bool,
    /// Holds where the expression at hand is looked at.
    pub guard: Term,
    pub obligations: Vec<Obligation>,
    shared: BTreeMap<(Scoped, Time), (Value, Vec<Obligation>)>,
    busy: BTreeSet<(Scoped, Time)>,
}

pub type Lowered = Result<Value, SmvError>;

impl<'a> Lower<'a> {
    pub fn new(program: &'a Program, ts: &'a mut Ts, world: World<'a>) -> Self {
        let guard = ts.terms.tru();
        Self {
            program,
            ts,
            world,
            time: Time::Now,
            next_allowed: false,
            guard,
            obligations: Vec::new(),
            shared: BTreeMap::new(),
            busy: BTreeSet::new(),
        }
    }

    pub fn pos(&self, id: ExprId) -> Pos {
        self.program.exprs.pos(id)
    }

    fn error<T>(&self, id: ExprId, message: impl Into<String>) -> Result<T, SmvError> {
        Err(SmvError::new(self.pos(id), message))
    }

    /// Keeps that `wrong` must not hold where the expression is looked at.
    pub fn oblige(&mut self, wrong: Term, pos: Pos, message: impl Into<String>) {
        let wrong = self.ts.terms.and(self.guard, wrong);
        let fresh = !self.obligations.iter().any(|o| o.wrong == wrong);
        if wrong != self.ts.terms.fls() && fresh {
            self.obligations.push(Obligation { wrong, error: SmvError::new(pos, message) });
        }
    }

    /// Lowers something under a further condition.
    pub fn under<T>(&mut self, condition: Term, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.guard;
        self.guard = self.ts.terms.and(before, condition);
        let result = f(self);
        self.guard = before;
        result
    }

    /// Lowers something over the values of another time.
    fn at<T>(&mut self, time: Time, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.time, time);
        let result = f(self);
        self.time = before;
        result
    }

    /// A condition.
    pub fn condition(&mut self, scoped: Scoped) -> Result<Term, SmvError> {
        let value = self.value(scoped)?;
        match value.truth(&mut self.ts.terms) {
            Some(bit) => Ok(bit),
            None => {
                let kind = value.kind(&self.ts.terms);
                self.error(scoped.0, format!("a boolean should be here, not {kind}"))
            }
        }
    }

    /// The value of an expression.
    pub fn value(&mut self, (id, inst): Scoped) -> Lowered {
        match self.program.exprs.get(id) {
            Expr::Bool(b) => Ok(Value::Bool(self.ts.terms.bool(*b))),
            Expr::Number(n) => Ok(Value::Int(int_const(&mut self.ts.terms, *n))),
            Expr::Word { value, signed } => {
                Ok(Value::Word { term: self.ts.terms.bv_const(value.clone()), signed: *signed })
            }
            Expr::Name(_) | Expr::Dot(..) => self.name((id, inst)),
            Expr::Index(base, index) => self.index((id, inst), *base, *index),
            Expr::Bits(word, high, low) => self.bits(id, (*word, inst), *high, *low),
            Expr::Unary(op, arg) => self.unary(id, *op, (*arg, inst)),
            Expr::Binary(op, a, b) => self.binary(id, *op, (*a, inst), (*b, inst)),
            Expr::And(parts) => self.connective(id, parts, inst, BinaryOrAnd::And),
            Expr::Or(parts) => self.connective(id, parts, inst, BinaryOrAnd::Or),
            Expr::Choice(c, yes, no) => self.choice(id, (*c, inst), (*yes, inst), (*no, inst)),
            Expr::Case(arms) => self.case(id, arms, inst),
            Expr::Set(_) | Expr::Range(..) => self.error(id, "a set can stand only on the right of `:=` and of `in`"),
            Expr::Call(function, args) => {
                let args: Result<Vec<Value>, SmvError> = args.iter().map(|&a| self.value((a, inst))).collect();
                words::call(self, id, *function, args?)
            }
        }
    }
}

/// The two operators that are written in chains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BinaryOrAnd {
    And,
    Or,
}

/// Names.
impl Lower<'_> {
    fn name(&mut self, scoped: Scoped) -> Lowered {
        let World::Smv { flat, .. } = &self.world else {
            return self.name_of_system(scoped.0);
        };
        let entity = flat.entity(self.program, scoped.1, scoped.0);
        match entity {
            None => self.error(scoped.0, format!("`{}` is not declared", self.path(scoped.0))),
            Some(entity) => self.entity_value(scoped.0, entity),
        }
    }

    /// A path of names as written.
    pub fn path(&self, id: ExprId) -> String {
        match self.program.exprs.get(id) {
            Expr::Name(name) => name.clone(),
            Expr::Dot(base, name) => format!("{}.{name}", self.path(*base)),
            Expr::Index(base, index) => format!("{}[{}]", self.path(*base), self.path(*index)),
            Expr::Number(n) => n.to_string(),
            _ => "..".to_owned(),
        }
    }

    fn name_of_system(&mut self, id: ExprId) -> Lowered {
        let path = self.path(id);
        let Some(term) = self.ts.named(&path) else {
            return self.error(id, format!("the model has no signal `{path}`"));
        };
        match self.ts.terms.sort(term) {
            Sort::Bv(1) => Ok(Value::Bool(term)),
            Sort::Bv(_) => Ok(Value::Word { term, signed: false }),
            Sort::Array { .. } => self.error(id, format!("`{path}` is a memory: formulas can't mention memories")),
        }
    }

    pub fn entity_value(&mut self, id: ExprId, entity: Entity) -> Lowered {
        match entity {
            Entity::Var(var) => self.variable(id, var),
            Entity::Constant(value) => Ok(Value::Symbol(vec![(value, self.ts.terms.tru())])),
            Entity::Expr(scoped) => self.shared(id, scoped),
            Entity::Array { .. } => self.error(id, format!("`{}` is an array: it needs an index", self.path(id))),
            Entity::Instance(_) => self.error(id, format!("`{}` is a module, not a value", self.path(id))),
        }
    }

    /// The value of a definition, lowered once per time.
    fn shared(&mut self, used_at: ExprId, scoped: Scoped) -> Lowered {
        let key = (scoped, self.time);
        if let Some((value, obligations)) = self.shared.get(&key).cloned() {
            for o in obligations {
                self.oblige(o.wrong, o.error.pos, o.error.message);
            }
            return Ok(value);
        }
        if !self.busy.insert(key) {
            return self.error(used_at, format!("the value of `{}` depends on itself", self.path(used_at)));
        }
        let tru = self.ts.terms.tru();
        let guard = std::mem::replace(&mut self.guard, tru);
        let outer = std::mem::take(&mut self.obligations);
        let value = self.value(scoped);
        let found = std::mem::replace(&mut self.obligations, outer);
        self.guard = guard;
        self.busy.remove(&key);
        let value = value?;
        for o in &found {
            self.oblige(o.wrong, o.error.pos, o.error.message.clone());
        }
        self.shared.insert(key, (value.clone(), found));
        Ok(value)
    }

    fn variable(&mut self, id: ExprId, var: VarId) -> Lowered {
        let World::Smv { flat, vars } = &self.world else {
            unreachable!("only SMV models should have variables of their own");
        };
        let (terms, declared) = (vars[var.0 as usize], flat.var(var));
        let ty = declared.ty.clone();
        match (self.time, terms.now) {
            (_, None) => {
                let now = declared.now.expect("a variable without a term should be assigned");
                self.shared(id, now)
            }
            (Time::Now, Some(bits)) => Ok(ty.read(&mut self.ts.terms, bits)),
            (Time::Next, Some(bits)) => match declared.storage {
                Storage::Frozen => Ok(ty.read(&mut self.ts.terms, bits)),
                Storage::Input => {
                    let message = format!("`{}` is an input: it has no next value", declared.name);
                    self.error(id, message)
                }
                Storage::State => match terms.chosen {
                    Some(chosen) => Ok(ty.read(&mut self.ts.terms, chosen)),
                    None => {
                        let next = declared.next.expect("a variable that is not chosen should be assigned");
                        let value = self.at(Time::Now, |l| l.shared(id, next))?;
                        // What the variable will hold, so that intervals stay those of its type.
                        let (bits, _) = ty.store(&mut self.ts.terms, &value).ok_or_else(|| {
                            SmvError::new(self.pos(next.0), "this value does not have the type of the variable")
                        })?;
                        Ok(ty.read(&mut self.ts.terms, bits))
                    }
                },
            },
        }
    }

    /// `a[i]` of an array, or a bit of a system's word.
    fn index(&mut self, (id, inst): Scoped, base: ExprId, index: ExprId) -> Lowered {
        let World::Smv { flat, .. } = &self.world else {
            return self.index_of_system(id, base, index);
        };
        if let Some(whole) = flat.entity(self.program, inst, id) {
            return self.entity_value(id, whole);
        }
        if let Some(Entity::Array { low, items }) = flat.entity(self.program, inst, base) {
            return self.element(id, low, &items, (index, inst));
        }
        match self.value((base, inst))? {
            Value::Word { .. } => self.error(id, "a bit of a word is written `w[i:i]`"),
            other => {
                let kind = other.kind(&self.ts.terms);
                self.error(id, format!("{kind} has no elements"))
            }
        }
    }

    fn element(&mut self, id: ExprId, low: i64, items: &[Entity], index: Scoped) -> Lowered {
        let value = self.value(index)?;
        let Value::Int(at) = value else {
            let kind = value.kind(&self.ts.terms);
            return self.error(index.0, format!("an index should be an integer, not {kind}"));
        };
        let Some(cases) = int_cases(&mut self.ts.terms, at) else {
            return self.error(index.0, "this index can have too many values");
        };
        let mut found: Option<Value> = None;
        let mut inside = Vec::new();
        for (case, condition) in cases {
            let EnumValue::Int(n) = case else { unreachable!("cases of an integer should be integers") };
            let item = n.checked_sub(low).and_then(|i| usize::try_from(i).ok()).and_then(|i| items.get(i));
            let Some(item) = item else { continue };
            inside.push(condition);
            let value = self.under(condition, |l| l.entity_value(id, item.clone()))?;
            found = Some(match found {
                None => value,
                Some(other) => self.join(id, condition, &value, &other)?,
            });
        }
        let inside = self.ts.terms.or_all(&inside);
        let outside = self.ts.terms.not(inside);
        let message = format!("the index can leave the array's bounds {low}..{}", low + items.len() as i64 - 1);
        self.oblige(outside, self.pos(index.0), message.clone());
        found.ok_or_else(|| SmvError::new(self.pos(index.0), message))
    }

    fn index_of_system(&mut self, id: ExprId, base: ExprId, index: ExprId) -> Lowered {
        let path = self.path(id);
        if self.ts.named(&path).is_some() {
            return self.name_of_system(id);
        }
        self.bits(id, (base, InstId(0)), index, index).map(|value| match value {
            Value::Word { term, .. } => Value::Bool(term),
            other => other,
        })
    }

    fn bits(&mut self, id: ExprId, word: Scoped, high: ExprId, low: ExprId) -> Lowered {
        let value = self.value(word)?;
        let high = self.value((high, word.1))?.constant();
        let low = self.value((low, word.1))?.constant();
        words::extract(self, id, &value, high, low)
    }
}

/// Operators.
impl Lower<'_> {
    fn unary(&mut self, id: ExprId, op: UnaryOp, arg: Scoped) -> Lowered {
        match op {
            UnaryOp::Not => match self.value(arg)? {
                Value::Word { term, signed } => Ok(Value::Word { term: self.ts.terms.not(term), signed }),
                other => {
                    let bit = self.truth(id, &other, "!")?;
                    Ok(Value::Bool(self.ts.terms.not(bit)))
                }
            },
            UnaryOp::Minus => match self.value(arg)? {
                Value::Int(int) => {
                    let zero = int_const(&mut self.ts.terms, 0);
                    self.arithmetic(id, BinaryOp::Sub, zero, int)
                }
                Value::Word { term, signed } => Ok(Value::Word { term: self.ts.terms.neg(term), signed }),
                other => {
                    let kind = other.kind(&self.ts.terms);
                    self.error(id, format!("`-` does not go with {kind}"))
                }
            },
            UnaryOp::NextState => {
                if matches!(self.world, World::System) {
                    return self.error(id, "`next` belongs to SMV models: formulas say X");
                }
                if !self.next_allowed {
                    return self.error(id, "`next` is not allowed here");
                }
                if self.time == Time::Next {
                    return self.error(id, "`next` inside `next` is not allowed");
                }
                self.at(Time::Next, |l| l.value(arg))
            }
            UnaryOp::Temporal(_) | UnaryOp::Ctl(_) => {
                self.error(id, "a temporal operator can't stand inside an expression that is no formula")
            }
        }
    }

    fn truth(&mut self, id: ExprId, value: &Value, op: &str) -> Result<Term, SmvError> {
        match value.truth(&mut self.ts.terms) {
            Some(bit) => Ok(bit),
            None => {
                let kind = value.kind(&self.ts.terms);
                self.error(id, format!("`{op}` does not go with {kind}"))
            }
        }
    }

    fn connective(&mut self, id: ExprId, parts: &[ExprId], inst: InstId, op: BinaryOrAnd) -> Lowered {
        let name = if op == BinaryOrAnd::And { "&" } else { "|" };
        let first = self.value((parts[0], inst))?;
        if let Value::Word { .. } = first {
            return self.bitwise(id, first, &parts[1..], inst, op);
        }
        let mut bits = vec![self.truth(parts[0], &first, name)?];
        for &part in &parts[1..] {
            let value = self.value((part, inst))?;
            bits.push(self.truth(part, &value, name)?);
        }
        let terms = &mut self.ts.terms;
        Ok(Value::Bool(if op == BinaryOrAnd::And { terms.and_all(&bits) } else { terms.or_all(&bits) }))
    }

    fn bitwise(&mut self, id: ExprId, first: Value, rest: &[ExprId], inst: InstId, op: BinaryOrAnd) -> Lowered {
        let mut all = first;
        for &part in rest {
            let value = self.value((part, inst))?;
            let name = if op == BinaryOrAnd::And { "&" } else { "|" };
            let (a, b, signed) = words::pair(self, id, &all, &value, name)?;
            let terms = &mut self.ts.terms;
            let term = if op == BinaryOrAnd::And { terms.and(a, b) } else { terms.or(a, b) };
            all = Value::Word { term, signed };
        }
        Ok(all)
    }

    fn choice(&mut self, id: ExprId, condition: Scoped, yes: Scoped, no: Scoped) -> Lowered {
        let condition = self.condition(condition)?;
        let otherwise = self.ts.terms.not(condition);
        let yes = self.under(condition, |l| l.value(yes))?;
        let no = self.under(otherwise, |l| l.value(no))?;
        self.join(id, condition, &yes, &no)
    }

    fn case(&mut self, id: ExprId, arms: &[(ExprId, ExprId)], inst: InstId) -> Lowered {
        let lowered = self.arms(id, arms, inst, |l, value| l.value(value))?;
        let mut arms = lowered.into_iter().rev();
        let (_, mut all) = arms.next().expect("a case should have a branch");
        for (condition, value) in arms {
            all = self.join(id, condition, &value, &all)?;
        }
        Ok(all)
    }

    /// Branches of a case, each with the condition under which it is taken; one has to be.
    pub fn arms<T>(
        &mut self,
        id: ExprId,
        arms: &[(ExprId, ExprId)],
        inst: InstId,
        mut lower: impl FnMut(&mut Self, Scoped) -> Result<T, SmvError>,
    ) -> Result<Vec<(Term, T)>, SmvError> {
        let mut rest = self.ts.terms.tru();
        let mut found = Vec::new();
        for &(condition, value) in arms {
            let condition = self.under(rest, |l| l.condition((condition, inst)))?;
            let taken = self.ts.terms.and(rest, condition);
            found.push((taken, self.under(taken, |l| lower(l, (value, inst)))?));
            let not = self.ts.terms.not(condition);
            rest = self.ts.terms.and(rest, not);
        }
        self.oblige(rest, self.pos(id), "this `case` has no branch for some values: a last one with TRUE is missing");
        Ok(found)
    }

    /// One value or another.
    pub fn join(&mut self, id: ExprId, condition: Term, yes: &Value, no: &Value) -> Lowered {
        let pos = self.pos(id);
        let terms = &mut self.ts.terms;
        match (yes, no) {
            (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(terms.ite(condition, *a, *b))),
            (Value::Int(a), Value::Int(b)) => {
                let (low, high) = (a.low.min(b.low), a.high.max(b.high));
                let width = signed_width(low, high);
                let (a, b) = (widen(terms, *a, width), widen(terms, *b, width));
                let term = terms.ite(condition, a, b);
                Ok(Value::Int(Int { term, low, high }))
            }
            (Value::Symbol(a), Value::Symbol(b)) => Ok(Value::Symbol(self.join_cases(condition, a, b))),
            (Value::Int(int), Value::Symbol(cases)) if int_cases(terms, *int).is_some() => {
                let ints = int_cases(terms, *int).unwrap_or_default();
                Ok(Value::Symbol(self.join_cases(condition, &ints, cases)))
            }
            (Value::Symbol(cases), Value::Int(int)) if int_cases(terms, *int).is_some() => {
                let ints = int_cases(terms, *int).unwrap_or_default();
                Ok(Value::Symbol(self.join_cases(condition, cases, &ints)))
            }
            (Value::Bool(a), Value::Int(_)) | (Value::Int(_), Value::Bool(a)) => {
                let other = if yes == &Value::Bool(*a) { no } else { yes };
                let Some(bit) = other.truth(terms) else {
                    return Err(mismatch(terms, yes, no, pos, "case"));
                };
                let (yes, no) = if other == no { (*a, bit) } else { (bit, *a) };
                Ok(Value::Bool(terms.ite(condition, yes, no)))
            }
            _ => {
                let (a, b, signed) = words::pair(self, id, yes, no, "case")?;
                let term = self.ts.terms.ite(condition, a, b);
                Ok(Value::Word { term, signed })
            }
        }
    }

    fn join_cases(
        &mut self,
        condition: Term,
        yes: &[(EnumValue, Term)],
        no: &[(EnumValue, Term)],
    ) -> Vec<(EnumValue, Term)> {
        let terms = &mut self.ts.terms;
        let otherwise = terms.not(condition);
        let mut joined: BTreeMap<EnumValue, Term> = BTreeMap::new();
        for (cases, under) in [(yes, condition), (no, otherwise)] {
            for (value, when) in cases {
                let when = terms.and(*when, under);
                let before = joined.get(value).copied().unwrap_or(terms.fls());
                joined.insert(value.clone(), terms.or(before, when));
            }
        }
        joined.into_iter().collect()
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, a: Scoped, b: Scoped) -> Lowered {
        if op == BinaryOp::In {
            return self.membership(a, b).map(Value::Bool);
        }
        if let BinaryOp::Temporal(_) | BinaryOp::CtlUntil | BinaryOp::CtlExistsUntil = op {
            return self.error(id, "a temporal operator can't stand inside an expression that is no formula");
        }
        if op == BinaryOp::Union {
            return self.error(id, "a set can stand only on the right of `:=` and of `in`");
        }
        let (x, y) = (self.value(a)?, self.value(b)?);
        match op {
            BinaryOp::Eq | BinaryOp::Ne => {
                let pos = self.pos(id);
                let same = equal(&mut self.ts.terms, &x, &y, pos, op.name())?;
                Ok(Value::Bool(if op == BinaryOp::Eq { same } else { self.ts.terms.not(same) }))
            }
            BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Xor | BinaryOp::Xnor => self.logical(id, op, &x, &y),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => self.comparison(id, op, &x, &y),
            _ => match (&x, &y) {
                (Value::Int(a), Value::Int(b)) => self.arithmetic(id, op, *a, *b),
                _ => words::binary(self, id, op, &x, &y),
            },
        }
    }

    fn logical(&mut self, id: ExprId, op: BinaryOp, x: &Value, y: &Value) -> Lowered {
        if let (Value::Word { .. }, BinaryOp::Xor | BinaryOp::Xnor) = (x, op) {
            return words::binary(self, id, op, x, y);
        }
        let (a, b) = (self.truth(id, x, op.name())?, self.truth(id, y, op.name())?);
        let terms = &mut self.ts.terms;
        Ok(Value::Bool(match op {
            BinaryOp::Implies => terms.implies(a, b),
            BinaryOp::Xor => terms.xor(a, b),
            _ => terms.eq(a, b),
        }))
    }

    fn comparison(&mut self, id: ExprId, op: BinaryOp, x: &Value, y: &Value) -> Lowered {
        let (a, b, signed) = match (x, y) {
            (Value::Int(a), Value::Int(b)) => {
                let width = self.ts.terms.width(a.term).max(self.ts.terms.width(b.term));
                (widen(&mut self.ts.terms, *a, width), widen(&mut self.ts.terms, *b, width), true)
            }
            _ => words::pair(self, id, x, y, op.name())?,
        };
        let terms = &mut self.ts.terms;
        let (a, b) = if matches!(op, BinaryOp::Gt | BinaryOp::Ge) { (b, a) } else { (a, b) };
        let strict = matches!(op, BinaryOp::Lt | BinaryOp::Gt);
        Ok(Value::Bool(match (strict, signed) {
            (true, true) => terms.slt(a, b),
            (true, false) => terms.ult(a, b),
            (false, true) => terms.sle(a, b),
            (false, false) => terms.ule(a, b),
        }))
    }

    /// Integers: the result is as wide as its interval.
    pub fn arithmetic(&mut self, id: ExprId, op: BinaryOp, a: Int, b: Int) -> Lowered {
        let Some((low, high)) = interval(op, a, b) else {
            return self.error(id, format!("the result of `{}` may need more than 64 bits", op.name()));
        };
        if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
            let zero = self.ts.terms.bv(self.ts.terms.width(b.term), 0);
            let wrong = self.ts.terms.eq(b.term, zero);
            self.oblige(wrong, self.pos(id), "this can divide by zero");
        }
        let terms = &mut self.ts.terms;
        let width = signed_width(low, high).max(terms.width(a.term)).max(terms.width(b.term));
        let (x, y) = (widen(terms, a, width), widen(terms, b, width));
        let term = match op {
            BinaryOp::Add => terms.add(x, y),
            BinaryOp::Sub => terms.sub(x, y),
            BinaryOp::Mul => terms.mul(x, y),
            BinaryOp::Div => terms.sdiv(x, y),
            BinaryOp::Mod => terms.srem(x, y),
            _ => return self.error(id, format!("`{}` does not go with integers", op.name())),
        };
        Ok(Value::Int(fit(&mut self.ts.terms, term, low, high)))
    }

    /// An integer constant beside a word is a word.
    pub fn as_word(&mut self, value: &Value, width: u16, signed: bool) -> Option<Term> {
        match value {
            Value::Word { term, signed: s } if *s == signed && self.ts.terms.width(*term) == width => Some(*term),
            Value::Int(int) => word_of(&mut self.ts.terms, *int, width, signed),
            _ => None,
        }
    }
}

/// The interval of a result, where it fits into 64 bits.
fn interval(op: BinaryOp, a: Int, b: Int) -> Option<(i64, i64)> {
    let corners = |f: fn(i64, i64) -> Option<i64>| -> Option<(i64, i64)> {
        let all = [f(a.low, b.low)?, f(a.low, b.high)?, f(a.high, b.low)?, f(a.high, b.high)?];
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    match op {
        BinaryOp::Add => corners(i64::checked_add),
        BinaryOp::Sub => corners(i64::checked_sub),
        BinaryOp::Mul => corners(i64::checked_mul),
        BinaryOp::Div => {
            let most = a.low.checked_abs()?.max(a.high.checked_abs()?);
            Some(if a.low >= 0 && b.low >= 0 { (0, a.high) } else { (-most, most) })
        }
        BinaryOp::Mod => {
            let most = (b.low.checked_abs()?.max(b.high.checked_abs()?) - 1).max(0);
            let low = if a.low >= 0 { 0 } else { (-most).max(a.low) };
            let high = if a.high <= 0 { 0 } else { most.min(a.high) };
            Some((low, high))
        }
        _ => Some((0, 0)),
    }
}
