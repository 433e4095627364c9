//! The commands of a script, with their terms built.

use super::sort::{SmtSort, Typed};
use crate::node::Term;

/// A command of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    SetLogic(String),
    /// Keyword with its colon, and the value as it stands in the text.
    SetOption(String, String),
    SetInfo(String, String),
    /// A constant. Its term is a variable, or the canonical form of one if it is a float.
    Declare(Declared),
    /// The name of a macro; uses of it are replaced while reading.
    DefineFun(String),
    DefineSort(String),
    /// The term, and its name if the whole assertion is a named term.
    Assert(Term, Option<String>),
    Push(u32),
    Pop(u32),
    CheckSat,
    CheckSatAssuming(Vec<Labelled>),
    GetValue(Vec<Labelled>),
    GetModel,
    GetUnsatCore,
    GetUnsatAssumptions,
    GetAssertions,
    GetAssignment,
    GetProof,
    /// Keyword with its colon.
    GetInfo(String),
    GetOption(String),
    Echo(String),
    Exit,
    Reset,
    ResetAssertions,
}

/// A declared constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    pub value: Typed,
}

/// A term with the text it was written as, which answers repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    pub text: String,
    pub value: Typed,
}

impl Labelled {
    /// The sort of the term in the script.
    pub fn sort(&self) -> SmtSort {
        self.value.sort
    }
}
