//! The worklist on disk: tests with their scores, findings, hangs. Several workers share one folder.
//!
//! ```text
//! fuzz.json          what the tests are for
//! tests/ID           the bytes of a test; tests/ID.json is written after it and makes it count
//! done/ID            the test has been expanded
//! claims/ID          locked by the worker that is at it
//! findings/KEY/      input, report.txt, finding.json
//! hangs/ID           inputs that did not end in time
//! workers/N          locked by worker N; workers/N.json are its counters
//! ```
//!
//! Invariants: every file is written under another name and renamed, so that a reader sees all of it or nothing; locks go with the process
//! that holds them. So a worker may be killed at any time: what it had committed stays, what it was at is done again.
//! Absent: protection against a power cut (nothing is forced to the disk).

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// Why the folder can't be used any more.
#[derive(Debug)]
pub enum Trouble {
    /// No room is left.
    Full(PathBuf),
    /// Anything else, in a sentence.
    Other(String),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Trouble::Full(folder) => write!(
                f,
                "the disk is full: nothing more fits into {}; what is there stays, and the same command goes on from it once there is room",
                folder.display()
            ),
            Trouble::Other(sentence) => f.write_str(sentence),
        }
    }
}

/// Where a test came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    Seed,
    /// A decision of its parent was negated.
    Negated,
    /// A check on its parent's path was made to fail.
    Checked,
    /// A negated decision without those before it.
    Optimistic,
    /// A negated decision that asked for another length.
    Lengthened,
    /// What the program compared bytes of the parent with.
    Compared,
    Mutated,
    /// From AFL++'s queue.
    Afl,
    /// Made up from what the program compares requests with.
    Request,
}

/// What is known of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    pub id: String,
    #[serde(default)]
    pub parent: Option<String>,
    pub origin: Origin,
    pub generation: u32,
    /// Decisions below it are the parent's to negate.
    pub bound: u32,
    /// Blocks it was the first to cover.
    pub score: u32,
    /// The edges it took, with how often, up to 255.
    pub counts: Vec<(u32, u8)>,
    pub path: u64,
    pub ending: String,
}

/// A finding on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingMeta {
    /// Kind and place.
    pub key: String,
    /// The sanitizer's words, or the interpreter's.
    pub text: String,
    pub file: String,
    pub line: u32,
    pub function: String,
    /// `native` or `interpreter`: who saw it.
    pub seen_by: String,
    /// Runs of this worker until then.
    pub runs: u64,
    pub seconds: f64,
}

/// What the folder is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub schema: u32,
    pub input: String,
    pub arguments: Vec<String>,
    /// Of sources and flags.
    pub program: String,
}

/// The order in which tests are taken: SAGE's, the oldest first among equals.
type Rank = (Reverse<u32>, String);

pub struct Store {
    folder: PathBuf,
    worker: u32,
    _lock: File,
    next: u64,
    tests: BTreeMap<String, Meta>,
    pending: BTreeSet<Rank>,
    done: HashSet<String>,
    digests: HashSet<u64>,
}

/// A test that a worker is at; the lock goes with it.
pub struct Claim {
    pub meta: Meta,
    pub bytes: Vec<u8>,
    lock: File,
    path: PathBuf,
}

const PARTS: [&str; 6] = ["tests", "done", "claims", "findings", "hangs", "workers"];
/// Workers on one folder.
const MOST_WORKERS: u32 = 1_000;
/// Hangs that are kept.
const MOST_HANGS: usize = 100;

impl Store {
    /// Opens a folder, or makes it.
    pub fn open(folder: &Path, identity: &Identity) -> Result<Store, Trouble> {
        let trouble = |e: io::Error| say(folder, e);
        for part in PARTS {
            fs::create_dir_all(folder.join(part)).map_err(trouble)?;
        }
        check_identity(folder, identity)?;
        let (worker, lock) = claim_worker(folder).map_err(trouble)?;
        let mut store = Store {
            folder: folder.to_owned(),
            worker,
            _lock: lock,
            next: 0,
            tests: BTreeMap::new(),
            pending: BTreeSet::new(),
            done: HashSet::new(),
            digests: HashSet::new(),
        };
        store.clean().map_err(trouble)?;
        store.refresh()?;
        store.next = store.own_numbers().max().map_or(0, |n| n + 1);
        Ok(store)
    }

