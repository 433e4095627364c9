//! An SMV file becomes a transition system with its specifications.
//!
//! A variable whose next value is a function of the present is a state with that function. Any other one has an input `next(x)` that is its next value,
//! and what TRANS and sets say about it is in `Ts::trans`. A variable with a deterministic `x := e` is no state at all, only a name for e.
//!
//! INVARSPEC is about every reachable state, a deadlocked one too. LTLSPEC is about infinite paths. SPEC AG p is read as INVARSPEC where there is no
//! JUSTICE, which is the same wherever every state has a successor; every other SPEC is about infinite paths (of the model's JUSTICE).

use super::ast::{Logic, Program, SpecDecl, Storage};
use super::choose::{Pick, is_choice};
use super::flat::{Flat, InstId, Scoped, VarId, flatten};
use super::lower::{Lower, Obligation, VarTerms, World};
use super::parse::expression_in;
use super::value::{Int, Type, Value, widen};
use super::{SmvError, check, ctl, names, section};
use crate::ltl::Formula;
use crate::show::{Format, Signal};
use crate::ts::{Goal, Property, Ts};
use blitz_term::{Term, Terms};
use std::collections::BTreeSet;

/// How many names `is_choice` follows.
pub const MAX_HOPS: u32 = 400;

/// A model.
#[derive(Clone)]
pub struct Model {
    /// Its properties are the specifications, by their NAME or as `p0`, `p1`, ... in the order of the file.
    pub ts: Ts,
    pub names: Names,
}

/// What a model's names mean: formulas over it need that.
#[derive(Clone)]
pub struct Names {
    program: Program,
    flat: Flat,
    vars: Vec<VarTerms>,
}

/// Reads a model.
pub fn read(text: &str) -> Result<Model, SmvError> {
    let program = section::program(text)?;
    let flat = flatten(&program)?;
    let mut ts = Ts::new();
    let vars: Vec<VarTerms> = declare(&program, &flat, &mut ts);
    let valid = validity(&flat, &vars, &mut ts.terms);
    ts.constraints.extend(valid.iter().filter(|(_, whose)| *whose == Whose::Present).map(|(valid, _)| valid));
    let valid: Vec<Term> = valid.into_iter().map(|(valid, _)| valid).collect();
    let mut reader = Reader {
        flat: &flat,
        vars: &vars,
        lower: Lower::new(&program, &mut ts, World::Smv { flat: &flat, vars: vars.clone() }),
        total: true,
    };
    reader.assignments()?;
    reader.sections()?;
    reader.specs()?;
    let signals = reader.signals()?;
    let obligations = std::mem::take(&mut reader.lower.obligations);
    check::obligations(&mut ts.terms, &valid, obligations)?;
    debug_assert_eq!(ts.validate(), Ok(()), "a model that was read should be valid");
    ts.signals = signals;
    Ok(Model { ts, names: Names { program, flat, vars } })
}

impl Names {
    /// Reads a formula over the model's names; `ts` is the model's system.
    pub fn formula(&self, ts: &mut Ts, text: &str) -> Result<Formula, SmvError> {
        let (exprs, root) = expression_in(self.program.exprs.clone(), text)?;
        let program = Program { exprs, modules: self.program.modules.clone() };
        let valid =
            validity(&self.flat, &self.vars, &mut ts.terms).into_iter().map(|(valid, _)| valid).collect::<Vec<_>>();
        let world = World::Smv { flat: &self.flat, vars: self.vars.clone() };
        let mut lower = Lower::new(&program, ts, world);
        lower.next_allowed = true;
        let formula = names::ltl(&mut lower, (root, InstId(0)))?;
        let obligations = lower.obligations;
        check::obligations(&mut ts.terms, &valid, obligations)?;
        Ok(formula)
    }
}

