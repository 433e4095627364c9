//! What a sanitizer said, held against what blitz said.

use crate::feed::Feed;
use crate::native::NativeRun;
use blitz_ir::{CheckKind, FuncId, Program};
use blitz_report::{Finding, Native, NativeReport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// How the text of a leak begins.
const LEAK: &str = "LeakSanitizer: leak";
/// A leak is reported at a call, its allocation may be some functions further in.
const LEAK_FRAMES: usize = 4;

/// What is put behind the title of a report of a call to address 0. No frame of the function that calls is on such a stack: the caller's comes first.
const NOWHERE: &str = " at a call to address 0";

/// `run.sh` could not build the program.
pub const BUILD_FAILED: i32 = 99;
/// The shim saw an assumption that does not hold.
const LEFT_ASSUMPTIONS: i32 = 97;
/// `timeout` ended the program, or its CPU time ran out: 128 and SIGXCPU, or SIGKILL if it would not hear.
const TIMED_OUT: [i32; 3] = [124, 152, 137];

/// Which sanitizers a kit uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// Address and undefined behaviour.
    Address,
    /// Uninitialised memory.
    Memory,
    /// Races between threads, which go as they like.
    Thread,
    /// Address and undefined behaviour; threads go as the schedule of the run says (`shim/schedule.c`).
    Schedule,
}

impl Tool {
    /// What shows a kind, in a run with one thread or with several. ThreadSanitizer's runtime knows machines of 64 bits only; its instrumentation,
    /// which is what a schedule needs, knows all.
    pub fn of(kind: CheckKind, threads: bool, ptr_bits: u16) -> Tool {
        match kind {
            CheckKind::Uninitialised => Tool::Memory,
            CheckKind::DataRace if ptr_bits == 64 => Tool::Thread,
            _ if threads => Tool::Schedule,
            _ => Tool::Address,
        }
    }

    /// The mark that LLVM's pass looks for on functions.
    pub fn mark(self) -> &'static str {
        match self {
            Tool::Address | Tool::Schedule => "sanitize_address",
            Tool::Memory => "sanitize_memory",
            Tool::Thread => "sanitize_thread",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Tool::Address => "address",
            Tool::Memory => "memory",
            Tool::Thread => "thread",
            Tool::Schedule => "schedule",
        }
    }
}

/// What a kit is to show; `kit.json` in its folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expected {
    pub schema: u32,
    pub property: String,
    pub kind: String,
    pub message: String,
    pub file: String,
    pub line: u32,
    pub function: String,
    pub tool: Tool,
    /// Inputs that nothing can feed to a native run.
    pub unfed: Vec<String>,
    /// Functions without body and model that the run in the interpreter called: their answers and effects are made up.
    #[serde(default)]
    pub answered: Vec<String>,
    /// Where the function was called, by file and line.
    #[serde(default)]
    pub called_at: Option<(String, u32)>,
}

impl Expected {
    pub fn of(program: &Program, finding: &Finding, answered: impl Iterator<Item = FuncId>, feed: &Feed) -> Expected {
        let missing = crate::stubs::missing(program);
        let called: BTreeSet<&str> = answered.map(|f| program.decl(f).name.as_str()).collect();
        Expected {
            answered: called.into_iter().filter(|name| missing.contains_key(name)).map(str::to_owned).collect(),
            schema: 1,
            property: finding.property.clone(),
            kind: finding.kind.clone(),
            message: finding.message.clone(),
            file: finding.place.file.clone(),
            line: finding.place.line,
            function: finding.function.clone(),
            tool: CheckKind::from_name(&finding.kind)
                .map_or(Tool::Address, |kind| Tool::of(kind, !feed.schedule.is_empty(), program.target.ptr_bits)),
            unfed: feed.unfed.iter().cloned().collect(),
            called_at: finding.stack.get(1).map(|f| (f.place.file.clone(), f.place.line)),
        }
    }