    pub fn worker(&self) -> u32 {
        self.worker
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn own_numbers(&self) -> impl Iterator<Item = u64> {
        let prefix = format!("{:02}-", self.worker);
        self.tests.keys().filter_map(move |id| id.strip_prefix(&prefix)?.parse::<u64>().ok())
    }

    /// What a killed worker with our number left half written.
    fn clean(&self) -> io::Result<()> {
        let mine = format!(".{:02}-", self.worker);
        for part in PARTS.iter().map(|p| self.folder.join(p)).chain([self.folder.clone()]) {
            for entry in fs::read_dir(part)? {
                let path = entry?.path();
                if path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&mine)) {
                    let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                }
            }
        }
        Ok(())
    }

    /// Looks for what other workers have committed; the tests that are new.
    pub fn refresh(&mut self) -> Result<Vec<Meta>, Trouble> {
        self.read_new().map_err(|e| say(&self.folder, e))
    }

    fn read_new(&mut self) -> io::Result<Vec<Meta>> {
        for entry in fs::read_dir(self.folder.join("done"))? {
            let id = entry?.file_name().to_string_lossy().into_owned();
            if self.done.insert(id.clone())
                && let Some(meta) = self.tests.get(&id)
            {
                self.pending.remove(&rank(meta));
            }
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(self.folder.join("tests"))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(".json").filter(|id| !self.tests.contains_key(*id)).map(str::to_owned));
        }
        names.sort();
        let mut fresh = Vec::new();
        for id in names {
            let text = fs::read_to_string(self.folder.join("tests").join(format!("{id}.json")))?;
            let Ok(meta) = serde_json::from_str::<Meta>(&text) else { continue };
            self.digests.insert(digest(&fs::read(self.folder.join("tests").join(&id))?));
            self.insert(meta.clone());
            fresh.push(meta);
        }
        Ok(fresh)
    }

    fn insert(&mut self, meta: Meta) {
        if !self.done.contains(&meta.id) {
            self.pending.insert(rank(&meta));
        }
        self.tests.insert(meta.id.clone(), meta);
    }

    /// Whether such a test is there already.
    pub fn has(&self, bytes: &[u8]) -> bool {
        self.digests.contains(&digest(bytes))
    }

    /// Commits a test; its id is chosen here.
    pub fn add(&mut self, mut meta: Meta, bytes: &[u8]) -> Result<String, Trouble> {
        meta.id = format!("{:02}-{:06}", self.worker, self.next);
        self.next += 1;
        let text = serde_json::to_string(&meta).expect("a test should be expressible in JSON");
        let written = self
            .commit("tests", &meta.id, bytes)
            .and_then(|()| self.commit("tests", &format!("{}.json", meta.id), text.as_bytes()));
        written.map_err(|e| say(&self.folder, e))?;
        self.digests.insert(digest(bytes));
        let id = meta.id.clone();
        self.insert(meta);
        Ok(id)
    }

    fn commit(&self, part: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.folder.join(part);
        let aside = folder.join(format!(".{:02}-{name}", self.worker));
        fs::write(&aside, bytes).inspect_err(|_| drop(fs::remove_file(&aside)))?;
        fs::rename(&aside, folder.join(name))
    }

    /// The best test that waits and that nobody else is at.
    pub fn take(&mut self) -> Result<Option<Claim>, Trouble> {
        let order: Vec<Rank> = self.pending.iter().cloned().collect();
        for next in order {
            let Some(meta) = self.tests.get(&next.1).cloned() else { continue };
            match self.claim(meta).map_err(|e| say(&self.folder, e))? {
                Some(claim) => return Ok(Some(claim)),
                None if self.is_done(&next.1) => drop(self.pending.remove(&next)),
                None => {}
            }
        }
        Ok(None)
    }

    fn is_done(&self, id: &str) -> bool {
        self.folder.join("done").join(id).exists()
    }

    fn claim(&self, meta: Meta) -> io::Result<Option<Claim>> {
        let path = self.folder.join("claims").join(&meta.id);
        let lock = File::create(&path)?;
        if !try_lock(&lock) || self.is_done(&meta.id) {
            return Ok(None);
        }
        let bytes = fs::read(self.folder.join("tests").join(&meta.id))?;
        Ok(Some(Claim { meta, bytes, lock, path }))
    }

    /// The test has been expanded.
    pub fn finish(&mut self, claim: Claim) -> Result<(), Trouble> {
        self.commit("done", &claim.meta.id, b"").map_err(|e| say(&self.folder, e))?;
        let _ = fs::remove_file(&claim.path);
        drop(claim.lock);
        self.pending.remove(&rank(&claim.meta));
        self.done.insert(claim.meta.id);
        Ok(())
    }

    /// The test goes back: its decisions from `bound` on are still to be negated, with this score.
    pub fn put_back(&mut self, claim: Claim, bound: u32, score: u32) -> Result<(), Trouble> {
        self.pending.remove(&rank(&claim.meta));
        let meta = Meta { bound, score, ..claim.meta };
        let text = serde_json::to_string(&meta).expect("a test should be expressible in JSON");
        self.commit("tests", &format!("{}.json", meta.id), text.as_bytes()).map_err(|e| say(&self.folder, e))?;
        self.insert(meta);
        Ok(())
    }

    /// Commits a finding; whether it is new.
    pub fn add_finding(&self, meta: &FindingMeta, input: &[u8], report: &str) -> Result<bool, Trouble> {
        let place = self.folder.join("findings").join(&meta.key);
        if place.exists() {
            return Ok(false);
        }
        self.write_finding(meta, input, report, &place).map_err(|e| say(&self.folder, e))?;
        Ok(true)
    }

    fn write_finding(&self, meta: &FindingMeta, input: &[u8], report: &str, place: &Path) -> io::Result<()> {
        let aside = self.folder.join("findings").join(format!(".{:02}-{}", self.worker, meta.key));
        let text = serde_json::to_string_pretty(meta).expect("a finding should be expressible in JSON");
        let written = fs::create_dir_all(&aside)
            .and_then(|()| fs::write(aside.join("input"), input))
            .and_then(|()| fs::write(aside.join("report.txt"), report))
            .and_then(|()| fs::write(aside.join("finding.json"), text));
        written.inspect_err(|_| drop(fs::remove_dir_all(&aside)))?;
        match fs::rename(&aside, place) {
            // Another worker found it at the same time.
            Err(_) if place.exists() => fs::remove_dir_all(&aside),
            other => other,
        }
    }

    /// All findings, by their keys.
    pub fn findings(&self) -> Result<Vec<(FindingMeta, Vec<u8>)>, Trouble> {
        self.read_findings().map_err(|e| say(&self.folder, e))
    }

    fn read_findings(&self) -> io::Result<Vec<(FindingMeta, Vec<u8>)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.folder.join("findings"))? {
            let path = entry?.path();
            if path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.')) {
                continue;
            }
            let text = fs::read_to_string(path.join("finding.json"))?;
            if let Ok(meta) = serde_json::from_str::<FindingMeta>(&text) {
                found.push((meta, fs::read(path.join("input"))?));
            }
        }
        found.sort_by(|a, b| a.0.key.cmp(&b.0.key));
        Ok(found)
    }

    /// Keeps an input that did not end in time.
    pub fn add_hang(&self, bytes: &[u8]) -> Result<(), Trouble> {
        let count = fs::read_dir(self.folder.join("hangs")).map_err(|e| say(&self.folder, e))?.count();
        if count >= MOST_HANGS {
            return Ok(());
        }
        self.commit("hangs", &format!("{:016x}", digest(bytes)), bytes).map_err(|e| say(&self.folder, e))
    }

    /// Writes a worker's counters.
    pub fn note<T: Serialize>(&self, counters: &T) -> Result<(), Trouble> {
        let text = serde_json::to_string_pretty(counters).expect("counters should be expressible in JSON");
        let name = format!("{}.json", self.worker);
        self.commit("workers", &name, text.as_bytes()).map_err(|e| say(&self.folder, e))
    }

    /// The counters of all workers.
    pub fn notes<T: for<'d> Deserialize<'d>>(&self) -> Vec<T> {
        let list = fs::read_dir(self.folder.join("workers")).into_iter().flatten().flatten();
        let files = list.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "json"));
        files.filter_map(|p| serde_json::from_str(&fs::read_to_string(p).ok()?).ok()).collect()
    }

    pub fn len(&self) -> usize {
        self.tests.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    pub fn metas(&self) -> impl Iterator<Item = &Meta> {
        self.tests.values()
    }

    pub fn bytes(&self, id: &str) -> Result<Vec<u8>, Trouble> {
        fs::read(self.folder.join("tests").join(id)).map_err(|e| say(&self.folder, e))
    }
}

