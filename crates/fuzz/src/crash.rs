//! What a sanitizer reported, and where: findings are distinguished by their places.
//!
//! The program runs without names in its reports, since looking them up takes longer than a hundred runs. They are looked up here,
//! for a stack that was not seen before.

use crate::server::{Ending, Run};
use blitz_kit::{Said, reports};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where and how the program went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// `AddressSanitizer: heap-buffer-overflow`.
    pub text: String,
    pub file: String,
    pub line: u32,
    pub function: String,
    /// The whole report, with names.
    pub report: String,
}

impl Crash {
    /// What tells findings apart: kind and place.
    pub fn key(&self) -> String {
        let file = Path::new(&self.file).file_name().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' };
        let kind: String = kind(&self.text).chars().map(plain).collect();
        format!("{kind}-{}-{}", file.chars().map(plain).collect::<String>(), self.line)
    }
}

/// The report's words without its numbers.
fn kind(text: &str) -> String {
    let text = text.strip_prefix("runtime error: ").unwrap_or(text);
    let text = text.strip_prefix("AddressSanitizer: ").unwrap_or(text);
    let words: Vec<&str> =
        text.split_whitespace().take_while(|w| !w.contains(|c: char| c.is_ascii_digit() || c == '\'')).collect();
    if words.is_empty() { "error".to_owned() } else { words.join("-") }
}

/// Reads reports of one program.
pub struct Reader {
    program: PathBuf,
    symbolizer: Option<PathBuf>,
    /// By the stack's addresses.
    known: BTreeMap<String, Crash>,
}

/// Frames of one stack that tell it from others.
const TELLING_FRAMES: usize = 12;

impl Reader {
    pub fn new(program: &Path) -> Reader {
        let names = ["llvm-symbolizer-19", "llvm-symbolizer"];
        let symbolizer = names.into_iter().find_map(on_path);
        Reader { program: program.to_owned(), symbolizer, known: BTreeMap::new() }
    }

    /// What a crash is about.
    pub fn read(&mut self, run: &Run) -> Crash {
        let stack = stack_of(&run.stderr);
        if let Some(known) = self.known.get(&stack) {
            return known.clone();
        }
        let crash = self.look_up(run);
        self.known.insert(stack, crash.clone());
        crash
    }

    fn look_up(&self, run: &Run) -> Crash {
        let report = self.with_names(&run.stderr);
        if let Some(said) = reports(&report).into_iter().next() {
            let Said { text, file, line, function } = said;
            return Crash { text, file, line, function, report };
        }
        let text = match run.ending {
            Ending::Signal(number) => format!("signal {number}"),
            Ending::Sanitizer => "a report without a place in the program".to_owned(),
            Ending::Exit(_) | Ending::OutOfTime | Ending::OutOfMemory | Ending::LeftAssumptions => {
                run.ending.to_string()
            }
        };
        Crash { text, file: String::new(), line: 0, function: String::new(), report }
    }

    /// The report with the names of functions and lines in its frames.
    fn with_names(&self, report: &str) -> String {
        let offsets: Vec<String> = report.lines().filter_map(|l| self.offset(l)).map(str::to_owned).collect();
        let mut names = self.symbolize(&offsets).into_iter();
        let mut text = String::new();
        for line in report.lines() {
            let named = self.offset(line).and_then(|_| names.next()).filter(|(_, place)| !place.starts_with("??"));
            match (named, line.split(" (").next()) {
                (Some((function, place)), Some(head)) => text.push_str(&format!("{head} in {function} {place}\n")),
                _ => text.push_str(&format!("{line}\n")),
            }
        }
        text
    }

    /// The address in the program of a frame's line.
    fn offset<'l>(&self, line: &'l str) -> Option<&'l str> {
        if !line.trim_start().starts_with('#') {
            return None;
        }
        let (module, rest) = line.split_once(" (")?.1.split_once("+0x")?;
        let own = Path::new(module).file_name() == self.program.file_name();
        rest.split(')').next().filter(|_| own)
    }

    /// Function and place of addresses.
    fn symbolize(&self, offsets: &[String]) -> Vec<(String, String)> {
        let (Some(symbolizer), false) = (&self.symbolizer, offsets.is_empty()) else { return Vec::new() };
        let asked: String = offsets.iter().map(|o| format!("0x{o}\n")).collect();
        let mut command = Command::new(symbolizer);
        command.arg("--obj").arg(&self.program).args(["--no-inlines", "--output-style=LLVM"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut child) = child else { return Vec::new() };
        if let Some(mut to) = child.stdin.take() {
            let _ = to.write_all(asked.as_bytes());
        }
        let Ok(output) = child.wait_with_output() else { return Vec::new() };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty()).collect();
        lines.chunks(2).map(|two| (two[0].to_owned(), two.get(1).copied().unwrap_or("??").to_owned())).collect()
    }
}

/// The lines of a report that tell it from others: what it says and where its frames are, without addresses.
fn stack_of(stderr: &str) -> String {
    let frame = |line: &str| line.split_once("+0x").and_then(|(_, rest)| rest.split(')').next()).map(str::to_owned);
    let first =
        stderr.lines().find(|l| l.contains("ERROR: ") || l.contains(": runtime error: ") || l.contains("Assertion"));
    // Process number and addresses differ from run to run.
    let first = first.map_or("", |l| l.split_once("ERROR: ").map_or(l, |(_, r)| r));
    let first = first.split(" on address").next().unwrap_or(first).split(" (pc ").next().unwrap_or(first);
    let first = first.split(" on unknown").next().unwrap_or(first);
    let frames: Vec<String> =
        stderr.lines().filter(|l| l.trim_start().starts_with('#')).filter_map(frame).take(TELLING_FRAMES).collect();
    format!("{first}|{}", frames.join("|"))
}

/// A program on the search path.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_kind_and_place() {
        let crash = |text: &str| Crash {
            text: text.to_owned(),
            file: "/src/a b.c".to_owned(),
            line: 7,
            function: "f".to_owned(),
            report: String::new(),
        };
        assert_eq!(crash("AddressSanitizer: heap-buffer-overflow").key(), "heap-buffer-overflow-a_b.c-7");
        assert_eq!(crash("runtime error: signed integer overflow: 5 + 6").key(), "signed-integer-overflow_-a_b.c-7");
        assert_eq!(crash("runtime error: index 9 out of bounds").key(), "index-a_b.c-7");
    }

    #[test]
    fn the_same_stack_in_another_process_is_the_same() {
        let one =
            "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x5)\n    #0 0x55 (/x/program+0x10) (B)\n";
        let two =
            "==9==ERROR: AddressSanitizer: SEGV on unknown address 0x8 (pc 0x9)\n    #0 0x99 (/x/program+0x10) (B)\n";
        assert_eq!(stack_of(one), stack_of(two));
        assert_ne!(stack_of(one), stack_of(&two.replace("+0x10", "+0x11")));
    }
}
