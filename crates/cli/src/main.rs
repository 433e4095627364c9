//! The command line of blitz: arguments, progress, exit codes. The only place that prints or exits.
//!
//! Exit codes are the public contract: 0 all properties hold, 10 a violation was found, 20 inconclusive, 2 the
//! command line or the input is wrong, 70 a defect of ours.

mod args;
mod checks_arg;
mod commands;
mod contracts;
mod defect;
mod explore_args;
mod input;
mod interrupt;
mod overrun;
mod probe;
mod progress;
mod project;
mod quantity;
mod reports;
mod status_file;
mod terminal;

pub use blitz_workflow::{Fault, suggest};
use clap::Parser;
use std::process::ExitCode;
use terminal::Terminal;

/// How a command ended; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Success,
    Violation,
    Inconclusive,
    BadInput,
    Defect,
    /// The status of another program that was asked for (`blitz run --status`, `blitz cc`).
    Status(u8),
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Violation => 10,
            Exit::Inconclusive => 20,
            Exit::BadInput => 2,
            Exit::Defect => 70,
            Exit::Status(status) => status,
        }
    }

    /// Ends the process at once.
    pub fn leave(self) -> ! {
        std::process::exit(i32::from(self.code()))
    }
}

fn main() -> ExitCode {
    if let Some(exit) = without_clap() {
        return ExitCode::from(exit.code());
    }
    let exit = match args::Cli::try_parse() {
        Ok(cli) => defect::guarded(|| work(&cli)),
        Err(error) => command_line_error(&error),
    };
    ExitCode::from(exit.code())
}

fn work(cli: &args::Cli) -> Exit {
    let terminal = Terminal::new(cli.color, cli.quiet, cli.verbose);
    commands::dispatch(&cli.command, &terminal).unwrap_or_else(|fault| {
        terminal.fault(&fault);
        Exit::BadInput
    })
}

/// Commands whose words are not ours to read: a compiler's flags (`blitz cc -v`), and the child of `probe`.
fn without_clap() -> Option<Exit> {
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    let rest: Vec<_> = words.collect();
    match first.to_str()? {
        "cbmc" => Some(defect::guarded(|| report_fault(commands::cbmc(&rest)))),
        "goto-cc" => Some(defect::guarded(|| report_fault(commands::goto_cc(&rest)))),
        "goto-analyzer" => Some(defect::guarded(|| report_fault(commands::goto_analyzer(&rest)))),
        "goto-instrument" => Some(defect::guarded(|| report_fault(commands::goto_instrument(&rest)))),
        "cc" => Some(defect::guarded(|| report_fault(commands::cc(&rest)))),
        probe::WORD => {
            let files: Vec<_> = rest.into_iter().map(std::path::PathBuf::from).collect();
            Some(defect::guarded(move || report_fault(probe::read(&files))))
        }
        _ => None,
    }
}

fn report_fault(result: Result<Exit, Fault>) -> Exit {
    result.unwrap_or_else(|fault| {
        Terminal::new(args::ColorChoice::Auto, false, false).fault(&fault);
        Exit::BadInput
    })
}

/// Help and version go to stdout; a mistake is one sentence and where to look.
fn command_line_error(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        let _ = error.print();
        return Exit::Success;
    }
    let text = error.render().to_string();
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        eprint!("{text}");
        return Exit::BadInput;
    }
    let sentence = text.split("\n\n").next().unwrap_or(&text);
    let sentence = sentence.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    eprintln!("{sentence} ({})", hint(error));
    Exit::BadInput
}

/// What the user may have meant, or where to look.
fn hint(error: &clap::Error) -> String {
    use clap::error::{ContextKind, ContextValue};
    let texts = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(_) | None => Vec::new(),
    };
    let near = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    if let Some(word) = near.into_iter().find_map(|kind| texts(kind).into_iter().next()) {
        return format!("did you mean `{word}`?");
    }
    let odd = texts(ContextKind::InvalidArg).into_iter().chain(texts(ContextKind::InvalidSubcommand)).next();
    let single = |word: &String| word.starts_with('-') && !word.starts_with("--");
    match odd {
        Some(word) if single(&word) => "flags for clang go behind `--`: blitz check a.c -- -O2".to_owned(),
        Some(word) if std::path::Path::new(&word).exists() => format!("to check a file: blitz check {word}"),
        Some(_) | None => "`blitz --help` lists what there is".to_owned(),
    }
}