fn rank(meta: &Meta) -> Rank {
    (Reverse(meta.score), meta.id.clone())
}

/// A number for some bytes.
pub fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn say(folder: &Path, error: io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Trouble::Full(folder.to_owned()),
        _ => Trouble::Other(format!("{} can't be used: {error}", folder.display())),
    }
}

fn check_identity(folder: &Path, identity: &Identity) -> Result<(), Trouble> {
    let file = folder.join("fuzz.json");
    let wrong = |what: &str| {
        Trouble::Other(format!(
            "{} holds tests {what}; name another folder with --work, and give it these with --corpus {}",
            folder.display(),
            folder.join("tests").display()
        ))
    };
    match fs::read_to_string(&file) {
        Ok(text) => match serde_json::from_str::<Identity>(&text) {
            Ok(found) if found == *identity => Ok(()),
            Ok(found) if found.program != identity.program => {
                Err(wrong("of another program, or of another version of it"))
            }
            Ok(found) => Err(wrong(&format!("for the input {} and other arguments", found.input))),
            Err(_) => Err(wrong("that this version does not understand")),
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let text = serde_json::to_string_pretty(identity).expect("an identity should be expressible in JSON");
            let aside = folder.join(format!(".fuzz-{}", std::process::id()));
            fs::write(&aside, text).and_then(|()| fs::rename(&aside, &file)).map_err(|e| say(folder, e))
        }
        Err(e) => Err(say(folder, e)),
    }
}

