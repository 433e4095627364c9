//! The symbol table: which functions and globals the program consists of, over the user's module and our libc.
//!
//! Why two modules: linking the libc in would copy all of it for each program; here only what is reachable by
//! name from the user's code is ever looked at. The user's definition wins over the model.
//!
//! Invariants: ids are given in a fixed order (the user's definitions as they stand in the module, then
//! whatever is found, breadth first); every function and global that a lowered body can mention has an id.

use crate::NoBody;
use crate::constants::{Constants, Folded, Symbol};
use crate::debuginfo::{DebugInfo, local_name};
use crate::library::Library;
use crate::llvm::{Layout, Linkage, Module, Opcode, Session, Val, ValueKind};
use crate::lower::Attributes;
use crate::lower::contracts::{self, Contract};
use crate::lower::passed::Passed;
use crate::names::{self, Named, Rank};
use crate::types;
use blitz_base::span::Loc;
use blitz_ir::{FuncDecl, FuncId, GlobalId, Signature};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Where a function's body comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Defined(Val),
    /// A name with a meaning whose address is taken: a body is made up that does what a call would.
    Meaning(Named, Val),
    Nowhere,
}

/// A global of either module.
#[derive(Clone, Copy, Debug)]
pub struct GlobalSource {
    pub val: Val,
    pub model: bool,
}

/// What a call of a function in LLVM's IR means for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    Meaning(Named),
    Func(FuncId),
}

/// The table, and the work of filling it.
pub struct Symbols {
    pub constants: Constants,
    pub debug: DebugInfo,
    pub funcs: Vec<FuncDecl>,
    pub origins: Vec<Origin>,
    pub globals: Vec<GlobalSource>,
    /// Functions of libc that do what intrinsics of LLVM stand for (`llvm.sin.f64`).
    pub library: FxHashMap<Val, FuncId>,
    /// What calls of these functions mean, where it is not the function itself.
    pub meanings: FxHashMap<Val, Named>,
    /// Functions without a body that give inputs.
    pub asking: Vec<(String, Signature)>,
    user_defs: FxHashMap<String, Val>,
    libc: Library,
    /// Set where shadows travel through calls.
    passing: Option<Attributes>,
    externals: FxHashMap<String, Symbol>,
    queue: VecDeque<Val>,
    /// Functions whose calls were looked at, and which of them don't count.
    called: FxHashSet<Val>,
    silent: FxHashMap<Val, bool>,
    /// The user's code may set a handler of SIGABRT: `abort` is more than an end then.
    handles_signals: bool,
    /// The user's code names `environ`.
    pub names_environment: bool,
    /// What a call of a function without a body means.
    pub no_body: NoBody,
}

impl Symbols {
    pub fn new(
        session: &Session,
        user: Module,
        libc: Library,
        layout: Layout,
        passing: Option<Attributes>,
        named: &[String],
    ) -> Self {
        let mut table = Self {
            constants: Constants { layout, symbols: FxHashMap::default(), missing: FxHashSet::default() },
            debug: DebugInfo::default(),
            funcs: Vec::new(),
            origins: Vec::new(),
            globals: Vec::new(),
            library: FxHashMap::default(),
            meanings: FxHashMap::default(),
            asking: Vec::new(),
            user_defs: FxHashMap::default(),
            libc,
            passing,
            externals: FxHashMap::default(),
            queue: VecDeque::new(),
            called: FxHashSet::default(),
            silent: FxHashMap::default(),
            handles_signals: false,
            names_environment: false,
            no_body: NoBody::Unknown,
        };
        for v in top_level(session, user) {
            table.handles_signals |= v.is_declaration() && names::sets_handlers(&v.name());
            table.names_environment |= v.is_declaration() && matches!(v.name().as_str(), "environ" | "__environ");
            if !v.is_declaration() && (!is_local(v) || named.contains(&v.name())) {
                table.user_defs.insert(v.name(), v);
            }
        }
        table
    }

    /// Fills the table from the user's definitions and, if there, the named function of our libc.
    pub fn fill(&mut self, session: &mut Session, user: Module, entry: &str) {
        for f in session.functions(user) {
            if !f.is_declaration() {
                self.resolve(session, f);
            }
        }
        for g in session.globals(user) {
            if !g.is_declaration() && !is_local(g) && !g.name().starts_with("llvm.") {
                self.resolve(session, g);
            }
        }
        if (self.user_defs.contains_key("main") || self.libc.has_unit())
            && let Some(start) = self.libc.definition(session, entry)
        {
            self.resolve(session, start);
        }
        self.with_contracts(session, user);
        while let Some(v) = self.queue.pop_front() {
            self.scan(session, v);
        }
    }

