//! `blitz replay`: builds and runs reproduction kits once more.

use crate::args::ReplayArgs;
use crate::terminal::Terminal;
use crate::{Exit, Fault, interrupt};
use blitz_base::Budget;
use blitz_report::NativeReport;
use blitz_workflow::runs::latest;

/// A sanitizer's report without the picture of its shadow memory.
fn telling_part(stderr: &str) -> &str {
    stderr.split("SUMMARY: ").next().unwrap_or(stderr).trim_end()
}

/// The exit code says whether every kit showed its violation again.
pub fn replay(args: &ReplayArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let kits = blitz_kit::find(&latest(&args.folder)).map_err(Fault::new)?;
    let budget = Budget::new(Some(args.timeout), None);
    interrupt::cancel_on_ctrl_c(&budget);
    let mut all_shown = true;
    for kit in &kits {
        let (native, seen) = kit.confirm(None, &budget);
        let e = &kit.expected;
        terminal.say(telling_part(&seen.stderr));
        let outcome = match (native.report, native.reason) {
            (Some(NativeReport { text, file, line }), _) => format!("confirmed natively: {text} at {file}:{line}"),
            (None, reason) => {
                all_shown = false;
                format!("not shown natively: {}", reason.unwrap_or_else(|| "no sanitizer saw it".to_owned()))
            }
        };
        terminal.result(&format!("{}: {} at {}:{}\n  {outcome}", e.property, e.message, e.file, e.line));
    }
    Ok(if all_shown { Exit::Violation } else { Exit::Inconclusive })
}
