//! From findings in the folder to a report: each is run in the interpreter, which has to agree, or the difference is named.

use super::{Job, Searched};
use blitz_engines::{PropertyResult, Reason, Stats, Verdict as EngineVerdict, Violation};
use blitz_fuzz::carrier::{FILE_NAME, arguments, with_file};
use blitz_fuzz::interpret::{Interpreter, Unseen};
use blitz_fuzz::store::FindingMeta;
use blitz_fuzz::{Carrier, End, Status};
use blitz_interp::UsedInput;
use blitz_ir::{Channel, PropertyId};
use blitz_kit::Feed;
use blitz_report::{
    Code, Confirmed, Finding, Native, NativeReport, PropertyRow, Report, Status as RowStatus, Verdict, Why,
};
use blitz_workflow::Scene;
use blitz_workflow::kits::{self, Place};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The report of a search.
pub fn report(job: &Job<'_>, searched: &Searched, interpreter: &Interpreter<'_>, scene: &Scene<'_>) -> Report {
    let mut notes = vec![what_was_done(&searched.status)];
    notes.extend(searched.notes.iter().cloned());
    let (violations, native_only) = divide(job, searched, interpreter, scene, &mut notes);
    let answer = answer(job, violations, notes);
    let mut report = blitz_report::from_check(&job.loaded.program, &answer, scene.budget);
    let place = Place { out: &job.args.out, native: true };
    kits::confirm(place, &job.loaded, &answer, &mut report, scene);
    for meta in native_only {
        add_native(job, &meta, interpreter, &mut report, scene);
    }
    settle(&mut report, searched);
    report
}

fn what_was_done(s: &Status) -> String {
    format!(
        "{} native runs ({:.0} a second) took {} paths and {} of {} edges; {} tests in {} generations; {} decisions negated: {} solved, {} infeasible, {} undecided; {} divergences from what was predicted, {} tests on which interpreter and native run differ",
        s.runs,
        s.runs_per_second,
        s.paths,
        s.blocks,
        s.all_blocks,
        s.tests,
        s.generations + 1,
        s.queries,
        s.solved,
        s.refuted,
        s.undecided,
        s.divergences,
        s.differences
    )
}

/// Findings that the interpreter shows too, and those that it does not.
fn divide(
    job: &Job<'_>,
    searched: &Searched,
    interpreter: &Interpreter<'_>,
    scene: &Scene<'_>,
    notes: &mut Vec<String>,
) -> (Vec<Violation>, Vec<(FindingMeta, Vec<u8>)>) {
    let mut violations: Vec<Violation> = Vec::new();
    let mut native_only = Vec::new();
    let program = &job.loaded.program;
    for (meta, bytes) in &searched.findings {
        let native = meta.seen_by == "native";
        match interpreter.violation(bytes, scene.budget) {
            Ok(violation) => {
                let at = violation.what();
                let same = at.loc.line == meta.line
                    && Path::new(program.file(at.loc.file)).file_name() == Path::new(&meta.file).file_name();
                if native && !same {
                    let (kind, file, line) = (at.kind, program.file(at.loc.file), at.loc.line);
                    notes.push(format!(
                        "on the same input the native run ends with {} at {}:{} and the interpreter before it with {kind} at {file}:{line}",
                        meta.text, meta.file, meta.line
                    ));
                    native_only.push((meta.clone(), bytes.clone()));
                }
                if !violations.iter().any(|v| v.what().property == violation.what().property) {
                    violations.push(violation);
                }
            }
            // Both ended there: `abort` breaks no rule of C, so that the interpreter has nothing to report.
            Err(Unseen::Aborted) if native => native_only.push((meta.clone(), bytes.clone())),
            Err(Unseen::Otherwise(why)) if native => {
                notes.push(format!(
                    "the native run ends with {} at {}:{}, and the interpreter on the same input with: {why}",
                    meta.text, meta.file, meta.line
                ));
                native_only.push((meta.clone(), bytes.clone()));
            }
            Err(why) => notes.push(format!("{} was seen in the interpreter and then was not: {why:?}", meta.key)),
        }
    }
    (violations, native_only)
}

fn answer(job: &Job<'_>, violations: Vec<Violation>, notes: Vec<String>) -> blitz_engines::Report {
    let program = &job.loaded.program;
    let violated: Vec<PropertyId> = violations.iter().map(|v| v.what().property).collect();
    // Library models are not what was asked about: their checks count at the user's calls.
    let users = |p: PropertyId| !program.decl(program.property(p).func).model;
    let properties = program
        .properties()
        .into_iter()
        .filter(|(id, _)| users(*id) || violated.contains(id))
        .map(|(id, _)| PropertyResult {
            property: id,
            status: if violated.contains(&id) {
                blitz_engines::Status::Violated
            } else {
                blitz_engines::Status::Unknown(Reason::RunsOnly)
            },
            engine: "fuzz",
            effort: None,
        })
        .collect();
    let verdict = if violations.is_empty() { EngineVerdict::Unknown } else { EngineVerdict::Violation };
    blitz_engines::Report {
        verdict,
        properties,
        violations,
        bounds: Vec::new(),
        bodiless: Vec::new(),
        runs: vec![("fuzz", verdict)],
        notes,
        gaps: Vec::new(),
        unconfirmed: Vec::new(),
        stats: Stats::default(),
        coverage: Default::default(),
        exploration: None,
    }
}

