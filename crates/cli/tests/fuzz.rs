//! `blitz fuzz`: the lecture's example, findings as `check` reports them, the box, kills, ways for inputs.

mod common;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn data(name: &str) -> PathBuf {
    common::root().join("crates/cli/tests/data/fuzz").join(name)
}

fn fuzz(folder: &Path, args: &[&str]) -> Output {
    let mut all = vec!["fuzz", "--no-cache", "-q"];
    all.extend(args);
    common::blitz(folder, &all)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn corpus(folder: &Path, inputs: &[&[u8]]) {
    std::fs::create_dir_all(folder.join("seeds")).expect("writable");
    for (i, bytes) in inputs.iter().enumerate() {
        std::fs::write(folder.join("seeds").join(format!("{i:03}")), bytes).expect("writable");
    }
}

/// The records of the tests in a worklist, by their bytes.
fn tests(work: &Path) -> BTreeMap<Vec<u8>, Value> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(work.join("tests")).expect("a worklist") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "json") {
            let meta: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("text")).expect("JSON");
            found.insert(std::fs::read(path.with_extension("")).expect("a test has bytes"), meta);
        }
    }
    found
}

fn findings(work: &Path) -> Vec<String> {
    let list = std::fs::read_dir(work.join("findings")).expect("a worklist");
    let mut names: Vec<String> =
        list.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Five lines in order, each of which means something only after the one before.
#[test]
fn requests_lead_through_the_states_of_a_program() {
    let (with, without) = (folder(), folder());
    let source = data("session.c");
    let args = ["--no-solver", "--mutations", "1", "--max-runs", "600", "--first", source.to_str().unwrap()];
    let found = |output: Output| output.status.code() == Some(10);
    assert!(found(fuzz(with.path(), &args)), "requests should find the double free");
    assert!(!found(fuzz(without.path(), &[args.as_slice(), &["--no-requests"]].concat())), "nothing else should");
}

/// SAGE's own example: one symbolic execution per test, 16 paths in generations of 1, 4, 6, 4 and 1, five of which abort.
#[test]
fn top_from_good() {
    let folder = folder();
    corpus(folder.path(), &[b"good"]);
    let source = data("top.c");
    let args = ["--corpus", "seeds", "--work", "w", "--mutations", "0", "--format", "json", source.to_str().unwrap()];
    let output = fuzz(folder.path(), &args);
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stderr));
    let all = tests(&folder.path().join("w"));
    let mut generations = [0; 5];
    all.values().for_each(|m| generations[m["generation"].as_u64().unwrap() as usize] += 1);
    assert_eq!(generations, [1, 4, 6, 4, 1]);
    let aborts = all.values().filter(|m| m["ending"] == "sanitizer").count();
    assert_eq!((all.len(), aborts), (16, 5));
    // Figure: what `cnt` is at the end of each run, which is how many letters of "bad!" are right.
    let count = |word: &[u8]| word.iter().zip(b"bad!").filter(|(a, b)| a == b).count();
    assert!(all.iter().all(|(word, m)| (count(word) >= 3) == (m["ending"] == "sanitizer")));
    let mut by_count = [0; 5];
    all.keys().for_each(|word| by_count[count(word)] += 1);
    assert_eq!(by_count, [1, 4, 6, 4, 1]);
    // Each letter covers a block first, the first abort another; everything after that is known.
    let score = |word: &str| all[word.as_bytes()]["score"].as_u64().unwrap();
    assert!(["bood", "gaod", "godd", "goo!"].iter().all(|w| score(w) > 0));
    assert_eq!(all.iter().filter(|(w, m)| m["score"] != 0 && count(w) >= 2).count(), 1, "the first abort");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report in JSON");
    assert_eq!((&report["verdict"], &report["violation"]["line"]), (&"violation".into(), &10.into()));
    assert_eq!(report["violation"]["confirmed"], "native");
    // Checks of library models count at the user's calls, not by themselves.
    let rows = report["properties"].as_array().expect("properties");
    assert!(rows.iter().all(|p| p["file"].as_str().is_some_and(|f| f.ends_with("top.c"))), "{rows:?}");
    let status: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("w/workers/0.json")).unwrap()).unwrap();
    assert_eq!((&status["divergences"], &status["differences"]), (&0.into(), &0.into()));
    let lcov = std::fs::read_to_string(folder.path().join("w/coverage.info")).expect("an lcov file");
    assert!(lcov.contains("top.c") && lcov.contains("DA:10,"), "{lcov}");
}

