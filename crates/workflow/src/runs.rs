//! The folder a check writes to: one of its own for each run under `blitz-out`, or the one that was named.
//!
//! Why: a check must not take away what another has found, and several may run at once in one folder. Runs are numbered; making the
//! folder claims the number. `latest` is a link to the newest run that has a report, put in place by a rename: a run that has ended, or one that goes on and
//! has found something (its report says so), so that what is found survives the end of the process.
//!
//! Invariants: a folder is made when something is to be put into it, not before; a folder that was named is used as it is.

use blitz_report::Report;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// Where results go unless told otherwise.
pub const OUT: &str = "blitz-out";
/// The link to the newest run.
const LATEST: &str = "latest";
/// Runs that are kept beside the newest; older ones go when a run ends.
const KEPT: u64 = 30;

/// The place of one command's results.
pub struct RunFolder {
    base: PathBuf,
    /// The number of the run, once it has one.
    number: OnceLock<u64>,
    /// The properties whose violation was printed: of several functions that lead to one, the first is enough.
    printed: Mutex<BTreeSet<String>>,
    /// Of a library: the functions that are done, with their reports.
    done: Mutex<Vec<(String, Report)>>,
}

impl Default for RunFolder {
    fn default() -> Self {
        Self::under(PathBuf::from(OUT))
    }
}

impl RunFolder {
    /// For what is written under the default folder in the current one.
    pub fn new() -> RunFolder {
        Self::default()
    }

    fn under(base: PathBuf) -> RunFolder {
        RunFolder { base, number: OnceLock::new(), printed: Mutex::default(), done: Mutex::default() }
    }

    /// Whether the violation of a property is printed for the first time.
    pub fn is_news(&self, property: &str) -> bool {
        self.printed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(property.to_owned())
    }

    /// Keeps the report on one function of a library.
    pub fn keep(&self, function: String, report: Report) {
        self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((function, report));
    }

    /// Hands out what was kept.
    pub fn take_kept(&self) -> Vec<(String, Report)> {
        std::mem::take(&mut self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Where something for `out` goes: `blitz-out/leak` becomes `blitz-out/7/leak`, other folders stay what they are.
    pub fn place(&self, out: &Path) -> io::Result<PathBuf> {
        match out.strip_prefix(&self.base) {
            Ok(inner) if inner.as_os_str().is_empty() => Ok(self.base.join(self.number()?.to_string())),
            Ok(inner) => Ok(self.base.join(self.number()?.to_string()).join(inner)),
            Err(_) => Ok(out.to_owned()),
        }
    }

    /// Whether there are results that a run without findings has to take the place of, or a folder was named for them.
    pub fn is_wanted(&self, out: &Path) -> bool {
        !out.starts_with(&self.base) || self.base.join(LATEST).exists() || self.number.get().is_some()
    }

    /// The run's number: the next one whose folder nobody else made first.
    fn number(&self) -> io::Result<u64> {
        if let Some(number) = self.number.get() {
            return Ok(*number);
        }
        std::fs::create_dir_all(&self.base)?;
        let mut number = runs(&self.base)?.last().map_or(1, |last| last + 1);
        loop {
            match std::fs::create_dir(self.base.join(number.to_string())) {
                Ok(()) => return Ok(*self.number.get_or_init(|| number)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(e) => return Err(e),
            }
        }
    }

    /// Makes the run the latest, and removes old ones. Nothing to do if nothing was written.
    pub fn commit(&self) -> io::Result<()> {
        let Some(number) = self.number.get() else { return Ok(()) };
        let fresh = self.base.join(format!(".{LATEST}-{number}"));
        let _ = std::fs::remove_file(&fresh);
        std::os::unix::fs::symlink(number.to_string(), &fresh)?;
        std::fs::rename(&fresh, self.base.join(LATEST))?;
        for old in runs(&self.base)?.into_iter().filter(|n| n + KEPT < *number) {
            // Another run may remove it as well.
            let _ = std::fs::remove_dir_all(self.base.join(old.to_string()));
        }
        Ok(())
    }
}

/// The numbers of the runs in a folder, in order.
fn runs(base: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(base)? {
        let name = entry?.file_name();
        numbers.extend(name.to_str().and_then(|n| n.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// The folder that is meant by one in which checks have run: its latest run, or itself.
pub fn latest(folder: &Path) -> PathBuf {
    let Ok(run) = std::fs::read_link(folder.join(LATEST)) else { return folder.to_owned() };
    folder.join(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_at_once_get_folders_of_their_own() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let out = base.path().join("out");
        let (one, two) = (RunFolder::under(out.clone()), RunFolder::under(out.clone()));
        assert!(!one.is_wanted(&out) && one.is_wanted(Path::new("named")));
        let (first, second) = (one.place(&out).unwrap(), two.place(&out.join("leak")).unwrap());
        assert_eq!((first, second), (out.join("1"), out.join("2/leak")));
        assert_eq!(one.place(Path::new("named")).unwrap(), Path::new("named"));
        assert_eq!(latest(&out), out, "no run has ended");
        two.commit().unwrap();
        assert_eq!(latest(&out), out.join("2"));
        one.commit().unwrap();
        assert_eq!(latest(&out), out.join("1"));
        assert!(RunFolder::under(out.clone()).is_wanted(&out));
    }

    #[test]
    fn old_runs_go() {
        let base = tempfile::tempdir().expect("a temporary folder");
        for _ in 0..KEPT + 3 {
            let run = RunFolder::under(base.path().to_owned());
            run.place(base.path()).unwrap();
            run.commit().unwrap();
        }
        assert_eq!(runs(base.path()).unwrap().first(), Some(&3));
    }
}