/// A finding that only the native run shows: its own report is what there is.
fn add_native(
    job: &Job<'_>,
    (meta, bytes): &(FindingMeta, Vec<u8>),
    interpreter: &Interpreter<'_>,
    report: &mut Report,
    scene: &Scene<'_>,
) {
    let mut finding = native_finding(meta);
    let run = interpreter.run(bytes, scene.budget);
    let feed = feed(job, bytes, &run.inputs_used);
    let stderr = std::fs::read_to_string(job.args.work.join("findings").join(&meta.key).join("report.txt"));
    let stubs = blitz_kit::stubs_called(&stderr.unwrap_or_default());
    let said = NativeReport { text: meta.text.clone(), file: meta.file.clone(), line: meta.line };
    let mut native = Native { kit: String::new(), report: Some(said), reason: None, stubs };
    match scene.runs.place(&job.args.out) {
        Ok(out) => {
            let folder = blitz_kit::folder(&out, &finding.property);
            let subject = kits::subject(&job.loaded, &job.clang);
            match blitz_kit::write_fed(&subject, &finding, &feed, &folder) {
                Ok(kit) => native.kit = kit.folder.display().to_string(),
                Err(e) => scene.listener.note(&format!("no reproduction kit in {}: {e}", folder.display())),
            }
        }
        Err(e) => scene.listener.note(&format!("no reproduction kit in {}: {e}", job.args.out.display())),
    }
    finding.add_native(native);
    report.properties.push(PropertyRow {
        id: finding.property.clone(),
        kind: finding.kind.clone(),
        status: RowStatus::Violated,
        file: meta.file.clone(),
        line: meta.line,
        column: 0,
        function: meta.function.clone(),
        text: meta.text.clone(),
        bound: None,
        engine: Some("fuzz".to_owned()),
        reason: None,
        effort: None,
    });
    report.violations.push(finding);
}

fn native_finding(meta: &FindingMeta) -> Finding {
    let kind = blitz_kit::kind_of(&meta.text);
    let function = if meta.function.is_empty() { "program" } else { &meta.function };
    Finding {
        property: format!("{function}.{kind}.native-{}", meta.line),
        kind: kind.name().to_owned(),
        place: blitz_report::Place { file: meta.file.clone(), line: meta.line, column: 0 },
        entry: None,
        function: meta.function.clone(),
        message: meta.text.clone(),
        text: meta.text.clone(),
        object: None,
        object_info: None,
        lost: None,
        offset: None,
        size: None,
        values: Vec::new(),
        stack: Vec::new(),
        inputs: Vec::new(),
        trace: Vec::new(),
        preconditions: Vec::new(),
        confirmed: Confirmed::Interpreter,
        native: None,
        thread: None,
        others: Vec::new(),
        schedule: Vec::new(),
    }
}

/// What a native run is given for a test.
fn feed(job: &Job<'_>, bytes: &[u8], used: &[UsedInput]) -> Feed {
    let mut feed = Feed::default();
    feed.args = with_file(&job.args.args).iter().map(|a| a.as_os_str().as_bytes().to_vec()).collect();
    match &job.carrier {
        Carrier::Stdin => feed.stdin = bytes.to_vec(),
        Carrier::File => feed.files.push((FILE_NAME.to_owned(), bytes.to_vec())),
        Carrier::Argv => feed.args.extend(arguments(bytes).into_iter().map(|(_, a)| a.to_vec())),
        Carrier::Env(name) => feed.env.push((name.clone().into_bytes(), bytes.to_vec())),
        Carrier::Socket => drop(feed.unfed.insert("what the peer sends".to_owned())),
        Carrier::Direct => {
            let values = used.iter().filter(|u| u.via.is_none() && !is_argument(u.name.channel()));
            feed.direct = values.map(|u| (u.name.to_string(), blitz_kit::input_bytes(&u.value))).collect();
        }
    }
    feed
}

/// Whether it is the start code that asks, for the program's arguments.
fn is_argument(channel: Channel) -> bool {
    matches!(channel, Channel::ArgumentCount | Channel::Argument(..))
}

/// Runs alone are never a proof.
fn settle(report: &mut Report, searched: &Searched) {
    report.violation = report.violations.first().cloned();
    if !report.violations.is_empty() {
        report.verdict = Verdict::Violation;
        report.reason = None;
        return;
    }
    report.verdict = Verdict::Unknown;
    let (code, end) = match &searched.end {
        End::Exhausted => (Code::NothingFound, "no test is left to expand".to_owned()),
        End::Runs => (Code::NothingFound, "the runs that were asked for are made".to_owned()),
        End::Budget(stop) => ((*stop).into(), stop.to_string()),
        End::Found => (Code::Doubtful, "a finding was withdrawn".to_owned()),
    };
    report.reason = Some(Why::new(code, format!("{end}: no run showed a violation, which proves nothing")));
}
