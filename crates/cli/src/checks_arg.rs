//! `--checks LIST`: which kinds are switched on.

use crate::suggest::did_you_mean;
use blitz_ir::{CheckKind, Checks};

/// Reads a list such as `memory,assertion` (just these) or `+unsigned-overflow,-leak` (the default, changed).
pub fn parse_checks(list: &str) -> Result<Checks, String> {
    let items: Vec<&str> = list.split(',').map(str::trim).filter(|s| !s.is_empty()).collect();
    let Some(first) = items.first() else {
        return Err("the list is empty; `none` switches everything off".to_owned());
    };
    let start = if first.starts_with(['+', '-']) { Checks::default() } else { Checks::none() };
    items.iter().try_fold(start, |set, item| {
        if let Some(name) = item.strip_prefix('-') {
            return Ok(kinds(name)?.iter().fold(set, |set, &k| set.without(k)));
        }
        let name = item.strip_prefix('+').unwrap_or(item);
        Ok(kinds(name)?.iter().fold(set, |set, &k| set.with(k)))
    })
}

/// What is checked when only some properties are asked for: their kinds, and whatever a run can't go on after.
pub fn checks_for(properties: &[String]) -> Checks {
    if properties.is_empty() {
        return Checks::default();
    }
    let asked = properties.iter().filter_map(|p| CheckKind::from_name(p.rsplit('.').nth(1)?));
    let fatal = MEMORY.into_iter().filter(|k| *k != CheckKind::Uninitialised);
    asked.chain(fatal).chain([CheckKind::Assertion, CheckKind::DivByZero]).fold(Checks::none(), Checks::with)
}

/// The group `memory`.
const MEMORY: [CheckKind; 8] = [
    CheckKind::ArrayBounds,
    CheckKind::BufferOverflow,
    CheckKind::NullDeref,
    CheckKind::UseAfterFree,
    CheckKind::UseAfterScope,
    CheckKind::DoubleFree,
    CheckKind::InvalidFree,
    CheckKind::Uninitialised,
];

fn kinds(name: &str) -> Result<Vec<CheckKind>, String> {
    use CheckKind as K;
    if let Some(kind) = CheckKind::from_name(name) {
        return Ok(vec![kind]);
    }
    Ok(match name {
        "all" => CheckKind::ALL.to_vec(),
        "none" => Vec::new(),
        "default" => CheckKind::ALL.iter().copied().filter(|k| k.on_by_default()).collect(),
        "memory" => MEMORY.to_vec(),
        "overflow" => vec![K::SignedOverflow, K::Shift, K::DivByZero],
        "leak" => vec![K::MemoryLeak],
        _ => return Err(unknown(name)),
    })
}

const GROUPS: [&str; 6] = ["memory", "overflow", "leak", "default", "all", "none"];

fn unknown(name: &str) -> String {
    let names: Vec<&str> = CheckKind::ALL.iter().map(|k| k.name()).collect();
    let near = did_you_mean(name, names.iter().copied().chain(GROUPS));
    format!("`{name}` is no kind of check{near}; there are {} and the groups {}", names.join(", "), GROUPS.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_brings_its_kind_and_not_what_a_run_can_go_on_after() {
        let checks = checks_for(&["f.shift.2".to_owned()]);
        assert!(checks.has(CheckKind::Shift) && checks.has(CheckKind::NullDeref));
        assert!(!checks.has(CheckKind::SignedOverflow) && !checks.has(CheckKind::Uninitialised));
        assert_eq!(checks_for(&[]), Checks::default());
    }

    #[test]
    fn plain_names_start_from_nothing_and_signs_from_the_default() {
        assert_eq!(parse_checks("shift").unwrap(), Checks::none().with(CheckKind::Shift));
        assert_eq!(parse_checks("-leak").unwrap(), Checks::default().without(CheckKind::MemoryLeak));
        assert_eq!(parse_checks("+unsigned-overflow").unwrap(), Checks::default().with(CheckKind::UnsignedOverflow));
        assert_eq!(parse_checks("all,-leak").unwrap(), Checks::all().without(CheckKind::MemoryLeak));
        assert_eq!(parse_checks("none").unwrap(), Checks::none());
        assert!(parse_checks("memory, assertion").unwrap().has(CheckKind::Assertion));
    }

    #[test]
    fn unknown_names_are_refused() {
        assert!(parse_checks("bounds").unwrap_err().contains("`bounds` is no kind of check"));
        assert!(parse_checks("").is_err());
    }
}
