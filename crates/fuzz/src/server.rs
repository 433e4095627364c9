//! Runs of the native program: one process per run, forked by a server that stands just before `main`, all of it in a box.
//!
//! Why a server: starting a program with sanitizers takes tens of milliseconds, forking one that has started takes a part of one.
//! What the box holds is known when the server has started (`Containment`); docs/security.md says what each part means.
//!
//! Invariants: when a `Server` is dropped, every process of it is ended; a server that does not answer is ended and started anew.

use crate::carrier::{Carrier, with_file};
use crate::layout::{
    Comparison, FD_ANSWER, FD_AREA, FD_BOX, FD_COMMAND, MAX_COMPARISONS, MAX_INPUT, MAX_WORDS, Shared,
};
use crate::layout::{MAX_GUARDS, memory_file};
use crate::target::Target;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// The status a sanitizer ends a process with.
const SANITIZER: i32 = 86;
/// The shim saw an assumption that does not hold.
const LEFT_ASSUMPTIONS: i32 = 97;
/// How much of what a run writes to stderr is read; a report is far shorter.
const MOST_WORDS: usize = 1 << 20;
/// How long a server may take beyond the time of a run, in milliseconds: the machine may be busy.
const GRACE_MS: i32 = 20_000;

/// Limits on native runs.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// By the clock, for one run.
    pub timeout_ms: u32,
    /// Resident memory of all its processes.
    pub memory_mb: u32,
    /// Processes at a time.
    pub processes: u32,
    /// Files in its folder altogether, and the largest that it writes.
    pub folder_mb: u32,
    pub file_mb: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout_ms: 1_000, memory_mb: 1_024, processes: 64, folder_mb: 64, file_mb: 16 }
    }
}

/// What the system let the box hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Containment(String);

impl Containment {
    /// What does not hold, in words.
    pub fn missing(&self) -> Vec<&'static str> {
        const PARTS: [(char, &str); 5] = [
            ('m', "it can write wherever the user can"),
            ('n', "it can use the network"),
            ('p', "processes that leave its group outlive a run"),
            ('l', "the number of its processes is not limited"),
            ('s', "it can trace other processes of the user"),
        ];
        PARTS.iter().filter(|(letter, _)| !self.0.contains(*letter)).map(|(_, words)| *words).collect()
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Exit(i32),
    /// A sanitizer reported something.
    Sanitizer,
    Signal(i32),
    OutOfTime,
    OutOfMemory,
    /// An assumption of the harness does not hold.
    LeftAssumptions,
}

impl Ending {
    /// Whether it is a violation of the program's.
    pub fn is_crash(self) -> bool {
        match self {
            // The box's own limits: output beyond the largest file, CPU time.
            Ending::Signal(libc::SIGXFSZ | libc::SIGXCPU | libc::SIGKILL | libc::SIGPIPE | libc::SIGTERM) => false,
            Ending::Sanitizer | Ending::Signal(_) => true,
            Ending::Exit(_) | Ending::OutOfTime | Ending::OutOfMemory | Ending::LeftAssumptions => false,
        }
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Exit(status) => write!(f, "exit {status}"),
            Ending::Sanitizer => f.write_str("sanitizer"),
            Ending::Signal(number) => write!(f, "signal {number}"),
            Ending::OutOfTime => f.write_str("out of time"),
            Ending::OutOfMemory => f.write_str("out of memory"),
            Ending::LeftAssumptions => f.write_str("left what is assumed"),
        }
    }
}

/// What was seen of a run.
#[derive(Clone, Debug)]
pub struct Run {
    pub ending: Ending,
    /// How often each edge was taken, up to 255, by its number.
    pub counts: Vec<(u32, u8)>,
    /// A number for the edges in their order.
    pub path: u64,
    pub edges: u64,
    /// What came on stderr, where it crashed.
    pub stderr: String,
}

/// What a run compared.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    pub numbers: Vec<Comparison>,
    pub words: Vec<(Vec<u8>, Vec<u8>)>,
}

/// How a program is started.
#[derive(Clone, Debug)]
pub struct Start {
    pub target: Target,
    pub carrier: Carrier,
    /// Without the program's name; `@@` stands for the file.
    pub args: Vec<OsString>,
    pub limits: Limits,
}

/// A program that waits for inputs.
pub struct Server {
    start: Start,
    shared: Shared,
    stderr: File,
    process: Option<Process>,
    containment: Containment,
    /// How often it was started.
    pub starts: u32,
}

struct Process {
    child: Child,
    command: File,
    answer: File,
    /// The working folder; under a box with mounts of its own it stays empty.
    _folder: tempfile::TempDir,
}