/// Makes states and inputs.
fn declare(program: &Program, flat: &Flat, ts: &mut Ts) -> Vec<VarTerms> {
    let choice = |scoped: Scoped| is_choice(program, flat, scoped, MAX_HOPS);
    let mut vars = vec![VarTerms::default(); flat.vars.len()];
    for (var, terms) in flat.vars.iter().zip(&mut vars) {
        let sort = var.ty.sort();
        terms.now = match var.storage {
            Storage::Input => Some(ts.add_input(&var.name, sort)),
            Storage::State if var.now.is_some_and(|now| !choice(now)) => None,
            Storage::State | Storage::Frozen => Some(ts.add_state(&var.name, sort)),
        };
    }
    for (var, terms) in flat.vars.iter().zip(&mut vars) {
        let function = var.next.is_some_and(|next| !choice(next));
        if var.storage == Storage::State && terms.now.is_some() && !function {
            terms.chosen = Some(ts.add_input(&format!("next({})", var.name), var.ty.sort()));
        }
    }
    vars
}

/// Whose value a condition is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Present,
    ChosenNext,
}

/// That all variables have values of their types. Of present values that is a constraint of the system; obligations may assume it of chosen ones too.
fn validity(flat: &Flat, vars: &[VarTerms], terms: &mut Terms) -> Vec<(Term, Whose)> {
    let mut all = Vec::new();
    for (var, of) in flat.vars.iter().zip(vars) {
        for (bits, whose) in [(of.now, Whose::Present), (of.chosen, Whose::ChosenNext)] {
            let valid = bits.map(|bits| var.ty.valid(terms, bits));
            all.extend(valid.filter(|v| *v != terms.tru()).map(|v| (v, whose)));
        }
    }
    all
}

struct Reader<'a> {
    flat: &'a Flat,
    vars: &'a [VarTerms],
    lower: Lower<'a>,
    /// Whether every state has a successor for sure.
    total: bool,
}

