//! The turns of threads side by side: one column for each, a line where another one goes on, and who holds which lock at the end.

use crate::model::{Step, StepKind};
use std::collections::{BTreeMap, BTreeSet};

/// Steps that are shown: the last ones.
const MAX_ROWS: usize = 24;
/// Columns that fit beside each other.
const MAX_COLUMNS: usize = 6;
const LINE_WIDTH: usize = 6;

/// The lines of the table; none where one thread did everything.
pub(crate) fn turns(steps: &[Step], width: usize) -> Vec<String> {
    let told: Vec<&Step> = steps.iter().filter(|s| s.thread.is_some() && is_shown(s)).collect();
    let threads: BTreeSet<u32> = told.iter().filter_map(|s| s.thread).collect();
    if threads.len() < 2 {
        return Vec::new();
    }
    let skipped = told.len().saturating_sub(MAX_ROWS);
    let column: BTreeMap<u32, usize> = threads.iter().copied().zip(0..).collect();
    let columns = threads.len().min(MAX_COLUMNS);
    let room = (width.saturating_sub(LINE_WIDTH) / columns).clamp(12, 32);
    let mut lines = vec![head(&threads, room)];
    if skipped > 0 {
        lines.push(format!("({skipped} steps before)"));
    }
    let mut before = None;
    for step in &told[skipped..] {
        let thread = step.thread.unwrap_or(0);
        if before.is_some_and(|b| b != thread) {
            lines.push(format!("----- {} goes on", name(thread)));
        }
        before = Some(thread);
        lines.push(row(step, column[&thread].min(MAX_COLUMNS - 1), room));
    }
    lines.extend(holders(steps));
    lines
}

/// What others may see, and where a thread begins.
fn is_shown(step: &Step) -> bool {
    let first = step.what == StepKind::Call && step.depth == 0;
    first || [StepKind::Store, StepKind::Lock, StepKind::Unlock, StepKind::Input, StepKind::Free].contains(&step.what)
}

fn name(thread: u32) -> String {
    if thread == 0 { "main".to_owned() } else { format!("thread {thread}") }
}

fn head(threads: &BTreeSet<u32>, room: usize) -> String {
    let mut out = format!("{:LINE_WIDTH$}", "line");
    for (i, thread) in threads.iter().take(MAX_COLUMNS).enumerate() {
        let more = i + 1 == MAX_COLUMNS && threads.len() > MAX_COLUMNS;
        out.push_str(&fit(&if more { "others".to_owned() } else { name(*thread) }, room));
    }
    out.trim_end().to_owned()
}

fn row(step: &Step, column: usize, room: usize) -> String {
    let line = if step.place.is_known() { step.place.line.to_string() } else { String::new() };
    let cell = fit(&step.text, room);
    format!("{line:LINE_WIDTH$}{:indent$}{}", "", cell.trim_end(), indent = column * room)
}

/// A text as wide as a column, with a space after it.
fn fit(text: &str, room: usize) -> String {
    let most = room - 1;
    let shown: String = match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['~']).collect(),
        false => text.to_owned(),
    };
    format!("{shown:room$}")
}

/// Who holds which lock after the last step.
fn holders(steps: &[Step]) -> Option<String> {
    let mut last: BTreeMap<u32, &[String]> = BTreeMap::new();
    for step in steps {
        if let Some(thread) = step.thread {
            last.insert(thread, &step.held);
        }
    }
    let held: Vec<String> = last
        .into_iter()
        .filter(|(_, locks)| !locks.is_empty())
        .map(|(thread, locks)| format!("{} holds {}", name(thread), locks.join(", ")))
        .collect();
    (!held.is_empty()).then(|| held.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locks::mark_turns;
    use crate::model::Place;

    fn step(thread: u32, what: StepKind, line: u32, text: &str, lock: Option<&str>) -> Step {
        Step {
            what,
            text: text.to_owned(),
            depth: 1,
            thread: Some(thread),
            switch: false,
            held: Vec::new(),
            place: Place { file: "a.c".to_owned(), line, column: 1 },
            function: "main".to_owned(),
            callee: None,
            has_result: false,
            name: lock.map(str::to_owned),
            member: None,
            value: None,
            object: None,
            offset: None,
            bytes: None,
            input: None,
            given: Vec::new(),
            anonymous: false,
        }
    }

    #[test]
    fn columns_switches_and_holders() {
        let mut steps = vec![
            step(0, StepKind::Lock, 3, "locks m", Some("m")),
            step(0, StepKind::Store, 4, "x = 1", None),
            step(1, StepKind::Lock, 8, "locks n", Some("n")),
            step(0, StepKind::Unlock, 5, "unlocks m", Some("m")),
        ];
        mark_turns(&mut steps);
        assert_eq!(steps.iter().map(|s| s.switch).collect::<Vec<_>>(), [false, false, true, true]);
        assert_eq!(steps[1].held, ["m"]);
        let lines = turns(&steps, 40);
        let expected = [
            "line  main             thread 1",
            "3     locks m",
            "4     x = 1",
            "----- thread 1 goes on",
            "8                      locks n",
            "----- main goes on",
            "5     unlocks m",
            "thread 1 holds n",
        ];
        assert_eq!(lines, expected);
    }
}
