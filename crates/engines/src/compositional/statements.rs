//! The granularity of statements: the search in a program whose functions are cut into fragments.

use super::search::search;
use crate::Refused;
use crate::config::CheckConfig;
use crate::progress::Observer;
use crate::reason::{Reason, RunEnd};
use crate::replay;
use crate::tuning::INLINE_USER_INSTS;
use crate::verdict::{Precondition, Report, Status, Verdict, Violation};
use blitz_base::Budget;
use blitz_ir::fragments::Fragments;
use blitz_ir::{FuncId, Program};

/// Looks for violations so many statements at a time. What is found is run once more in the program as it was.
pub(super) fn check(
    program: &Program,
    statements: u32,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    if !config.unwindset.is_empty() {
        return Err(Refused(
            "--unwindset names loops of whole functions; give --unwind with --granularity".to_string(),
        ));
    }
    let cut = Fragments::new(program, statements, |f| belongs_to_callers(program, f));
    // Violations of the fragments are none of the program yet.
    let mut report = search(&cut.program, cut.first, &config.of_worker(), budget, observer)?;
    for violation in std::mem::take(&mut report.violations) {
        let property = violation.what().property;
        match in_whole(program, &cut, config, violation, budget) {
            Ok(violation) => {
                config.announce(&violation);
                report.violations.push(violation);
            }
            Err(why) => {
                let row = report.properties.iter_mut().find(|r| r.property == property);
                row.into_iter().for_each(|r| r.status = Status::Unknown(Reason::NotShown(why.clone())));
            }
        }
    }
    if report.violations.is_empty() {
        report.verdict = Verdict::Unknown;
    }
    let efforts = report.properties.iter_mut().filter_map(|r| r.effort.as_mut());
    efforts.for_each(|effort| named(&cut, &mut effort.nearest));
    Ok(report)
}

/// Tiny functions are part of the statements that call them.
fn belongs_to_callers(program: &Program, f: FuncId) -> bool {
    program.decl(f).name != "main" && program.body(f).is_some_and(|body| body.insts.len() <= INLINE_USER_INSTS)
}

fn in_whole(
    program: &Program,
    cut: &Fragments,
    config: &CheckConfig,
    found: Violation,
    budget: &Budget,
) -> Result<Violation, RunEnd> {
    let mut violation = replay::run(program, config, found.inputs.clone(), found.engine, budget)?;
    violation.preconditions = found.preconditions;
    named(cut, &mut violation.preconditions);
    Ok(violation)
}

/// Preconditions are told of the functions that the fragments are of.
fn named(cut: &Fragments, chain: &mut [Precondition]) {
    for precondition in chain {
        precondition.func = cut.origin(precondition.func);
    }
}