/// A harness for libFuzzer as it is; the checksum needs the solver, the input another length.
#[test]
fn a_harness_behind_a_checksum() {
    let folder = folder();
    corpus(folder.path(), &[b"abc"]);
    let source = data("harness.c");
    let args = [
        "--corpus",
        "seeds",
        "--work",
        "w",
        "--mutations",
        "0",
        "--first",
        "--no-coverage",
        "--max-runs",
        "2000",
        source.to_str().unwrap(),
    ];
    let output = fuzz(folder.path(), &args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(10), "{text}");
    assert!(text.contains("array-bounds") && text.contains("confirmed natively"), "{text}");
}

const ECHO: &str = r#"#include <stdlib.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  char text[64] = {0};
  size_t n = 0;
#if WAY == 1
  FILE *f = fopen(argv[1], "rb");
  if (!f) return 1;
  n = fread(text, 1, 63, f);
  fclose(f);
#elif WAY == 2
  if (argc > 1) strncpy(text, argv[1], 63);
#elif WAY == 3
  if (getenv("GREETING")) strncpy(text, getenv("GREETING"), 63);
#endif
  if (text[0] == 'h' && text[1] == 'e' && text[2] * 2 == 'l' * 2 && (text[3] ^ 0x55) == ('p' ^ 0x55))
    abort();
  return (int)(n & 1);
}
"#;

fn way(number: u32, more: &[&str]) {
    let folder = folder();
    std::fs::write(folder.path().join("echo.c"), ECHO).expect("writable");
    let define = format!("-DWAY={number}");
    let mut args = vec!["--mutations", "0", "--first", "--no-coverage", "--max-runs", "500", define.as_str(), "echo.c"];
    args.extend(more);
    let output = fuzz(folder.path(), &args);
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_file_is_an_input() {
    way(1, &["--", "@@"]);
}

#[test]
fn an_argument_is_an_input() {
    way(2, &["--input", "argv"]);
}

#[test]
fn a_variable_is_an_input() {
    way(3, &["--input", "env:GREETING"]);
}

/// The box: nothing is written outside, nothing outlives a run, everything ends.
#[test]
fn a_hostile_program_stays_in_its_box() {
    let folder = folder();
    corpus(folder.path(), &[b"w", b"f", b"o", b"d", b"p", b"n", b"m"]);
    let outside = folder.path().join("outside");
    let define = format!("-DOUTSIDE=\"{}\"", outside.display());
    let source = data("hostile.c");
    let args = [
        "--corpus",
        "seeds",
        "--work",
        "w",
        "--no-solver",
        "--mutations",
        "0",
        "--no-coverage",
        "--run-timeout",
        "1500",
        "--run-memory",
        "256",
        "--checks",
        "memory",
        "--format",
        "json",
        &define,
        source.to_str().unwrap(),
    ];
    let output = fuzz(folder.path(), &args);
    assert!(matches!(output.status.code(), Some(10 | 20)), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report in JSON");
    let notes = report["notes"].to_string();
    if notes.contains("does not let native runs be contained") {
        return; // The system has no user namespaces: the report says so.
    }
    std::thread::sleep(Duration::from_secs(4));
    assert!(!outside.exists(), "{}", std::fs::read_to_string(&outside).unwrap_or_default());
    let all = tests(&folder.path().join("w"));
    let ending = |word: &[u8]| all.get(word).map(|m| m["ending"].as_str().unwrap_or_default().to_owned());
    assert_eq!(ending(b"n").as_deref(), Some("exit 0"), "there is no network");
    assert!(ending(b"m").is_none_or(|e| e != "exit 0"), "memory is limited");
    let status: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("w/workers/0.json")).unwrap()).unwrap();
    assert_eq!(status["runs"], 7, "every run came to an end");
}

/// A worker that is killed loses nothing that it had committed, and the same command goes on.
#[test]
fn kills_lose_nothing() {
    let folder = folder();
    std::fs::write(folder.path().join("a.c"), ECHO).expect("writable");
    let times = if common::long() { 50 } else { 3 };
    let mut before: Vec<Vec<u8>> = Vec::new();
    for round in 0..times {
        let mut child = Command::new(env!("CARGO_BIN_EXE_blitz"))
            .args([
                "fuzz",
                "-q",
                "-DWAY=2",
                "--input",
                "argv",
                "--work",
                "w",
                "--no-coverage",
                "--seed",
                &round.to_string(),
                "a.c",
            ])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("blitz should start");
        std::thread::sleep(Duration::from_millis(2500 + 137 * (round * 7 % 11)));
        child.kill().expect("it should still run");
        child.wait().expect("it was killed");
        if !folder.path().join("w/tests").exists() {
            continue;
        }
        let now: Vec<Vec<u8>> = tests(&folder.path().join("w")).into_keys().collect();
        assert!(before.iter().all(|t| now.contains(t)), "a test was lost");
        before = now;
    }
    let output = fuzz(
        folder.path(),
        &["-DWAY=2", "--input", "argv", "--work", "w", "--no-coverage", "--first", "--mutations", "0", "a.c"],
    );
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(10)), "{text}");
    assert_eq!(findings(&folder.path().join("w")).len(), 1);
}

