//! Test suites: one test per path, in formats that other tools read.
//!
//! `testNNNNNN.json` has everything; `.ktest` is KLEE's (`ktest-tool` reads it); `.sh` with `replay.sh` are kits (`replay`); `testcomp.zip` is the
//! suite in Test-Comp's exchange format.

mod ktest;
mod replay;
mod testcomp;
mod zip;

use crate::Subject;
use crate::feed::{Feed, bytes_of};
use blitz_interp::InputValue;
use blitz_ir::Program;
use blitz_report::witness::Task;
use blitz_report::{Ending, Exploration, PathReport};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::io;
use std::path::Path;

/// A format of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestFormat {
    Inputs,
    Ktest,
    /// For a native run.
    Replay,
    Testcomp,
}

/// The tests to write: all, or as few as go through everything that all go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimise {
    No,
    Coverage,
}

/// Which paths get a test, by number: all, or again and again the one that adds most blocks and ways at forks to those chosen before (greedy).
pub fn chosen(exploration: &Exploration, minimise: Minimise) -> Vec<usize> {
    let all = 0..exploration.paths.len();
    if minimise == Minimise::No {
        return all.collect();
    }
    let (mut out, mut done, mut taken) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    // An end of its own is worth a test, whatever it went through.
    let is_error = |p: &PathReport| matches!(p.end, Ending::Abort | Ending::Violation);
    let mut ends = BTreeSet::new();
    for n in all.clone().filter(|&n| is_error(&exploration.paths[n])) {
        let path = &exploration.paths[n];
        if ends.insert((path.end, path.loc.line)) {
            out.insert(n);
            done.extend(&path.covered);
            taken.extend(&path.ways);
        }
    }
    // What a path adds only shrinks as others are chosen: one that adds as much as it did when it was last looked at adds most.
    let mut open: BinaryHeap<(usize, Reverse<usize>)> = all.map(|n| (usize::MAX, Reverse(n))).collect();
    while let Some((added, Reverse(n))) = open.pop() {
        let path = &exploration.paths[n];
        let adds = path.covered.difference(&done).count() + path.ways.difference(&taken).count();
        if adds == 0 {
            continue;
        }
        if adds < added {
            open.push((adds, Reverse(n)));
            continue;
        }
        out.insert(n);
        done.extend(&path.covered);
        taken.extend(&path.ways);
    }
    out.into_iter().collect()
}

/// Writes tests into a folder; gives how many.
pub fn write_suite(
    folder: &Path,
    subject: &Subject<'_>,
    exploration: &Exploration,
    formats: &[TestFormat],
    minimise: Minimise,
    task: &Task<'_>,
) -> io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let numbers = chosen(exploration, minimise);
    let (program, mut common) = (subject.program, replay::Common::default());
    for &n in &numbers {
        let path = &exploration.paths[n];
        let feed = Feed::of(program, &path.run);
        let stem = folder.join(format!("test{:06}", n + 1));
        for format in formats {
            match format {
                TestFormat::Inputs => {
                    let text = serde_json::to_string_pretty(&as_json(program, exploration, n, &feed));
                    std::fs::write(stem.with_extension("json"), text.expect("a test should be plain data"))?;
                }
                TestFormat::Ktest => std::fs::write(stem.with_extension("ktest"), ktest::ktest(&feed))?,
                TestFormat::Replay => common.add(&stem.with_extension("sh"), path, &feed)?,
                TestFormat::Testcomp => {}
            }
        }
    }
    if formats.contains(&TestFormat::Replay) {
        common.finish(folder, subject)?;
    }
    if formats.contains(&TestFormat::Testcomp) {
        let tests: Vec<&PathReport> = numbers.iter().map(|n| &exploration.paths[*n]).collect();
        std::fs::write(folder.join("testcomp.zip"), zip::zip(&testcomp::files(&tests, task)?))?;
    }
    Ok(numbers.len())
}

fn as_json(program: &Program, exploration: &Exploration, n: usize, feed: &Feed) -> Value {
    let path = &exploration.paths[n];
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let inputs: Vec<Value> = path
        .run
        .inputs_used
        .iter()
        .map(|i| {
            let (bytes, number) = match &i.value {
                InputValue::Value(v) => (bytes_of(v), v.to_i64()),
                InputValue::Bool(b) => (vec![u8::from(*b)], Some(i64::from(*b))),
                InputValue::Bytes(b) => (b.clone(), None),
            };
            let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            let function = i.via.as_ref().map(|via| program.decl(via.func).name.clone());
            json!({"name": i.name.as_str(), "function": function, "line": i.loc.line, "value": number, "bytes": hex})
        })
        .collect();
    json!({
        "test": n + 1,
        "end": path.end.name(),
        "condition": blitz_report::path_condition(exploration, path.node),
        "result": path.result,
        "status": path.status,
        "as_predicted": path.as_predicted,
        "args": feed.args.iter().map(|a| text(a)).collect::<Vec<_>>(),
        "stdin": text(&feed.stdin),
        "files": feed.files.iter().map(|(name, bytes)| json!([name, text(bytes)])).collect::<Vec<_>>(),
        "env": feed.env.iter().map(|(k, v)| json!([text(k), text(v)])).collect::<Vec<_>>(),
        "inputs": inputs,
    })
}
