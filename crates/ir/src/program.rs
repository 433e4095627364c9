//! The whole program: functions (lowered when first asked for), globals, source files, properties.

use crate::func::Func;
use crate::property::{Property, PropertyId};
use crate::types::Type;
use blitz_base::id_type;
use blitz_base::span::{FileId, Loc};
use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock};

id_type!(
    /// A function of the program.
    FuncId,
    "func"
);
id_type!(
    /// A global variable of the program.
    GlobalId,
    "global"
);

/// A program. Bodies are lowered on first use, so that a million lines load without being lowered.
pub struct Program {
    pub target: TargetInfo,
    pub funcs: Vec<FuncDecl>,
    pub globals: Vec<Global>,
    /// Paths as the compiler was given them; index is `FileId`.
    pub files: Vec<String>,
    /// Functions to run before `main`, in order.
    pub constructors: Vec<FuncId>,
    /// Functions to run after `main`, in order.
    pub destructors: Vec<FuncId>,
    /// Functions without a body whose calls are inputs (`__VERIFIER_nondet_int`), by name.
    pub asking: Vec<(String, Signature)>,
    /// It may start threads: only then are there visible points, and instances of thread-local globals.
    pub threads: bool,
    /// The user's functions that nothing mentions on the way from the start, if there is a start. Approximates downwards.
    pub unmentioned: BTreeSet<FuncId>,
    /// Those have no bodies any more (`prune`).
    pruned: bool,
    bodies: Vec<OnceLock<Func>>,
    source: Box<dyn BodySource>,
    properties: Mutex<Vec<Property>>,
}

/// What gives a function its body, on demand. Properties it creates are registered through the callback,
/// which returns their ids. Never fails: what can't be lowered becomes `Inst::Unsupported`.
pub trait BodySource: Send + Sync {
    fn body(&self, func: FuncId, register: &mut dyn FnMut(Property) -> PropertyId) -> Func;
}

/// What is known of a function without its body.
#[derive(Clone, Debug)]
pub struct FuncDecl {
    pub name: String,
    pub signature: Signature,
    pub has_body: bool,
    /// It comes from our libc models: its violations are reported at the caller's line, its loops are
    /// bounded by their data.
    pub model: bool,
    pub loc: Loc,
    /// Parameter names, where the source has them.
    pub params: Vec<String>,
    /// Whether only its own file can name it (`static`).
    pub internal: bool,
    /// Whether its address is taken (it may be called through a pointer).
    pub address_taken: bool,
    /// How many of the last parameters are shadows of others: bits set where those are indeterminate.
    pub shadow_params: u32,
    /// The same for the results.
    pub shadow_results: u32,
}

/// Types of parameters and results. A variadic function has one more, hidden, last parameter of type `Ptr` in
/// its body: the address of its packed variable arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    pub params: Vec<Type>,
    pub results: Vec<Type>,
    pub variadic: bool,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub size: u64,
    pub align: u32,
    /// Writing it is an error.
    pub constant: bool,
    /// Initial bytes; shorter than `size` means zeros follow. `None`: defined nowhere, contents are inputs.
    pub init: Option<Vec<u8>>,
    /// Pointers inside the initial bytes, by ascending offset.
    pub relocs: Vec<Reloc>,
    pub loc: Loc,
    /// The type as C writes it, where known.
    pub ty: String,
    /// Belongs to our libc models (kept out of reports).
    pub model: bool,
    /// Code outside the program may name it (external linkage), so a function without a body may change it.
    pub exported: bool,
    /// Each thread has an instance of its own; that of thread 0 is the object of the global itself.
    pub thread_local: bool,
}

/// A pointer in the initial bytes of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reloc {
    pub offset: u64,
    pub target: RelocTarget,
    pub addend: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocTarget {
    Global(GlobalId),
    Func(FuncId),
}

/// Facts about the machine the program is compiled for. Always little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetInfo {
    pub ptr_bits: u16,
    offset_bits: u16,
}

impl TargetInfo {
    /// A target with the usual split of pointers.
    pub const fn new(ptr_bits: u16) -> Self {
        Self { ptr_bits, offset_bits: if ptr_bits == 64 { 40 } else { 18 } }
    }

    /// The same with another split; 32 bits are few, so that it depends on the program which is best.
    pub const fn with_offset_bits(self, offset_bits: u16) -> Self {
        assert!(offset_bits > 8 && offset_bits < self.ptr_bits, "both parts of a pointer should have some bits");
        Self { offset_bits, ..self }
    }

    /// How many of a pointer's bits are the (signed) offset into its object; the rest, above, number the object.
    pub const fn offset_bits(self) -> u16 {
        self.offset_bits
    }

    /// The size of the largest object.
    pub const fn largest_object(self) -> u64 {
        (1 << (self.offset_bits - 1)) - 1
    }

    /// How many numbers of objects there are.
    pub const fn objects(self) -> u64 {
        1 << (self.ptr_bits - self.offset_bits)
    }
}

