//! Chooses and combines engines within one budget.
//!
//! Small programs: rounds of growing bounds first, since they can end in a proof; what they leave open goes to the
//! compositional engine. Larger programs: the other way round, since one formula would never be solved.

use crate::config::CheckConfig;
use crate::verdict::{PropertyResult, Report, Status, Verdict};
use crate::{Refused, bmc, compositional};
use blitz_base::Budget;
use blitz_ir::Program;
use std::collections::BTreeMap;
use std::time::Duration;

/// Instructions of the user's functions up to which a program counts as small.
const SMALL: usize = 6_000;
/// Without a limit of the user's, what the engines get.
const DEFAULT_TIME: Duration = Duration::from_secs(600);

pub(crate) fn check(program: &Program, config: &CheckConfig, budget: &Budget) -> Result<Report, Refused> {
    let whole = budget.remaining().unwrap_or(DEFAULT_TIME);
    if size(program) <= SMALL {
        let first = bmc::deepen(program, config, &budget.child(whole.mul_f64(0.7)))?;
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
    let second = bmc::deepen(program, config, &budget.child(whole))?;
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