    fn is_at(&self, said: &Said) -> bool {
        let at = |file: &str, line: u32| said.line == line && same_file(&said.file, file);
        let caller = || self.called_at.as_ref().is_some_and(|(file, line)| at(file, *line));
        at(&self.file, self.line) || self.kind() == CheckKind::NullDeref && said.text.ends_with(NOWHERE) && caller()
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("an expectation should be expressible in JSON") + "\n"
    }

    pub fn from_json(text: &str) -> Result<Expected, String> {
        let read: Expected = serde_json::from_str(text).map_err(|e| e.to_string())?;
        match CheckKind::from_name(&read.kind) {
            Some(_) => Ok(read),
            None => Err(format!("there is no kind `{}`", read.kind)),
        }
    }

    pub fn kind(&self) -> CheckKind {
        CheckKind::from_name(&self.kind).expect("the kind of a kit should be one of ours")
    }
}

/// What came of a native run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// A sanitizer saw it, at the same line.
    Confirmed(Said),
    /// It did not, for this reason.
    Unseen(String),
}

impl Judgement {
    /// With the functions that stubs answered for in the run.
    pub fn into_native(self, kit: &Path, stubs: Vec<String>) -> Native {
        let kit = kit.display().to_string();
        match self {
            Judgement::Confirmed(said) => Native {
                kit,
                report: Some(NativeReport { text: said.text, file: said.file, line: said.line }),
                reason: None,
                stubs,
            },
            Judgement::Unseen(reason) => Native { kit, report: None, reason: Some(reason), stubs },
        }
    }
}

/// The functions whose stubs were called in a run.
pub fn stubs_called(stderr: &str) -> Vec<String> {
    let names: BTreeSet<&str> = stderr.lines().filter_map(|l| l.strip_prefix("blitz-kit: stub of ")).collect();
    names.into_iter().map(str::to_owned).collect()
}

/// What the linker found defined nowhere; `None` if the kit could not be built.
pub fn defined_nowhere(seen: &NativeRun) -> Option<BTreeSet<String>> {
    let built = seen.trouble.is_none() && seen.stopped.is_none() && seen.status != Some(BUILD_FAILED);
    let names = seen.stderr.lines().filter_map(|l| l.strip_prefix("blitz-kit: nobody defines "));
    built.then(|| names.flat_map(|l| l.split(' ')).map(str::to_owned).collect())
}

/// A report of a sanitizer, or of `assert`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// `AddressSanitizer: heap-buffer-overflow`, `runtime error: division by zero`.
    pub text: String,
    pub file: String,
    pub line: u32,
    pub function: String,
}

/// Whether the run shows what is expected.
pub fn judge(expected: &Expected, seen: &NativeRun) -> Judgement {
    if let Some(trouble) = &seen.trouble {
        return Judgement::Unseen(trouble.clone());
    }
    if let Some(stop) = seen.stopped {
        return Judgement::Unseen(format!("the native build or run was ended: {stop}"));
    }
    if seen.status == Some(BUILD_FAILED) {
        return Judgement::Unseen(match checkers_primitive(&seen.stderr) {
            Some(name) => format!("`{name}` of CBMC means nothing in a native program"),
            None => format!("the native build failed: {}", build_error(&seen.stderr)),
        });
    }
    let said = reports(&seen.stderr);
    match said.iter().filter(|s| fits(expected.kind(), &s.text)).find(|s| expected.is_at(s)) {
        Some(hit) => Judgement::Confirmed(hit.clone()),
        None => Judgement::Unseen(why_unseen(expected, seen, &said)),
    }
}

