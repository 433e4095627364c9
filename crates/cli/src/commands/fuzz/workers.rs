//! Further workers on the same folder: processes of ours with the same arguments.

use crate::Fault;
use crate::args::FuzzArgs;
use crate::terminal::Terminal;
use std::process::{Child, Command, Stdio};

/// The other workers; they end with it.
pub struct Workers(Vec<Child>);

/// Starts one process fewer than `--jobs` asks for.
pub fn start(args: &FuzzArgs, terminal: &Terminal) -> Result<Workers, Fault> {
    let more = if args.worker { 0 } else { args.inputs.jobs.unwrap_or(1) - 1 };
    let mut workers = Workers(Vec::new());
    let me = std::env::current_exe().map_err(|e| Fault::new(format!("blitz can't find itself: {e}")))?;
    for _ in 0..more {
        // What stands behind `--` is the program's.
        let mut words = std::env::args_os().skip(1);
        let mut command = Command::new(&me);
        command.arg(words.next().unwrap_or_default()).arg("--worker").args(words);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        match child {
            Ok(child) => workers.0.push(child),
            Err(e) => terminal.note(&format!("a further worker can't be started: {e}")),
        }
    }
    Ok(workers)
}

impl Workers {
    /// Ends them: what they found is in the folder.
    pub fn end(mut self) {
        self.kill();
    }

    fn kill(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
        self.0.clear();
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.kill();
    }
}