impl Drop for Process {
    fn drop(&mut self) {
        // The box ends with its launcher.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    pub fn new(start: Start) -> Result<Server, String> {
        let trouble = |e: io::Error| format!("the native program can't be started: {e}");
        let mut server = Server {
            shared: Shared::new().map_err(trouble)?,
            stderr: memory_file(c"stderr").map_err(trouble)?,
            start,
            process: None,
            containment: Containment::default(),
            starts: 0,
        };
        server.prepare();
        server.launch()?;
        Ok(server)
    }

    fn prepare(&mut self) {
        let (limits, number) = (self.start.limits, self.start.carrier.number());
        let name = match &self.start.carrier {
            Carrier::Env(name) => name.clone(),
            Carrier::Stdin | Carrier::File | Carrier::Argv | Carrier::Socket | Carrier::Direct => String::new(),
        };
        let area = self.shared.area();
        (area.timeout_ms, area.memory_mb, area.carrier) = (limits.timeout_ms, limits.memory_mb, number);
        area.variable[..name.len()].copy_from_slice(name.as_bytes());
    }

    /// What the box holds.
    pub fn containment(&self) -> &Containment {
        &self.containment
    }

    /// How many edges the program has.
    pub fn edges(&mut self) -> usize {
        (self.shared.area().guards as usize).clamp(1, MAX_GUARDS) - 1
    }

    /// Where the program's blocks are, by the number of their edge.
    pub fn blocks(&mut self) -> Vec<u64> {
        let known = self.edges() + 1;
        self.shared.area().blocks[..known].to_vec()
    }

    fn launch(&mut self) -> Result<(), String> {
        let process = self.spawn().map_err(|e| format!("the native program can't be started: {e}"))?;
        self.process = Some(process);
        self.starts += 1;
        match self.answer(GRACE_MS) {
            Some(_) => Ok(()),
            None => {
                self.process = None;
                Err(format!("the native program did not begin: {}", self.words().lines().next().unwrap_or("no word")))
            }
        }
    }

    fn spawn(&mut self) -> io::Result<Process> {
        let folder = tempfile::tempdir()?;
        // A user of its own has to find it.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
        self.stderr.set_len(0)?;
        let (facts, facts_end) = pipe()?;
        let (command_end, command) = pipe()?;
        let (answer, answer_end) = pipe()?;
        let limits = self.start.limits;
        let mut launcher = Command::new(&self.start.target.launcher);
        launcher.arg(folder.path());
        launcher.args([limits.folder_mb, limits.processes, limits.file_mb].map(|n| n.to_string()));
        launcher.arg(&self.start.target.program).args(with_file(&self.start.args));
        launcher.stdin(Stdio::null()).stdout(Stdio::null()).stderr(self.stderr.try_clone()?);
        launcher.env_clear().envs(environment(limits));
        let handed = [
            (facts_end.as_raw_fd(), FD_BOX),
            (self.shared.fd(), FD_AREA),
            (command_end.as_raw_fd(), FD_COMMAND),
            (answer_end.as_raw_fd(), FD_ANSWER),
        ];
        // SAFETY: `dup2` and `setpgid` are all that is called, and both may be called after a fork.
        unsafe {
            launcher.pre_exec(move || hand_over(&handed));
        }
        let child = launcher.spawn()?;
        drop((facts_end, command_end, answer_end));
        self.containment = Containment(first_line(File::from(facts)));
        Ok(Process { child, command: File::from(command), answer: File::from(answer), _folder: folder })
    }

    /// Runs the program on an input; comparisons are recorded if asked for.
    pub fn run(&mut self, input: &[u8]) -> Result<Run, String> {
        self.run_as(input, false)
    }

    /// The same, and what the run compared.
    pub fn run_recording(&mut self, input: &[u8]) -> Result<(Run, Compared), String> {
        let run = self.run_as(input, true)?;
        Ok((run, self.compared()))
    }

    fn run_as(&mut self, input: &[u8], record: bool) -> Result<Run, String> {
        let size = input.len().min(MAX_INPUT);
        let area = self.shared.area();
        area.input[..size].copy_from_slice(&input[..size]);
        (area.size, area.record) = (size as u32, u32::from(record));
        self.stderr.set_len(0).map_err(|e| format!("no room for what the program writes: {e}"))?;
        let _ = io::Seek::rewind(&mut self.stderr);
        for _ in 0..2 {
            if self.process.is_none() {
                self.launch()?;
                continue;
            }
            let wait = self.start.limits.timeout_ms as i32 + GRACE_MS;
            let sent = self.process.as_mut().is_some_and(|p| p.command.write_all(b"r").is_ok());
            if let Some((status, ended)) = self.answer(wait).filter(|_| sent) {
                return Ok(self.seen(ending(status, ended)));
            }
            // The server is gone or hangs.
            self.process = None;
        }
        self.launch()?;
        Ok(self.seen(Ending::OutOfTime))
    }

