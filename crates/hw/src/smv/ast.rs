//! What is written in an SMV file, before names and types mean anything.
//!
//! Invariants: expressions live in one arena and refer to earlier ones only; chains of `&` and `|` are one node each, so that the depth of an
//! expression is the depth of its parentheses.

use super::Pos;
use blitz_base::Bv;

/// An expression in [`Exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// Operators of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Minus,
    /// `next(e)`
    NextState,
    Temporal(Unary),
    /// A path quantifier of CTL with its operator: `AG`, `EF`, ...
    Ctl(Quantified),
}

/// Temporal operators of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    X,
    F,
    G,
    Y,
    Z,
    O,
    H,
}

/// CTL's operators of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantified {
    Ax,
    Af,
    Ag,
    Ex,
    Ef,
    Eg,
}

impl Quantified {
    /// As written.
    pub fn name(self) -> &'static str {
        match self {
            Quantified::Ax => "AX",
            Quantified::Af => "AF",
            Quantified::Ag => "AG",
            Quantified::Ex => "EX",
            Quantified::Ef => "EF",
            Quantified::Eg => "EG",
        }
    }
}

/// Operators of two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Xor,
    Xnor,
    Iff,
    Implies,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Shl,
    Shr,
    Concat,
    Union,
    In,
    Temporal(Binary),
    /// `A [p U q]`
    CtlUntil,
    /// `E [p U q]`
    CtlExistsUntil,
}

impl BinaryOp {
    /// As written.
    pub fn name(self) -> &'static str {
        match self {
            BinaryOp::Xor => "xor",
            BinaryOp::Xnor => "xnor",
            BinaryOp::Iff => "<->",
            BinaryOp::Implies => "->",
            BinaryOp::Eq => "=",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "mod",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Concat => "::",
            BinaryOp::Union => "union",
            BinaryOp::In => "in",
            BinaryOp::Temporal(Binary::U) => "U",
            BinaryOp::Temporal(Binary::R) => "V",
            BinaryOp::Temporal(Binary::W) => "W",
            BinaryOp::Temporal(Binary::S) => "S",
            BinaryOp::Temporal(Binary::T) => "T",
            BinaryOp::CtlUntil => "A [ U ]",
            BinaryOp::CtlExistsUntil => "E [ U ]",
        }
    }
}

/// Temporal operators of two arguments. `V` is `R`'s other name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    U,
    R,
    W,
    S,
    T,
}

/// Functions with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Word1,
    Bool,
    ToInt,
    Signed,
    Unsigned,
    Extend,
    Resize,
    Abs,
    Max,
    Min,
    Count,
    Uwconst,
    Swconst,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Bool(bool),
    Number(i64),
    Word {
        value: Bv,
        signed: bool,
    },
    Name(String),
    Dot(ExprId, String),
    Index(ExprId, ExprId),
    Bits(ExprId, ExprId, ExprId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    And(Vec<ExprId>),
    Or(Vec<ExprId>),
    Choice(ExprId, ExprId, ExprId),
    Case(Vec<(ExprId, ExprId)>),
    Set(Vec<ExprId>),
    /// `lo .. hi` where a set may stand.
    Range(ExprId, ExprId),
    Call(Function, Vec<ExprId>),
}

/// All expressions of a file.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<(Expr, Pos)>,
}

impl Exprs {
    /// Adds an expression that begins at `pos`.
    pub fn add(&mut self, expr: Expr, pos: Pos) -> ExprId {
        self.nodes.push((expr, pos));
        ExprId(self.nodes.len() as u32 - 1)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.0 as usize].0
    }

    pub fn pos(&self, id: ExprId) -> Pos {
        self.nodes[id.0 as usize].1
    }
}

/// A declared type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeDecl {
    Boolean,
    Enum(Vec<EnumValue>),
    Range(ExprId, ExprId),
    Word { width: ExprId, signed: bool },
    Array { low: ExprId, high: ExprId, of: Box<TypeDecl> },
    Module { name: String, args: Vec<ExprId>, pos: Pos },
}

/// A value listed in an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EnumValue {
    Symbol(String),
    Int(i64),
}

/// How a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    State,
    Input,
    Frozen,
}

/// Which value of a variable an assignment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Now,
    Init,
    Next,
}

/// What a specification is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    Invariant,
    Ltl,
    Ctl,
}

/// A specification.
#[derive(Clone, Debug)]
pub struct SpecDecl {
    pub logic: Logic,
    pub name: Option<String>,
    pub expr: ExprId,
    /// As written, blanks joined.
    pub text: String,
    pub pos: Pos,
}

/// A variable's declaration.
#[derive(Clone, Debug)]
pub struct VarDecl {
    pub name: String,
    pub storage: Storage,
    pub ty: TypeDecl,
    pub pos: Pos,
}

/// An assignment; the target is a name with perhaps constant indices.
#[derive(Clone, Debug)]
pub struct AssignDecl {
    pub moment: Moment,
    pub target: ExprId,
    pub value: ExprId,
}

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub name: String,
    pub params: Vec<String>,
    pub vars: Vec<VarDecl>,
    pub defines: Vec<(String, ExprId, Pos)>,
    pub constants: Vec<String>,
    pub assigns: Vec<AssignDecl>,
    pub init: Vec<ExprId>,
    pub trans: Vec<ExprId>,
    pub invar: Vec<ExprId>,
    pub justice: Vec<ExprId>,
    pub specs: Vec<SpecDecl>,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub exprs: Exprs,
    pub modules: Vec<Module>,
}
