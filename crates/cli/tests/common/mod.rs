//! The test programs under `tests/c`: their headers (`//@ key: value`) and the lines they mark (`//~ kind`).
//!
//! `name.bug.c` and `name.safe.c` differ in one token. Keys: `verdict` (violation, safe, bounded), `inputs` (numbers
//! for the nondeterministic values), `args`, `stdin`, `checks`, `unwind`, `flags`, `object`, `run` (`exit`: the
//! interpreter can't see the bug; it needs an engine), `native` (`none`: no sanitizer can see it), `known-bug` (today's
//! wrong answer, with its reason), `slow` (why; only the long tests check it), `property` (what the compositional
//! engine is asked for; else anything), `unbounded` (the kind that is violated where array-bounds is not checked).

#![allow(dead_code, unused_macros)]

pub mod generate;
pub mod threads;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One test for each kind of check that any program can violate, and for each folder that is named besides: `$run` gets
/// the folder's name.
macro_rules! kinds {
    ($run:path $(, $test:ident: $topic:literal)* $(,)?) => {
        topics! {
            $run,
            assertion: "assertion",
            array_bounds: "array-bounds",
            buffer_overflow: "buffer-overflow",
            null_deref: "null-deref",
            use_after_free: "use-after-free",
            use_after_scope: "use-after-scope",
            double_free: "double-free",
            invalid_free: "invalid-free",
            memory_leak: "memory-leak",
            uninitialised: "uninitialised",
            signed_overflow: "signed-overflow",
            unsigned_overflow: "unsigned-overflow",
            shift: "shift",
            div_by_zero: "div-by-zero",
            pointer_overflow: "pointer-overflow",
            unreachable: "unreachable",
            $($test: $topic),*
        }
    };
}

macro_rules! topics {
    ($run:path $(, $test:ident: $topic:literal)* $(,)?) => {
        /// The folders that are taken.
        #[allow(dead_code)]
        const TOPICS: &[&str] = &[$($topic),*];

        $(#[test] fn $test() { $run($topic); })*
    };
}

/// A test program.
#[derive(Clone, Debug)]
pub struct Case {
    pub path: PathBuf,
    /// The folder: the kind of check, or a topic.
    pub topic: String,
    pub header: BTreeMap<String, String>,
    /// Line and kind of each mark.
    pub marks: Vec<(u32, String)>,
}

impl Case {
    pub fn key(&self, name: &str) -> Option<&str> {
        self.header.get(name).map(String::as_str)
    }

    pub fn is_bug(&self) -> bool {
        self.key("verdict") != Some("safe")
    }

    pub fn file_name(&self) -> String {
        self.path.file_name().expect("a case should be a file").to_string_lossy().into_owned()
    }

    /// `topic/name.bug.c`
    pub fn label(&self) -> String {
        format!("{}/{}", self.topic, self.file_name())
    }
}

/// Runs blitz in a folder.
pub fn blitz(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start")
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate should lie in crates/").to_owned()
}

/// Whether the slow rest is wanted too.
pub fn long() -> bool {
    std::env::var_os("BLITZ_TEST_LONG").is_some()
}

/// All programs of a topic, sorted.
pub fn cases(topic: &str) -> Vec<Case> {
    let folder = root().join("tests/c").join(topic);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{} should be readable: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries
        .map(|e| e.expect("a folder entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} should hold test programs", folder.display());
    paths.iter().map(|p| read(p, topic)).collect()
}

/// All programs, sorted by topic.
pub fn all_cases() -> Vec<Case> {
    let folder = root().join("tests/c");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{} should be readable: {e}", folder.display()));
    let folders = entries.map(|e| e.expect("a folder entry")).filter(|e| e.path().is_dir());
    let mut topics: Vec<String> = folders.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    // Functions for the others, no programs; and programs with threads, which have tests of their own.
    topics.retain(|topic| topic != "support" && topic != "threads");
    topics.sort();
    topics.iter().flat_map(|topic| cases(topic)).collect()
}

fn read(path: &Path, topic: &str) -> Case {
    let text = std::fs::read_to_string(path).expect("a test program should be readable");
    let mut header = BTreeMap::new();
    let mut marks = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if let Some((key, value)) = line.strip_prefix("//@ ").and_then(|rest| rest.split_once(':')) {
            header.insert(key.trim().to_owned(), value.trim().to_owned());
        }
        if let Some((_, kind)) = line.split_once("//~ ") {
            marks.extend(kind.split(',').map(|kind| (i as u32 + 1, kind.trim().to_owned())));
        }
    }
    let known = [
        "verdict",
        "inputs",
        "args",
        "stdin",
        "checks",
        "unwind",
        "flags",
        "object",
        "run",
        "native",
        "known-bug",
        "property",
        "slow",
        "alloc",
        "unbounded",
    ];
    for key in header.keys() {
        assert!(known.contains(&key.as_str()), "{}: unknown directive `{key}`", path.display());
    }
    assert!(header.contains_key("verdict"), "{} should say its verdict", path.display());
    Case { path: path.to_owned(), topic: topic.to_owned(), header, marks }
}

/// Applies `work` to every case on all cores; fails with the list of complaints.
pub fn for_all(cases: &[Case], work: impl Fn(&Case) -> Result<(), String> + Sync) {
    let complaints = in_parallel(cases, |case| work(case).map_err(|why| format!("{}: {why}", case.label())));
    assert!(complaints.is_empty(), "{} of {} programs:\n{}", complaints.len(), cases.len(), complaints.join("\n"));
}

/// Applies `work` to every item on all cores; gives the complaints, sorted.
pub fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) -> Result<(), String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = work(item) {
                        complaints.lock().expect("no thread should panic").push(why);
                    }
                }
            });
        }
    });
    let mut complaints = complaints.into_inner().expect("no thread should panic");
    complaints.sort();
    complaints
}

/// A case with `known-bug` has to go wrong, and to be told when it does not any more.
pub fn unless_known(case: &Case, judged: Result<(), String>) -> Result<(), String> {
    match (case.key("known-bug"), judged) {
        (None, judged) => judged,
        (Some(_), Err(_)) => Ok(()),
        (Some(why), Ok(())) => Err(format!("is right now: remove its `known-bug` ({why})")),
    }
}
