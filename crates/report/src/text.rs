//! Findings in the manner of rustc: a title, the source with the place marked, and notes.

use crate::coverage::coverage_summary;
use crate::explain::explanation;
use crate::finding::Finding;
use crate::model::{Confirmed, InputRow, Native, OtherThread, Place, Report, StackFrame, Status, Verdict};
use crate::source::{Sources, token_span};
use crate::turns::turns;
use crate::value::c_string;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use blitz_ir::Channel;
use blitz_ir::channel::{StreamPart, VariablePart};

/// How text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub color: bool,
    pub width: usize,
}

impl Style {
    /// No colour, 80 columns.
    pub const PLAIN: Style = Style { color: false, width: 80 };

    fn renderer(self) -> Renderer {
        let renderer = if self.color { Renderer::styled() } else { Renderer::plain() };
        renderer.term_width(self.width)
    }
}

/// A message without a place: `error: no such file: a.c`.
pub fn message_text(level: Level<'static>, message: &str, style: Style) -> String {
    style.renderer().render(&[Group::with_title(level.primary_title(message))])
}

/// A finding with its excerpts.
pub fn finding_text(finding: &Finding, sources: &mut Sources, style: Style) -> String {
    let main = Excerpt::new(finding.place.clone(), label(finding), sources);
    let mut more: Vec<(String, Excerpt)> = Vec::new();
    if let Some(info) = &finding.object_info {
        for (frames, what) in [(&info.allocated, "allocated here"), (&info.freed, "freed here")] {
            let place = frames.first().map(|f| f.place.clone()).filter(|p| p.is_known() && *p != finding.place);
            more.extend(place.map(|p| (format!("the object was {what}"), Excerpt::new(p, what.to_owned(), sources))));
        }
    }
    if let Some(place) = finding.lost.as_ref().filter(|p| **p != finding.place) {
        let excerpt = Excerpt::new(place.clone(), "lost here".to_owned(), sources);
        more.push(("the last pointer to the object is lost here".to_owned(), excerpt));
    }
    let mut notes: Vec<String> = notes(finding, sources).iter().map(|n| wrapped(n, style.width)).collect();
    let table = turns(&finding.trace, style.width.saturating_sub(MARGIN));
    if !table.is_empty() {
        notes.insert(notes.len() - 1, format!("threads take turns:\n  {}", table.join("\n  ")));
    }
    let mut groups = Vec::new();
    let title = Level::ERROR.primary_title(finding.message.as_str()).id(finding.kind.as_str());
    let mut first = main.attach(Group::with_title(title), AnnotationKind::Primary);
    for note in &notes {
        first = first.element(Level::NOTE.message(note.as_str()));
    }
    groups.push(first);
    more.extend(finding.others.iter().filter_map(|o| other(o, sources)));
    for (title, excerpt) in &more {
        groups.push(
            excerpt.attach(Group::with_title(Level::NOTE.secondary_title(title.as_str())), AnnotationKind::Context),
        );
    }
    if freed_by_the_same(finding) {
        let title = Level::NOTE.secondary_title("the object was freed by the same statement before");
        groups.push(Group::with_title(title));
    }
    style.renderer().render(&groups)
}

/// The statement that frees for the second time has freed the first time as well: a loop, or another call.
fn freed_by_the_same(finding: &Finding) -> bool {
    let freed = finding.object_info.as_ref().and_then(|o| o.freed.first());
    freed.is_some_and(|f| f.place.is_known() && f.place == finding.place)
}

/// Where another thread stands, or stood.
fn other(other: &OtherThread, sources: &mut Sources) -> Option<(String, Excerpt)> {
    let frame = other.stack.first()?;
    let title = format!("{} {} in {}", thread_name(other.thread), other.what, frame.function);
    Some((title, Excerpt::new(frame.place.clone(), format!("{} here", other.what), sources)))
}

fn thread_name(thread: u32) -> String {
    if thread == 0 { "the main thread".to_owned() } else { format!("thread {thread}") }
}

