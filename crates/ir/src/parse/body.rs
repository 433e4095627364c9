//! Function bodies: variables, blocks, instructions, terminators.

use super::lexer::TokenKind;
use super::{Parser, Result};
use crate::builtin::Builtin;
use crate::direction::Direction;
use crate::func::{Block, Const, Func, FuncBuilder, Value, ValueData, ValueDef, Var, VarFormat, VarInfo};
use crate::inst::{
    AccessKind, BinOp, CallSite, CastOp, CmpOp, Extent, Inst, InstData, InstId, MemCheck, OverflowOp, Target,
    Terminator, UnOp,
};
use crate::program::{FuncId, GlobalId};
use crate::property::PropertyId;
use crate::types::Type;
use crate::unsupported::Approximation;
use blitz_base::Bv;

/// Reads variables and blocks up to what is neither.
pub fn body(p: &mut Parser<'_>) -> Result<Func> {
    let defined = vec![false; written_values(p)?];
    let mut reader = Body { builder: FuncBuilder::new(), defined, used: Vec::new() };
    // Numbers that nothing defines stay unused constants.
    let filler = ValueData { ty: Type::BOOL, def: ValueDef::Const(Const::Undef) };
    reader.builder.func.values = vec![filler; reader.defined.len()];
    while let Some(n) = p.accept_id("var") {
        let var = variable(p)?;
        if n as usize != reader.builder.func.vars.len() {
            return p.wrong(format!("var{n} is out of order"));
        }
        reader.builder.func.vars.push(var);
    }
    while let Some(n) = p.accept_id("block") {
        if n as usize != reader.builder.func.blocks.len() {
            return p.wrong(format!("block{n} is out of order"));
        }
        reader.block(p)?;
    }
    if let Some(v) = reader.used.iter().find(|v| !reader.defined[v.index()]) {
        return p.wrong(format!("{v} is not defined"));
    }
    Ok(reader.builder.func)
}

/// One more than the highest number of a value from here on up to the body's end.
fn written_values(p: &Parser<'_>) -> Result<usize> {
    let mut most = 0usize;
    let rest = &p.tokens[p.at..];
    let end = rest.iter().position(|t| matches!(t.kind, TokenKind::Symbol("}"))).unwrap_or(rest.len());
    for token in &rest[..end] {
        if let TokenKind::Word(w) = token.kind
            && let Some(n) = w.strip_prefix('v').and_then(|n| n.parse::<usize>().ok())
        {
            most = most.max(n.saturating_add(1));
        }
    }
    if most > 64 * end + 65_536 {
        return p.fail("numbers of values are out of proportion");
    }
    Ok(most)
}

fn variable(p: &mut Parser<'_>) -> Result<VarInfo> {
    p.expect("=")?;
    let (name, ty) = (p.text()?, p.text()?);
    let word = p.word()?;
    let Some(format) = VarFormat::from_name(word) else {
        return p.wrong(format!("'{word}' is no format of variables"));
    };
    let param = p.accept_word("param").then(|| p.number()).transpose()?;
    let loc = p.place()?;
    Ok(VarInfo { name, ty, loc, format, param })
}

struct Body {
    builder: FuncBuilder,
    defined: Vec<bool>,
    used: Vec<Value>,
}

/// An edge: a block and the values passed.
type Edge = (Block, Vec<Value>);

impl Body {
    fn block(&mut self, p: &mut Parser<'_>) -> Result<()> {
        let block = self.builder.block();
        if p.accept("(") {
            let params = p.list(")", Self::definition)?;
            for (n, &(v, ty)) in params.iter().enumerate() {
                self.define(p, v, ty, ValueDef::Param(block, n as u32))?;
            }
            self.builder.func.blocks[block.index()].params = params.iter().map(|d| d.0).collect();
        }
        p.expect(":")?;
        loop {
            if let Some(term) = self.terminator(p)? {
                let loc = p.place()?;
                self.builder.terminate(block, term, loc);
                return Ok(());
            }
            self.instruction(p, block)?;
        }
    }

    fn definition(p: &mut Parser<'_>) -> Result<(Value, Type)> {
        let v = Value(p.id("v")?);
        p.expect(":")?;
        Ok((v, p.ty()?))
    }

