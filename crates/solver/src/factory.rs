//! Back ends by name.

use crate::cadical::Cadical;
use crate::crosscheck::Crosscheck;
use crate::portfolio::Portfolio;
use crate::smtlib::{CommandLine, KNOWN, SmtLib, find_known};
use crate::{Certify, Solver, SolverConfig, SolverError};

/// Makes the back end of this name.
///
/// `cadical`, `z3`, `cvc5`, `bitwuzla`, `boolector`, `yices`, `mathsat`, `smtlib:<command>`, `portfolio[:A,B,..]`,
/// `crosscheck[:A,B]`. Without a list, `portfolio` takes `cadical` and every known solver installed, `crosscheck` takes
/// `cadical` and the first one installed.
pub fn make(name: &str, config: &SolverConfig) -> Result<Box<dyn Solver>, SolverError> {
    let (kind, rest) = match name.split_once(':') {
        Some((kind, rest)) => (kind, Some(rest)),
        None => (name, None),
    };
    match (kind, rest) {
        ("cadical", None) => Ok(Box::new(Cadical::new(config)?)),
        _ if config.certify != Certify::Off => Err(SolverError::Start(format!(
            "answers of `{name}` come without proofs to check: certificates need the built-in solver, `cadical`"
        ))),
        ("portfolio", list) => portfolio(list, config),
        ("crosscheck", list) => crosscheck(list, config),
        _ => match process(name) {
            Some(process) => Ok(Box::new(process?)),
            None => Err(unknown(name)),
        },
    }
}

/// The known solvers that are installed here.
pub fn installed() -> Vec<&'static str> {
    KNOWN.iter().filter(|k| matches!(find_known(k.name), Some(Ok(_)))).map(|k| k.name).collect()
}

fn names(list: Option<&str>, most: usize) -> Vec<&str> {
    match list {
        Some(list) => list.split(',').collect(),
        None => std::iter::once("cadical").chain(installed()).take(most).collect(),
    }
}

fn portfolio(list: Option<&str>, config: &SolverConfig) -> Result<Box<dyn Solver>, SolverError> {
    let mut local = None;
    let mut processes = Vec::new();
    for name in names(list, usize::MAX) {
        match process(name) {
            Some(process) => processes.push(process?),
            None if local.is_none() => local = Some(make(name, config)?),
            None => {
                return Err(SolverError::UnknownName(
                    "a portfolio takes only one solver that is no process".to_owned(),
                ));
            }
        }
    }
    Ok(Box::new(Portfolio::new(local, processes)))
}

fn crosscheck(list: Option<&str>, config: &SolverConfig) -> Result<Box<dyn Solver>, SolverError> {
    let [a, b] = names(list, 2)[..] else {
        return Err(SolverError::UnknownName(
            "crosscheck takes two solvers, as in `crosscheck:cadical,z3`; without a list a second one has to be installed".to_owned(),
        ));
    };
    Ok(Box::new(Crosscheck::new(make(a, config)?, make(b, config)?, config.save_dir.clone())))
}

/// The solver of this name if it is a process.
fn process(name: &str) -> Option<Result<SmtLib, SolverError>> {
    let command = match name.strip_prefix("smtlib:") {
        Some(command) => command_line(command),
        None => find_known(name)?,
    };
    Some(command.and_then(SmtLib::new))
}

fn command_line(command: &str) -> Result<CommandLine, SolverError> {
    let mut words = command.split_whitespace().map(str::to_owned);
    let program = words
        .next()
        .ok_or_else(|| SolverError::UnknownName("`smtlib:` needs a command, as in `smtlib:z3 -in`".to_owned()))?;
    Ok(CommandLine { name: format!("smtlib:{program}"), program, args: words.collect() })
}

fn unknown(name: &str) -> SolverError {
    let known: Vec<&str> = KNOWN.iter().map(|k| k.name).collect();
    SolverError::UnknownName(format!(
        "there is no solver `{name}`; there are cadical, {}, smtlib:<command>, portfolio and crosscheck",
        known.join(", ")
    ))
}