/// A place with its line's text, owned for as long as it is rendered.
struct Excerpt {
    place: Place,
    label: String,
    source: Option<(String, std::ops::Range<usize>)>,
}

impl Excerpt {
    fn new(place: Place, label: String, sources: &mut Sources) -> Self {
        let line = sources.line(&place.file, place.line);
        let source = line.map(|line| (line.to_owned(), token_span(line, place.column)));
        Self { place, label, source }
    }

    fn attach<'a>(&'a self, group: Group<'a>, kind: AnnotationKind) -> Group<'a> {
        match &self.source {
            Some((text, span)) => {
                let annotation = kind.span(span.clone()).label(self.label.as_str());
                let snippet = Snippet::source(text.as_str()).line_start(self.place.line as usize);
                group.element(snippet.path(self.place.file.as_str()).annotation(annotation))
            }
            None if self.place.is_known() => {
                let origin = Origin::path(self.place.file.as_str()).line(self.place.line as usize);
                group.element(origin)
            }
            None => group,
        }
    }
}

fn label(finding: &Finding) -> String {
    if finding.message.ends_with(&finding.text) { String::new() } else { finding.text.clone() }
}

fn notes(finding: &Finding, sources: &mut Sources) -> Vec<String> {
    let mut notes = Vec::new();
    let mut values: Vec<String> = Vec::new();
    for (name, value) in finding.values.iter().filter_map(|v| v.name.as_ref().map(|n| (n, &v.value))) {
        let shown = format!("{name} = {value}");
        if !values.contains(&shown) {
            values.push(shown);
        }
    }
    if !values.is_empty() {
        notes.push(format!("with {}", values.join(", ")));
    }
    notes.extend(compared(finding));
    if let Some(thread) = finding.thread {
        notes.push(format!("it happens in {}", thread_name(thread)));
    }
    if finding.stack.len() > 1 {
        notes.push(call_stack(&finding.stack));
    }
    let way = explanation(finding, sources);
    if !way.is_empty() {
        notes.push(format!("how it got there:\n  {}", way.join("\n  ")));
    }
    notes.extend(input_note(finding));
    notes.extend(precondition_note(finding));
    notes.push(confirmation(finding));
    notes
}

/// The two sides of an assertion that compares, where one of them has no name.
fn compared(finding: &Finding) -> Option<String> {
    let [left, right] = finding.values.as_slice() else { return None };
    let unnamed = left.name.is_none() || right.name.is_none();
    let compares = ["==", "!=", "<", ">"].iter().any(|op| finding.text.contains(op));
    (finding.kind == "assertion" && unnamed && compares)
        .then(|| format!("the values compared are {} and {}", left.value, right.value))
}

fn precondition_note(finding: &Finding) -> Option<String> {
    let list = &finding.preconditions;
    let lines: Vec<String> = list.iter().map(|p| p.to_string()).collect();
    (!list.is_empty()).then(|| format!("it happens when\n  {}", lines.join("\n  ")))
}

fn confirmation(finding: &Finding) -> String {
    let property = &finding.property;
    let native = finding.native.as_ref();
    let mut note =
        match (finding.confirmed, native.and_then(|n| n.report.as_ref()), native.and_then(|n| n.reason.as_ref())) {
            (Confirmed::Native | Confirmed::NativeStub, Some(r), _) => {
                let under = native.map(under_stubs).unwrap_or_default();
                format!(
                    "property {property}, confirmed natively{under}:\n  {} at {}:{}",
                    r.text,
                    short(&r.file),
                    r.line
                )
            }
            (Confirmed::Interpreter, _, Some(why)) => {
                let under = native.map(under_stubs).unwrap_or_default();
                format!("property {property}, confirmed by the interpreter{under}; {why}")
            }
            (Confirmed::Native | Confirmed::NativeStub | Confirmed::Interpreter, _, _) => {
                format!("property {property}, confirmed by the interpreter")
            }
        };
    if let Some(native) = native {
        note.push_str(&format!("\nto see it again: {}/run.sh", native.kit));
    }
    note
}

