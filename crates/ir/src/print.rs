//! The text form: functions and programs as people and golden tests read them.
//!
//! Constants stand inline with their type (`5:i32`, floats by their bits: `#x3f800000:f32`); every other value is
//! named by its id with its type at its definition. The place of an instruction follows it (`@file:line:col`), and with a
//! program at hand a comment (`; ...`) says the names of the properties, functions and globals that the line mentions.
//! [`crate::parse`] reads all of it back but the comments.
//!
//! ```text
//! block0(v0: i32):
//!   v1: i1 = sadd.overflow v0, 1:i32 @0:3:12
//!   v2: i1 = eq v1, 0:i1
//!   check v2, prop0 @0:3:12  ; f.signed-overflow.1
//!   v3: i32 = add v0, 1:i32 @0:3:12
//!   return v3 @0:3:3
//! ```

use crate::func::{Block, Const, Func, Value, ValueDef, VarInfo};
use crate::inst::{CallSite, Inst, InstData, MemCheck, Target, Terminator};
use crate::program::{FuncDecl, FuncId, Global, Program, RelocTarget, Signature, TargetInfo};
use crate::property::{CheckKind, Property, PropertyId};
use crate::types::Type;
use blitz_base::Bv;
use blitz_base::span::Loc;
use std::fmt::{self, Display, Formatter, Write as _};

/// A function body as text; with a program, lines carry names as comments.
pub struct FuncText<'a> {
    func: &'a Func,
    program: Option<&'a Program>,
}

/// A whole program as text. Lowers every function it prints.
pub struct ProgramText<'a> {
    program: &'a Program,
    wanted: Option<&'a [FuncId]>,
}

impl Func {
    /// The body as text, with the names that `program` knows as comments.
    pub fn text<'a>(&'a self, program: &'a Program) -> FuncText<'a> {
        FuncText { func: self, program: Some(program) }
    }
}

impl Display for Func {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        FuncText { func: self, program: None }.fmt(f)
    }
}

impl Program {
    /// The program as text, with the bodies of all functions.
    pub fn text(&self) -> ProgramText<'_> {
        ProgramText { program: self, wanted: None }
    }

    /// The program as text, with the bodies of these functions only; the others are printed as declarations.
    pub fn text_of<'a>(&'a self, funcs: &'a [FuncId]) -> ProgramText<'a> {
        ProgramText { program: self, wanted: Some(funcs) }
    }
}

impl Display for ProgramText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let p = self.program;
        // Bodies first: lowering them is what fills the table of properties.
        let bodies: Vec<Option<&Func>> = (0..p.funcs.len())
            .map(FuncId::new)
            .map(|id| self.wanted.is_none_or(|w| w.contains(&id)).then(|| p.body(id)).flatten())
            .collect();
        write!(f, "target {}", p.target.ptr_bits)?;
        if p.target != TargetInfo::new(p.target.ptr_bits) {
            write!(f, " offset {}", p.target.offset_bits())?;
        }
        writeln!(f)?;
        for (i, path) in p.files.iter().enumerate() {
            writeln!(f, "file{i} = {}", Quoted(path))?;
        }
        for (i, g) in p.globals.iter().enumerate() {
            writeln!(f, "global{i} = {}", GlobalText(g))?;
        }
        for (id, property) in p.properties() {
            writeln!(f, "{id} = {}", PropertyText(&property))?;
        }
        if p.threads {
            writeln!(f, "threads")?;
        }
        func_list(f, "constructors", &p.constructors)?;
        func_list(f, "destructors", &p.destructors)?;
        for (i, (decl, body)) in p.funcs.iter().zip(bodies).enumerate() {
            write!(f, "{} = {}", FuncId::new(i), DeclText(decl))?;
            match body {
                Some(body) => writeln!(f, " {{\n{}}}", body.text(p))?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

fn func_list(f: &mut Formatter<'_>, title: &str, funcs: &[FuncId]) -> fmt::Result {
    if funcs.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title} {}", Listed(funcs))
}

struct GlobalText<'a>(&'a Global);

impl Display for GlobalText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let g = self.0;
        write!(f, "{} {} size {} align {}", Quoted(&g.name), Quoted(&g.ty), g.size, g.align)?;
        let flags = [
            (g.constant, " constant"),
            (g.model, " model"),
            (g.exported, " exported"),
            (g.thread_local, " thread_local"),
        ];
        for (flag, name) in flags {
            f.write_str(if flag { name } else { "" })?;
        }
        if let Some(bytes) = &g.init {
            f.write_str(" init #")?;
            bytes.iter().try_for_each(|b| write!(f, "{b:02x}"))?;
        }
        for r in &g.relocs {
            match r.target {
                RelocTarget::Global(id) => write!(f, " reloc {} {id}", r.offset)?,
                RelocTarget::Func(id) => write!(f, " reloc {} {id}", r.offset)?,
            }
            write!(f, "{:+}", r.addend)?;
        }
        Place(g.loc).fmt(f)
    }
}

