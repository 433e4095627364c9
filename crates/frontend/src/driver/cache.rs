//! Bitcode kept by content: the same source, headers, flags and compiler are compiled once.
//!
//! An entry is two files named by the hash of (compiler version, arguments, folder, source text): the bitcode, and a
//! list of every header clang read with the hash of its text. It is good while all of those texts are unchanged.
//! Known limit, as for every compiler cache of this kind: a new header that would now be found earlier on the
//! include path is not noticed.
//!
//! Invariant: any failure of the cache (no room, no permission, torn files) only means that clang runs.

use super::implicit::Implicit;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// `$XDG_CACHE_HOME/blitz`, else `~/.cache/blitz`.
pub fn default_cache_dir() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|p| p.is_absolute())
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))?;
    Some(base.join("blitz"))
}

/// Which version of our own rewriting (`dialect`) the compiler sees; it changes with what that writes.
const REWRITING: &[u8] = b"5";

/// A place in the cache for one compilation.
pub(super) struct Slot {
    bitcode: PathBuf,
    headers: PathBuf,
}

/// A result that is still good.
pub(super) struct Hit {
    pub bytes: Vec<u8>,
    /// Which step of relaxation it took, 0 for none.
    pub relaxed: usize,
    pub implicit: Vec<Implicit>,
}

impl Slot {
    /// The slot for a compilation described by `parts`; each part counts with its length.
    pub fn new(cache: &Path, parts: &[&[u8]]) -> Slot {
        let mut hasher = Sha256::new();
        hasher.update(REWRITING);
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let name = hex(&hasher.finalize());
        let folder = cache.join("bitcode").join(&name[..2]);
        Slot { bitcode: folder.join(format!("{name}.bc")), headers: folder.join(format!("{name}.deps")) }
    }

    pub fn look_up(&self) -> Option<Hit> {
        let list = fs::read_to_string(&self.headers).ok()?;
        let mut lines = list.lines();
        let relaxed = lines.next()?.strip_prefix("relaxed ")?.parse().ok()?;
        let bitcode_hash = lines.next()?.strip_prefix("bitcode ")?;
        let implicit = lines.next()?.strip_prefix("implicit")?.split_whitespace().map(Implicit::parse);
        let implicit = implicit.collect::<Option<Vec<Implicit>>>()?;
        for line in lines {
            let (hash, path) = line.split_once(' ')?;
            if hash_file(Path::new(path))? != hash {
                return None;
            }
        }
        let bytes = fs::read(&self.bitcode).ok()?;
        (hash_bytes(&bytes) == bitcode_hash).then_some(Hit { bytes, relaxed, implicit })
    }

    /// Keeps a result, with the make-style list of files clang wrote for it.
    pub fn keep(&self, bytes: &[u8], relaxed: usize, implicit: &[Implicit], directory: &Path, dependencies: &str) {
        let named: String = implicit.iter().map(|i| format!(" {i}")).collect();
        let mut list = format!("relaxed {relaxed}\nbitcode {}\nimplicit{named}\n", hash_bytes(bytes));
        for path in parse_make_rule(dependencies) {
            let path = directory.join(path);
            let Some(hash) = hash_file(&path) else { return };
            let Some(text) = path.to_str().filter(|t| !t.contains('\n')) else { return };
            list.push_str(&format!("{hash} {text}\n"));
        }
        let _ = self.write(bytes, &list);
    }

    fn write(&self, bytes: &[u8], list: &str) -> std::io::Result<()> {
        let folder = self.bitcode.parent().expect("a slot should lie in a folder");
        fs::create_dir_all(folder)?;
        replace(&self.bitcode, bytes)?;
        replace(&self.headers, list.as_bytes())
    }
}

/// Writes beside and renames, so that nobody reads half a file.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let unique = format!("tmp{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let beside = path.with_extension(unique);
    fs::write(&beside, bytes)?;
    fs::rename(&beside, path)
}

fn hash_file(path: &Path) -> Option<String> {
    fs::read(path).ok().map(|bytes| hash_bytes(&bytes))
}

fn hash_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The prerequisites of `target: a b \` as make writes them: blanks escaped, lines continued.
pub(super) fn parse_make_rule(rule: &str) -> Vec<String> {
    let joined = rule.replace("\\\n", " ");
    let Some((_, list)) = joined.split_once(": ") else {
        return Vec::new();
    };
    let mut paths = Vec::new();
    let mut current = String::new();
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if matches!(chars.peek(), Some(' ' | '#' | '\\')) => current.extend(chars.next()),
            '$' if chars.peek() == Some(&'$') => current.extend(chars.next()),
            c if c.is_whitespace() => {
                if !current.is_empty() {
                    paths.push(std::mem::take(&mut current));
                }
            }
            c => current.push(c),
        }
    }
    if !current.is_empty() {
        paths.push(current);
    }
    paths
}
