//! What nobody can follow: what symbolic execution can't encode, and what a run can't execute.
//!
//! Why a type: whether the user vouched for a function, whether a check is worth repeating with other pointers, and what a reason is called
//! are decisions; the sentence is for people. What nothing decides on is kept in words (`Other`).

use crate::property::CheckKind;
use std::fmt;

/// Something that is not supported, as an execution or a run met it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unsupported {
    /// The front end does not lower it; in its words.
    Instruction(String),
    /// A library model leaves behaviours out here.
    Model(Approximation),
    /// This is more, or larger, than pointers of 32 bits reach in the way they are split.
    OutOfReach(String),
    /// Functions without body or model, whose effects decide.
    NoBody(Vec<String>),
    /// A pointer of which symbolic execution does not know the objects.
    UnknownPointer,
    /// A violation of a kind that is switched off: what the program does from there nobody can say.
    Unasked(CheckKind),
    /// A violation of a property that is not asked for: an execution ends with its first violation.
    Before(CheckKind),
    /// Anything else, in words.
    Other(String),
}

/// What a library model does not do as the real function does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Approximation {
    /// The real function; empty where the model does not say.
    pub function: String,
    pub what: String,
    /// It happens at once, and nothing else is left out: only a data race with it could show the difference.
    pub at_once: bool,
}

impl Approximation {
    /// Models say it as "function: what".
    pub fn new(text: &str) -> Self {
        let (function, what) = text.split_once(": ").unwrap_or(("", text));
        Self { function: function.to_owned(), what: what.to_owned(), at_once: false }
    }

    /// The same, where only data races could show it.
    pub fn at_once(text: &str) -> Self {
        Self { at_once: true, ..Self::new(text) }
    }
}

impl fmt::Display for Approximation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.function.is_empty() {
            write!(f, "{}: ", self.function)?;
        }
        f.write_str(&self.what)
    }
}

/// Functions that are named one by one.
const MAX_NAMED: usize = 3;

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsupported::Instruction(what) | Unsupported::Other(what) => f.write_str(what),
            Unsupported::Model(approximation) => approximation.fmt(f),
            Unsupported::OutOfReach(what) => {
                write!(f, "{what}, more than 32-bit pointers reach as they are split (--offset-bits)")
            }
            Unsupported::UnknownPointer => f.write_str("a pointer whose objects are not known"),
            Unsupported::NoBody(functions) => no_body(functions, f),
            Unsupported::Unasked(kind) => {
                write!(f, "a violation ({kind}) of a kind that is switched off, after which nothing is known")
            }
            Unsupported::Before(kind) => {
                write!(
                    f,
                    "a violation ({kind}) of another property comes first in some execution, and what comes behind it is not looked at"
                )
            }
        }
    }
}

fn no_body(functions: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let named: Vec<String> = functions.iter().take(MAX_NAMED).map(|n| format!("`{n}`")).collect();
    let more = functions.len().saturating_sub(MAX_NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let (has, it) = if functions.len() == 1 { ("has", "it") } else { ("have", "they") };
    let first = functions.first().map_or("", String::as_str);
    write!(
        f,
        "{}{rest} {has} no body, and what {it} may change decides this (give one with --stub FILE.c, or say --assume-model {first})",
        named.join(", ")
    )
}

impl From<String> for Unsupported {
    fn from(what: String) -> Self {
        Unsupported::Other(what)
    }
}

impl From<&str> for Unsupported {
    fn from(what: &str) -> Self {
        Unsupported::Other(what.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{Approximation, Unsupported};

    #[test]
    fn a_model_says_of_which_function_it_speaks() {
        let said = Approximation::new("dup2: descriptors from 64 on");
        assert_eq!((said.function.as_str(), said.what.as_str()), ("dup2", "descriptors from 64 on"));
        assert_eq!(said.to_string(), "dup2: descriptors from 64 on");
        assert_eq!(Approximation::new("a library call").to_string(), "a library call");
    }

    #[test]
    fn functions_without_a_body_are_named() {
        let names = |n: usize| Unsupported::NoBody((0..n).map(|i| format!("f{i}")).collect()).to_string();
        assert!(names(1).starts_with("`f0` has no body, and what it may change"));
        assert!(names(5).starts_with("`f0`, `f1`, `f2` and 2 more have no body"));
    }
}