struct PropertyText<'a>(&'a Property);

impl Display for PropertyText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let p = self.0;
        write!(f, "{} {} {} {}{}", Quoted(&p.name), p.kind, p.func, Quoted(&p.text), Place(p.loc))
    }
}

struct DeclText<'a>(&'a FuncDecl);

impl Display for DeclText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let d = self.0;
        write!(f, "{} {}", Quoted(&d.name), d.signature)?;
        let flags = [(d.model, " model"), (d.address_taken, " address_taken"), (!d.has_body, " extern")];
        for (flag, name) in flags {
            f.write_str(if flag { name } else { "" })?;
        }
        if !d.params.is_empty() {
            let names: Vec<_> = d.params.iter().map(|n| Quoted(n)).collect();
            write!(f, " params {}", Listed(&names))?;
        }
        if (d.shadow_params, d.shadow_results) != (0, 0) {
            write!(f, " shadows {} {}", d.shadow_params, d.shadow_results)?;
        }
        Place(d.loc).fmt(f)
    }
}

impl Display for Signature {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({}", Listed(&self.params))?;
        if self.variadic {
            f.write_str(if self.params.is_empty() { "..." } else { ", ..." })?;
        }
        write!(f, ") -> ({})", Listed(&self.results))
    }
}

impl Display for FuncText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, v) in self.func.vars.iter().enumerate() {
            writeln!(f, "  var{i} = {}", VarText(v))?;
        }
        for b in self.func.block_ids() {
            self.block(f, b)?;
        }
        Ok(())
    }
}

struct VarText<'a>(&'a VarInfo);

impl Display for VarText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let v = self.0;
        write!(f, "{} {} {}", Quoted(&v.name), Quoted(&v.ty), v.format)?;
        if let Some(n) = v.param {
            write!(f, " param {n}")?;
        }
        Place(v.loc).fmt(f)
    }
}

impl FuncText<'_> {
    fn block(&self, f: &mut Formatter<'_>, b: Block) -> fmt::Result {
        let data = self.func.block(b);
        write!(f, "{b}")?;
        if !data.params.is_empty() {
            write!(f, "({})", Listed(&self.defs(&data.params)))?;
        }
        f.write_str(":\n")?;
        for &i in &data.insts {
            self.line(f, &InstText { func: self.func, data: self.func.inst(i) })?;
        }
        let term = TermText { func: self.func, term: &data.term };
        self.line(f, &format_args!("{term}{}", Place(data.loc)))
    }

    fn defs(&self, values: &[Value]) -> Vec<Def> {
        values.iter().map(|&v| Def(v, self.func.ty(v))).collect()
    }

    /// One line, with the names of what it mentions behind it.
    fn line(&self, f: &mut Formatter<'_>, text: &dyn Display) -> fmt::Result {
        let Some(program) = self.program else {
            return writeln!(f, "  {text}");
        };
        let text = text.to_string();
        let comment = mentioned(program, &text);
        match comment.is_empty() {
            true => writeln!(f, "  {text}"),
            false => writeln!(f, "  {text}  ; {comment}"),
        }
    }
}

/// Names of the properties, functions and globals whose ids occur in a line.
fn mentioned(program: &Program, line: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for word in line.split(|c: char| !c.is_ascii_alphanumeric()) {
        let number = |prefix: &str| word.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
        let name = if let Some(n) = number("prop") {
            program.try_property(PropertyId::new(n)).map(|p| p.name)
        } else if let Some(n) = number("func") {
            program.funcs.get(n).map(|d| d.name.clone())
        } else if let Some(n) = number("global") {
            program.globals.get(n).map(|g| g.name.clone())
        } else {
            None
        };
        names.extend(name.map(|n| n.escape_default().to_string()));
    }
    names.dedup();
    names.join(", ")
}

/// A value where it is defined.
struct Def(Value, Type);

impl Display for Def {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0, self.1)
    }
}

/// A value where it is used: its id, or the constant it is.
struct Use<'a>(&'a Func, Value);

impl Display for Use<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(data) = self.0.values.get(self.1.index()) else {
            return write!(f, "{}", self.1);
        };
        match &data.def {
            ValueDef::Param(..) | ValueDef::Inst(..) => write!(f, "{}", self.1),
            ValueDef::Const(c) => constant(f, c, data.ty),
        }
    }
}