/// AFL++'s queue is read, and ours is put beside it.
#[test]
fn beside_afl() {
    let folder = folder();
    let queue = folder.path().join("out/main/queue");
    std::fs::create_dir_all(&queue).expect("writable");
    std::fs::write(queue.join("id:000000,time:0,execs:0,orig:x"), b"good").expect("writable");
    let source = data("top.c");
    let args = ["--work", "w", "--afl", "out", "--mutations", "0", "--no-coverage", source.to_str().unwrap()];
    let output = fuzz(folder.path(), &args);
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stderr));
    let ours = std::fs::read_dir(folder.path().join("out/blitz/queue")).expect("our queue").count();
    assert!(ours >= 15, "{ours}");
    assert!(tests(&folder.path().join("w")).contains_key(b"good".as_slice()));
}

#[test]
fn mistakes_are_told_in_a_sentence() {
    let folder = folder();
    std::fs::write(folder.path().join("echo.c"), ECHO).expect("writable");
    std::fs::write(folder.path().join("none.c"), "int f(void) { return 1; }\n").expect("writable");
    for (args, words) in [
        (vec!["echo.c", "--input", "file"], "needs @@"),
        (vec!["echo.c", "--input", "argv", "--", "@@"], "stands for a file"),
        (vec!["echo.c", "--corpus", "nowhere"], "can't be read"),
        (vec!["none.c"], "neither a `main` nor"),
    ] {
        let output = fuzz(folder.path(), &args);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(words), "{args:?}: {text}");
    }
}

const SERVER: &str = r#"#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void) {
  int s = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(7777)};
  if (bind(s, (struct sockaddr *)&a, sizeof a) < 0 || listen(s, 1) < 0)
    return 1;
  for (;;) {
    int c = accept(s, NULL, NULL);
    if (c < 0)
      return 2;
    unsigned char b[16];
    ssize_t n = recv(c, b, sizeof b, 0);
    if (n >= 4 && b[0] == 0xca && b[1] == 0xfe && b[2] + b[3] == 300)
      abort();
    close(c);
  }
}
"#;

#[test]
fn a_peer_is_an_input() {
    let folder = folder();
    std::fs::write(folder.path().join("server.c"), SERVER).expect("writable");
    let args = ["--input", "socket", "--first", "--no-coverage", "--max-runs", "6000", "--timeout", "120s", "server.c"];
    let output = fuzz(folder.path(), &args);
    assert_eq!(output.status.code(), Some(10), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The same seed, the same search.
#[test]
fn one_worker_is_deterministic() {
    let folder = folder();
    std::fs::write(folder.path().join("echo.c"), ECHO).expect("writable");
    let run = |work: &str| {
        let args = [
            "-DWAY=2",
            "--input",
            "argv",
            "--no-coverage",
            "--max-runs",
            "400",
            "--seed",
            "3",
            "--work",
            work,
            "echo.c",
        ];
        fuzz(folder.path(), &args);
        tests(&folder.path().join(work))
    };
    let first = run("one");
    assert!(first.len() > 3 && first == run("two"));
}

/// A full disk ends the search with one sentence. The disk is memory of a namespace of its own, where the system allows that.
#[test]
fn a_full_disk_is_one_sentence() {
    let folder = folder();
    std::fs::write(folder.path().join("echo.c"), ECHO).expect("writable");
    std::fs::create_dir(folder.path().join("disk")).expect("writable");
    let script = format!(
        "mount -t tmpfs -o size=40k tmpfs disk || exit 77; exec {} fuzz -q -DWAY=2 --input argv --no-coverage --work disk/w --max-runs 3000 echo.c",
        env!("CARGO_BIN_EXE_blitz")
    );
    let output = Command::new("unshare").args(["-Urm", "sh", "-c", &script]).current_dir(folder.path()).output();
    let output = output.expect("unshare is part of util-linux");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() == Some(77) || text.contains("unshare failed") {
        return; // No namespaces here.
    }
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("the disk is full") && text.lines().count() <= 2, "{text}");
}