/// ASSIGN.
impl Reader<'_> {
    fn assignments(&mut self) -> Result<(), SmvError> {
        for index in 0..self.flat.vars.len() {
            let id = VarId(index as u32);
            self.now(id)?;
            self.init(id)?;
            self.next(id)?;
        }
        Ok(())
    }

    fn is_choice(&self, scoped: Scoped) -> bool {
        is_choice(self.lower.program, self.flat, scoped, MAX_HOPS)
    }

    fn now(&mut self, id: VarId) -> Result<(), SmvError> {
        let var = self.flat.var(id);
        let Some(now) = var.now else { return Ok(()) };
        self.lower.next_allowed = false;
        match self.vars[id.0 as usize].now {
            None => self.stored(id, now).map(|_| ()),
            Some(bits) => {
                self.total = false;
                let among = self.among(id, bits, now)?;
                self.lower.ts.constraints.push(among);
                Ok(())
            }
        }
    }

    fn init(&mut self, id: VarId) -> Result<(), SmvError> {
        let var = self.flat.var(id);
        let (Some(init), Some(bits)) = (var.init, self.vars[id.0 as usize].now) else { return Ok(()) };
        self.lower.next_allowed = false;
        if self.is_choice(init) {
            let among = self.among(id, bits, init)?;
            self.lower.ts.init.push(among);
            return Ok(());
        }
        let value = self.stored(id, init)?;
        if self.lower.ts.terms.is_const(value) {
            let state = self.lower.ts.state_of(bits).expect("an assigned variable should be a state");
            self.lower.ts.states[state].init = Some(value);
        } else {
            let same = self.lower.ts.terms.eq(bits, value);
            self.lower.ts.init.push(same);
        }
        Ok(())
    }

    fn next(&mut self, id: VarId) -> Result<(), SmvError> {
        let var = self.flat.var(id);
        let terms = self.vars[id.0 as usize];
        let Some(bits) = terms.now else { return Ok(()) };
        let Some(state) = self.lower.ts.state_of(bits) else { return Ok(()) };
        self.lower.next_allowed = true;
        let next = match (var.storage, terms.chosen, var.next) {
            (Storage::Frozen, _, _) => bits,
            (_, Some(chosen), None) => chosen,
            (_, Some(chosen), Some(next)) => {
                let among = self.among(id, chosen, next)?;
                self.lower.ts.trans.push(among);
                chosen
            }
            (_, None, Some(next)) => self.stored(id, next)?,
            (_, None, None) => unreachable!("a state that is not assigned should be chosen"),
        };
        self.lower.ts.states[state].next = Some(next);
        Ok(())
    }

    /// The bits of a deterministic value, which has to be one of the variable's type.
    fn stored(&mut self, id: VarId, scoped: Scoped) -> Result<Term, SmvError> {
        let value = self.lower.value(scoped)?;
        self.fitting(id, scoped, &value)
    }

    fn fitting(&mut self, id: VarId, scoped: Scoped, value: &Value) -> Result<Term, SmvError> {
        let var = self.flat.var(id);
        let pos = self.lower.pos(scoped.0);
        match var.ty.store(&mut self.lower.ts.terms, value) {
            Some((bits, inside)) => {
                let outside = self.lower.ts.terms.not(inside);
                let message = format!("`{}` has the type {}, and this can be another value", var.name, var.ty.shown());
                self.lower.oblige(outside, pos, message);
                Ok(bits)
            }
            None => {
                let kind = value.kind(&self.lower.ts.terms);
                let message = format!("`{}` has the type {}: {kind} can't be assigned to it", var.name, var.ty.shown());
                Err(SmvError::new(pos, message))
            }
        }
    }

    /// That `bits` is one of the values to choose from, which all have to be of the variable's type.
    fn among(&mut self, id: VarId, bits: Term, scoped: Scoped) -> Result<Term, SmvError> {
        let picks = self.lower.picks(scoped)?;
        for (condition, pick) in &picks {
            let guard = self.lower.guard;
            self.lower.guard = self.lower.ts.terms.and(guard, *condition);
            let fits = match pick {
                Pick::One(value) => self.fitting(id, scoped, value).map(|_| ()),
                Pick::Between(low, high) => self.range_fits(id, scoped, *low, *high),
            };
            self.lower.guard = guard;
            fits?;
        }
        let var = self.flat.var(id);
        let value = var.ty.read(&mut self.lower.ts.terms, bits);
        self.lower.among(&value, &picks, scoped.0)
    }

    fn range_fits(&mut self, id: VarId, scoped: Scoped, low: Int, high: Int) -> Result<(), SmvError> {
        let var = self.flat.var(id);
        let pos = self.lower.pos(scoped.0);
        if !matches!(var.ty, Type::Range { .. }) {
            let message = format!("a range can't be assigned to `{}`, whose type is {}", var.name, var.ty.shown());
            return Err(SmvError::new(pos, message));
        }
        for end in [low, high] {
            self.fitting(id, scoped, &Value::Int(end))?;
        }
        let terms = &mut self.lower.ts.terms;
        let width = terms.width(low.term).max(terms.width(high.term));
        let (low, high) = (widen(terms, low, width), widen(terms, high, width));
        let empty = terms.slt(high, low);
        self.lower.oblige(empty, pos, "this range can be empty");
        Ok(())
    }
}

