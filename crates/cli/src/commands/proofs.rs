//! Proofs made with CBMC's starter kit: `blitz init` finds them, `blitz check` runs them all and prints one table.
//!
//! A proof is a folder whose Makefile sets HARNESS_ENTRY or PROOF_UID. `make` is asked for the commands it would hand to litani; they are written into `blitz.toml`
//! word by word, so that what a check will do can be read there. The tools in them are blitz's own (`blitz goto-cc` and so on).
//! Invariant: nothing is written into the proofs' folders. Absent: proofs whose Makefiles are laid out in another way.

use crate::terminal::Terminal;
use crate::{Exit, Fault};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How deep below a folder proofs are looked for.
const DEEPEST: usize = 4;
/// What `make` writes for litani goes where a check's other files go.
const OUT: &str = "blitz-out/proofs";

/// A proof in `blitz.toml`.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    pub name: String,
    /// Where its commands run.
    pub folder: PathBuf,
    /// Its commands, word by word; the last one is the check.
    pub steps: Vec<Vec<String>>,
}

/// The folders of proofs in and below a folder, sorted.
pub fn folders(below: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(below.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        if is_proof(&folder) {
            found.push(folder);
            continue;
        }
        let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        let folders = entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path());
        let plain = |p: &PathBuf| p.file_name().is_some_and(|n| !n.to_string_lossy().starts_with('.'));
        open.extend(folders.filter(|p| depth < DEEPEST && plain(p)).map(|p| (p, depth + 1)));
    }
    found.sort();
    found
}

fn is_proof(folder: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(folder.join("Makefile")) else { return false };
    let sets = |line: &str, name: &str| {
        let rest = line.trim_start().strip_prefix(name);
        rest.is_some_and(|r| r.trim_start().trim_start_matches([':', '?']).starts_with('='))
    };
    // A project may set the entry for all its proofs at once; the other name is then the proof's own.
    text.lines().any(|line| sets(line, "HARNESS_ENTRY") || sets(line, "PROOF_UID"))
}

/// A proof with its commands, as its Makefile has them.
pub fn read(folder: &Path) -> Result<Proof, Fault> {
    let wrong = |e: String| Fault::new(format!("{}: {e}", folder.display()));
    let folder = std::path::absolute(folder).map_err(|e| wrong(e.to_string()))?;
    let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let out = std::path::absolute(OUT).map_err(|e| wrong(e.to_string()))?.join(&name);
    let made = Command::new("make")
        .arg("LITANI=printf '%s\\n'")
        .arg(format!("GOTODIR={}/gotos", out.display()))
        .arg(format!("LOGDIR={}/logs", out.display()))
        .args(["-B", "-s", "_result"])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| wrong(format!("make does not start: {e}")))?;
    let text = String::from_utf8_lossy(&made.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let commands = lines.windows(2).filter(|two| two[0] == "--command").map(|two| shlex::split(two[1]));
    let steps: Vec<Vec<String>> =
        commands.collect::<Option<_>>().ok_or_else(|| wrong("a command ends in a quote".into()))?;
    if !made.status.success() || steps.is_empty() {
        let said = String::from_utf8_lossy(&made.stderr);
        return Err(wrong(said.lines().last().unwrap_or("make names no commands").to_owned()));
    }
    Ok(Proof { name, folder, steps })
}

/// `[[proof]]` tables for `blitz.toml`.
pub fn toml(proofs: &[Proof]) -> String {
    let quoted = |word: &String| serde_json::to_string(word).expect("a word should be expressible in JSON");
    let mut out = String::new();
    for proof in proofs {
        let folder = proof.folder.display().to_string();
        out.push_str(&format!(
            "\n[[proof]]\nname = {}\nfolder = {}\nsteps = [\n",
            quoted(&proof.name),
            quoted(&folder)
        ));
        for step in &proof.steps {
            out.push_str(&format!("  [{}],\n", step.iter().map(quoted).collect::<Vec<_>>().join(", ")));
        }
        out.push_str("]\n");
    }
    out
}

/// How a proof ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ended {
    Successful,
    Failed(Vec<String>),
    Undecided,
    /// A command that was refused or did not work, with its last words.
    Broken(String),
}