/// The lowest number that no other worker has.
fn claim_worker(folder: &Path) -> io::Result<(u32, File)> {
    for number in 0..MOST_WORKERS {
        let lock = File::create(folder.join("workers").join(number.to_string()))?;
        if try_lock(&lock) {
            return Ok((number, lock));
        }
    }
    Err(io::Error::other("there are too many workers"))
}

fn try_lock(file: &File) -> bool {
    // SAFETY: a descriptor of ours.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(program: &str) -> Identity {
        Identity { schema: 1, input: "stdin".into(), arguments: Vec::new(), program: program.into() }
    }

    fn meta(score: u32) -> Meta {
        Meta {
            id: String::new(),
            parent: None,
            origin: Origin::Seed,
            generation: 0,
            bound: 0,
            score,
            counts: vec![(1, 1)],
            path: 7,
            ending: "exit 0".into(),
        }
    }

    #[test]
    fn the_highest_score_comes_first_and_the_oldest_among_equals() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut store = Store::open(folder.path(), &identity("a")).unwrap();
        for (score, bytes) in [(1, b"one"), (3, b"two"), (3, b"six"), (0, b"ten")] {
            store.add(meta(score), bytes).unwrap();
        }
        let mut order = Vec::new();
        while let Some(claim) = store.take().unwrap() {
            order.push(claim.bytes.clone());
            store.finish(claim).unwrap();
        }
        assert_eq!(order, [b"two", b"six", b"one", b"ten"]);
        assert!(store.has(b"ten") && !store.has(b"new"));
    }

    #[test]
    fn what_was_committed_is_there_for_the_next_worker_and_claims_exclude() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut one = Store::open(folder.path(), &identity("a")).unwrap();
        one.add(meta(1), b"a").unwrap();
        one.add(meta(0), b"b").unwrap();
        let mut two = Store::open(folder.path(), &identity("a")).unwrap();
        assert_eq!((one.worker(), two.worker()), (0, 1));
        let (first, second) = (one.take().unwrap().unwrap(), two.take().unwrap().unwrap());
        assert_ne!(first.meta.id, second.meta.id);
        one.finish(first).unwrap();
        drop(second);
        assert_eq!(two.take().unwrap().unwrap().bytes, b"b", "a claim that was let go can be taken again");
        two.add(meta(9), b"c").unwrap();
        assert_eq!(one.refresh().unwrap().len(), 1);
        assert_eq!(one.take().unwrap().unwrap().bytes, b"c");
    }

    #[test]
    fn half_written_files_do_not_count() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(Store::open(folder.path(), &identity("a")).unwrap());
        fs::write(folder.path().join("tests/00-000005"), b"bytes without their record").unwrap();
        fs::write(folder.path().join("tests/.00-000006.json"), b"{").unwrap();
        let store = Store::open(folder.path(), &identity("a")).unwrap();
        assert!(store.is_empty());
        assert!(!folder.path().join("tests/.00-000006.json").exists());
    }

    #[test]
    fn a_folder_is_for_one_program() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(Store::open(folder.path(), &identity("a")).unwrap());
        let error = Store::open(folder.path(), &identity("b")).err().expect("it should be refused");
        assert!(error.to_string().contains("another program"), "{error}");
    }

    #[test]
    fn a_finding_is_kept_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(folder.path(), &identity("a")).unwrap();
        let finding = FindingMeta {
            key: "k".into(),
            text: "t".into(),
            file: "a.c".into(),
            line: 1,
            function: "f".into(),
            seen_by: "native".into(),
            runs: 1,
            seconds: 0.5,
        };
        assert!(store.add_finding(&finding, b"x", "r").unwrap());
        assert!(!store.add_finding(&finding, b"y", "r").unwrap());
        assert_eq!(store.findings().unwrap(), vec![(finding, b"x".to_vec())]);
    }

    #[test]
    fn a_full_disk_is_said_in_a_sentence() {
        let trouble = say(Path::new("w"), io::Error::from_raw_os_error(libc::ENOSPC));
        assert!(trouble.to_string().starts_with("the disk is full: nothing more fits into w;"));
    }
}