/// INIT, TRANS, INVAR, JUSTICE and what is to be shown.
impl Reader<'_> {
    fn sections(&mut self) -> Result<(), SmvError> {
        let program = self.lower.program;
        for (index, instance) in self.flat.instances.iter().enumerate() {
            let inst = InstId(index as u32);
            let module = &program.modules[instance.module];
            self.lower.next_allowed = false;
            for &expr in &module.init {
                let term = self.lower.condition((expr, inst))?;
                self.lower.ts.init.push(term);
            }
            for &expr in &module.invar {
                let term = self.lower.condition((expr, inst))?;
                self.lower.ts.constraints.push(term);
                self.total = false;
            }
            for &expr in &module.justice {
                let term = self.lower.condition((expr, inst))?;
                self.lower.ts.fair.push(term);
            }
            self.lower.next_allowed = true;
            for &expr in &module.trans {
                let term = self.lower.condition((expr, inst))?;
                self.lower.ts.trans.push(term);
                self.total = false;
            }
        }
        Ok(())
    }

    fn specs(&mut self) -> Result<(), SmvError> {
        let program = self.lower.program;
        for (index, instance) in self.flat.instances.iter().enumerate() {
            for decl in &program.modules[instance.module].specs {
                let name = match &decl.name {
                    Some(name) => format!("{}{name}", instance.prefix),
                    None => format!("p{}", self.lower.ts.properties.len()),
                };
                if self.lower.ts.property(&name).is_some() {
                    return Err(SmvError::new(decl.pos, format!("two specifications have the name `{name}`")));
                }
                let goal = self.spec(decl, InstId(index as u32))?;
                self.lower.ts.properties.push(Property { name, text: Some(decl.text.clone()), goal });
            }
        }
        Ok(())
    }

    fn spec(&mut self, decl: &SpecDecl, inst: InstId) -> Result<Goal, SmvError> {
        self.lower.next_allowed = decl.logic == Logic::Ltl;
        let scoped = (decl.expr, inst);
        let formula = match decl.logic {
            Logic::Invariant => {
                let holds = self.lower.condition(scoped)?;
                return Ok(Goal::Bad(self.lower.ts.terms.not(holds)));
            }
            Logic::Ltl => names::ltl(&mut self.lower, scoped)?,
            Logic::Ctl => ctl::ctl(&mut self.lower, scoped)?,
        };
        let plain = self.lower.ts.fair.is_empty() && (self.total || decl.logic == Logic::Ctl);
        Ok(match formula.always_atom() {
            Some(holds) if plain => Goal::Bad(self.lower.ts.terms.not(holds)),
            _ => Goal::Ltl(formula),
        })
    }

    fn signals(&mut self) -> Result<Vec<Signal>, SmvError> {
        let mut signals = Vec::new();
        for (var, terms) in self.flat.vars.iter().zip(self.vars) {
            let term = match (terms.now, var.now) {
                (Some(bits), _) => bits,
                (None, Some(now)) => {
                    let value = self.lower.value(now)?;
                    var.ty.store(&mut self.lower.ts.terms, &value).expect("the type should have been checked").0
                }
                (None, None) => unreachable!("a variable without a term should be assigned"),
            };
            signals.push(Signal { name: var.name.clone(), term, format: format(&var.ty) });
            self.lower.ts.symbols.insert(var.name.clone(), term);
        }
        self.definitions(&mut signals)?;
        Ok(signals)
    }

    /// Definitions are shown too, unless they speak of next values or are sets.
    fn definitions(&mut self, signals: &mut Vec<Signal>) -> Result<(), SmvError> {
        let program = self.lower.program;
        for (index, instance) in self.flat.instances.iter().enumerate() {
            for (name, expr, _) in &program.modules[instance.module].defines {
                let scoped = (*expr, InstId(index as u32));
                if self.is_choice(scoped) {
                    continue;
                }
                let before: Vec<Obligation> = self.lower.obligations.clone();
                self.lower.next_allowed = true;
                let value = self.lower.value(scoped)?;
                self.lower.obligations = before;
                if let Some(signal) = self.definition(format!("{}{name}", instance.prefix), &value) {
                    self.lower.ts.symbols.insert(signal.name.clone(), signal.term);
                    signals.push(signal);
                }
            }
        }
        Ok(())
    }

    /// How a definition's value is shown: none if it mentions a chosen next value, which the last state of a trace has none of.
    fn definition(&mut self, name: String, value: &Value) -> Option<Signal> {
        let terms = &mut self.lower.ts.terms;
        let (term, format) = match value {
            Value::Bool(term) => (*term, Format::Truth),
            Value::Int(int) => (int.term, Format::Signed),
            Value::Word { term, signed } => (*term, Format::Word { signed: *signed }),
            Value::Symbol(cases) => {
                let ty = Type::Enum(cases.iter().map(|(v, _)| v.clone()).collect());
                (ty.store(terms, value)?.0, format(&ty))
            }
        };
        let chosen: BTreeSet<Term> = self.vars.iter().filter_map(|v| v.chosen).collect();
        let mentions = blitz_term::vars_of(terms, &[term]).iter().any(|v| chosen.contains(v));
        (!mentions).then_some(Signal { name, term, format })
    }
}

fn format(ty: &Type) -> Format {
    match ty {
        Type::Bool => Format::Truth,
        Type::Range { low, .. } if *low >= 0 => Format::Unsigned,
        Type::Range { .. } => Format::Signed,
        Type::Enum(values) => Format::Names(values.iter().map(super::ast::EnumValue::shown).collect()),
        Type::Word { signed, .. } => Format::Word { signed: *signed },
    }
}
