//! What of the program a verdict is about: functions, lines and loops that were looked at, and what stands in the way of more.
//!
//! Why: `safe` says nothing of code that no execution gets to. Every format shows it, and [`warnings`] says so where most of a program is meant.
//!
//! Direction: a function or line is `reached` only if an execution gets there: a solver's model or a run has shown it. `looked-at` was run
//! symbolically, and nobody knows whether an execution gets there. `not-reached` was not looked at, or only executions beyond the bounds get there.

use crate::finding::place;
use crate::model::{Place, Report, Status, Verdict};
use blitz_engines as engines;
use blitz_engines::Seen;
use blitz_interp::Event;
use blitz_ir::{Block, Func, FuncId, LoopForest, LoopId, Program};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a search has gone through.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageReport {
    pub functions: Vec<FunctionRow>,
    pub loops: Vec<LoopRow>,
    /// What could not be followed, and where.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<GapRow>,
    /// Functions without body and model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodiless: Vec<String>,
    /// Assumptions behind which no execution goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dead_assumptions: Vec<SpotRow>,
    /// Per file and line with code: whether it was reached.
    pub files: BTreeMap<String, BTreeMap<u32, Reached>>,
}

/// What is known of a function or a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reached {
    NotReached,
    LookedAt,
    Reached,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionRow {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub status: Reached,
    /// Lines with code, and those of them that were reached or looked at.
    pub lines: usize,
    pub lines_reached: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopRow {
    pub id: String,
    pub file: String,
    pub line: u32,
    pub status: LoopStatus,
    /// Iterations up to which all executions were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopStatus {
    /// Every iteration was looked at.
    Complete,
    Bounded,
    /// The function was looked at, but no step of the search was completed.
    Unknown,
    NotReached,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapRow {
    pub what: String,
    pub file: String,
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpotRow {
    pub function: String,
    pub file: String,
    pub line: u32,
}

/// The coverage of an engine's answer.
pub(crate) fn coverage_report(program: &Program, answer: &engines::Report) -> CoverageReport {
    let seen = Seenness::new(program, answer);
    let mut out = CoverageReport { bodiless: answer.bodiless.clone(), ..CoverageReport::default() };
    for f in (0..program.funcs.len()).map(FuncId::new).filter(|f| is_users(program, *f)) {
        // Bodies that nobody asked for were not looked at: lowering them now would take long in large programs.
        let body = program.lowered(f);
        out.functions.push(function_row(program, f, body, &seen, &mut out.files));
        if let Some(body) = body {
            out.loops.extend(loop_rows(program, f, body, &seen, answer));
        }
    }
    out.gaps = answer.gaps.iter().map(|(what, loc)| gap_row(&what.to_string(), place(program, *loc))).collect();
    for ((f, _, _), (loc, seen)) in &answer.coverage.assumes {
        if *seen == Seen::Refuted {
            let at = place(program, *loc);
            let row = SpotRow { function: program.decl(*f).name.clone(), file: at.file, line: at.line };
            if !out.dead_assumptions.contains(&row) {
                out.dead_assumptions.push(row);
            }
        }
    }
    out
}

fn is_users(program: &Program, f: FuncId) -> bool {
    let decl = program.decl(f);
    let ours = [".contract", ".assumption"].iter().any(|end| decl.name.ends_with(end));
    decl.has_body && !decl.model && !ours && !decl.name.starts_with("__blitz_")
}

fn gap_row(what: &str, at: Place) -> GapRow {
    GapRow { what: what.to_owned(), file: at.file, line: at.line }
}

/// What the engine saw, and what the runs of violations went through.
struct Seenness<'a> {
    blocks: &'a BTreeMap<(FuncId, Block), Seen>,
    entered: BTreeSet<FuncId>,
    lines: BTreeSet<(u32, u32)>,
    bounds: Option<&'a [engines::BoundReached]>,
}

impl<'a> Seenness<'a> {
    fn new(program: &Program, answer: &'a engines::Report) -> Self {
        let mut entered = BTreeSet::new();
        let mut lines = BTreeSet::new();
        for event in answer.violations.iter().flat_map(|v| &v.run().trace) {
            match event {
                Event::Enter { func, .. } => drop(entered.insert(*func)),
                Event::Assign { loc, .. } | Event::Store { loc, .. } | Event::Branch { loc, .. } if loc.is_known() => {
                    lines.insert((loc.file.0, loc.line));
                }
                _ => {}
            }
        }
        for result in answer.properties.iter().filter(|r| r.status == engines::Status::Violated) {
            entered.insert(program.property(result.property).func);
        }
        Seenness { blocks: &answer.coverage.blocks, entered, lines, bounds: answer.coverage.bounds.as_deref() }
    }

    fn of(&self, f: FuncId, b: Block) -> Reached {
        match self.blocks.get(&(f, b)) {
            _ if b == Func::ENTRY && self.entered.contains(&f) => Reached::Reached,
            Some(Seen::Reached) => Reached::Reached,
            Some(Seen::LookedAt) => Reached::LookedAt,
            Some(Seen::Refuted) | None => Reached::NotReached,
        }
    }
}

fn function_row(
    program: &Program,
    f: FuncId,
    body: Option<&Func>,
    seen: &Seenness<'_>,
    files: &mut BTreeMap<String, BTreeMap<u32, Reached>>,
) -> FunctionRow {
    let decl = program.decl(f);
    let at = place(program, decl.loc);
    let mut lines: BTreeMap<(u32, u32), Reached> = BTreeMap::new();
    for b in body.into_iter().flat_map(|body| body.block_ids()) {
        let block = body.expect("a block should have a body").block(b);
        let places = block.insts.iter().map(|i| body.expect("likewise").inst(*i).loc).chain([block.loc]);
        for loc in places.filter(|l| l.is_known()) {
            let shown = seen.lines.contains(&(loc.file.0, loc.line));
            let status = if shown { Reached::Reached } else { seen.of(f, b) };
            let known = lines.entry((loc.file.0, loc.line)).or_insert(status);
            *known = status.max(*known);
        }
    }
    let status = if body.is_some() { seen.of(f, Func::ENTRY) } else { Reached::NotReached };
    let row = FunctionRow {
        name: decl.name.clone(),
        file: at.file,
        line: at.line,
        status,
        lines: lines.len(),
        lines_reached: lines.values().filter(|r| **r > Reached::NotReached).count(),
    };
    for ((file, line), status) in lines {
        let of_file = files.entry(program.file(blitz_base::span::FileId(file)).to_owned()).or_default();
        let known = of_file.entry(line).or_insert(status);
        *known = status.max(*known);
    }
    row
}

fn loop_rows(program: &Program, f: FuncId, body: &Func, seen: &Seenness<'_>, answer: &engines::Report) -> Vec<LoopRow> {
    let forest = LoopForest::new(body);
    let function = &program.decl(f).name;
    let row = |(i, info): (usize, &blitz_ir::LoopInfo)| {
        let id = LoopId::new(i).name(function);
        let at = place(program, info.loc);
        let stands = seen.bounds.unwrap_or(answer.bounds.as_slice());
        let bound = stands.iter().find(|b| b.name == id).map(|b| u64::from(b.bound));
        let status = match (bound, seen.of(f, info.head)) {
            (Some(_), _) => LoopStatus::Bounded,
            (None, Reached::NotReached) => LoopStatus::NotReached,
            (None, _) if seen.bounds.is_some() => LoopStatus::Complete,
            (None, _) => LoopStatus::Unknown,
        };
        LoopRow { id, file: at.file, line: at.line, status, depth: bound }
    };
    forest.loops.iter().enumerate().map(row).collect()
}

impl CoverageReport {
    fn count(&self, status: Reached) -> usize {
        self.functions.iter().filter(|f| f.status == status).count()
    }

    /// Lines with code, and those that were reached or looked at.
    fn lines(&self) -> (usize, usize) {
        let all = self.files.values().flat_map(|f| f.values());
        all.fold((0, 0), |(n, reached), r| (n + 1, reached + usize::from(*r > Reached::NotReached)))
    }
}

/// Functions that are named where they are not reached.
const NAMED: usize = 6;

/// What was looked at, in one or two lines.
pub fn coverage_summary(coverage: &CoverageReport) -> Option<String> {
    let all = coverage.functions.len();
    let reached = all - coverage.count(Reached::NotReached);
    // An engine that came to no end, or that does not run the program from its start, has nothing to say of it.
    if reached == 0 {
        return None;
    }
    let (lines, lines_reached) = coverage.lines();
    let functions = if reached == all {
        if all == 1 { "the one function".to_owned() } else { format!("all {all} functions") }
    } else {
        format!("{reached} of {all} functions")
    };
    let mut text = format!("looked at: {functions}, {lines_reached} of {lines} lines{}", loops_summary(coverage));
    let names: Vec<&str> =
        coverage.functions.iter().filter(|f| f.status == Reached::NotReached).map(|f| f.name.as_str()).collect();
    if !names.is_empty() {
        let more = if names.len() > NAMED { format!(" and {} more", names.len() - NAMED) } else { String::new() };
        text.push_str(&format!("\nnot reached: {}{more}", names[..names.len().min(NAMED)].join(", ")));
    }
    Some(text)
}

fn loops_summary(coverage: &CoverageReport) -> String {
    let count = |status| coverage.loops.iter().filter(|l| l.status == status).count();
    let loops = |n: usize| if n == 1 { "1 loop".to_owned() } else { format!("{n} loops") };
    let mut parts = Vec::new();
    if count(LoopStatus::Complete) > 0 {
        parts.push(format!("{} to the end", loops(count(LoopStatus::Complete))));
    }
    let bounded = coverage.loops.iter().filter(|l| l.status == LoopStatus::Bounded);
    if let Some(least) = bounded.clone().filter_map(|l| l.depth).min() {
        let iterations = if least == 1 { "iteration" } else { "iterations" };
        parts.push(format!("{} up to {least} {iterations} or more", loops(bounded.count())));
    }
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}

/// What makes a verdict worth less than it sounds.
pub fn warnings(report: &Report) -> Vec<String> {
    let coverage = &report.coverage;
    let mut out: Vec<String> = coverage
        .dead_assumptions
        .iter()
        .map(|a| {
            format!(
                "the assumption at {}:{} holds in no execution that was looked at: what follows it was checked for nothing",
                a.file, a.line
            )
        })
        .collect();
    let (all, not) = (coverage.functions.len(), coverage.count(Reached::NotReached));
    let (lines, reached) = coverage.lines();
    let mostly = all > 1 && not * 2 > all || lines > 0 && reached * 2 < lines;
    if mostly && not < all && matches!(report.verdict, Verdict::Safe | Verdict::Bounded) {
        let unreached = report.properties.iter().filter(|p| p.status == Status::Unreachable).count();
        let properties =
            if unreached == 0 { String::new() } else { format!(", {unreached} properties hold for no other reason") };
        out.push(format!(
            "most of the program was not reached ({} of {all} functions{properties}): `--entry FUNC` begins with another function, `--entries all` with each",
            all - not
        ));
    }
    out
}

/// As a table for people.
pub fn coverage_text(coverage: &CoverageReport) -> String {
    let mut out = String::new();
    let width = coverage.functions.iter().map(|f| f.name.len()).max().unwrap_or(0).min(40);
    for f in &coverage.functions {
        let status = match f.status {
            Reached::Reached => "reached",
            Reached::LookedAt => "looked at",
            Reached::NotReached => "not reached",
        };
        let lines = if f.lines == 0 { String::new() } else { format!("  {} of {} lines", f.lines_reached, f.lines) };
        out.push_str(&format!("{:width$}  {status:11}  {}:{}{lines}\n", f.name, f.file, f.line));
    }
    for l in &coverage.loops {
        let depth = match (l.status, l.depth) {
            (LoopStatus::Bounded, Some(k)) => format!("up to {k} iterations"),
            (LoopStatus::Bounded | LoopStatus::Unknown, _) => "how far is not known".to_owned(),
            (LoopStatus::Complete, _) => "to the end".to_owned(),
            (LoopStatus::NotReached, _) => "not reached".to_owned(),
        };
        out.push_str(&format!("loop {}  {depth}  {}:{}\n", l.id, l.file, l.line));
    }
    for gap in &coverage.gaps {
        out.push_str(&format!("not followed: {} at {}:{}\n", gap.what, gap.file, gap.line));
    }
    for name in &coverage.bodiless {
        out.push_str(&format!("without a body: {name}\n"));
    }
    for a in &coverage.dead_assumptions {
        out.push_str(&format!("never holds: the assumption at {}:{}\n", a.file, a.line));
    }
    out.push_str(&coverage_summary(coverage).unwrap_or_else(|| "nothing was looked at from the start on".to_owned()));
    out.push('\n');
    out
}

/// As lcov's `genhtml` reads it: a line counts once if it was reached or looked at.
pub fn coverage_lcov(coverage: &CoverageReport) -> String {
    let times = |r: Reached| u64::from(r > Reached::NotReached);
    let mut files: BTreeMap<String, crate::paths::Coverage> = BTreeMap::new();
    for (file, lines) in &coverage.files {
        let of_file = files.entry(file.clone()).or_default();
        of_file.lines = lines.iter().map(|(line, r)| (*line, times(*r))).collect();
    }
    for f in coverage.functions.iter().filter(|f| f.line > 0) {
        files.entry(f.file.clone()).or_default().functions.insert(f.name.clone(), (f.line, times(f.status)));
    }
    crate::paths::lcov(&files)
}