    fn define(&mut self, p: &Parser<'_>, v: Value, ty: Type, def: ValueDef) -> Result<()> {
        if std::mem::replace(&mut self.defined[v.index()], true) {
            return p.wrong(format!("{v} is defined twice"));
        }
        self.builder.func.values[v.index()] = ValueData { ty, def };
        Ok(())
    }

    fn instruction(&mut self, p: &mut Parser<'_>, block: Block) -> Result<()> {
        let mut results = Vec::new();
        if p.peek_id("v").is_some() {
            results = p.list("=", Self::definition)?;
        }
        let id = InstId::new(self.builder.func.insts.len());
        let mnemonic = p.word()?;
        let inst = self.inst(p, mnemonic)?;
        let loc = p.place()?;
        for (n, &(v, ty)) in results.iter().enumerate() {
            self.define(p, v, ty, ValueDef::Inst(id, n as u32))?;
        }
        let results = results.iter().map(|d| d.0).collect();
        self.builder.func.insts.push(InstData { inst, results, loc });
        self.builder.func.blocks[block.index()].insts.push(id);
        Ok(())
    }

    /// A value: its number, or a constant.
    fn value(&mut self, p: &mut Parser<'_>) -> Result<Value> {
        if let Some(n) = p.accept_id("v") {
            self.used.push(Value(n));
            return Ok(Value(n));
        }
        if let Some(g) = p.accept_id("global") {
            let offset = p.addend()?;
            return Ok(self.builder.constant(Type::Ptr, Const::Global(GlobalId(g), offset)));
        }
        if let Some(f) = p.accept_id("func") {
            return Ok(self.builder.constant(Type::Ptr, Const::Func(FuncId(f))));
        }
        if p.accept_word("null") {
            return Ok(self.builder.constant(Type::Ptr, Const::Null));
        }
        let digits = p.word()?;
        p.expect(":")?;
        let ty = p.ty()?;
        if digits == "undef" {
            return Ok(self.builder.constant(ty, Const::Undef));
        }
        let bits = bits(p, digits, ty)?;
        Ok(self.builder.constant(ty, Const::Bits(bits)))
    }

    fn values<const N: usize>(&mut self, p: &mut Parser<'_>) -> Result<[Value; N]> {
        let mut out = [Value(0); N];
        for (i, slot) in out.iter_mut().enumerate() {
            if i > 0 {
                p.expect(",")?;
            }
            *slot = self.value(p)?;
        }
        Ok(out)
    }