fn why_unseen(expected: &Expected, seen: &NativeRun, said: &[Said]) -> String {
    if seen.status == Some(LEFT_ASSUMPTIONS) {
        return "the native run left what is assumed".to_owned();
    }
    if !expected.unfed.is_empty() {
        return format!("nothing can feed {} to a native run", expected.unfed.join(", "));
    }
    if let Some(other) = said.first() {
        return format!("the native run showed something else: {} at {}:{}", other.text, other.file, other.line);
    }
    if seen.status.is_some_and(|s| TIMED_OUT.contains(&s)) {
        return "the native run did not end".to_owned();
    }
    if seen.stderr.contains("Sanitizer failed to allocate") {
        return "the sanitizer could not start: it needs terabytes of address space, which `ulimit -v` keeps from it"
            .to_owned();
    }
    if let Some(words) = without_line(&seen.stderr) {
        return format!("{words}, but could not name the line: it needs /proc, and llvm-symbolizer or addr2line");
    }
    let blind = match expected.kind() {
        CheckKind::Uninitialised => "; MemorySanitizer looks at branches, addresses and output only",
        CheckKind::DataRace => "; ThreadSanitizer sees the races of the ways that threads go",
        CheckKind::MutexMisuse => "; what follows is not defined, and nothing looks for it",
        _ if expected.tool == Tool::Schedule => "; threads may have gone another way than in the run",
        CheckKind::MemoryLeak => "; LeakSanitizer takes what is left on the stack of an open call for a pointer",
        CheckKind::BufferOverflow | CheckKind::ArrayBounds => "; the access may hit other memory of the program",
        _ => "",
    };
    format!("no sanitizer saw it{blind}")
}

/// A primitive of CBMC that the linker did not find: only a checker knows what it asks about memory.
fn checkers_primitive(stderr: &str) -> Option<&str> {
    let (_, name) = stderr.split_once("undefined reference to `")?;
    name.split('\'').next().filter(|n| n.starts_with("__CPROVER_"))
}

/// What a sanitizer saw, from the first line of a report, where it could not look up lines.
fn without_line(stderr: &str) -> Option<String> {
    if !["reading executable name failed", "external symbolizer"].iter().any(|why| stderr.contains(why)) {
        return None;
    }
    let (_, report) = stderr.split_once("ERROR: ").filter(|(before, _)| before.ends_with("=="))?;
    let (sanitizer, what) = report.split_once(": ").filter(|(name, _)| name.ends_with("Sanitizer"))?;
    let what = what.split([' ', '\n']).next()?;
    Some(format!("{sanitizer} saw something ({what})"))
}

/// The first complaint of the compiler or linker.
fn build_error(stderr: &str) -> String {
    if stderr.contains("cannot find") && stderr.contains("libclang_rt") {
        return "clang's sanitizers are not installed (Debian: apt install libclang-rt-19-dev)".to_owned();
    }
    let telling = ["error:", "undefined reference", "cannot find"];
    let line = stderr.lines().find(|l| telling.iter().any(|t| l.contains(t)));
    line.or_else(|| stderr.lines().next()).unwrap_or("without a word").trim().to_owned()
}

fn same_file(one: &str, other: &str) -> bool {
    Path::new(one).file_name() == Path::new(other).file_name()
}

/// Whether a report's words fit a kind of ours.
fn fits(kind: CheckKind, text: &str) -> bool {
    let any = |words: &[&str]| words.iter().any(|w| text.contains(w));
    match kind {
        CheckKind::Assertion => any(&["ABRT", "assertion failed"]),
        CheckKind::ArrayBounds => any(&["out of bounds", "-overflow", "variable length array bound", "SEGV"]),
        CheckKind::BufferOverflow => any(&[
            "-overflow",
            "-underflow",
            "SEGV",
            "BUS",
            "out of bounds",
            "negative-size-param",
            "unknown-crash",
            "insufficient space",
            "bad-free",
        ]),
        CheckKind::NullDeref => any(&["null pointer", "SEGV", "BUS"]),
        CheckKind::UseAfterFree => any(&["use-after-free"]),
        CheckKind::UseAfterScope => any(&["use-after-scope", "use-after-return"]),
        CheckKind::DoubleFree => any(&["double-free"]),
        CheckKind::InvalidFree => any(&["not malloc()-ed", "bad-free", "mismatch", "SEGV"]),
        CheckKind::MemoryLeak => any(&["LeakSanitizer"]),
        CheckKind::Uninitialised => any(&["uninitialized-value"]),
        CheckKind::SignedOverflow => any(&["signed integer overflow", "negation of", "cannot be represented"]),
        CheckKind::UnsignedOverflow => any(&["unsigned integer overflow"]),
        CheckKind::Shift => any(&["shift", "passing zero to"]),
        CheckKind::DivByZero => any(&["division by zero", "FPE"]),
        CheckKind::PointerOverflow => {
            any(&["pointer index expression", "to null pointer", "unsigned offset to", "subtraction of"])
        }
        CheckKind::Unreachable => any(&["unreachable program point", "end of a value-returning function"]),
        CheckKind::DataRace => any(&["data race"]),
        CheckKind::Deadlock => any(&["deadlock"]),
        // No sanitizer that goes by a schedule looks for it.
        CheckKind::Unwinding | CheckKind::MutexMisuse => false,
    }
}