    /// What every write asks, where contracts are in force.
    fn with_contracts(&mut self, session: &mut Session, user: Module) {
        if !session.functions(user).iter().any(|f| f.with_name(|n| n == Contract::BEGIN)) {
            return;
        }
        for name in Contract::NEEDED {
            if let Some(definition) = self.libc.definition(session, name) {
                self.resolve(session, definition);
            }
        }
    }

    /// The function of this name that the user's code defines.
    pub fn user_func(&self, name: &str) -> Option<FuncId> {
        let defined = |o: &Origin| matches!(o, Origin::Defined(_));
        let mut all = self.funcs.iter().zip(&self.origins);
        all.position(|(f, origin)| !f.model && f.name == name && defined(origin)).map(FuncId::new)
    }

    /// What a call of this function means.
    pub fn callee(&self, func: Val) -> Option<Callee> {
        if let Some(&named) = self.meanings.get(&func) {
            return Some(Callee::Meaning(named));
        }
        match self.constants.symbols.get(&func)? {
            Symbol::Func(f) => Some(Callee::Func(*f)),
            Symbol::Global(..) => None,
        }
    }

    /// The id of a function or global, given now if it had none.
    pub fn resolve(&mut self, session: &mut Session, v: Val) -> Option<Symbol> {
        if let Some(&s) = self.constants.symbols.get(&v) {
            return Some(s);
        }
        let target = self.definition_for(session, v);
        if is_missing(target) {
            self.constants.missing.insert(v);
            return None;
        }
        let symbol = if target == v { self.enter(session, v)? } else { self.resolve(session, target)? };
        self.constants.symbols.insert(v, symbol);
        Some(symbol)
    }

    /// Which definition (or declaration, if there is none) a mention of `v` stands for.
    fn definition_for(&mut self, session: &mut Session, v: Val) -> Val {
        if is_local(v) {
            return v;
        }
        let name = v.name();
        let user = self.user_defs.get(&name).copied();
        let libc = if needs_libc(user) { self.libc.definition(session, &name) } else { None };
        let in_libc = self.libc.owns(v);
        let is_func = v.kind() == ValueKind::LLVMFunctionValueKind;
        if in_libc && is_func && !v.is_declaration() && !names::is_allocator(&name) {
            return v;
        }
        match (user, libc) {
            (Some(u), Some(l)) if u.linkage() == Linkage::LLVMAvailableExternallyLinkage => l,
            (Some(u), _) => u,
            (None, Some(l)) => l,
            (None, None) => v,
        }
    }

    fn enter(&mut self, session: &mut Session, v: Val) -> Option<Symbol> {
        match v.kind() {
            ValueKind::LLVMFunctionValueKind => Some(self.enter_function(v)),
            ValueKind::LLVMGlobalVariableValueKind => Some(self.enter_global(v)),
            ValueKind::LLVMGlobalAliasValueKind => self.enter_alias(session, v),
            _ => None,
        }
    }

    fn enter_function(&mut self, v: Val) -> Symbol {
        let name = v.name();
        let declared = v.is_declaration();
        if declared && let Some(&s) = self.externals.get(&name) {
            return s;
        }
        let origin = match names::meaning(&name) {
            _ if !declared => Origin::Defined(v),
            Some((named, _)) => Origin::Meaning(named, v),
            None => Origin::Nowhere,
        };
        let id = FuncId::new(self.funcs.len());
        let (signature, (shadow_params, shadow_results)) = self.signature(v);
        self.funcs.push(FuncDecl {
            signature,
            shadow_params,
            shadow_results,
            has_body: origin != Origin::Nowhere,
            model: self.libc.owns(v) || matches!(origin, Origin::Meaning(..)),
            loc: Loc::UNKNOWN,
            params: Vec::new(),
            address_taken: false,
            internal: v.linkage() == Linkage::LLVMInternalLinkage,
            name: contracts::shown_name(&name),
        });
        self.origins.push(origin);
        let symbol = Symbol::Func(id);
        if declared {
            self.externals.insert(name, symbol);
        } else {
            self.queue.push_back(v);
        }
        symbol
    }