    fn inst(&mut self, p: &mut Parser<'_>, mnemonic: &str) -> Result<Inst> {
        if let Some(inst) = self.operation(p, mnemonic)? {
            return Ok(inst);
        }
        Ok(match mnemonic {
            "select" => self.values(p).map(|[cond, then, other]| Inst::Select { cond, then, other })?,
            "fma" => self.values(p).map(|[x, y, z]| Inst::FusedMulAdd { x, y, z })?,
            "ptradd" => self.ptr_add(p)?,
            "alloca" => self.alloca(p)?,
            "lifetime.start" => self.values(p).map(|[ptr]| Inst::LifetimeStart { ptr })?,
            "lifetime.end" => self.values(p).map(|[ptr]| Inst::LifetimeEnd { ptr })?,
            "stack.save" => Inst::StackSave,
            "stack.restore" => self.values(p).map(|[saved]| Inst::StackRestore { saved })?,
            "load" => self.values(p).map(|[ptr]| Inst::Load { ptr })?,
            "store" => self.values(p).map(|[ptr, value]| Inst::Store { ptr, value })?,
            "load.shadow" => self.values(p).map(|[ptr]| Inst::LoadShadow { ptr })?,
            "store.shadow" => self.values(p).map(|[ptr, shadow]| Inst::StoreShadow { ptr, shadow })?,
            "memcopy" => self.values(p).map(|[dst, src, len]| Inst::MemCopy { dst, src, len })?,
            "memset" => self.values(p).map(|[dst, byte, len]| Inst::MemSet { dst, byte, len })?,
            "scan" => self.values(p).map(|[ptr, byte, limit]| Inst::Scan { ptr, byte, limit })?,
            "mismatch" => self.values(p).map(|[lhs, rhs, limit]| Inst::Mismatch { lhs, rhs, limit })?,
            "heap.alloc" => {
                let size = self.value(p)?;
                let leak = p.accept(",").then(|| p.id("prop").map(PropertyId)).transpose()?;
                Inst::HeapAlloc { size, leak }
            }
            "heap.free" => self.values(p).map(|[ptr]| Inst::HeapFree { ptr })?,
            "check" => {
                let cond = self.value(p)?;
                p.expect(",")?;
                Inst::Check { cond, property: PropertyId(p.id("prop")?) }
            }
            "checkmem" => self.check_mem(p)?,
            "assume" => self.values(p).map(|[cond]| Inst::Assume { cond })?,
            "await" => {
                let cond = self.value(p)?;
                let property = p.accept(",").then(|| p.id("prop").map(PropertyId)).transpose()?;
                Inst::Await { cond, property }
            }
            "call" => {
                let target = Target::Func(FuncId(p.id("func")?));
                self.call(p, target)?
            }
            "call.ptr" => {
                let target = Target::Pointer(self.value(p)?);
                self.call(p, target)?
            }
            "input" => Inst::Input { name: p.text()?.into() },
            "input.bytes" => {
                let [ptr, len] = self.values(p)?;
                p.expect(",")?;
                Inst::InputBytes { ptr, len, name: p.text()?.into() }
            }
            "builtin" => self.builtin(p)?,
            "setjmp" => self.values(p).map(|[buf]| Inst::SetJmp { buf })?,
            "debug" => self.debug(p, false)?,
            "debug.addr" => self.debug(p, true)?,
            "unsupported" => Inst::Unsupported { what: p.text()? },
            "fewer" => Inst::Approximates { direction: Direction::Fewer, what: Approximation::new(&p.text()?) },
            "at_once" => Inst::Approximates { direction: Direction::Fewer, what: Approximation::at_once(&p.text()?) },
            "more" => Inst::Approximates { direction: Direction::More, what: Approximation::new(&p.text()?) },
            other => return p.wrong(format!("there is no instruction '{other}'")),
        })
    }

    /// The instructions that are named by their operation.
    fn operation(&mut self, p: &mut Parser<'_>, mnemonic: &str) -> Result<Option<Inst>> {
        Ok(Some(if let Some(op) = BinOp::from_name(mnemonic) {
            self.values(p).map(|[lhs, rhs]| Inst::Binary { op, lhs, rhs })?
        } else if let Some(op) = CmpOp::from_name(mnemonic) {
            self.values(p).map(|[lhs, rhs]| Inst::Compare { op, lhs, rhs })?
        } else if let Some(op) = OverflowOp::from_name(mnemonic) {
            self.values(p).map(|[lhs, rhs]| Inst::Overflow { op, lhs, rhs })?
        } else if let Some(op) = UnOp::from_name(mnemonic) {
            self.values(p).map(|[arg]| Inst::Unary { op, arg })?
        } else if let Some(op) = CastOp::from_name(mnemonic) {
            self.values(p).map(|[arg]| Inst::Cast { op, arg })?
        } else {
            return Ok(None);
        }))
    }

    fn ptr_add(&mut self, p: &mut Parser<'_>) -> Result<Inst> {
        let [base, offset] = self.values(p)?;
        let mut extent = None;
        if p.accept(",") {
            p.expect_word("in")?;
            let start = p.number()?;
            p.expect("+")?;
            extent = Some(Extent { start, size: p.number()? });
        }
        Ok(Inst::PtrAdd { base, offset, extent })
    }

    fn alloca(&mut self, p: &mut Parser<'_>) -> Result<Inst> {
        let size = self.value(p)?;
        p.expect(",")?;
        p.expect_word("align")?;
        let align = p.number()?;
        let (mut var, mut lives) = (None, true);
        while p.accept(",") {
            match p.accept_id("var") {
                Some(n) => var = Some(Var(n)),
                None => {
                    p.expect_word("dead")?;
                    lives = false;
                }
            }
        }
        Ok(Inst::Alloca { size, align, var, lives })
    }

    fn check_mem(&mut self, p: &mut Parser<'_>) -> Result<Inst> {
        let word = p.word()?;
        let Some(access) = AccessKind::from_name(word) else {
            return p.wrong(format!("'{word}' is no kind of access"));
        };
        let [ptr, size] = self.values(p)?;
        let properties = p.kinds()?;
        Ok(Inst::CheckMem(MemCheck { ptr, size, access, properties }))
    }