/// ` under a stub of f`: what stood in for functions that nobody defines.
pub(crate) fn under_stubs(native: &Native) -> String {
    if native.stubs.is_empty() { String::new() } else { format!(" under a stub of {}", native.stubs.join(", ")) }
}

/// The last part of a path.
fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// What the renderer puts in front of a note's lines.
const MARGIN: usize = 13;

/// A note whose lines fit into a width; the rest of a line goes on below, further in.
fn wrapped(note: &str, width: usize) -> String {
    let room = width.saturating_sub(MARGIN).max(40);
    note.split('\n').map(|line| wrapped_line(line, room)).collect::<Vec<_>>().join("\n")
}

fn wrapped_line(line: &str, room: usize) -> String {
    let indent = line.len() - line.trim_start().len();
    let (mut out, mut used) = (" ".repeat(indent), indent);
    for (i, word) in line.trim_start().split(' ').enumerate() {
        let length = word.chars().count();
        if i > 0 && used + 1 + length > room && used > indent {
            out.push_str(&format!("\n{}", " ".repeat(indent + 4)));
            used = indent + 4;
        } else if i > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out
}

const SHOWN_INPUTS: usize = 12;
/// What standard input is called.
const TYPED: &str = "stdin";
/// Characters of standard input.
const SHOWN_TYPED: usize = 200;

/// What the outside world has to supply, if it is anything worth saying.
pub(crate) fn input_note(finding: &Finding) -> Option<String> {
    if !finding.inputs.iter().any(|i| is_telling(i.channel, &i.value)) {
        return None;
    }
    let typed = typed(&finding.inputs);
    let mut rows: Vec<(&str, &str)> = Vec::new();
    for input in &finding.inputs {
        match (input.channel, &typed) {
            (Channel::Stdin(StreamPart::Bytes | StreamPart::Ends), Some(_))
                if rows.iter().any(|(name, _)| *name == TYPED) => {}
            (Channel::Stdin(StreamPart::Bytes | StreamPart::Ends), Some(text)) => rows.push((TYPED, text)),
            (channel, _) if is_telling(channel, &input.value) => rows.push((&input.name, &input.value)),
            _ => {}
        }
    }
    if rows.len() > SHOWN_INPUTS {
        rows.sort_by_key(|(_, value)| ["false", "0", "\"\""].contains(value));
    }
    let mut shown: Vec<String> =
        rows.iter().take(SHOWN_INPUTS).map(|(name, value)| format!("{name} = {value}")).collect();
    if rows.len() > SHOWN_INPUTS {
        shown.push(format!("and {} more", rows.len() - SHOWN_INPUTS));
    }
    Some(format!("inputs: {}", shown.join(", ")))
}

/// All of standard input as one text, however many calls it came with. `None` if the program read numbers or nothing.
fn typed(inputs: &[InputRow]) -> Option<String> {
    if !inputs.iter().any(|i| matches!(i.channel, Channel::Stdin(StreamPart::Bytes | StreamPart::Ends))) {
        return None;
    }
    let mut text = String::new();
    for input in inputs.iter().filter(|i| i.channel == Channel::Stdin(StreamPart::Bytes)) {
        match input.value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) {
            Some(inner) => text.push_str(inner),
            None => {
                let byte: i16 = input.value.split(' ').next()?.parse().ok()?;
                let quoted = c_string(&[byte as u8]);
                text.push_str(&quoted[1..quoted.len() - 1]);
            }
        }
    }
    let all = text.chars().count();
    let shown: String = text.chars().take(SHOWN_TYPED).collect();
    Some(if all > SHOWN_TYPED { format!("\"{shown}\"... ({all} characters)") } else { format!("\"{text}\"") })
}

