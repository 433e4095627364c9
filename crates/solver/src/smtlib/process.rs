//! A solver process on pipes that can't make us wait.
//!
//! One thread writes, one reads; the caller waits on a channel with the budget in view. A process that stops reading,
//! stops answering, dies or answers something else costs no more than the budget. It ends when we do.

use super::sexpr::{self, Sexpr};
use crate::UnknownReason;
use blitz_base::Budget;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often cancellation is looked at.
const TICK: Duration = Duration::from_millis(20);

pub struct Process {
    child: Child,
    input: Option<Sender<String>>,
    output: Receiver<Vec<u8>>,
    buffer: String,
    name: String,
}

impl Process {
    pub fn start(name: &str, program: &str, args: &[String]) -> std::io::Result<Self> {
        let (input, to_write) = channel::<String>();
        let (started, answer) = channel();
        let command = ending_with_us(program, args);
        std::thread::spawn(move || write_all(command, &started, to_write));
        let (child, mut stdout) = answer.recv().unwrap_or_else(|_| Err(std::io::Error::other("it was never begun")))?;
        let (was_read, output) = channel::<Vec<u8>>();
        std::thread::spawn(move || {
            let mut chunk = vec![0; 1 << 16];
            while let Ok(n @ 1..) = stdout.read(&mut chunk) {
                if was_read.send(chunk[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input: Some(input), output, buffer: String::new(), name: name.to_owned() })
    }

    pub fn send(&self, text: String) {
        if let Some(input) = &self.input {
            // A closed channel means the process is gone, which the next read reports.
            let _ = input.send(text);
        }
    }

    /// The next complete expression the process prints.
    pub fn read(&mut self, budget: &Budget) -> Result<Sexpr, UnknownReason> {
        loop {
            match sexpr::parse_first(&self.buffer) {
                Ok(Some((expr, used))) => {
                    self.buffer.drain(..used);
                    return Ok(expr);
                }
                Ok(None) => self.receive(budget)?,
                Err(at) => return Err(self.nonsense(&self.buffer[at..])),
            }
        }
    }

    fn receive(&mut self, budget: &Budget) -> Result<(), UnknownReason> {
        loop {
            if let Some(stop) = budget.expired() {
                return Err(stop.into());
            }
            let wait = budget.remaining().map_or(TICK, |r| r.min(TICK));
            match self.output.recv_timeout(wait) {
                Ok(bytes) => {
                    self.buffer.push_str(&String::from_utf8_lossy(&bytes));
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.death()),
            }
        }
    }

    fn death(&mut self) -> UnknownReason {
        let how = match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(e) => e.to_string(),
        };
        self.failed(&format!("died ({how})"))
    }

    /// What the process printed is no answer; the message has its beginning, on one line.
    pub fn nonsense(&self, text: &str) -> UnknownReason {
        let excerpt: String = text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.failed(&format!("printed nonsense: {excerpt}"))
    }

    pub fn failed(&self, what: &str) -> UnknownReason {
        UnknownReason::Backend(format!("{} {what}", self.name))
    }
}

/// The command of a process that does not outlive us, however we end: a solver left alone with a hard question would go on
/// for hours.
fn ending_with_us(program: &str, args: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // SAFETY: between fork and exec there is one system call, which allocates nothing.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        })
    };
    command
}

/// Starts the process and writes to it. The kernel ends the process with the *thread* that started it, so this has to be
/// one that lives as long as the process is wanted: until the channel closes.
fn write_all(
    mut command: Command,
    started: &Sender<std::io::Result<(Child, ChildStdout)>>,
    to_write: Receiver<String>,
) {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => {
            let _ = started.send(Err(e));
            return;
        }
    };
    let pipes = (child.stdin.take(), child.stdout.take());
    let (Some(mut stdin), Some(stdout)) = pipes else {
        let _ = started.send(Err(std::io::Error::other("the process has no pipes")));
        return;
    };
    if started.send(Ok((child, stdout))).is_err() {
        return;
    }
    for text in to_write {
        // An error means that the process reads no more, which the reader notices when it ends.
        let _ = stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