    fn call(&mut self, p: &mut Parser<'_>, target: Target) -> Result<Inst> {
        p.expect("(")?;
        let args = p.list(")", |p| self.value(p))?;
        p.expect(":")?;
        let signature = p.signature()?;
        let properties = p.kinds()?;
        Ok(Inst::Call(Box::new(CallSite { target, args, signature, properties })))
    }

    fn builtin(&mut self, p: &mut Parser<'_>) -> Result<Inst> {
        let word = p.word()?;
        let Some(op) = Builtin::from_name(word) else {
            return p.wrong(format!("there is no builtin '{word}'"));
        };
        p.expect("(")?;
        let args = p.list(")", |p| self.value(p))?;
        Ok(Inst::Builtin { op, args })
    }

    fn debug(&mut self, p: &mut Parser<'_>, indirect: bool) -> Result<Inst> {
        let var = Var(p.id("var")?);
        p.expect(",")?;
        Ok(Inst::Debug { var, value: self.value(p)?, indirect })
    }

    fn edge(&mut self, p: &mut Parser<'_>) -> Result<Edge> {
        let to = Block(p.id("block")?);
        let args = if p.accept("(") { p.list(")", |p| self.value(p))? } else { Vec::new() };
        Ok((to, args))
    }

    /// A terminator if one comes next.
    fn terminator(&mut self, p: &mut Parser<'_>) -> Result<Option<Terminator>> {
        let Some(word) = p.peek_word() else {
            return p.fail(format!("expected an instruction, found {}", p.peek()));
        };
        let at = p.at;
        p.next();
        Ok(Some(match word {
            "jump" => self.edge(p).map(|(to, args)| Terminator::Jump { to, args })?,
            "branch" => {
                let cond = self.value(p)?;
                p.expect(",")?;
                let then = self.edge(p)?;
                p.expect(",")?;
                Terminator::Branch { cond, then, other: self.edge(p)? }
            }
            "switch" => self.switch(p)?,
            "indirect" => {
                let value = self.value(p)?;
                p.expect(",")?;
                p.expect("[")?;
                let targets = p.list("]", |p| p.id("block").map(Block))?;
                Terminator::IndirectJump { value, targets }
            }
            "return" => Terminator::Return { values: self.returned(p)? },
            "exit" => self.values(p).map(|[status]| Terminator::Exit { status })?,
            "halt" => self.values(p).map(|[status]| Terminator::Halt { status })?,
            "longjmp" => self.values(p).map(|[buf, value]| Terminator::LongJmp { buf, value })?,
            "unreachable" => Terminator::Unreachable,
            _ => {
                p.at = at;
                return Ok(None);
            }
        }))
    }

    fn switch(&mut self, p: &mut Parser<'_>) -> Result<Terminator> {
        let value = self.value(p)?;
        p.expect(",")?;
        let default = self.edge(p)?;
        let mut cases = Vec::new();
        while p.accept(",") {
            let digits = p.word()?;
            p.expect(":")?;
            let ty = p.ty()?;
            let bits = bits(p, digits, ty)?;
            let (to, args) = self.edge(p)?;
            cases.push((bits, to, args));
        }
        Ok(Terminator::Switch { value, cases, default })
    }

    /// The values of a `return`, of which there may be none: a block's name or the end of the body follows then.
    fn returned(&mut self, p: &mut Parser<'_>) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        if p.peek_word().is_none() || p.peek_id("block").is_some() {
            return Ok(values);
        }
        values.push(self.value(p)?);
        while p.accept(",") {
            values.push(self.value(p)?);
        }
        Ok(values)
    }
}

/// The bits of a constant: decimal for integers, SMT-LIB literals for the rest.
fn bits(p: &Parser<'_>, digits: &str, ty: Type) -> Result<Bv> {
    let parsed = match ty {
        Type::Int(width) => Bv::parse_decimal(width, digits),
        Type::Ptr | Type::Float(_) => Bv::parse(digits),
    };
    parsed.or_else(|e| p.wrong(format!("'{digits}': {e}")))
}