/// Runs proofs, `jobs` at a time, and prints a table.
pub fn check(proofs: &[Proof], jobs: usize, terminal: &Terminal) -> Result<Exit, Fault> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<(Ended, Duration)>>> = Mutex::new(vec![None; proofs.len()]);
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, proofs.len().max(1)) {
            scope.spawn(|| {
                while let Some((i, proof)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, proofs.get(i)?)))
                {
                    let start = Instant::now();
                    let ended = run(proof);
                    terminal.note(&format!("{}: {}", proof.name, ended.word()));
                    results.lock().expect("no worker should panic")[i] = Some((ended, start.elapsed()));
                }
            });
        }
    });
    let results: Vec<(Ended, Duration)> = results
        .into_inner()
        .expect("no worker should panic")
        .into_iter()
        .map(|r| r.expect("every proof was run"))
        .collect();
    terminal.result(&table(proofs, &results));
    let any = |what: fn(&Ended) -> bool| results.iter().any(|(e, _)| what(e));
    Ok(match () {
        () if any(|e| matches!(e, Ended::Failed(_))) => Exit::Violation,
        () if any(|e| *e != Ended::Successful) => Exit::Inconclusive,
        () => Exit::Success,
    })
}

fn run(proof: &Proof) -> Ended {
    let Some((last, before)) = proof.steps.split_last() else { return Ended::Broken("it has no steps".to_owned()) };
    for step in before {
        match tool(step, &proof.folder) {
            Ok(done) if done.status.success() => {}
            Ok(done) => return Ended::Broken(last_words(&done)),
            Err(why) => return Ended::Broken(why),
        }
    }
    let done = match tool(last, &proof.folder) {
        Ok(done) => done,
        Err(why) => return Ended::Broken(why),
    };
    let text = String::from_utf8_lossy(&done.stdout);
    match done.status.code() {
        Some(0) => Ended::Successful,
        Some(10) => Ended::Failed(text.lines().filter(|l| l.ends_with(": FAILURE")).map(str::to_owned).collect()),
        Some(5) => Ended::Undecided,
        _ => Ended::Broken(last_words(&done)),
    }
}

/// Runs one command: a tool of CBMC's by our name for it, or a copy of a file.
fn tool(step: &[String], folder: &Path) -> Result<std::process::Output, String> {
    let program = match step.first().map(String::as_str) {
        Some("cp") => PathBuf::from("cp"),
        Some("cbmc" | "goto-cc" | "goto-instrument") => std::env::current_exe().map_err(|e| e.to_string())?,
        Some(other) => return Err(format!("`{other}` is no tool that blitz answers for")),
        None => return Err("an empty command".to_owned()),
    };
    let args = if program == Path::new("cp") { &step[1..] } else { step };
    let output = Command::new(program).args(args).current_dir(folder).stdin(Stdio::null()).output();
    output.map_err(|e| e.to_string())
}

fn last_words(done: &std::process::Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    let said = err.lines().chain(out.lines()).rfind(|l| !l.trim().is_empty());
    said.unwrap_or("it ended without a word").to_owned()
}

impl Ended {
    fn word(&self) -> &'static str {
        match self {
            Ended::Successful => "successful",
            Ended::Failed(_) => "FAILED",
            Ended::Undecided => "not decided",
            Ended::Broken(_) => "not run",
        }
    }
}

fn table(proofs: &[Proof], results: &[(Ended, Duration)]) -> String {
    let width = proofs.iter().map(|p| p.name.len()).max().unwrap_or(0).max("proof".len());
    let mut out = format!("{:width$}  {:12} {:>8}\n", "proof", "result", "seconds");
    for (proof, (ended, time)) in proofs.iter().zip(results) {
        out.push_str(&format!("{:width$}  {:12} {:8.1}", proof.name, ended.word(), time.as_secs_f64()));
        match ended {
            Ended::Broken(why) => out.push_str(&format!("  {why}")),
            Ended::Failed(lines) => lines.iter().take(3).for_each(|l| out.push_str(&format!("\n    {l}"))),
            Ended::Successful | Ended::Undecided => {}
        }
        out.push('\n');
    }
    let count = |word: &str| results.iter().filter(|(e, _)| e.word() == word).count();
    let words = ["successful", "FAILED", "not decided", "not run"];
    let sums: Vec<String> = words.iter().filter(|w| count(w) > 0).map(|w| format!("{} {w}", count(w))).collect();
    out.push_str(&format!("{} proofs: {}", proofs.len(), sums.join(", ")));
    out
}