impl Program {
    pub fn new(
        target: TargetInfo,
        funcs: Vec<FuncDecl>,
        globals: Vec<Global>,
        files: Vec<String>,
        source: Box<dyn BodySource>,
    ) -> Self {
        let bodies = (0..funcs.len()).map(|_| OnceLock::new()).collect();
        Self {
            target,
            funcs,
            globals,
            files,
            constructors: Vec::new(),
            destructors: Vec::new(),
            asking: Vec::new(),
            threads: false,
            unmentioned: BTreeSet::new(),
            pruned: false,
            bodies,
            source,
            properties: Mutex::new(Vec::new()),
        }
    }

    pub fn decl(&self, f: FuncId) -> &FuncDecl {
        &self.funcs[f.index()]
    }

    /// The body of a function that has one; lowered now if it was not before.
    pub fn body(&self, f: FuncId) -> Option<&Func> {
        if !self.decl(f).has_body || self.is_pruned(f) {
            return None;
        }
        Some(self.bodies[f.index()].get_or_init(|| {
            let mut properties = self.properties.lock().expect("property table should not be poisoned");
            self.source.body(f, &mut |p| {
                properties.push(p);
                PropertyId::new(properties.len() - 1)
            })
        }))
    }

    /// Names and numbers the properties of a function, which its lowering finds.
    pub fn fix_properties_of(&self, f: FuncId) {
        self.body(f);
    }

    /// The same for all functions of the user's, in their order: whatever is looked at afterwards, these properties have these ids.
    pub fn fix_properties(&self) {
        for f in (0..self.funcs.len()).map(FuncId::new).filter(|f| !self.decl(*f).model) {
            self.fix_properties_of(f);
        }
    }

    /// The body of a function, if somebody has asked for it before.
    pub fn lowered(&self, f: FuncId) -> Option<&Func> {
        self.bodies[f.index()].get()
    }

    /// Takes the functions away that nothing mentions on the way from the start, but for some. No execution calls them, so that no answer changes;
    /// but nobody has to look at them any more.
    pub fn prune(&mut self, keep: impl Fn(&FuncDecl) -> bool) {
        self.unmentioned.retain(|f| !keep(&self.funcs[f.index()]));
        self.pruned = true;
    }

    /// Whether a function was taken away.
    pub fn is_pruned(&self, f: FuncId) -> bool {
        self.pruned && self.unmentioned.contains(&f)
    }

    /// Gives a function its body before anyone asked for it; later calls of this change nothing.
    pub fn set_body(&self, f: FuncId, body: Func) {
        let _ = self.bodies[f.index()].set(body);
    }

    /// Replaces the table of properties (of a program whose bodies are all there).
    pub fn set_properties(&mut self, properties: Vec<Property>) {
        self.properties = Mutex::new(properties);
    }

    /// The property with this id.
    pub fn property(&self, p: PropertyId) -> Property {
        self.properties.lock().expect("property table should not be poisoned")[p.index()].clone()
    }

    /// The property with this id, if there is one.
    pub fn try_property(&self, p: PropertyId) -> Option<Property> {
        self.properties.lock().expect("property table should not be poisoned").get(p.index()).cloned()
    }

    /// Properties of all functions lowered so far.
    pub fn properties(&self) -> Vec<(PropertyId, Property)> {
        let all = self.properties.lock().expect("property table should not be poisoned");
        all.iter().enumerate().map(|(i, p)| (PropertyId::new(i), p.clone())).collect()
    }

    /// Where execution begins: the start code of a libc or of a harness; without one, `main`.
    pub fn start(&self) -> Option<FuncId> {
        ["__blitz_entry", "main"].iter().filter_map(|n| self.func_named(n)).find(|f| self.decl(*f).has_body)
    }

    pub fn func_named(&self, name: &str) -> Option<FuncId> {
        self.funcs.iter().position(|f| f.name == name).map(FuncId::new)
    }

    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        self.globals.iter().position(|g| g.name == name).map(GlobalId::new)
    }

    pub fn global(&self, g: GlobalId) -> &Global {
        &self.globals[g.index()]
    }

    pub fn file(&self, f: FileId) -> &str {
        self.files.get(f.index()).map_or("?", String::as_str)
    }

    /// Object numbers: 0 is null, globals come first, functions after them, everything allocated later follows.
    pub fn global_object(&self, g: GlobalId) -> u64 {
        1 + g.0 as u64
    }

    /// The object number of a function's code.
    pub fn func_object(&self, f: FuncId) -> u64 {
        1 + self.globals.len() as u64 + f.0 as u64
    }

    /// The first object number that is free for allocations.
    pub fn first_free_object(&self) -> u64 {
        1 + (self.globals.len() + self.funcs.len()) as u64
    }

    /// The function whose code has this object number.
    pub fn func_of_object(&self, object: u64) -> Option<FuncId> {
        let first = 1 + self.globals.len() as u64;
        (first..first + self.funcs.len() as u64).contains(&object).then(|| FuncId((object - first) as u32))
    }
}