/// The kind that a report's words are about: the first that fits, the narrower ones first.
pub fn kind_of(text: &str) -> CheckKind {
    use CheckKind as K;
    const NARROW_FIRST: [CheckKind; 15] = [
        K::DoubleFree,
        K::UseAfterFree,
        K::UseAfterScope,
        K::InvalidFree,
        K::MemoryLeak,
        K::Uninitialised,
        K::SignedOverflow,
        K::UnsignedOverflow,
        K::DivByZero,
        K::Shift,
        K::PointerOverflow,
        K::Unreachable,
        K::Assertion,
        K::NullDeref,
        K::ArrayBounds,
    ];
    // A wild access is reported as SEGV: of that nobody knows more than that it is no object's.
    let narrow = NARROW_FIRST.into_iter().find(|k| fits(*k, text) && !text.contains("SEGV"));
    match narrow {
        Some(K::ArrayBounds) if text.contains("Sanitizer") => K::BufferOverflow,
        Some(kind) => kind,
        None if text.contains("SEGV") => K::NullDeref,
        None => K::BufferOverflow,
    }
}

/// All reports in what a program wrote to stderr.
pub fn reports(stderr: &str) -> Vec<Said> {
    let lines: Vec<&str> = stderr.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        found.extend(runtime_error(line).or_else(|| libc_assertion(line)));
        if let Some(title) = title(line) {
            let frames: Vec<Said> = if title.starts_with(LEAK) {
                users_frames(&lines[i + 1..]).take(LEAK_FRAMES).collect()
            } else {
                first_frames(&lines[i + 1..]).collect()
            };
            found.extend(frames.into_iter().map(|f| Said { text: title.clone(), ..f }));
            found.extend(other_access(&lines[i + 1..]).map(|f| Said { text: title.clone(), ..f }));
        }
    }
    found
}

