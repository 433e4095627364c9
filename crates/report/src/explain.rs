//! How execution got to a violation: the decisions and assignments it depends on, picked out of the trace.
//!
//! A dynamic slice by names: beginning with the names in the violation's line, the latest assignment to each is taken, then
//! the names in that assignment's line, and so on backwards, through the open calls to the entry; so are the branches of the open
//! calls. A call whose result is in such a line is looked into in the same way. Names are read off the source text, so a value that
//! came through memory under another name is not followed: `--trace full` shows all.

use crate::finding::Finding;
use crate::model::{Step, StepKind};
use crate::source::Sources;
use crate::text::is_telling;
use std::collections::{BTreeMap, BTreeSet};

/// The most lines of an explanation.
const MOST: usize = 14;
/// The most of a source line that is shown.
const WIDEST: usize = 36;

/// One line per decision or assignment, in the order in which they happened.
pub fn explanation(finding: &Finding, sources: &mut Sources) -> Vec<String> {
    let steps = relevant(finding, sources);
    let skipped = steps.len().saturating_sub(MOST);
    let mut lines: Vec<String> = steps[skipped..].iter().map(|r| line(r, sources)).collect();
    if skipped > 0 {
        let earlier = if skipped == 1 { "1 earlier step".to_owned() } else { format!("{skipped} earlier steps") };
        lines.insert(0, format!("({earlier}; --trace full shows all)"));
    }
    lines
}

/// A step that matters, and how often its like happened in the same call.
struct Relevant<'a> {
    step: &'a Step,
    times: usize,
}

/// A call whose inside is looked at: the names that matter there, and what was taken already.
struct Look {
    depth: u32,
    names: BTreeSet<String>,
    /// Kind, name and line of a step to its place among those found.
    taken: BTreeMap<(String, u32), usize>,
}

impl Look {
    fn new(depth: u32, names: BTreeSet<String>) -> Self {
        Self { depth, names, taken: BTreeMap::new() }
    }
}

fn relevant<'a>(finding: &'a Finding, sources: &mut Sources) -> Vec<Relevant<'a>> {
    let mut found: Vec<Relevant<'a>> = Vec::new();
    let names = names_at(&finding.place.file, finding.place.line, sources);
    let mut looks = vec![Look::new(finding.stack.len() as u32, names)];
    for step in finding.trace.iter().rev() {
        let look = looks.last_mut().expect("the call that is looked at should stay");
        if step.what == StepKind::Call && step.depth + 1 == look.depth {
            // The call that opened what was looked at so far: on to its caller.
            found.push(Relevant { step, times: 1 });
            // Its arguments matter from here on, not what it is called.
            let mut names = names_at(&step.place.file, step.place.line, sources);
            names.remove(step.callee.as_deref().unwrap_or_default());
            if looks.len() > 1 {
                looks.pop();
                looks.last_mut().expect("an inner call should have an outer one").names.extend(names);
            } else {
                looks = vec![Look::new(step.depth, names)];
            }
            continue;
        }
        if !matters(step, look, sources) {
            continue;
        }
        let key = (format!("{} {}", step.what, step.name.as_deref().unwrap_or(&step.function)), step.place.line);
        if let Some(&at) = look.taken.get(&key) {
            found[at].times += usize::from(found[at].step.place.column == step.place.column);
            continue;
        }
        look.taken.insert(key, found.len());
        found.push(Relevant { step, times: 1 });
        let names = names_at(&step.place.file, step.place.line, sources);
        match step.what {
            StepKind::Return => looks.push(Look::new(step.depth, names)),
            _ => look.names.extend(names),
        }
    }
    found.retain(|r| r.step.place.is_known());
    found.reverse();
    without_repeats(found)
}

