//! A function to check by itself: C that calls it with arbitrary arguments, in an arbitrary state if that is asked for.
//!
//! Why C: the same text begins the symbolic run, the interpreter's and the native one of a reproduction kit, and people can read
//! and change it. It names no type of the user's, only sizes and offsets, so that no header is needed.
//!
//! What a pointer is: null, or to a fresh object of its type that nothing else points to. Text and numbers have any
//! length up to 65,535, structs come one at a time. Objects are made level by level, up to [`LEVELS`] and [`OBJECTS`]; beyond, and for pointers
//! to types that are declared only, there is null. A stream is standard input or output. A pointer to functions is null, or means one of the program's functions
//! of its type that something takes the address of; where there is none, it means a function that changes nothing and returns any number (fewer). What the function's attributes demand of a pointer (`nonnull`, `a[static 4]`) holds.
//!
//! `LLVMFuzzerTestOneInput` is called as libFuzzer does (`libfuzzer`).
//!
//! Absent: shared objects, cycles, arrays of structs. What can't be told apart from null by debug metadata stays null.

mod libfuzzer;
mod shape;
mod text;

use crate::debuginfo::subroutine_types;
use crate::llvm::{Linkage, Md, Module, Opcode, Session, Val, ValueKind};
use crate::load::{link_user, target_of};
use crate::symbols::{param_names, signature};
use crate::types::scalar;
use crate::{LoadError, ModuleInput};
use blitz_ir::Type;
use std::collections::BTreeSet;

pub use libfuzzer::LIBFUZZER;
pub use text::{RESULT, c_type};

/// How many pointers lead from an argument to the farthest object.
pub const LEVELS: u32 = 3;
/// How many objects are made.
pub const OBJECTS: usize = 64;

/// A harness.
#[derive(Clone, Debug)]
pub struct Unit {
    /// It defines `__blitz_entry`, where execution begins.
    pub text: String,
    pub ptr_bits: u16,
    /// What it names of the program: functions and variables, static ones as well.
    pub symbols: Vec<String>,
    /// How the function is called, in a sentence.
    pub call: String,
    /// What an answer rests on.
    pub notes: Vec<String>,
}

impl Unit {
    /// The text for a native program, which has no wrappers: it calls the function itself.
    pub fn native_text(&self) -> String {
        self.text.replace(crate::driver::ASSUMED, "").replace(crate::driver::ENFORCED, "")
    }
}

/// An argument: its type in the IR, what C calls it, and its type there, where that is known.
struct Argument {
    name: String,
    ty: Type,
    debug: Option<Md>,
    demand: Demand,
}

/// What attributes of a function say of a pointer: `nonnull`, `a[static 4]`. Callers have to keep to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Demand {
    not_null: bool,
    /// Bytes that are there at least.
    bytes: u64,
}

/// What variables hold when the function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variables {
    /// Their first values.
    Initialised,
    /// Anything that can be made up for their types; those that the function and what it calls directly name.
    MadeUp,
    /// Any bytes, all variables that are not constant: `goto-instrument --nondet-static`. A pointer then leads anywhere or nowhere.
    AnyBytes,
}

/// A variable that may hold anything.
struct Variable {
    symbol: String,
    debug: Md,
    size: u64,
}

/// A function that a pointer may mean.
struct Candidate {
    symbol: String,
    /// What C says it returns and takes.
    types: Vec<Option<Md>>,
}

/// The harness for a function of these modules.
pub fn harness(modules: Vec<ModuleInput>, function: &str, hold: Variables) -> Result<Unit, LoadError> {
    let mut session = Session::new();
    let (user, _) = link_user(&mut session, modules)?;
    let pointer = u64::from(target_of(&session, user)?.ptr_bits) / 8;
    let defines = |name: &str| session.functions(user).iter().any(|f| !f.is_declaration() && f.name() == name);
    if function == LIBFUZZER && matches!(hold, Variables::Initialised) && defines(LIBFUZZER) {
        return Ok(libfuzzer::write(pointer as u16 * 8, defines(libfuzzer::INITIALISE)));
    }
    let defined = |f: &Val| !f.is_declaration() && f.name() == function;
    let called = called_instead(&session.functions(user), function);
    let func = session.functions(user).into_iter().find(defined).ok_or_else(|| LoadError::NoEntry(function.into()))?;
    session.show_variables(user);
    let arguments = arguments(&session, func);
    let variables = match hold {
        Variables::Initialised => Vec::new(),
        Variables::MadeUp => variables(&session, user, func),
        Variables::AnyBytes => all_variables(&session, user),
    };
    let signature = signature(func.value_type(), session.layout(user));
    let candidates = candidates(&session, &session.functions(user), &session.globals(user));
    Ok(text::write(&session, pointer, (function, &called, &signature), &arguments, (hold, &variables), &candidates))
}

/// What is called for a function: the wrapper of what is assumed of it, or of its contract, where there is one.
fn called_instead(functions: &[Val], function: &str) -> String {
    use crate::driver::{ASSUMED, ENFORCED};
    let wrappers = [ASSUMED, ENFORCED].map(|prefix| format!("{prefix}{function}"));
    let found = wrappers.into_iter().find(|w| functions.iter().any(|f| !f.is_declaration() && f.name() == *w));
    found.unwrap_or_else(|| function.to_owned())
}