fn constant(f: &mut Formatter<'_>, c: &Const, ty: Type) -> fmt::Result {
    match c {
        Const::Bits(bits) => bits_text(f, bits, ty),
        Const::Null => f.write_str("null"),
        Const::Global(g, 0) => write!(f, "{g}"),
        Const::Global(g, offset) => write!(f, "{g}{offset:+}"),
        Const::Func(id) => write!(f, "{id}"),
        Const::Undef => write!(f, "undef:{ty}"),
    }
}

/// Integers in decimal; floats and odd pointers by their bits.
fn bits_text(f: &mut Formatter<'_>, bits: &Bv, ty: Type) -> fmt::Result {
    match ty {
        Type::Int(_) => write!(f, "{}:{ty}", bits.to_decimal()),
        Type::Ptr | Type::Float(_) => write!(f, "{bits}:{ty}"),
    }
}

struct InstText<'a> {
    func: &'a Func,
    data: &'a InstData,
}

impl Display for InstText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let results = &self.data.results;
        if !results.is_empty() {
            let defs: Vec<_> = results.iter().map(|&v| Def(v, self.func.ty(v))).collect();
            write!(f, "{} = ", Listed(&defs))?;
        }
        self.inst(f)?;
        Place(self.data.loc).fmt(f)
    }
}

impl InstText<'_> {
    fn op(&self, f: &mut Formatter<'_>, name: &str, args: &[Value]) -> fmt::Result {
        operation(f, self.func, name, args)
    }

    fn inst(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.data.inst {
            Inst::Unary { op, arg } => self.op(f, op.name(), &[*arg]),
            Inst::Binary { op, lhs, rhs } => self.op(f, op.name(), &[*lhs, *rhs]),
            Inst::Compare { op, lhs, rhs } => self.op(f, op.name(), &[*lhs, *rhs]),
            Inst::Overflow { op, lhs, rhs } => self.op(f, op.name(), &[*lhs, *rhs]),
            Inst::Cast { op, arg } => self.op(f, op.name(), &[*arg]),
            Inst::Select { cond, then, other } => self.op(f, "select", &[*cond, *then, *other]),
            Inst::FusedMulAdd { x, y, z } => self.op(f, "fma", &[*x, *y, *z]),
            Inst::PtrAdd { base, offset, extent } => {
                self.op(f, "ptradd", &[*base, *offset])?;
                extent.map_or(Ok(()), |e| write!(f, ", in {}+{}", e.start, e.size))
            }
            Inst::Alloca { size, align, var, lives } => {
                self.op(f, "alloca", &[*size])?;
                write!(f, ", align {align}")?;
                if let Some(var) = var {
                    write!(f, ", {var}")?;
                }
                f.write_str(if *lives { "" } else { ", dead" })
            }
            Inst::LifetimeStart { ptr } => self.op(f, "lifetime.start", &[*ptr]),
            Inst::LifetimeEnd { ptr } => self.op(f, "lifetime.end", &[*ptr]),
            Inst::StackSave => f.write_str("stack.save"),
            Inst::StackRestore { saved } => self.op(f, "stack.restore", &[*saved]),
            Inst::Load { ptr } => self.op(f, "load", &[*ptr]),
            Inst::Store { ptr, value } => self.op(f, "store", &[*ptr, *value]),
            Inst::LoadShadow { ptr } => self.op(f, "load.shadow", &[*ptr]),
            Inst::StoreShadow { ptr, shadow } => self.op(f, "store.shadow", &[*ptr, *shadow]),
            Inst::MemCopy { dst, src, len } => self.op(f, "memcopy", &[*dst, *src, *len]),
            Inst::MemSet { dst, byte, len } => self.op(f, "memset", &[*dst, *byte, *len]),
            Inst::Scan { ptr, byte, limit } => self.op(f, "scan", &[*ptr, *byte, *limit]),
            Inst::Mismatch { lhs, rhs, limit } => self.op(f, "mismatch", &[*lhs, *rhs, *limit]),
            Inst::HeapAlloc { size, leak } => {
                self.op(f, "heap.alloc", &[*size])?;
                leak.map_or(Ok(()), |p| write!(f, ", {p}"))
            }
            Inst::HeapFree { ptr } => self.op(f, "heap.free", &[*ptr]),
            Inst::Check { cond, property } => {
                self.op(f, "check", &[*cond])?;
                write!(f, ", {property}")
            }
            Inst::CheckMem(check) => self.check_mem(f, check),
            Inst::Assume { cond } => self.op(f, "assume", &[*cond]),
            Inst::Await { cond, property } => {
                self.op(f, "await", &[*cond])?;
                property.map_or(Ok(()), |p| write!(f, ", {p}"))
            }
            Inst::Call(call) => self.call(f, call),
            Inst::Input { name } => write!(f, "input {}", Quoted(name.as_str())),
            Inst::InputBytes { ptr, len, name } => {
                self.op(f, "input.bytes", &[*ptr, *len])?;
                write!(f, ", {}", Quoted(name.as_str()))
            }
            Inst::Builtin { op, args } => {
                write!(f, "builtin {}({})", op.name(), Listed(&uses(self.func, args)))
            }
            Inst::SetJmp { buf } => self.op(f, "setjmp", &[*buf]),
            Inst::Debug { var, value, indirect } => {
                let name = if *indirect { "debug.addr" } else { "debug" };
                write!(f, "{name} {var}, {}", Use(self.func, *value))
            }
            Inst::Unsupported { what } => write!(f, "unsupported {}", Quoted(what)),
            Inst::Approximates { direction, what } => {
                let name = if what.at_once { "at_once" } else { direction.name() };
                write!(f, "{name} {}", Quoted(&what.to_string()))
            }
        }
    }

    fn check_mem(&self, f: &mut Formatter<'_>, check: &MemCheck) -> fmt::Result {
        write!(f, "checkmem {} ", check.access)?;
        write!(f, "{}, {}", Use(self.func, check.ptr), Use(self.func, check.size))?;
        kinds(f, &check.properties)
    }

    fn call(&self, f: &mut Formatter<'_>, call: &CallSite) -> fmt::Result {
        match call.target {
            Target::Func(id) => write!(f, "call {id}")?,
            Target::Pointer(v) => write!(f, "call.ptr {}", Use(self.func, v))?,
        }
        write!(f, "({}) : {}", Listed(&uses(self.func, &call.args)), call.signature)?;
        kinds(f, &call.properties)
    }
}

