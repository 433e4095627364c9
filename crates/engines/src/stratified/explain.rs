//! What was done, for people.

use super::Total;
use crate::tuning::STRATUM_MAX_NAMES;
use blitz_ir::Program;
use std::collections::BTreeSet;

/// How many calls were inlined, and on whose footprints the answer rests.
pub(super) fn notes(program: &Program, total: &Total) -> Vec<String> {
    let left: BTreeSet<&str> =
        total.left().filter_map(|path| path.last()).map(|(_, callee)| program.decl(*callee).name.as_str()).collect();
    let (inlined, all) = (total.inlined.len(), total.inlined.len() + total.left().count());
    if all == 0 {
        return Vec::new();
    }
    let mut text = format!("the stratified engine inlined {inlined} of {all} calls");
    if !left.is_empty() {
        let named: Vec<String> = left.iter().take(STRATUM_MAX_NAMES).map(|name| format!("`{name}`")).collect();
        let more = left.len().saturating_sub(STRATUM_MAX_NAMES);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let whom = named.join(", ");
        text += &format!("; of {whom}{rest} only what a call may write was needed");
    }
    vec![text]
}
