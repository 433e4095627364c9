//! What all readers share: errors with a line, names that stay unique, and which reader a file is for.

use crate::smv::{self, SmvError};
use crate::ts::{Goal, Property, Ts};
use std::collections::HashSet;
use std::fmt;

/// Why a file is no model: one sentence, with the line it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// From 1; none where the file as a whole is meant.
    pub line: Option<usize>,
    /// From 1; none where the line as a whole is meant.
    pub column: Option<usize>,
    pub message: String,
}

impl ReadError {
    /// A mistake on a line.
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), column: None, message: message.into() }
    }

    /// A mistake of the file as a whole.
    pub fn whole(message: impl Into<String>) -> Self {
        Self { line: None, column: None, message: message.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: {}", self.message),
            (Some(line), None) => write!(f, "line {line}: {}", self.message),
            (None, _) => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<SmvError> for ReadError {
    fn from(e: SmvError) -> Self {
        Self { line: Some(e.pos.line as usize), column: Some(e.pos.column as usize), message: e.message }
    }
}

/// A model, with what formulas over it may mention.
#[derive(Clone)]
pub struct Loaded {
    pub ts: Ts,
    /// An SMV model's own names have types that the system does not.
    smv: Option<smv::Names>,
}

impl Loaded {
    /// Reads a formula of LTL over the model's names and adds it to the properties as `name`.
    pub fn add_formula(&mut self, name: &str, text: &str) -> Result<(), SmvError> {
        let formula = match &self.smv {
            Some(names) => names.formula(&mut self.ts, text)?,
            None => smv::formula(&mut self.ts, text)?,
        };
        if self.ts.property(name).is_some() {
            let pos = smv::Pos { line: 1, column: 1 };
            return Err(SmvError { pos, message: format!("the model has a property `{name}` already") });
        }
        let goal = Goal::Ltl(formula);
        self.ts.properties.push(Property { name: name.to_owned(), text: Some(text.to_owned()), goal });
        Ok(())
    }
}

/// The languages a model may be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Aiger,
    Btor2,
    Smv,
}

impl Language {
    /// By the ending of the file's name, or for AIGER by how it begins.
    pub fn of(name: &str, bytes: &[u8]) -> Option<Language> {
        let ending = name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
        match ending.as_deref() {
            Some("aag" | "aig") => Some(Language::Aiger),
            Some("btor" | "btor2") => Some(Language::Btor2),
            Some("smv") => Some(Language::Smv),
            _ if bytes.starts_with(b"aag ") || bytes.starts_with(b"aig ") => Some(Language::Aiger),
            _ => None,
        }
    }

    /// Reads a model and checks it.
    pub fn read(self, bytes: &[u8]) -> Result<Loaded, ReadError> {
        let (ts, smv) = match self {
            Language::Aiger => (crate::aiger::read(bytes)?, None),
            Language::Btor2 => (crate::btor2::read(bytes)?, None),
            Language::Smv => {
                let text = std::str::from_utf8(bytes).map_err(|_| ReadError::whole("the file is no text"))?;
                let model = smv::read(text)?;
                (model.ts, Some(model.names))
            }
        };
        match ts.validate() {
            Ok(()) => Ok(Loaded { ts, smv }),
            Err(e) => Err(ReadError::whole(e.to_string())),
        }
    }
}

/// Names that were given out.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// The wanted name, or with a number behind it if it is taken.
    pub fn unique(&mut self, wanted: &str) -> String {
        if self.taken.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let fresh = (2u32..).map(|i| format!("{wanted}#{i}")).find(|n| !self.taken.contains(n));
        let fresh = fresh.expect("there should be fewer names than numbers");
        self.taken.insert(fresh.clone());
        fresh
    }
}
