//! Modules instantiated, variables laid out, names looked up.
//!
//! A parameter is the expression it was given, read where the instance stands. Invariants: every variable has one flat name (`station.bus[2]`); every
//! name of an instance means one thing.

use super::ast::{EnumValue, Expr, ExprId, Module, Moment, Program, Storage, TypeDecl, UnaryOp, VarDecl};
use super::lex::MAX_WORD_BITS;
use super::value::Type;
use super::{Pos, SmvError};
use std::collections::{BTreeMap, BTreeSet};

/// How many variables and instances a model may have.
const MAX_ENTITIES: usize = 1 << 20;
/// How deep modules may be instantiated in each other.
const MAX_INSTANCE_DEPTH: usize = 200;
/// How many names are followed to what they mean: a definition of itself is reported when it is lowered.
const MAX_HOPS: usize = 400;
/// How long an array may be.
const MAX_ARRAY: i64 = 1 << 16;

/// An instance of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstId(pub u32);

/// A variable of the flat model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// An expression with the instance in which its names are looked up.
pub type Scoped = (ExprId, InstId);

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entity {
    Var(VarId),
    Array {
        low: i64,
        items: Vec<Entity>,
    },
    Instance(InstId),
    /// A definition, or a parameter that is no plain name.
    Expr(Scoped),
    Constant(EnumValue),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct FlatVar {
    pub name: String,
    pub storage: Storage,
    pub ty: Type,
    pub now: Option<Scoped>,
    pub init: Option<Scoped>,
    pub next: Option<Scoped>,
}

/// An instance.
#[derive(Clone, Debug)]
pub struct Instance {
    pub module: usize,
    /// What stands before its names: `station.`, or nothing.
    pub prefix: String,
    pub names: BTreeMap<String, Entity>,
}

/// The flat model.
#[derive(Clone, Debug, Default)]
pub struct Flat {
    pub vars: Vec<FlatVar>,
    pub instances: Vec<Instance>,
    constants: BTreeSet<String>,
}

/// Instantiates `main`.
pub fn flatten(program: &Program) -> Result<Flat, SmvError> {
    let nowhere = Pos { line: 1, column: 1 };
    let mut names = BTreeSet::new();
    if let Some(twice) = program.modules.iter().find(|m| !names.insert(&m.name)) {
        return Err(SmvError::new(nowhere, format!("module `{}` is declared twice", twice.name)));
    }
    let Some(main) = program.modules.iter().position(|m| m.name == "main") else {
        return Err(SmvError::new(nowhere, "there is no MODULE main"));
    };
    if !program.modules[main].params.is_empty() {
        return Err(SmvError::new(nowhere, "MODULE main should have no parameters"));
    }
    let mut builder = Builder { program, flat: Flat::default(), depth: 0 };
    for module in &program.modules {
        builder.note_constants(module);
    }
    builder.instance(main, String::new(), BTreeMap::new(), nowhere)?;
    builder.assignments()?;
    Ok(builder.flat)
}

struct Builder<'a> {
    program: &'a Program,
    flat: Flat,
    depth: usize,
}