/// The frames of the other access of a race.
fn other_access<'a>(lines: &'a [&'a str]) -> impl Iterator<Item = Said> + 'a {
    let end = lines.iter().position(|l| l.starts_with("SUMMARY:")).unwrap_or(lines.len());
    let previous = lines[..end].iter().position(|l| l.starts_with("  Previous "));
    previous.into_iter().flat_map(move |at| first_frames(&lines[at + 1..end]))
}

/// `a.c:3:7: runtime error: division by zero`
fn runtime_error(line: &str) -> Option<Said> {
    let (place, text) = line.split_once(": runtime error: ")?;
    let (file, line, _) = file_line(place)?;
    Some(Said { text: format!("runtime error: {text}"), file, line, function: String::new() })
}

/// `program: a.c:3: main: Assertion `x > 0' failed.`
fn libc_assertion(line: &str) -> Option<Said> {
    let before = line.split(": Assertion `").next().filter(|b| b.len() < line.len() && line.ends_with("failed."))?;
    let mut parts = before.split(": ");
    let place = parts.nth(1)?;
    let (file, line) = place.rsplit_once(':')?;
    Some(Said {
        text: "assertion failed".to_owned(),
        file: file.to_owned(),
        line: line.parse().ok()?,
        function: String::new(),
    })
}

/// `AddressSanitizer: heap-buffer-overflow` of the line that begins a report.
fn title(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("Direct leak of ").or_else(|| line.strip_prefix("Indirect leak of ")) {
        let bytes = rest.split(" byte").next().unwrap_or("?");
        return Some(format!("{LEAK} of {bytes} byte(s)"));
    }
    let rest = ["ERROR: ", "WARNING: "].iter().find_map(|w| line.split_once(w)).map(|(_, rest)| rest)?;
    let (tool, what) = rest.split_once(": ").filter(|(tool, _)| tool.ends_with("Sanitizer"))?;
    let end = [" on unknown address", " on address 0x", " (0x", " in thread", ": param", ": 0x"]
        .iter()
        .filter_map(|w| what.find(w))
        .min();
    let what = what[..end.unwrap_or(what.len())].split(" (pc ").next().unwrap_or(what);
    let to = if rest.contains("(pc 0x000000000000 ") { NOWHERE } else { "" };
    Some(format!("{tool}: {what}{to}"))
}

/// The frames of the user's code that may be meant: the innermost, and its caller where the innermost is a harness's own
/// function for errors. Frames of the shim and of the C library are passed over.
fn first_frames(lines: &[&str]) -> impl Iterator<Item = Said> {
    let mut users = users_frames(lines);
    let first = users.next();
    let reports = first
        .as_ref()
        .is_some_and(|f| ["reach_error", "__VERIFIER_error", "__VERIFIER_assert"].contains(&f.function.as_str()));
    let second = if reports { users.next() } else { None };
    first.into_iter().chain(second)
}

/// The frames of the user's code in the stack that follows.
fn users_frames(lines: &[&str]) -> impl Iterator<Item = Said> {
    let stack =
        lines.iter().skip_while(|l| !l.trim_start().starts_with('#')).take_while(|l| l.trim_start().starts_with('#'));
    stack.filter_map(|l| frame(l)).filter(|f| !foreign(&f.file))
}

fn foreign(file: &str) -> bool {
    let name = Path::new(file).file_name().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
    // A C library with debug info names its files relative to its own source; the program's are absolute.
    name == "shim.c"
        || name == "schedule.c" && file.contains("/repro/")
        || !file.starts_with('/')
        || file.contains("/compiler-rt/")
        || file.contains("/glibc")
}

/// `    #1 0x55d0 in main /path/a.c:12:3`
fn frame(line: &str) -> Option<Said> {
    let (_, rest) = line.split_once(" in ")?;
    let (function, place) = rest.split_once(' ')?;
    let (file, line, _) = file_line(place.trim())?;
    Some(Said { text: String::new(), file, line, function: function.to_owned() })
}

/// `a.c:3:7` or `a.c:3`.
fn file_line(place: &str) -> Option<(String, u32, u32)> {
    let (rest, last) = place.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?))) {
        Some((file, line)) => Some((file.to_owned(), line, last)),
        None => Some((rest.to_owned(), last, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASAN: &str = "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x50 at pc 0x1 bp 0x2 sp 0x3\n\
        WRITE of size 1 at 0x50 thread T0\n    #0 0x55 in strcpy (/tmp/program+0x1)\n    #1 0x55 in copy /src/a.c:12:3\n    #2 0x56 in main /src/a.c:20\n\n\
        0x50 is located 0 bytes after\nallocated by thread T0 here:\n    #0 0x1 in malloc (/tmp/x)\n    #1 0x2 in main /src/a.c:18:3\n";

    #[test]
    fn reports_are_read_with_the_users_frame() {
        let said = reports(ASAN);
        assert_eq!(said.len(), 1);
        assert_eq!((said[0].text.as_str(), said[0].line), ("AddressSanitizer: heap-buffer-overflow", 12));
        let said = reports("a.c:3:7: runtime error: division by zero\nprogram: b.c:4: main: Assertion `x' failed.\n");
        assert_eq!((said[0].line, said[1].line, said[1].file.as_str()), (3, 4, "b.c"));
    }

    fn expected(kind: &str, line: u32) -> Expected {
        let text = format!(
            r#"{{"schema":1,"property":"p","kind":"{kind}","message":"m","file":"a.c","line":{line},"function":"f","tool":"address","unfed":[]}}"#
        );
        Expected::from_json(&text).unwrap()
    }

    /// A call to address 0 leaves no frame of the function that makes it.
    #[test]
    fn a_call_to_nowhere_is_seen_at_the_callers_line() {
        let stderr = "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x000000000000 bp 0x2 sp 0x3 T0)\n\
            \x20   #0 0x000000000000  (<unknown module>)\n    #1 0x55 in main /src/b.c:20:3\n";
        let seen = NativeRun { status: Some(1), stderr: stderr.to_owned(), ..NativeRun::default() };
        let called_at = |line| Expected { called_at: Some(("b.c".to_owned(), line)), ..expected("null-deref", 7) };
        assert!(matches!(judge(&called_at(20), &seen), Judgement::Confirmed(_)));
        assert!(matches!(judge(&called_at(21), &seen), Judgement::Unseen(_)));
        let elsewhere = NativeRun { stderr: stderr.replace("pc 0x000000000000", "pc 0x000000000055"), ..seen };
        assert!(matches!(judge(&called_at(20), &elsewhere), Judgement::Unseen(_)));
    }

    #[test]
    fn only_the_same_line_and_kind_confirm() {
        let seen = NativeRun { status: Some(1), stderr: ASAN.to_owned(), ..NativeRun::default() };
        assert!(matches!(judge(&expected("buffer-overflow", 12), &seen), Judgement::Confirmed(_)));
        assert!(matches!(judge(&expected("buffer-overflow", 18), &seen), Judgement::Unseen(_)));
        assert!(matches!(judge(&expected("double-free", 12), &seen), Judgement::Unseen(_)));
        let failed =
            NativeRun { status: Some(BUILD_FAILED), stderr: "x\na.c:1:1: error: no\n".into(), ..NativeRun::default() };
        assert_eq!(
            judge(&expected("shift", 1), &failed),
            Judgement::Unseen("the native build failed: a.c:1:1: error: no".into())
        );
        let stderr = "a.c:8: undefined reference to `__CPROVER_allocate'\n".to_owned();
        let failed = NativeRun { status: Some(BUILD_FAILED), stderr, ..NativeRun::default() };
        assert_eq!(
            judge(&expected("shift", 1), &failed),
            Judgement::Unseen("`__CPROVER_allocate` of CBMC means nothing in a native program".into())
        );
    }

    #[test]
    fn what_is_missing_on_the_machine_is_said() {
        let unseen = |status, stderr: &str| {
            let seen = NativeRun { status: Some(status), stderr: stderr.into(), ..NativeRun::default() };
            match judge(&expected("buffer-overflow", 6), &seen) {
                Judgement::Unseen(reason) => reason,
                Judgement::Confirmed(said) => panic!("nothing names the line: {said:?}"),
            }
        };
        let linker = "/usr/bin/ld: cannot find /usr/lib/clang/19/lib/libclang_rt.asan_static.a: No such file\n";
        assert!(unseen(BUILD_FAILED, linker).contains("apt install libclang-rt-19-dev"));
        let nameless = "==7==WARNING: reading executable name failed with errno 2\n\
                        ==7==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7f\n    #0 0x55  (/proc/self/exe+0xb3)\n";
        let said = unseen(1, nameless);
        assert!(said.starts_with("AddressSanitizer saw something (stack-buffer-overflow)"), "{said}");
        let limited =
            "==7==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 (15392894357504) bytes (errno: 12)\n";
        assert!(unseen(1, limited).contains("ulimit -v"));
    }
}
