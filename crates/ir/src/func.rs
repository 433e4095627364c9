//! A function body: blocks of instructions over values.
//!
//! What a function contains (values, instructions) is kept apart from its order (blocks list instruction ids).

use crate::inst::{Inst, InstData, InstId, Terminator};
use crate::program::{FuncId, GlobalId};
use crate::types::Type;
use blitz_base::span::Loc;
use blitz_base::{Bv, id_type};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

id_type!(
    /// A value of a function.
    Value,
    "v"
);
id_type!(
    /// A basic block of a function.
    Block,
    "block"
);
id_type!(
    /// A source-level variable of a function.
    Var,
    "var"
);

/// A function body. `blocks[0]` is the entry; its parameters are the function's.
#[derive(Clone, Debug, Default)]
pub struct Func {
    pub values: Vec<ValueData>,
    pub insts: Vec<InstData>,
    pub blocks: Vec<BlockData>,
    pub vars: Vec<VarInfo>,
}

/// A value: its type and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueData {
    pub ty: Type,
    pub def: ValueDef,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueDef {
    /// The n-th parameter of a block.
    Param(Block, u32),
    /// The n-th result of an instruction.
    Inst(InstId, u32),
    Const(Const),
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Const {
    /// An integer, or a float by its bits.
    Bits(Bv),
    Null,
    /// Address of a global plus a byte offset.
    Global(GlobalId, i64),
    Func(FuncId),
    /// Any value (LLVM's undef and poison); reading it is what the shadow checks are for.
    Undef,
}

/// A block: parameters, instructions in order, and its end.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockData {
    pub params: Vec<Value>,
    pub insts: Vec<InstId>,
    pub term: Terminator,
    /// The place of the terminator.
    pub loc: Loc,
}

/// A source-level variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarInfo {
    pub name: String,
    /// The type as C writes it.
    pub ty: String,
    pub loc: Loc,
    /// How a value of it is shown.
    pub format: VarFormat,
    /// Position if it is a parameter.
    pub param: Option<u32>,
}

/// How the bits of a variable are shown to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarFormat {
    Signed,
    Unsigned,
    Char,
    Bool,
    Float,
    Pointer,
    /// Structs, arrays and what else is not a scalar.
    Other,
}

impl Func {
    pub const ENTRY: Block = Block(0);

    /// The parameters of the function.
    pub fn params(&self) -> &[Value] {
        &self.blocks[0].params
    }

    pub fn block(&self, b: Block) -> &BlockData {
        &self.blocks[b.index()]
    }

    pub fn inst(&self, i: InstId) -> &InstData {
        &self.insts[i.index()]
    }

    pub fn ty(&self, v: Value) -> Type {
        self.values[v.index()].ty
    }

    /// The constant a value is, if it is one.
    pub fn as_const(&self, v: Value) -> Option<&Const> {
        match &self.values[v.index()].def {
            ValueDef::Const(c) => Some(c),
            ValueDef::Param(..) | ValueDef::Inst(..) => None,
        }
    }

    /// All blocks in order.
    pub fn block_ids(&self) -> impl Iterator<Item = Block> + use<> {
        (0..self.blocks.len()).map(Block::new)
    }
}

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

/// Builds a function body block by block. Constants are interned.
#[derive(Default)]
pub struct FuncBuilder {
    pub func: Func,
    consts: FxHashMap<(Type, Const), Value>,
}

impl FuncBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Continues a body that exists already.
    pub fn from_func(func: Func) -> Self {
        let consts = func
            .values
            .iter()
            .enumerate()
            .filter_map(|(i, v)| match &v.def {
                ValueDef::Const(c) => Some(((v.ty, c.clone()), Value::new(i))),
                ValueDef::Param(..) | ValueDef::Inst(..) => None,
            })
            .collect();
        Self { func, consts }
    }

    /// Replaces the body by one in which values have other numbers; `NONE` for those that are gone.
    pub(crate) fn renumber(&mut self, func: Func, numbers: &[u32]) {
        self.func = func;
        self.consts.retain(|_, v| {
            v.0 = numbers[v.index()];
            v.0 != NONE
        });
    }

    /// A new empty block that ends in `Unreachable` until told otherwise.
    pub fn block(&mut self) -> Block {
        self.func.blocks.push(BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            term: Terminator::Unreachable,
            loc: Loc::UNKNOWN,
        });
        Block::new(self.func.blocks.len() - 1)
    }

    /// One more parameter of a block.
    pub fn block_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.func.blocks[block.index()].params.len() as u32;
        let v = self.value(ty, ValueDef::Param(block, index));
        self.func.blocks[block.index()].params.push(v);
        v
    }

    /// Appends an instruction with results of these types; gives its id.
    pub fn push(&mut self, block: Block, inst: Inst, results: &[Type], loc: Loc) -> InstId {
        let id = InstId::new(self.func.insts.len());
        let results = (0..results.len()).map(|i| self.value(results[i], ValueDef::Inst(id, i as u32))).collect();
        self.func.insts.push(InstData { inst, results, loc });
        self.func.blocks[block.index()].insts.push(id);
        id
    }

    /// Appends an instruction with one result; gives the result.
    pub fn push1(&mut self, block: Block, inst: Inst, ty: Type, loc: Loc) -> Value {
        let id = self.push(block, inst, &[ty], loc);
        self.func.insts[id.index()].results[0]
    }

    /// Appends an instruction without a result.
    pub fn push0(&mut self, block: Block, inst: Inst, loc: Loc) {
        self.push(block, inst, &[], loc);
    }

    /// Ends a block.
    pub fn terminate(&mut self, block: Block, term: Terminator, loc: Loc) {
        let data = &mut self.func.blocks[block.index()];
        data.term = term;
        data.loc = loc;
    }

    /// The value of a constant.
    pub fn constant(&mut self, ty: Type, c: Const) -> Value {
        match self.consts.entry((ty, c)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let v = Value::new(self.func.values.len());
                let def = ValueDef::Const(new.key().1.clone());
                self.func.values.push(ValueData { ty, def });
                *new.insert(v)
            }
        }
    }

    /// An integer constant.
    pub fn int(&mut self, width: u16, value: u64) -> Value {
        self.constant(Type::Int(width), Const::Bits(Bv::from_u64(width, value)))
    }

    fn value(&mut self, ty: Type, def: ValueDef) -> Value {
        self.func.values.push(ValueData { ty, def });
        Value::new(self.func.values.len() - 1)
    }
}