    fn enter_global(&mut self, v: Val) -> Symbol {
        let name = v.name();
        let declared = v.is_declaration();
        if declared && let Some(&s) = self.externals.get(&name) {
            return s;
        }
        let symbol = Symbol::Global(GlobalId::new(self.globals.len()), 0);
        self.globals.push(GlobalSource { val: v, model: self.libc.owns(v) });
        if declared {
            self.externals.insert(name, symbol);
        } else {
            self.queue.push_back(v);
        }
        symbol
    }

    fn enter_alias(&mut self, session: &mut Session, v: Val) -> Option<Symbol> {
        let target = v.aliasee();
        self.mention(session, target);
        match self.constants.fold(target)? {
            Folded::Address(Symbol::Global(g, base), offset) => Some(Symbol::Global(g, base + offset)),
            Folded::Address(f @ Symbol::Func(_), _) => Some(f),
            Folded::Bits(_) | Folded::Undef => None,
        }
    }

    /// The signature of a function, and how many of its parameters and results are shadows.
    fn signature(&self, func: Val) -> (Signature, (u32, u32)) {
        let ty = func.value_type();
        let plain = signature(ty, self.constants.layout);
        match self.passing {
            Some(attributes) if !func.is_declaration() => {
                Passed::of_function(func, attributes).extend(plain, ty, self.constants.layout)
            }
            _ => (plain, (0, 0)),
        }
    }

    /// Finds what a definition mentions.
    fn scan(&mut self, session: &mut Session, v: Val) {
        if v.kind() == ValueKind::LLVMGlobalVariableValueKind {
            if let Some(init) = v.initializer() {
                self.mention(session, init);
            }
            return;
        }
        if let Some(&Symbol::Func(f)) = self.constants.symbols.get(&v) {
            self.funcs[f.index()].loc = self.debug.function_loc(session, v);
        }
        for block in v.blocks() {
            block.for_each_instruction(|inst| {
                self.debug.loc(session, inst);
                self.scan_instruction(session, inst);
            });
        }
        self.name_params(session, v);
    }

    fn scan_instruction(&mut self, session: &mut Session, inst: Val) {
        if inst.opcode() != Opcode::LLVMCall {
            inst.operands().for_each(|op| self.mention(session, op));
            return;
        }
        let callee = inst.callee();
        if callee.kind() == ValueKind::LLVMFunctionValueKind {
            if self.is_silent(callee) {
                return;
            }
            if self.called.insert(callee) {
                self.mention_callee(session, callee, &callee.name());
            }
        } else {
            self.mention(session, callee);
        }
        inst.args().into_iter().for_each(|op| self.mention(session, op));
    }

    /// Whether what is passed to a function is no value of the program: it reports for a sanitizer or a debugger.
    fn is_silent(&mut self, callee: Val) -> bool {
        *self.silent.entry(callee).or_insert_with(|| {
            callee.with_name(|name| names::is_sanitizer_handler(name) || name.starts_with("llvm.dbg."))
        })
    }

    fn named_definition(&mut self, session: &mut Session, name: &str) -> Option<Val> {
        match self.user_defs.get(name) {
            Some(&user) => Some(user),
            None => self.libc.definition(session, name),
        }
    }

    fn mention_callee(&mut self, session: &mut Session, callee: Val, name: &str) {
        if let Some(function) = names::math_function(name)
            && !self.library.contains_key(&callee)
            && let Some(definition) = self.named_definition(session, &function)
            && let Some(Symbol::Func(f)) = self.resolve(session, definition)
        {
            self.library.insert(callee, f);
        }
        if self.constants.missing.contains(&callee) || callee.is_intrinsic() || self.meanings.contains_key(&callee) {
            return;
        }
        if let Some((named, rank)) = names::meaning(name) {
            let target = self.definition_for(session, callee);
            let by_user = !target.is_declaration() && !self.libc.owns(target);
            let wins = match rank {
                Rank::First => true,
                Rank::OverLibc => !(by_user || named == Named::Abort && self.handles_signals),
                Rank::Last => target.is_declaration(),
            };
            if wins {
                if named == Named::Nondet {
                    self.asking.push((name.to_owned(), self.signature(callee).0));
                }
                self.meanings.insert(callee, named);
                return;
            }
        }
        let nowhere = self.no_body == NoBody::Fails && !self.libc.owns(callee);
        if nowhere && self.definition_for(session, callee).is_declaration() {
            self.meanings.insert(callee, Named::NoBody);
            return;
        }
        self.resolve(session, callee);
    }

