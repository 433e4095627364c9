//! Running a kit: a process group with a time limit, its words in files.

use blitz_base::Budget;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What was seen of a kit's run.
#[derive(Clone, Debug, Default)]
pub struct NativeRun {
    /// The exit code of `run.sh`; `None` if it was ended.
    pub status: Option<i32>,
    pub timed_out: bool,
    /// What came on stderr: a sanitizer's report, or the compiler's.
    pub stderr: String,
    /// Why the script could not even be started.
    pub trouble: Option<String>,
}

/// How much of stderr is read; a sanitizer's report is far shorter.
const MOST: u64 = 4 << 20;

/// Runs a kit's `run.sh`.
pub fn run(folder: &Path, objects: Option<&Path>, budget: &Budget) -> NativeRun {
    match try_run(folder, objects, budget) {
        Ok(seen) => seen,
        Err(e) => NativeRun { trouble: Some(format!("run.sh could not be run: {e}")), ..NativeRun::default() },
    }
}

fn try_run(folder: &Path, objects: Option<&Path>, budget: &Budget) -> std::io::Result<NativeRun> {
    let mut words = tempfile::tempfile()?;
    let mut command = Command::new("bash");
    command.arg(folder.join("run.sh")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(words.try_clone()?);
    if let Some(objects) = objects {
        command.env("BLITZ_KIT_OBJECTS", objects);
    }
    let mut child = command.process_group(0).spawn()?;
    let status = wait(&mut child, budget)?;
    Ok(NativeRun {
        status: status.and_then(|s| s.code()),
        timed_out: status.is_none(),
        stderr: read(&mut words)?,
        trouble: None,
    })
}

/// Waits for the end, and ends the whole group if it does not come in time.
fn wait(child: &mut Child, budget: &Budget) -> std::io::Result<Option<std::process::ExitStatus>> {
    let mut pause = Duration::from_millis(5);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if budget.expired().is_some() {
            if let Ok(group) = i32::try_from(child.id()) {
                // SAFETY: the group is the one made for this child, which has not been waited for.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn read(words: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    words.rewind()?;
    words.take(MOST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kit(script: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("run.sh"), script).expect("writable");
        folder
    }

    #[test]
    fn a_run_that_does_not_end_is_ended_with_its_children() {
        let folder = kit("sleep 1000 & echo $! > \"$(dirname \"$0\")/child\"\nwhile :; do :; done\n");
        let seen = run(folder.path(), None, &Budget::new(Some(Duration::from_millis(800)), None));
        assert!(seen.timed_out && seen.status.is_none());
        let child = std::fs::read_to_string(folder.path().join("child")).expect("the script should have begun");
        // The signal was sent; the kernel may take a moment.
        let gone = (0..200).any(|_| {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
            let state = stat.rsplit(')').next().unwrap_or_default().trim().chars().next();
            std::thread::sleep(Duration::from_millis(if matches!(state, None | Some('Z' | 'X')) { 0 } else { 50 }));
            matches!(state, None | Some('Z' | 'X'))
        });
        assert!(gone, "the child should be gone");
    }

    #[test]
    fn words_and_status_are_kept() {
        let folder = kit("echo quiet\necho loud >&2\nexit 7\n");
        let seen = run(folder.path(), None, &Budget::new(Some(Duration::from_secs(60)), None));
        assert_eq!((seen.status, seen.stderr.as_str()), (Some(7), "loud\n"));
    }
}
