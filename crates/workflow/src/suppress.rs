//! Findings that a project has accepted: each with a reason, some up to a day.

use blitz_report::{Finding, Report};
use serde::Deserialize;
use std::path::Path;

/// The list of a project; empty for a program without one.
#[derive(Default, Deserialize)]
#[serde(transparent)]
pub struct Suppressions(Vec<Suppression>);

/// A finding that is accepted. Every key that is given has to fit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suppression {
    property: Option<String>,
    kind: Option<String>,
    function: Option<String>,
    file: Option<String>,
    reason: String,
    /// The last day it holds, as 2026-12-31.
    until: Option<String>,
}

impl Suppressions {
    /// What is wrong with the list, if anything is.
    pub fn mistake(&self) -> Option<&'static str> {
        self.0.iter().find_map(Suppression::mistake)
    }

    /// Takes accepted findings out of a report; says which suppressions have expired, and which do nothing.
    pub fn apply(&self, report: &mut Report) {
        let today = today();
        for s in self.0.iter().filter(|s| !s.holds_on(&today)) {
            let until = s.until.as_deref().unwrap_or_default();
            report.notes.push(format!("the suppression of {} has expired on {until}: {}", s.what(), s.reason));
        }
        for s in self.0.iter().filter(|s| s.holds_on(&today) && s.property.is_some()) {
            let exists = report.properties.iter().any(|p| Some(&p.id) == s.property.as_ref());
            if !exists {
                report.notes.push(format!("the suppression of {} fits nothing any more", s.what()));
            }
        }
        report.suppress(|f| self.accepts(f));
    }

    /// Why a finding is accepted, if it is.
    pub fn accepts(&self, finding: &Finding) -> Option<String> {
        let today = today();
        let found = self.0.iter().filter(|s| s.holds_on(&today)).find(|s| s.fits(finding));
        found.map(|s| s.reason.clone())
    }
}

impl Suppression {
    fn mistake(&self) -> Option<&'static str> {
        if self.reason.trim().is_empty() {
            return Some("a suppression needs a reason");
        }
        if self.property.is_none() && self.kind.is_none() && self.function.is_none() && self.file.is_none() {
            return Some("a suppression needs a property, kind, function or file");
        }
        let wrong = self.until.as_deref().is_some_and(|d| !is_date(d));
        wrong.then_some("`until` of a suppression is a date as 2026-12-31")
    }

    fn holds_on(&self, day: &str) -> bool {
        self.until.as_deref().is_none_or(|until| until >= day)
    }

    fn fits(&self, finding: &Finding) -> bool {
        let same = |wanted: &Option<String>, got: &str| wanted.as_deref().is_none_or(|w| w == got);
        let file = self.file.as_deref().is_none_or(|f| Path::new(&finding.place.file).ends_with(f));
        same(&self.property, &finding.property)
            && same(&self.kind, &finding.kind)
            && same(&self.function, &finding.function)
            && file
    }

    fn what(&self) -> String {
        let parts = [&self.property, &self.kind, &self.function, &self.file];
        parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    }
}

fn today() -> String {
    blitz_base::budget::utc_now()[..10].to_owned()
}

fn is_date(text: &str) -> bool {
    let shape = text.bytes().enumerate().all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() });
    text.len() == 10 && shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Suppressions {
        serde_json::from_str(line).expect("a list of suppressions")
    }

    #[test]
    fn a_suppression_says_what_and_why() {
        let mistake = |line: &str| one(line).mistake();
        assert_eq!(mistake(r#"[{"kind": "shift", "reason": "wraps on purpose", "until": "2026-12-31"}]"#), None);
        assert!(mistake(r#"[{"kind": "shift", "reason": " "}]"#).is_some());
        assert!(mistake(r#"[{"reason": "all of them"}]"#).is_some());
        assert!(mistake(r#"[{"kind": "shift", "reason": "later", "until": "tomorrow"}]"#).is_some());
    }

    #[test]
    fn a_suppression_ends() {
        let list = one(r#"[{"kind": "shift", "reason": "later", "until": "2026-11-19"}]"#);
        assert!(list.0[0].holds_on("2026-11-19") && !list.0[0].holds_on("2026-11-20"));
    }
}