/// The functions that something takes the address of, by name.
fn candidates(session: &Session, functions: &[Val], globals: &[Val]) -> Vec<Candidate> {
    let passed = |inst: Val| match inst.opcode() {
        Opcode::LLVMCall => inst.args(),
        _ => inst.operands().collect(),
    };
    let insts = functions.iter().flat_map(|f| f.blocks()).flat_map(|b| b.instructions());
    let mut work: Vec<Val> = insts.flat_map(passed).chain(globals.iter().filter_map(|g| g.initializer())).collect();
    let mut taken = BTreeSet::new();
    while let Some(v) = work.pop() {
        match v.kind() {
            ValueKind::LLVMFunctionValueKind if !v.is_declaration() => {
                taken.insert(v.name());
            }
            ValueKind::LLVMConstantExprValueKind
            | ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantStructValueKind
            | ValueKind::LLVMConstantVectorValueKind => work.extend(v.operands()),
            _ => {}
        }
    }
    let named = functions.iter().filter(|f| taken.contains(&f.name()));
    let mut out: Vec<Candidate> = named
        .filter_map(|f| Some(Candidate { symbol: f.name(), types: subroutine_types(session, f.subprogram()?) }))
        .collect();
    out.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    out
}

/// C's parameters, unless the compiler passes them in another form; then what it passes.
fn arguments(session: &Session, func: Val) -> Vec<Argument> {
    let (nonnull, dereferenceable) = (Session::attribute("nonnull"), Session::attribute("dereferenceable"));
    let params = func.params().into_iter().zip(1..);
    let (passed, demands): (Vec<Type>, Vec<Demand>) = params
        .filter_map(|(p, index)| {
            let bytes = func.number_attribute(index, dereferenceable).unwrap_or(0);
            let not_null = bytes > 0 || func.has_attribute(index, nonnull);
            Some((scalar(p.ty())?, Demand { not_null, bytes }))
        })
        .unzip();
    let declared = func.subprogram().map(|s| subroutine_types(session, s)).unwrap_or_default();
    let names = param_names(session, func);
    let same = declared.len() == passed.len() + 1;
    let debug = |i: usize| if same { declared[i + 1] } else { None };
    let name = |i: usize| names.get(i).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| format!("argument{i}"));
    let one = |(i, &ty): (usize, &Type)| Argument { name: name(i), ty, debug: debug(i), demand: demands[i] };
    passed.iter().enumerate().map(one).collect()
}

/// The variables that a function and what it calls directly name, those of constant value left out.
fn variables(session: &Session, user: Module, func: Val) -> Vec<Variable> {
    let mut funcs = vec![func];
    let mut seen: BTreeSet<String> = BTreeSet::from([func.name()]);
    let mut found = Vec::new();
    while let Some(f) = funcs.pop() {
        for v in mentioned(f) {
            if !seen.insert(v.name()) {
                continue;
            }
            match v.kind() {
                ValueKind::LLVMFunctionValueKind if !v.is_declaration() => funcs.push(v),
                ValueKind::LLVMGlobalVariableValueKind => found.extend(variable(session, user, v)),
                _ => {}
            }
        }
    }
    found.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    found
}

/// Every variable of the program that is not constant, nor has a constant part. Those whose names begin with `__CPROVER_` are the checker's own.
fn all_variables(session: &Session, user: Module) -> Vec<Variable> {
    let own = |v: &Val| v.name().starts_with("__CPROVER_");
    let all = session.globals(user).into_iter().filter(|v| !own(v)).filter_map(|v| variable(session, user, v));
    let mut found: Vec<Variable> = all.filter(|v| !shape::has_constant(session, v.debug)).collect();
    found.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    found
}

fn variable(session: &Session, user: Module, v: Val) -> Option<Variable> {
    if v.is_declaration() || v.is_constant_global() || v.linkage() == Linkage::LLVMPrivateLinkage {
        return None;
    }
    let debug = v.global_debug().and_then(Md::global_variable)?.operands(session).get(3).copied().flatten()?;
    let size = session.layout(user).size(v.value_type());
    Some(Variable { symbol: v.name(), debug, size })
}

/// Functions and variables that a body names.
fn mentioned(func: Val) -> Vec<Val> {
    let mut out = Vec::new();
    for inst in func.blocks().into_iter().flat_map(|b| b.instructions()) {
        let mut work: Vec<Val> = inst.operands().collect();
        while let Some(v) = work.pop() {
            match v.kind() {
                ValueKind::LLVMFunctionValueKind | ValueKind::LLVMGlobalVariableValueKind => out.push(v),
                ValueKind::LLVMConstantExprValueKind => work.extend(v.operands()),
                _ => {}
            }
        }
        if inst.opcode() == Opcode::LLVMCall && inst.callee().kind() == ValueKind::LLVMFunctionValueKind {
            out.push(inst.callee());
        }
    }
    out
}
