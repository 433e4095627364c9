//! Reproduction kits of a check: written for every violation, built and run unless the user declines.

use crate::args::CheckArgs;
use crate::input::Loaded;
use crate::terminal::Terminal;
use blitz_base::Budget;
use blitz_frontend::driver::Clang;
use blitz_kit::{Case, Kit, Subject};
use blitz_report::{Finding, Report};
use std::path::Path;
use std::time::Duration;

/// Building and running one kit may take this long, if the check has so much left.
const ONE: Duration = Duration::from_secs(120);
/// All kits of a check together.
const ALL: Duration = Duration::from_secs(600);

/// Writes the kits of a report's violations, and confirms them natively.
pub fn confirm(
    args: &CheckArgs,
    loaded: &Loaded,
    answer: &blitz_engines::Report,
    report: &mut Report,
    budget: &Budget,
    terminal: &Terminal,
) {
    if report.violations.is_empty() {
        return;
    }
    let clang = match Clang::find() {
        Ok(clang) => clang,
        Err(e) => return terminal.note(&format!("no reproduction kit: {e}")),
    };
    let subject = Subject {
        program: &loaded.program,
        sources: &loaded.sources,
        bitcode: &loaded.bitcode,
        libraries: &loaded.libraries,
        clang: &clang.program,
        unit: loaded.unit.as_ref(),
    };
    let objects = tempfile::tempdir().ok();
    let all = budget.child(ALL);
    report.change_violations(|i, finding| {
        let violation = &answer.violations[i];
        let folder = blitz_kit::folder(&args.out, &finding.property);
        let case = Case { finding, run: violation.run() };
        match blitz_kit::write(&subject, &case, &folder) {
            Ok(kit) if !args.no_native => add_native(&kit, objects.as_ref().map(|d| d.path()), &all, finding, terminal),
            Ok(_) => {}
            Err(e) => terminal.note(&format!("no reproduction kit in {}: {e}", folder.display())),
        }
    });
}

fn add_native(kit: &Kit, objects: Option<&Path>, all: &Budget, finding: &mut Finding, terminal: &Terminal) {
    let (native, seen) = kit.confirm(objects, &all.child(ONE));
    terminal.detail(&format!("the native run of {}:\n{}", finding.property, seen.stderr.trim_end()));
    finding.add_native(native);
}
