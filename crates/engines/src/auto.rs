//! Chooses and combines engines within one budget.
//!
//! Small programs: the incremental engine first, since it can end in a proof; what they leave open goes to the
//! compositional engine. Larger programs: the other way round, since one formula would never be solved.

use crate::config::CheckConfig;
use crate::progress::Observer;
use crate::verdict::{PropertyResult, Report, Status, Verdict};
use crate::{Refused, compositional, incremental};
use blitz_base::Budget;
use blitz_ir::Program;
use std::collections::BTreeMap;
use std::time::Duration;

/// Instructions of the user's functions up to which a program counts as small.
const SMALL: usize = 6_000;
/// Without a limit of the user's, what the engines get.
const DEFAULT_TIME: Duration = Duration::from_secs(600);

pub(crate) fn check(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let whole = budget.remaining().unwrap_or(DEFAULT_TIME);
    if size(program) <= SMALL {
        let first = incremental::check(program, config, &budget.child(whole.mul_f64(0.7)), observer)?;
        if matches!(first.verdict, Verdict::Safe | Verdict::Violation) || budget.expired().is_some() {
            return Ok(first);
        }
        let second = compositional::check(program, config, &budget.child(whole))?;
        return Ok(combine(first, second));
    }
    let first = compositional::check(program, config, &budget.child(whole.mul_f64(0.8)))?;
    if first.verdict == Verdict::Violation || budget.expired().is_some() {
        return Ok(first);
    }
    let second = incremental::check(program, config, &budget.child(whole), observer)?;
    Ok(combine(second, first))
}

fn size(program: &Program) -> usize {
    (0..program.funcs.len())
        .map(blitz_ir::FuncId::new)
        .filter(|f| !program.decl(*f).model)
        .filter_map(|f| program.body(f))
        .map(|b| b.insts.len())
        .sum()
}

/// The first report with the violations and statuses of the second where they say more.
fn combine(mut first: Report, second: Report) -> Report {
    let better: BTreeMap<_, PropertyResult> = second
        .properties
        .into_iter()
        .filter(|r| matches!(r.status, Status::Violated))
        .map(|r| (r.property, r))
        .collect();
    for result in &mut first.properties {
        if let Some(r) = better.get(&result.property) {
            *result = r.clone();
        }
    }
    first.violations.extend(second.violations);
    first.unconfirmed.extend(second.unconfirmed);
    if !first.violations.is_empty() {
        first.verdict = Verdict::Violation;
    }
    first
}
