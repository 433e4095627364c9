//! `blitz hw`: hardware models.

mod files;
mod json;
mod verilog;

use crate::args::{HwArgs, HwFormat};
use crate::terminal::Terminal;
use crate::{Exit, Fault, interrupt};
use blitz_base::Budget;
use blitz_hw::{Language, Options, Trust, Ts, Verdict};

/// Reads the model, decides its properties and reports.
pub fn hw(args: &HwArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let budget = Budget::new(args.limits.timeout, args.limits.memory);
    interrupt::cancel_on_ctrl_c(&budget);
    let (ts, language) = read(args)?;
    let trust = if args.certify { Trust::Proofs } else { Trust::Solver };
    let options = Options { engine: args.engine, bound: args.bound, trust, properties: chosen(args, &ts)? };
    let outcome = blitz_hw::check(&ts, &options, &budget);
    files::write(args, &ts, language, &outcome, &budget, terminal)?;
    terminal.result(&match args.format {
        HwFormat::Text => blitz_hw::text::outcome(&ts, &outcome),
        HwFormat::Json => json::outcome(&ts, &outcome, &budget),
        HwFormat::Html => blitz_hw::show::html::outcome(&ts, &outcome, &args.file.display().to_string()),
    });
    Ok(match outcome.verdict {
        Verdict::Safe => Exit::Success,
        Verdict::Violation => Exit::Violation,
        Verdict::Bounded | Verdict::Unknown => Exit::Inconclusive,
    })
}

fn read(args: &HwArgs) -> Result<(Ts, Language), Fault> {
    let shown = args.file.display().to_string();
    let bytes = std::fs::read(&args.file).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Fault::new(format!("no such file: {shown}")),
        _ => Fault::new(format!("{shown} can't be read: {e}")),
    })?;
    let is_verilog = matches!(args.file.extension().and_then(|e| e.to_str()), Some("v" | "sv"));
    let language = if is_verilog { Some(Language::Btor2) } else { Language::of(&shown, &bytes) };
    let endings = ".smv, .aag, .aig, .btor, .btor2, .v or .sv";
    let language =
        language.ok_or_else(|| Fault::new(format!("{shown} is no model by its ending, which should be {endings}")))?;
    let bytes = if is_verilog { verilog::translate(&args.file)? } else { bytes };
    let mut loaded = language.read(&bytes).map_err(|e| Fault::new(format!("{shown}: {e}")))?;
    for (index, formula) in args.ltl.iter().enumerate() {
        let added = loaded.add_formula(&format!("ltl{index}"), formula);
        added.map_err(|e| Fault::new(format!("--ltl '{formula}': {e}")))?;
    }
    let ts = loaded.ts;
    if ts.properties.is_empty() {
        return Err(Fault::new(format!("{shown} has no property to check: --ltl gives one")));
    }
    Ok((ts, language))
}

/// The properties that --property names.
fn chosen(args: &HwArgs, ts: &Ts) -> Result<Option<Vec<usize>>, Fault> {
    if args.property.is_empty() {
        return Ok(None);
    }
    let find = |name: &String| {
        let missing = || Fault::new(format!("there is no property `{name}`, only {}", names(ts)));
        ts.property(name).ok_or_else(missing)
    };
    args.property.iter().map(find).collect::<Result<_, _>>().map(Some)
}

/// The names of the first properties.
fn names(ts: &Ts) -> String {
    const MOST: usize = 8;
    let first: Vec<&str> = ts.properties.iter().take(MOST).map(|p| p.name.as_str()).collect();
    let more = if ts.properties.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", first.join(", "))
}