impl Builder<'_> {
    fn note_constants(&mut self, module: &Module) {
        self.flat.constants.extend(module.constants.iter().cloned());
        for var in &module.vars {
            let mut ty = &var.ty;
            while let TypeDecl::Array { of, .. } = ty {
                ty = of;
            }
            if let TypeDecl::Enum(values) = ty {
                let symbols = values.iter().filter_map(|v| match v {
                    EnumValue::Symbol(name) => Some(name.clone()),
                    EnumValue::Int(_) => None,
                });
                self.flat.constants.extend(symbols);
            }
        }
    }

    fn instance(
        &mut self,
        module: usize,
        prefix: String,
        names: BTreeMap<String, Entity>,
        pos: Pos,
    ) -> Result<InstId, SmvError> {
        if self.depth > MAX_INSTANCE_DEPTH {
            let name = &self.program.modules[module].name;
            return Err(SmvError::new(pos, format!("module `{name}` contains itself")));
        }
        self.depth += 1;
        let id = InstId(self.flat.instances.len() as u32);
        self.flat.instances.push(Instance { module, prefix: prefix.clone(), names });
        let program = self.program;
        let declared = &program.modules[module];
        for (name, value, pos) in &declared.defines {
            self.declare(id, name, Entity::Expr((*value, id)), *pos)?;
        }
        // Instances come last: a width may mention definitions, arguments may mention any variable.
        let (plain, modules): (Vec<&VarDecl>, Vec<&VarDecl>) =
            declared.vars.iter().partition(|v| !matches!(v.ty, TypeDecl::Module { .. }));
        for var in plain.into_iter().chain(modules) {
            let entity = self.entity(id, var, &var.ty, format!("{prefix}{}", var.name))?;
            self.declare(id, &var.name, entity, var.pos)?;
        }
        self.depth -= 1;
        Ok(id)
    }

    fn declare(&mut self, inst: InstId, name: &str, entity: Entity, pos: Pos) -> Result<(), SmvError> {
        if self.flat.vars.len() + self.flat.instances.len() > MAX_ENTITIES {
            return Err(SmvError::new(pos, format!("the model has more than {MAX_ENTITIES} variables")));
        }
        match self.flat.instances[inst.0 as usize].names.insert(name.to_owned(), entity) {
            None => Ok(()),
            Some(_) => Err(SmvError::new(pos, format!("`{name}` is declared twice"))),
        }
    }

    fn entity(&mut self, inst: InstId, var: &VarDecl, ty: &TypeDecl, name: String) -> Result<Entity, SmvError> {
        let ty = match ty {
            TypeDecl::Boolean => Type::Bool,
            TypeDecl::Enum(values) => enum_type(values, var.pos)?,
            TypeDecl::Range(low, high) => {
                let (low, high) = self.range(inst, *low, *high)?;
                Type::Range { low, high }
            }
            TypeDecl::Word { width, signed } => Type::Word { width: self.width(inst, *width)?, signed: *signed },
            TypeDecl::Array { low, high, of } => return self.array(inst, var, (*low, *high), of, &name),
            TypeDecl::Module { name: module, args, pos } => return self.submodule(inst, var, module, args, *pos, name),
        };
        let id = VarId(self.flat.vars.len() as u32);
        self.flat.vars.push(FlatVar { name, storage: var.storage, ty, now: None, init: None, next: None });
        Ok(Entity::Var(id))
    }

    fn array(
        &mut self,
        inst: InstId,
        var: &VarDecl,
        bounds: (ExprId, ExprId),
        of: &TypeDecl,
        name: &str,
    ) -> Result<Entity, SmvError> {
        let (low, high) = self.range(inst, bounds.0, bounds.1)?;
        if high - low >= MAX_ARRAY || self.flat.vars.len() > MAX_ENTITIES {
            return Err(SmvError::new(var.pos, format!("arrays of more than {MAX_ARRAY} elements are not supported")));
        }
        let items: Result<Vec<Entity>, SmvError> =
            (low..=high).map(|i| self.entity(inst, var, of, format!("{name}[{i}]"))).collect();
        Ok(Entity::Array { low, items: items? })
    }

    fn submodule(
        &mut self,
        inst: InstId,
        var: &VarDecl,
        module: &str,
        args: &[ExprId],
        pos: Pos,
        name: String,
    ) -> Result<Entity, SmvError> {
        let Some(index) = self.program.modules.iter().position(|m| m.name == module) else {
            return Err(SmvError::new(pos, format!("there is no module or type `{module}`")));
        };
        if var.storage != Storage::State {
            return Err(SmvError::new(pos, "an instance of a module should be declared in VAR"));
        }
        let params = &self.program.modules[index].params;
        if params.len() != args.len() {
            let message = format!("module `{module}` takes {} parameters, not {}", params.len(), args.len());
            return Err(SmvError::new(pos, message));
        }
        let names = params.iter().zip(args).map(|(p, &arg)| (p.clone(), Entity::Expr((arg, inst)))).collect();
        Ok(Entity::Instance(self.instance(index, format!("{name}."), names, pos)?))
    }

    fn range(&self, inst: InstId, low: ExprId, high: ExprId) -> Result<(i64, i64), SmvError> {
        let pos = self.program.exprs.pos(low);
        let (low, high) = (self.constant(inst, low, 0)?, self.constant(inst, high, 0)?);
        match low <= high {
            true => Ok((low, high)),
            false => Err(SmvError::new(pos, format!("the range {low}..{high} is empty"))),
        }
    }

    fn width(&self, inst: InstId, width: ExprId) -> Result<u16, SmvError> {
        let value = self.constant(inst, width, 0)?;
        u16::try_from(value).ok().filter(|w| (1..=MAX_WORD_BITS).contains(w)).ok_or_else(|| {
            let message = format!("words of {value} bits are not supported: 1 to {MAX_WORD_BITS} are");
            SmvError::new(self.program.exprs.pos(width), message)
        })
    }

    /// The number an expression of constants is.
    fn constant(&self, inst: InstId, id: ExprId, depth: u32) -> Result<i64, SmvError> {
        let wrong = || SmvError::new(self.program.exprs.pos(id), "a constant number should be here");
        let below = |id: ExprId| self.constant(inst, id, depth + 1);
        if depth > 300 {
            return Err(wrong());
        }
        match self.program.exprs.get(id) {
            Expr::Number(n) => Ok(*n),
            Expr::Unary(UnaryOp::Minus, a) => below(*a)?.checked_neg().ok_or_else(wrong),
            Expr::Binary(super::ast::BinaryOp::Add, a, b) => below(*a)?.checked_add(below(*b)?).ok_or_else(wrong),
            Expr::Binary(super::ast::BinaryOp::Sub, a, b) => below(*a)?.checked_sub(below(*b)?).ok_or_else(wrong),
            Expr::Binary(super::ast::BinaryOp::Mul, a, b) => below(*a)?.checked_mul(below(*b)?).ok_or_else(wrong),
            Expr::Name(_) | Expr::Dot(..) => match self.flat.entity(self.program, inst, id) {
                Some(Entity::Expr((value, scope))) => self.constant(scope, value, depth + 1),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }

    /// Gives variables their assignments, once all instances are there.
    fn assignments(&mut self) -> Result<(), SmvError> {
        for inst in 0..self.flat.instances.len() {
            let id = InstId(inst as u32);
            let program = self.program;
            for assign in &program.modules[self.flat.instances[inst].module].assigns {
                let pos = program.exprs.pos(assign.target);
                let Some(Entity::Var(var)) = self.flat.entity(program, id, assign.target) else {
                    return Err(SmvError::new(pos, "a variable should stand on the left of `:=`"));
                };
                self.assign(var, assign.moment, (assign.value, id), pos)?;
            }
        }
        Ok(())
    }

    fn assign(&mut self, var: VarId, moment: Moment, value: Scoped, pos: Pos) -> Result<(), SmvError> {
        let var = &mut self.flat.vars[var.0 as usize];
        if var.storage == Storage::Input {
            return Err(SmvError::new(pos, format!("`{}` is an input: nothing can be assigned to it", var.name)));
        }
        if var.storage == Storage::Frozen && moment != Moment::Init {
            return Err(SmvError::new(pos, format!("`{}` is frozen: it can only be assigned by init", var.name)));
        }
        let slot = match moment {
            Moment::Now => &mut var.now,
            Moment::Init => &mut var.init,
            Moment::Next => &mut var.next,
        };
        let twice = slot.replace(value).is_some();
        if twice || (var.now.is_some() && (var.init.is_some() || var.next.is_some())) {
            return Err(SmvError::new(pos, format!("`{}` is assigned twice", var.name)));
        }
        Ok(())
    }
}

fn enum_type(values: &[EnumValue], pos: Pos) -> Result<Type, SmvError> {
    let mut seen = BTreeSet::new();
    match values.iter().find(|v| !seen.insert(*v)) {
        Some(twice) => Err(SmvError::new(pos, format!("`{}` is listed twice in this enumeration", twice.shown()))),
        None => Ok(Type::Enum(values.to_vec())),
    }
}

impl Flat {
    pub fn var(&self, id: VarId) -> &FlatVar {
        &self.vars[id.0 as usize]
    }

    /// What a name, a member or an element with a constant index means, if the expression is that.
    pub fn entity(&self, program: &Program, inst: InstId, id: ExprId) -> Option<Entity> {
        self.find(program, (id, inst), MAX_HOPS)
    }

    fn find(&self, program: &Program, (id, inst): Scoped, hops: usize) -> Option<Entity> {
        let hops = hops.checked_sub(1)?;
        let found = match program.exprs.get(id) {
            Expr::Name(name) => self.lookup(inst, name)?,
            Expr::Dot(base, name) => match self.find(program, (*base, inst), hops)? {
                Entity::Instance(inner) => self.member(inner, name)?,
                _ => return None,
            },
            Expr::Index(base, index) => match (self.find(program, (*base, inst), hops)?, program.exprs.get(*index)) {
                (Entity::Array { low, items }, Expr::Number(n)) => {
                    let at = usize::try_from(n.checked_sub(low)?).ok()?;
                    items.get(at)?.clone()
                }
                _ => return None,
            },
            _ => return None,
        };
        // A parameter or definition that is a plain name stands for what that name means.
        match found {
            Entity::Expr(scoped) => Some(self.find(program, scoped, hops).unwrap_or(Entity::Expr(scoped))),
            other => Some(other),
        }
    }

    fn member(&self, inst: InstId, name: &str) -> Option<Entity> {
        self.instances[inst.0 as usize].names.get(name).cloned()
    }

    fn lookup(&self, inst: InstId, name: &str) -> Option<Entity> {
        let constant = || self.constants.contains(name).then(|| Entity::Constant(EnumValue::Symbol(name.to_owned())));
        self.member(inst, name).or_else(constant)
    }
}