fn kinds(f: &mut Formatter<'_>, properties: &[(CheckKind, PropertyId)]) -> fmt::Result {
    if properties.is_empty() {
        return Ok(());
    }
    let mut text = String::new();
    for (kind, id) in properties {
        write!(text, "{}{kind} {id}", if text.is_empty() { "" } else { ", " })?;
    }
    write!(f, " [{text}]")
}

fn uses<'a>(func: &'a Func, values: &[Value]) -> Vec<Use<'a>> {
    values.iter().map(|&v| Use(func, v)).collect()
}

fn operation(f: &mut Formatter<'_>, func: &Func, name: &str, args: &[Value]) -> fmt::Result {
    f.write_str(name)?;
    for (i, &v) in args.iter().enumerate() {
        write!(f, "{}{}", if i == 0 { " " } else { ", " }, Use(func, v))?;
    }
    Ok(())
}

struct TermText<'a> {
    func: &'a Func,
    term: &'a Terminator,
}

impl Display for TermText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let edge = |to: Block, args: &'_ [Value]| Edge(self.func, to, args.to_vec());
        match self.term {
            Terminator::Jump { to, args } => write!(f, "jump {}", edge(*to, args)),
            Terminator::Branch { cond, then, other } => {
                write!(f, "branch {}, {}, {}", Use(self.func, *cond), edge(then.0, &then.1), edge(other.0, &other.1))
            }
            Terminator::Switch { value, cases, default } => {
                write!(f, "switch {}, {}", Use(self.func, *value), edge(default.0, &default.1))?;
                for (bits, to, args) in cases {
                    write!(f, ", {}:i{} {}", bits.to_decimal(), bits.width(), edge(*to, args))?;
                }
                Ok(())
            }
            Terminator::IndirectJump { value, targets } => {
                write!(f, "indirect {}, [{}]", Use(self.func, *value), Listed(targets))
            }
            Terminator::Return { values } => operation(f, self.func, "return", values),
            Terminator::Exit { status } => operation(f, self.func, "exit", &[*status]),
            Terminator::Halt { status } => operation(f, self.func, "halt", &[*status]),
            Terminator::LongJmp { buf, value } => operation(f, self.func, "longjmp", &[*buf, *value]),
            Terminator::Unreachable => f.write_str("unreachable"),
        }
    }
}

/// A block with the arguments passed to it.
struct Edge<'a>(&'a Func, Block, Vec<Value>);

impl Display for Edge<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.1)?;
        if self.2.is_empty() {
            return Ok(());
        }
        write!(f, "({})", Listed(&uses(self.0, &self.2)))
    }
}

/// Items with commas between them.
struct Listed<'a, T>(&'a [T]);

impl<T: Display> Display for Listed<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A string in quotes; what is not plain ASCII is escaped.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_default())
    }
}

/// ` @file:line:col`, or nothing for an unknown place.
struct Place(Loc);

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0 == Loc::UNKNOWN {
            return Ok(());
        }
        write!(f, " @{}:{}:{}", self.0.file.0, self.0.line, self.0.col)
    }
}