    /// Gives ids to everything a constant mentions; functions found this way have their address taken.
    fn mention(&mut self, session: &mut Session, v: Val) {
        // Nearly all are values of the function, which cost nothing here.
        let mut stack = Vec::new();
        let mut next = Some(v);
        while let Some(v) = next {
            match v.kind() {
                ValueKind::LLVMFunctionValueKind => {
                    if let Some(Symbol::Func(f)) = self.resolve(session, v) {
                        self.funcs[f.index()].address_taken = true;
                    }
                }
                ValueKind::LLVMGlobalVariableValueKind => {
                    self.resolve(session, v);
                }
                ValueKind::LLVMGlobalAliasValueKind => {
                    if let Some(Symbol::Func(f)) = self.resolve(session, v) {
                        self.funcs[f.index()].address_taken = true;
                    }
                }
                ValueKind::LLVMConstantExprValueKind
                | ValueKind::LLVMConstantArrayValueKind
                | ValueKind::LLVMConstantStructValueKind
                | ValueKind::LLVMConstantVectorValueKind => stack.extend(v.operands()),
                _ => {}
            }
            next = stack.pop();
        }
    }

    fn name_params(&mut self, session: &Session, func: Val) {
        let Some(Symbol::Func(id)) = self.constants.symbols.get(&func).copied() else { return };
        let layout = self.constants.layout;
        self.funcs[id.index()].params = func
            .params()
            .into_iter()
            .zip(param_names(session, func))
            .flat_map(|(p, name)| vec![name; types::parts(p.ty(), layout).map_or(1, |parts| parts.len())])
            .collect();
    }
}

/// Names of parameters: the variables whose slots the parameters are stored in at the start. Empty where there is none.
pub fn param_names(session: &Session, func: Val) -> Vec<String> {
    let insts = func.blocks().first().map(|entry| entry.instructions()).unwrap_or_default();
    let mut slots: FxHashMap<Val, String> = FxHashMap::default();
    for &inst in &insts {
        if let Some((slot, var)) = declared_variable(session, inst)
            && let Some(name) = local_name(session, var)
        {
            slots.insert(slot, name);
        }
    }
    let mut names = FxHashMap::default();
    for inst in insts {
        if inst.opcode() == Opcode::LLVMStore && inst.operand(0).kind() == ValueKind::LLVMArgumentValueKind {
            names.insert(inst.operand(0), slots.get(&inst.operand(1)).cloned());
        }
    }
    let name = |p: Val| names.get(&p).cloned().flatten().or_else(|| slots.get(&p).cloned()).unwrap_or_default();
    func.params().into_iter().map(name).collect()
}

/// Slot and variable of a `dbg.declare`.
pub fn declared_variable(session: &Session, inst: Val) -> Option<(Val, crate::llvm::Md)> {
    if inst.opcode() != Opcode::LLVMCall {
        return None;
    }
    let callee = inst.callee();
    if callee.kind() != ValueKind::LLVMFunctionValueKind || !callee.with_name(|n| n == "llvm.dbg.declare") {
        return None;
    }
    let args = inst.args();
    Some((args.first()?.as_metadata().as_value(session)?, args.get(1)?.as_metadata()))
}

/// The signature of a function type; types we have no values of are left out (a body with them is refused).
pub fn signature(ty: crate::llvm::Ty, layout: Layout) -> Signature {
    let flat = |t| types::parts(t, layout).unwrap_or_default().into_iter().map(|p| p.ty);
    Signature {
        params: ty.params().into_iter().flat_map(flat).collect(),
        results: flat(ty.result()).collect(),
        variadic: ty.is_variadic(),
    }
}

pub fn top_level(session: &Session, m: Module) -> Vec<Val> {
    let mut out = session.functions(m);
    out.extend(session.globals(m));
    out.extend(session.aliases(m));
    out
}

/// A weak symbol without a definition or a meaning of its own.
fn is_missing(v: Val) -> bool {
    v.is_declaration() && v.linkage() == Linkage::LLVMExternalWeakLinkage && names::meaning(&v.name()).is_none()
}

/// Whether the user's definition, if any, leaves room for ours.
fn needs_libc(user: Option<Val>) -> bool {
    user.is_none_or(|u| u.linkage() == Linkage::LLVMAvailableExternallyLinkage)
}

pub fn is_local(v: Val) -> bool {
    matches!(v.linkage(), Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage)
}