/// Lengths show in the bytes, guesses of our own models mean nothing, what goes well is no news, and nor is what was in memory
/// that nobody had set if it was what a run always finds there.
pub(crate) fn is_telling(channel: Channel, value: &str) -> bool {
    let filler = |v: &str| v.trim_start_matches('a').starts_with('"');
    match channel {
        Channel::Guess(_) => false,
        Channel::Fails(_) | Channel::AllocationFails => !["false", "0"].contains(&value),
        Channel::ArgumentCount => value != "1",
        Channel::Variable(VariablePart::IsSet) => value != "true",
        Channel::Unset => !value.strip_prefix('"').is_some_and(filler),
        other => !other.is_size(),
    }
}

const SHOWN_FRAMES: usize = 10;

fn call_stack(stack: &[StackFrame]) -> String {
    let line = |f: &StackFrame| format!("{} at {}:{}:{}", f.function, f.place.file, f.place.line, f.place.column);
    let mut lines: Vec<String> = vec!["call stack:".to_owned()];
    if stack.len() <= SHOWN_FRAMES {
        lines.extend(stack.iter().map(line));
    } else {
        lines.extend(stack[..SHOWN_FRAMES - 1].iter().map(line));
        lines.push(format!("... {} more calls", stack.len() - SHOWN_FRAMES));
        lines.extend(stack.last().map(line));
    }
    lines.join("\n  ")
}

/// The verdict and what it means, in a few lines.
pub fn summary_text(report: &Report) -> String {
    let count = |status| report.properties.iter().filter(|p| p.status == status).count();
    let (proved, unreached) = (count(Status::Proved), count(Status::Unreachable));
    let why = report.reason.as_ref().map_or_else(String::new, |r| format!(": {}", r.text));
    let head = match report.verdict {
        Verdict::Safe if proved == 0 && unreached > 0 => {
            "safe, but no execution reaches a check: nothing was proved".to_owned()
        }
        Verdict::Safe => format!("safe: {}", all_hold(proved, unreached)),
        Verdict::Violation => "violation found".to_owned(),
        Verdict::Bounded => format!("bounded{why}"),
        Verdict::Unknown => format!("unknown{why}"),
    };
    let parts = [
        (proved, "proved"),
        (unreached, "never reached"),
        (count(Status::Violated) - report.suppressed.len().min(count(Status::Violated)), "violated"),
        (report.suppressed.len(), "suppressed"),
        (count(Status::Bounded), "held up to the bound"),
        (count(Status::Unknown), "unknown"),
    ];
    let tally: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let tally = if tally.is_empty() { "0 properties".to_owned() } else { tally.join(", ") };
    let looked = coverage_summary(&report.coverage).map_or_else(String::new, |text| format!("\n{text}"));
    format!("{head}\n{tally} ({:.1} s){looked}", report.stats.seconds)
}

/// What never gets reached holds for no reason: it is not counted among what was proved.
fn all_hold(proved: usize, unreached: usize) -> String {
    match (proved, unreached) {
        (0, _) => "there is nothing to check".to_owned(),
        (1, 0) => "the one property holds".to_owned(),
        (n, 0) => format!("all {n} properties hold"),
        (1, _) => "the one property that is reached holds".to_owned(),
        (n, _) => format!("all {n} properties that are reached hold"),
    }
}

/// The preconditions that functions need, as one table.
pub fn needs_text(report: &Report, width: usize) -> Option<String> {
    if report.needs.is_empty() {
        return None;
    }
    let mut out = String::from("functions that need a precondition (each was called with anything):\n");
    let mut last = "";
    for group in report.needs.chunk_by(|a, b| (&a.function, &a.needs, &a.kind) == (&b.function, &b.needs, &b.kind)) {
        let row = &group[0];
        if row.function != last {
            out.push_str(&format!("  {}\n", row.function));
            last = &row.function;
        }
        let more = group.len() - 1;
        let places = if more > 0 {
            format!(" and {more} more {}", if more == 1 { "place" } else { "places" })
        } else {
            String::new()
        };
        let text = format!("      {}, else {} at {}:{}{places}", row.needs, row.kind, row.place.file, row.place.line);
        out.push_str(&wrapped_line(&text, width.max(40)));
        out.push('\n');
    }
    Some(out)
}