    /// The server's answer within so many milliseconds.
    fn answer(&mut self, wait: i32) -> Option<(i32, u32)> {
        let process = self.process.as_mut()?;
        let mut ready = libc::pollfd { fd: process.answer.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor of ours.
        while unsafe { libc::poll(&raw mut ready, 1, wait) } < 0 {
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return None;
            }
        }
        let mut bytes = [0; 8];
        if ready.revents & libc::POLLIN == 0 || process.answer.read_exact(&mut bytes).is_err() {
            return None;
        }
        let [a, b, c, d, e, f, g, h] = bytes;
        Some((i32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h])))
    }

    fn seen(&mut self, ending: Ending) -> Run {
        let stderr = if ending.is_crash() { self.words() } else { String::new() };
        let known = self.edges() + 1;
        let area = self.shared.area();
        let counts = taken_edges(&area.counts[..known]);
        Run { ending, counts, path: area.path, edges: area.edges, stderr }
    }

    fn words(&self) -> String {
        let mut bytes = vec![0; MOST_WORDS];
        let n = self.stderr.read_at(&mut bytes, 0).unwrap_or(0);
        String::from_utf8_lossy(&bytes[..n]).into_owned()
    }

    fn compared(&mut self) -> Compared {
        let area = self.shared.area();
        let numbers = area.compared[..(area.comparisons as usize).min(MAX_COMPARISONS)].to_vec();
        let pair = |w: &crate::layout::Words| {
            let text = |i: usize| w.bytes[i][..usize::from(w.sizes[i]).min(w.bytes[i].len())].to_vec();
            (text(0), text(1))
        };
        let words = area.worded[..(area.words as usize).min(MAX_WORDS)].iter().map(pair).collect();
        Compared { numbers, words }
    }
}

/// The edges that were taken; most were not, so eight are looked at together.
fn taken_edges(counts: &[u8]) -> Vec<(u32, u8)> {
    let mut found = Vec::new();
    for (i, chunk) in counts.chunks(8).enumerate() {
        if chunk.iter().all(|&c| c == 0) {
            continue;
        }
        found.extend(chunk.iter().enumerate().filter(|(_, c)| **c != 0).map(|(k, &c)| ((i * 8 + k) as u32, c)));
    }
    found
}

fn ending(status: i32, ended: u32) -> Ending {
    match ended {
        1 => return Ending::OutOfTime,
        2 => return Ending::OutOfMemory,
        _ => {}
    }
    if libc::WIFEXITED(status) {
        match libc::WEXITSTATUS(status) {
            SANITIZER => Ending::Sanitizer,
            LEFT_ASSUMPTIONS => Ending::LeftAssumptions,
            other => Ending::Exit(other),
        }
    } else {
        Ending::Signal(libc::WTERMSIG(status))
    }
}

/// Nothing of the user's environment; reports without names, which are looked up once for each place instead.
fn environment(limits: Limits) -> Vec<(String, String)> {
    let common = format!(
        "handle_abort=1:allocator_may_return_null=1:symbolize=0:print_legend=0:detect_leaks=0:abort_on_error=0:exitcode={SANITIZER}:\
         max_allocation_size_mb={}:malloc_context_size=4:quarantine_size_mb=16:detect_odr_violation=0",
        limits.memory_mb
    );
    vec![
        ("ASAN_OPTIONS".to_owned(), common),
        ("UBSAN_OPTIONS".to_owned(), format!("print_stacktrace=0:symbolize=0:exitcode={SANITIZER}")),
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
    ]
}

fn hand_over(handed: &[(RawFd, RawFd)]) -> io::Result<()> {
    for (from, to) in handed {
        // SAFETY: `dup2` touches descriptors only; the copy stays open across `exec`.
        if unsafe { libc::dup2(*from, *to) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// A pipe, the end to read from first.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just made, owned by nobody else.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// What the launcher says of the box, up to the end of the line.
fn first_line(mut from: File) -> String {
    let mut line = Vec::new();
    let mut byte = [0];
    while matches!(from.read(&mut byte), Ok(1)) && byte[0] != b'\n' {
        line.push(byte[0]);
    }
    String::from_utf8_lossy(&line).into_owned()
}
