//! Loading: modules are read, linked, put together with our libc, and become a program whose bodies are lowered
//! when asked for.

use crate::constants::Symbol;
use crate::embedded::Part;
use crate::library::Library;
use crate::llvm::{Module, ParseError, Session, Val, ValueKind};
use crate::lower::{self, Attributes, Shared};
use crate::mentions::{self, Started};
use crate::symbols::Symbols;
use crate::unchecked::Unchecked;
use crate::{LibcVariant, LoadError, LoadOptions, ModuleInput, edits, embedded, globals};
use blitz_ir::{BodySource, CheckKind, Func, FuncId, Global, GlobalId, Program, Property, PropertyId, TargetInfo};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Mutex;

/// The function of our libc that a program with `main` starts in.
pub const START: &str = "__blitz_entry";

pub fn load(modules: Vec<ModuleInput>, options: &LoadOptions) -> Result<Program, LoadError> {
    let mut session = Session::new();
    let (user, raw_names) = link_user(&mut session, modules)?;
    session.show_variables(user);
    let target = target_of(&session, user)?;
    let mut libc = Library::new(libc_parts(options.libc, target)?);
    if let Some(unit) = &options.unit {
        let refuse = |ParseError(said)| LoadError::Malformed { name: "the harness".into(), said };
        libc.add_unit(&mut session, &unit.bitcode).map_err(refuse)?;
    }
    let named = options.unit.as_ref().map_or(&[] as &[String], |u| &u.symbols);
    let layout = session.layout(user);
    let attributes = Attributes::new();
    let passing = options.checks.has(CheckKind::Uninitialised).then_some(attributes);
    let mut symbols = Symbols::new(&session, user, libc, layout, passing, named);
    symbols.no_body = options.no_body;
    lower::contracts::redirect(&session, &session.functions(user));
    symbols.fill(&mut session, user, START);
    check_entry(&symbols, options)?;
    let globals = globals::lower(&session, &mut symbols).map_err(LoadError::Initializer)?;
    let target = split(target, options.offset_bits, &globals, symbols.funcs.len())?;
    let constructors = start_functions(&session, &symbols, user, "llvm.global_ctors");
    let mut destructors = start_functions(&session, &symbols, user, "llvm.global_dtors");
    destructors.reverse();
    let contract = lower::contracts::Contract::of(&symbols);
    let unchecked = Unchecked::of(&session, user);
    let raw = raw_functions(&session, user, &raw_names);
    let threads = crate::threads::may_start(&symbols, &constructors);
    let started = if options.unit.is_some() { Started::Unit } else { Started::Main };
    let unmentioned = mentions::unmentioned(&symbols, started, &[&constructors[..], &destructors[..]].concat());
    let (funcs, files) = (symbols.funcs.clone(), symbols.debug.files.clone());
    let shared = Shared {
        symbols,
        checks: options.checks,
        unchecked,
        unset_inputs: unset_inputs(options),
        threads,
        target,
        rounding: lower::mode_variable(&globals),
        gives_none: lower::gives_none_variable(&globals),
        attributes,
        contract,
        raw,
        constructors: constructors.clone(),
        destructors: destructors.clone(),
        model_own: FxHashMap::default(),
        external: if options.libc == LibcVariant::Host { Vec::new() } else { external(&globals) },
        globals: globals.iter().map(outline).collect(),
        session,
    };
    let asking = shared.symbols.asking.clone();
    let source = Source { shared: Mutex::new(shared) };
    let mut program = Program::new(target, funcs, globals, files, Box::new(source));
    program.constructors = constructors;
    program.destructors = destructors;
    program.asking = asking;
    program.threads = threads;
    program.unmentioned = unmentioned;
    Ok(program)
}

/// With the check of definedness off, unset memory may hold anything; a run on the real environment takes it as it comes.
fn unset_inputs(options: &LoadOptions) -> bool {
    !options.checks.has(CheckKind::Uninitialised) && options.libc != LibcVariant::Host
}

fn external(globals: &[Global]) -> Vec<(GlobalId, u64, String)> {
    let list = globals.iter().enumerate();
    let undefined = list.filter(|(_, g)| g.init.is_none() && !g.model && g.size > 0);
    undefined.map(|(i, g)| (GlobalId::new(i), g.size, g.name.clone())).collect()
}

/// A global without its initial bytes.
fn outline(g: &Global) -> Global {
    let (name, ty) = (String::new(), String::new());
    Global { name, ty, init: None, relocs: Vec::new(), ..*g }
}

/// Lowers bodies under a lock: LLVM contexts are not thread-safe.
struct Source {
    shared: Mutex<Shared>,
}

impl BodySource for Source {
    fn body(&self, func: FuncId, register: &mut dyn FnMut(Property) -> PropertyId) -> Func {
        let mut shared = self.shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lower::function(&mut shared, func, register)
    }
}

/// Reads and links the user's modules; also the names of functions that no sanitizer instrumented.
pub fn link_user(session: &mut Session, inputs: Vec<ModuleInput>) -> Result<(Module, FxHashSet<String>), LoadError> {
    let mut whole: Option<Module> = None;
    let mut raw = FxHashSet::default();
    for input in inputs {
        let module = read(session, &input)?;
        edits::apply(session, module, &input);
        raw.extend(raw_names(session, module));
        match whole {
            None => whole = Some(module),
            Some(into) => {
                same_target(session, into, module, &input.name)?;
                if input.edits.yields {
                    edits::yield_to(session, into, module);
                }
                session.link(into, module).map_err(|said| LoadError::link(&said))?;
            }
        }
    }
    Ok((whole.ok_or(LoadError::NoModules)?, raw))
}

