//! A check from beginning to end: load, check, suppress, confirm, report. What a command line, an editor and a server share.
//!
//! [`check::check`] loads a [`load::Source`], asks the engine that a [`check::Request`] names, and makes of each violation a finding:
//! small, with a reproduction kit, confirmed natively, held against what the project accepts. Whoever waits is notified through a [`Listener`].
//!
//! Invariants: nothing is printed and no process ends here. Findings are handed out as they come, and the report at the end has the same ones.
//! Absent: arguments, formats on a terminal, exit codes (crate `cli`).

#![warn(unreachable_pub)]

pub mod check;
pub mod findings;
pub mod kits;
pub mod library;
pub mod load;
pub mod runs;
pub mod suggest;
pub mod suppress;
pub mod written;

pub use check::{Checked, Described, Request, check};
pub use load::{Entry, Environment, Loaded, Source};
pub use runs::RunFolder;
pub use suppress::Suppressions;

use blitz_base::Budget;
use blitz_engines::Progress;
use blitz_report::Finding;

/// The user's mistake, told in a sentence, or in clang's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Sentence(String),
    Verbatim(String),
}

impl Fault {
    pub fn new(sentence: impl Into<String>) -> Self {
        Fault::Sentence(sentence.into())
    }
}

/// A part of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Compiling,
    /// The program is there.
    Checking,
    /// What was found is built and run.
    Confirming,
}

/// Whoever waits for the answer, and is notified of what happens until then. Several threads may talk at once.
pub trait Listener: Sync {
    /// Something the user should know.
    fn note(&self, text: &str);

    /// Something only the curious want to know.
    fn detail(&self, _: &str) {}

    fn phase(&self, _: Phase) {}

    /// An engine has come further.
    fn progress(&self, _: &Progress) {}

    /// A finding that will be in the report.
    fn found(&self, _: &Finding) {}
}

/// Where a check takes place.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub runs: &'a RunFolder,
    pub budget: &'a Budget,
    pub listener: &'a dyn Listener,
}