/// Parameters right after the call that gives them, and the call of `main`, say nothing new.
fn without_repeats(mut found: Vec<Relevant<'_>>) -> Vec<Relevant<'_>> {
    let mut given: &[(String, String)] = &[];
    found.retain(|r| {
        if r.step.what == StepKind::Call {
            given = &r.step.given;
            return r.step.depth > 0;
        }
        let repeats = |(name, value): &(String, String)| {
            Some(name) == r.step.name.as_ref() && Some(value) == r.step.value.as_ref()
        };
        r.step.what != StepKind::Assign || !given.iter().any(repeats)
    });
    found
}

fn matters(step: &Step, look: &Look, sources: &mut Sources) -> bool {
    if !step.place.is_known() {
        return false;
    }
    if step.what == StepKind::Return {
        // The result of a call in a line that matters; what is returned later in a call is looked at first.
        return step.depth == look.depth + 1 && look.names.contains(&step.function) && step.has_result;
    }
    if step.depth != look.depth {
        return false;
    }
    match step.what {
        StepKind::Assign => step.name.as_ref().is_some_and(|n| look.names.contains(n)),
        StepKind::Store if step.anonymous => {
            !look.names.is_disjoint(&names_at(&step.place.file, step.place.line, sources))
        }
        StepKind::Store => step.name.as_ref().is_some_and(|n| look.names.contains(n)),
        StepKind::Branch => true,
        StepKind::Input => step.input.zip(step.value.as_ref()).is_some_and(|(channel, v)| is_telling(channel, v)),
        _ => false,
    }
}

/// The identifiers in a line of source.
fn names_at(file: &str, line: u32, sources: &mut Sources) -> BTreeSet<String> {
    let text = source_line(file, line, sources).unwrap_or_default();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = |w: &&str| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    text.split(|c| !word(c)).filter(name).map(str::to_owned).collect()
}

/// A line without its comment.
fn source_line(file: &str, line: u32, sources: &mut Sources) -> Option<String> {
    let line = sources.line(file, line)?;
    Some(line.split("//").next().unwrap_or(line).trim().to_owned())
}

fn line(r: &Relevant<'_>, sources: &mut Sources) -> String {
    let place = format!("{}:{}", r.step.place.file.rsplit('/').next().unwrap_or_default(), r.step.place.line);
    let often = if r.times > 1 { format!(", the {} time", nth(r.times)) } else { String::new() };
    match r.step.what {
        StepKind::Branch => {
            let text = source_line(&r.step.place.file, r.step.place.line, sources).unwrap_or_default();
            let text = shortened(text.trim_end_matches(['{', ' ']));
            format!("{place}: {text}  {}{often}", r.step.text)
        }
        StepKind::Call => format!("{place}: calls {}", r.step.text),
        StepKind::Store if r.step.anonymous && r.step.member.is_none() => {
            let text = source_line(&r.step.place.file, r.step.place.line, sources).unwrap_or_default();
            let value = r.step.value.as_deref().unwrap_or_default();
            format!("{place}: {}  stores {value}{often}", shortened(&text))
        }
        _ => format!("{place}: {}{often}", r.step.text),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

fn nth(n: usize) -> String {
    let end = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{end}")
}

/// The longest loop body that is recognised, in steps.
const LONGEST_BODY: usize = 64;

/// All steps of a trace, one line each; iterations of loops that go the same way are folded.
pub fn full_trace(steps: &[Step]) -> Vec<String> {
    let keys: Vec<(StepKind, u32, u32)> = steps.iter().map(|s| (s.what, s.place.line, s.depth)).collect();
    let mut lines = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        match repetition(&keys, at) {
            Some((length, times)) => {
                lines.extend(steps[at..at + length].iter().map(step_line));
                let indent = "  ".repeat(steps[at].depth as usize);
                lines.push(format!("{indent}... iterations 2-{} go the same way ...", times - 1));
                lines.extend(steps[at + (times - 1) * length..at + times * length].iter().map(step_line));
                at += times * length;
            }
            None => {
                lines.push(step_line(&steps[at]));
                at += 1;
            }
        }
    }
    lines
}

/// The body that repeats most at a position, if it does so more than three times: its length and how often.
fn repetition(keys: &[(StepKind, u32, u32)], at: usize) -> Option<(usize, usize)> {
    let rest = &keys[at..];
    let count = |length: usize| {
        let (body, more) = rest.split_at(length);
        1 + more.chunks(length).take_while(|chunk| *chunk == body).count()
    };
    (1..=LONGEST_BODY.min(rest.len() / 4))
        .map(|length| (length, count(length)))
        .filter(|(_, times)| *times > 3)
        .max_by_key(|(length, times)| (length * times, std::cmp::Reverse(*length)))
}

fn step_line(step: &Step) -> String {
    let indent = "  ".repeat(step.depth as usize);
    let place =
        if step.place.is_known() { format!("{}:{}: ", step.place.file, step.place.line) } else { String::new() };
    format!("{place}{indent}{}: {}", step.what, step.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Place;

    fn step(what: StepKind, line: u32, text: &str) -> Step {
        let place = Place { file: "a.c".to_owned(), line, column: 1 };
        let none = || None;
        Step {
            what,
            text: text.to_owned(),
            depth: 1,
            thread: None,
            switch: false,
            held: Vec::new(),
            place,
            function: "main".to_owned(),
            callee: None,
            has_result: false,
            name: none(),
            value: none(),
            member: none(),
            object: None,
            offset: None,
            bytes: None,
            input: None,
            given: Vec::new(),
            anonymous: false,
        }
    }

    #[test]
    fn loops_are_folded() {
        let mut steps = vec![step(StepKind::Assign, 1, "n = 300")];
        for i in 0..300 {
            steps.push(step(StepKind::Branch, 2, "the condition is true"));
            steps.push(step(StepKind::Assign, 3, &format!("i = {i}")));
        }
        steps.push(step(StepKind::Branch, 2, "the condition is false"));
        let lines = full_trace(&steps);
        assert_eq!(lines.len(), 1 + 2 + 1 + 2 + 1, "{lines:#?}");
        assert!(lines[3].contains("iterations 2-299 go the same way"), "{lines:#?}");
        assert!(lines[5].ends_with("i = 299"), "{lines:#?}");
    }

    #[test]
    fn ordinals() {
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 22, 113].map(nth),
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "22nd", "113th"]
        );
    }
}