fn read(session: &mut Session, input: &ModuleInput) -> Result<Module, LoadError> {
    if input.bytes.is_empty() {
        return Err(LoadError::Empty(input.name.clone()));
    }
    if !looks_like_module(&input.bytes) {
        return Err(LoadError::NotBitcode(input.name.clone()));
    }
    let refuse = |ParseError(said): ParseError| LoadError::unreadable(input, &said);
    if is_ours(input) {
        return session.parse_trusted(&input.name, &input.bytes).map_err(refuse);
    }
    if !is_bitcode(&input.bytes) {
        return session.parse(&input.name, &input.bytes).map_err(refuse);
    }
    match session.parse_foreign(&input.name, &input.bytes) {
        Some(result) => result.map_err(refuse),
        None => Err(LoadError::Truncated(input.name.clone())),
    }
}

pub fn sanitizable(input: &ModuleInput, mark: &str, arithmetic: bool) -> Result<Vec<u8>, LoadError> {
    let mut session = Session::new();
    let module = read(&mut session, input)?;
    session.attribute_bodies(module, mark);
    if !arithmetic {
        lower::silence_arithmetic(&session, module);
    }
    Ok(session.bitcode(module))
}

/// Bitcode that clang made for us from a source just now.
fn is_ours(input: &ModuleInput) -> bool {
    let from_source = [".c", ".i", ".h"].iter().any(|end| input.name.ends_with(end));
    is_bitcode(&input.bytes) && from_source
}

/// Bitcode (raw or wrapped), or something that could be textual IR.
fn looks_like_module(bytes: &[u8]) -> bool {
    is_bitcode(bytes) || !bytes.contains(&0)
}

pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xC0\xDE") || bytes.starts_with(&[0xDE, 0xC0, 0x17, 0x0B])
}

fn raw_names(session: &Session, module: Module) -> Vec<String> {
    let funcs = session.functions(module);
    if funcs.iter().any(|f| crate::names::is_sanitizer_handler(&f.name())) {
        return Vec::new();
    }
    funcs.into_iter().filter(|f| !f.is_declaration()).map(Val::name).collect()
}

fn raw_functions(session: &Session, module: Module, names: &FxHashSet<String>) -> FxHashSet<Val> {
    session.functions(module).into_iter().filter(|f| !f.is_declaration() && names.contains(&f.name())).collect()
}

fn same_target(session: &Session, a: Module, b: Module, name: &str) -> Result<(), LoadError> {
    if session.data_layout(a) == session.data_layout(b) {
        return Ok(());
    }
    Err(LoadError::MixedTargets { name: name.to_string(), triple: session.triple(b), first: session.triple(a) })
}

pub fn target_of(session: &Session, module: Module) -> Result<TargetInfo, LoadError> {
    let triple = session.triple(module);
    let arch = triple.split('-').next().unwrap_or("");
    let ptr_bits = session.layout(module).pointer_bytes() * 8;
    match (arch, ptr_bits) {
        ("x86_64" | "amd64" | "", 64) => Ok(TargetInfo::new(64)),
        ("i386" | "i486" | "i586" | "i686", 32) => Ok(TargetInfo::new(32)),
        _ => Err(LoadError::Target(triple)),
    }
}

/// How pointers are split: as asked for, else so that the largest global fits. Numbers have to be left for the objects of a run.
fn split(target: TargetInfo, asked: Option<u16>, globals: &[Global], funcs: usize) -> Result<TargetInfo, LoadError> {
    if target.ptr_bits == 64 {
        return Ok(target);
    }
    let largest = globals.iter().map(|g| g.size).max().unwrap_or(0);
    let fixed = (globals.len() + funcs) as u64;
    let fits = |t: &TargetInfo| t.largest_object() > largest && t.objects() > fixed + fixed / 4 + 64;
    let bits: Vec<u16> = match asked {
        Some(bits) => vec![bits],
        None => (target.offset_bits()..30).chain((12..target.offset_bits()).rev()).collect(),
    };
    bits.into_iter().map(|bits| target.with_offset_bits(bits)).find(fits).ok_or(LoadError::Pointers { largest, fixed })
}

fn libc_parts(variant: LibcVariant, target: TargetInfo) -> Result<&'static [Part], LoadError> {
    match embedded::libc(variant, target.ptr_bits) {
        Some([]) => Err(LoadError::NoLibc(target.ptr_bits)),
        Some(parts) => Ok(parts),
        None => Ok(&[]),
    }
}

fn check_entry(symbols: &Symbols, options: &LoadOptions) -> Result<(), LoadError> {
    match &options.entry {
        Some(name) if symbols.user_func(name).is_none() => Err(LoadError::NoEntry(name.clone())),
        Some(_) | None => Ok(()),
    }
}

/// The functions in `llvm.global_ctors` or `llvm.global_dtors`, by priority.
fn start_functions(session: &Session, symbols: &Symbols, user: Module, name: &str) -> Vec<FuncId> {
    let Some(list) = session.globals(user).into_iter().find(|g| g.name() == name).and_then(Val::initializer) else {
        return Vec::new();
    };
    let mut found: Vec<(u64, FuncId)> = list.operands().filter_map(|entry| start_function(symbols, entry)).collect();
    found.sort_by_key(|(priority, _)| *priority);
    found.into_iter().map(|(_, f)| f).collect()
}

fn start_function(symbols: &Symbols, entry: Val) -> Option<(u64, FuncId)> {
    let (priority, func) = (entry.element(0)?, entry.element(1)?);
    if priority.kind() != ValueKind::LLVMConstantIntValueKind {
        return None;
    }
    match symbols.constants.symbols.get(&func)? {
        Symbol::Func(f) => Some((priority.int_bits(), *f)),
        Symbol::Global(..) => None,
    }
}
