//! A solver process on pipes that can't make us wait.
//!
//! One thread writes, one reads; the caller waits on a channel with the budget in view. A process that stops reading,
//! stops answering, dies or answers something else costs no more than the budget.

use super::sexpr::{self, Sexpr};
use crate::UnknownReason;
use blitz_base::Budget;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
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
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (mut stdin, mut stdout) = match (child.stdin.take(), child.stdout.take()) {
            (Some(i), Some(o)) => (i, o),
            (Some(_) | None, _) => return Err(std::io::Error::other("the process has no pipes")),
        };
        let (input, to_write) = channel::<String>();
        std::thread::spawn(move || {
            // An error means the process is gone, which the reader notices.
            for text in to_write {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
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
                Err(message) => return Err(self.failed(&format!("printed nonsense: {message}"))),
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

    pub fn failed(&self, what: &str) -> UnknownReason {
        UnknownReason::Backend(format!("{} {what}", self.name))
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
