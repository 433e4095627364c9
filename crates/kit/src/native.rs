//! Running a kit: a process group with what is left of the time and of the memory, its words in files.
//!
//! Invariant: when `run` returns, the group is gone, however its script ended.

use blitz_base::budget::Stop;
use blitz_base::{Budget, budget};
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
    /// Why it was ended.
    pub stopped: Option<Stop>,
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
    let ended = wait(&child, budget);
    end_group(&child);
    let status = child.wait()?;
    let stopped = ended?;
    Ok(NativeRun {
        status: status.code().filter(|_| stopped.is_none()),
        stopped,
        stderr: read(&mut words)?,
        trouble: None,
    })
}

/// Waits for the end, which stays to be collected, or for the limit that is reached first.
fn wait(child: &Child, budget: &Budget) -> std::io::Result<Option<Stop>> {
    let room = budget.memory_limit().map(|limit| limit.saturating_sub(budget::resident_bytes()));
    let mut pause = Duration::from_millis(5);
    loop {
        if has_ended(child)? {
            return Ok(None);
        }
        if let Some(stop) = budget.interrupted() {
            return Ok(Some(stop));
        }
        if room.is_some_and(|room| budget::tree_bytes(child.id()) > room) {
            return Ok(Some(Stop::Memory));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(40));
    }
}

/// Whether a child is no more than its exit status, which is left where it is: until then its number is nobody else's.
fn has_ended(child: &Child) -> std::io::Result<bool> {
    // SAFETY: `waitid` fills in what it is given; zeros are a `siginfo_t`.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: as above.
    if unsafe { libc::waitid(libc::P_PID, child.id(), &raw mut info, flags) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the field is there for what `waitid` reports, and zero if it reports nothing.
    Ok(unsafe { info.si_pid() } != 0)
}

/// Ends the whole group: also what the script left behind.
fn end_group(child: &Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        // SAFETY: the group is the one made for this child, which has not been collected.
        unsafe { libc::kill(-group, libc::SIGKILL) };
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
        assert!(seen.stopped == Some(Stop::Time) && seen.status.is_none());
        let child = std::fs::read_to_string(folder.path().join("child")).expect("the script should have begun");
        assert_gone(&child);
    }

    /// The signal was sent; the kernel may take a moment.
    fn assert_gone(child: &str) {
        let gone = (0..200).any(|_| {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
            let state = stat.rsplit(')').next().unwrap_or_default().trim().chars().next();
            std::thread::sleep(Duration::from_millis(if matches!(state, None | Some('Z' | 'X')) { 0 } else { 50 }));
            matches!(state, None | Some('Z' | 'X'))
        });
        assert!(gone, "the child should be gone");
    }

    #[test]
    fn a_run_that_ends_leaves_nothing_behind() {
        let folder = kit("sleep 1000 & echo $! > \"$(dirname \"$0\")/child\"\n");
        let seen = run(folder.path(), None, &Budget::new(Some(Duration::from_secs(60)), None));
        assert_eq!((seen.stopped, seen.status), (None, Some(0)));
        assert_gone(&std::fs::read_to_string(folder.path().join("child")).expect("the script should have begun"));
    }

    #[test]
    fn a_run_that_takes_too_much_memory_is_ended() {
        let folder = kit("x=$(head -c 300000000 /dev/zero | tr '\\0' x)\nsleep 100\n");
        let limit = budget::resident_bytes() + (100 << 20);
        let seen = run(folder.path(), None, &Budget::new(Some(Duration::from_secs(60)), Some(limit)));
        assert_eq!((seen.stopped, seen.status), (Some(Stop::Memory), None));
    }

    #[test]
    fn words_and_status_are_kept() {
        let folder = kit("echo quiet\necho loud >&2\nexit 7\n");
        let seen = run(folder.path(), None, &Budget::new(Some(Duration::from_secs(60)), None));
        assert_eq!((seen.status, seen.stderr.as_str()), (Some(7), "loud\n"));
    }
}
