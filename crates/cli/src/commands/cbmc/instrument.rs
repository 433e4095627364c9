//! `blitz goto-instrument`: the changes to a goto binary that proof kits ask for.

use super::goto::Goto;
use super::options::{loop_bounds, number};
use super::words;
use crate::{Exit, Fault};
use std::ffi::OsString;
use std::path::Path;

/// Steps that prepare a program for CBMC without changing what it does, with the number of words that follow.
const WITHOUT_EFFECT: &[(&str, usize)] = &[
    ("--verbosity", 1),
    ("--object-bits", 1),
    ("--remove-function-pointers", 0),
    ("--drop-unused-functions", 0),
    ("--slice-global-inits", 0),
    ("--add-library", 0),
    ("--malloc-fail-null", 0),
    ("--flush", 0),
    ("--validate-goto-model", 0),
    ("--no-simplify", 0),
    // Loops that are bounded here fail beyond their bounds without this too.
    ("--unwinding-assertions", 0),
    // Contracts are instrumented in one way here.
    ("--dfcc", 1),
    ("--pointer-check", 0),
    ("--bounds-check", 0),
];

pub fn goto_instrument(args: &[OsString]) -> Result<Exit, Fault> {
    let words = words(args);
    let (mut removed, mut files, mut may_fail) = (Vec::new(), Vec::new(), None);
    let mut changes = Goto::default();
    let (mut generates, mut body) = (None, None);
    let mut shown = None;
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        match word {
            "--remove-function-body" => {
                removed.push(named(rest.next(), word)?);
            }
            "--enforce-contract" => changes.enforced.push(named(rest.next(), word)?),
            "--replace-call-with-contract" => changes.replaced.push(named(rest.next(), word)?),
            "--apply-loop-contracts" => changes.loop_contracts = true,
            "--unwind" => changes.early.unwind = Some(number(word, &named(rest.next(), word)?)?),
            "--unwindset" => changes.early.unwindset.extend(loop_bounds(&named(rest.next(), word)?)?),
            "--nondet-static" => changes.nondet_static = true,
            "--generate-function-body" => generates = Some(named(rest.next(), word)?),
            "--generate-function-body-options" => body = Some(named(rest.next(), word)?),
            "--malloc-may-fail" => may_fail = Some(true),
            "--no-malloc-may-fail" => may_fail = Some(false),
            "--show-loops" | "--show-properties" => shown = Some(word),
            "--version" => {
                println!("{}", super::VERSION);
                return Ok(Exit::Success);
            }
            _ if word.starts_with('-') => {
                let (_, skipped) = WITHOUT_EFFECT
                    .iter()
                    .find(|(name, _)| *name == word)
                    .ok_or_else(|| super::not_understood("goto-instrument", word))?;
                rest.by_ref().take(*skipped).for_each(drop);
            }
            _ => files.push(word),
        }
    }
    if generates.is_some() {
        fails_when_called(body.as_deref().unwrap_or("nondet-return"))?;
    }
    if let (Some(what), [input, ..]) = (shown, files.as_slice()) {
        return super::check::cbmc(&[what.into(), (*input).into()]);
    }
    let [input, output] = files.as_slice() else {
        return Err(Fault::new("goto-instrument: name a goto binary to read and one to write"));
    };
    let mut goto = Goto::read(Path::new(input))?;
    for unit in &mut goto.units {
        unit.removed.extend(removed.iter().cloned());
    }
    goto.malloc_may_fail = may_fail.or(goto.malloc_may_fail);
    goto.add(changes);
    goto.compiles_with_contracts()?;
    goto.write(Path::new(output))?;
    Ok(Exit::Success)
}

/// A call of a function without a body is a failure here, as it is in a body that asserts false: whichever functions get one, nothing changes.
fn fails_when_called(body: &str) -> Result<(), Fault> {
    match body {
        "assert-false" | "assert-false-assume-false" => Ok(()),
        other => Err(super::not_understood("goto-instrument", &format!("--generate-function-body-options {other}"))),
    }
}

/// The name behind an option.
fn named(value: Option<&str>, option: &str) -> Result<String, Fault> {
    value.map(str::to_owned).ok_or_else(|| super::needs_value(option))
}
