//! What all readers share: errors with a line, names that stay unique, and which reader a file is for.

use crate::ts::Ts;
use std::collections::HashSet;
use std::fmt;

/// Why a file is no model: one sentence, with the line it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// From 1; none where the file as a whole is meant.
    pub line: Option<usize>,
    pub message: String,
}

impl ReadError {
    /// A mistake on a line.
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    /// A mistake of the file as a whole.
    pub fn whole(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// The languages a model may be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Aiger,
    Btor2,
}

impl Language {
    /// By the ending of the file's name, or for AIGER by how it begins.
    pub fn of(name: &str, bytes: &[u8]) -> Option<Language> {
        let ending = name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
        match ending.as_deref() {
            Some("aag" | "aig") => Some(Language::Aiger),
            Some("btor" | "btor2") => Some(Language::Btor2),
            _ if bytes.starts_with(b"aag ") || bytes.starts_with(b"aig ") => Some(Language::Aiger),
            _ => None,
        }
    }

    /// Reads a model and checks it.
    pub fn read(self, bytes: &[u8]) -> Result<Ts, ReadError> {
        let ts = match self {
            Language::Aiger => crate::aiger::read(bytes)?,
            Language::Btor2 => crate::btor2::read(bytes)?,
        };
        match ts.validate() {
            Ok(()) => Ok(ts),
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
