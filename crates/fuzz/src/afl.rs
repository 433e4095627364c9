//! Beside AFL++: its queues are read, and our tests are put where it looks for those of others.
//!
//! An output folder of AFL++ has a folder for each instance with a `queue` in it, whose files are named `id:000123,...`. Instances read each other's
//! queues in the order of the numbers. Ours is one more instance, `blitz`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The name of our instance.
pub const INSTANCE: &str = "blitz";

/// One folder of AFL++.
pub struct Sync {
    folder: PathBuf,
    own: String,
    seen: BTreeSet<PathBuf>,
    next: u32,
}

impl Sync {
    /// Joins the instances in a folder of AFL++ as this worker.
    pub fn join(folder: &Path, worker: u32) -> io::Result<Sync> {
        let own = if worker == 0 { INSTANCE.to_owned() } else { format!("{INSTANCE}{worker}") };
        let queue = folder.join(&own).join("queue");
        fs::create_dir_all(&queue)?;
        let next = names(&queue)?.last().and_then(|n| number(n)).map_or(0, |n| n + 1);
        Ok(Sync { folder: folder.to_owned(), own, seen: BTreeSet::new(), next })
    }

    /// Inputs of other instances that were not read before, in order.
    pub fn read(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut found = Vec::new();
        for instance in names_of_folders(&self.folder)? {
            if instance.starts_with(INSTANCE) {
                continue;
            }
            let queue = self.folder.join(&instance).join("queue");
            for name in names(&queue).unwrap_or_default() {
                let path = queue.join(name);
                if !self.seen.contains(&path)
                    && let Ok(bytes) = fs::read(&path)
                {
                    self.seen.insert(path);
                    found.push(bytes);
                }
            }
        }
        Ok(found)
    }

    /// Offers a test to the other instances.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let queue = self.folder.join(&self.own).join("queue");
        let aside = queue.join(".new");
        fs::write(&aside, bytes)?;
        fs::rename(aside, queue.join(format!("id:{:06},src:blitz", self.next)))?;
        self.next += 1;
        Ok(())
    }
}

fn number(name: &str) -> Option<u32> {
    name.strip_prefix("id:")?.split(',').next()?.parse().ok()
}

/// The entries of a queue, by number.
fn names(queue: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(queue)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if number(&name).is_some() {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}

fn names_of_folders(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().join("queue").is_dir() {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_of_others_are_read_once_and_ours_is_numbered() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let other = folder.path().join("default/queue");
        fs::create_dir_all(&other).unwrap();
        fs::write(other.join("id:000001,src:000000,op:havoc"), b"two").unwrap();
        fs::write(other.join("id:000000,time:0,orig:seed"), b"one").unwrap();
        fs::create_dir_all(other.join(".state")).unwrap();
        let mut sync = Sync::join(folder.path(), 0).unwrap();
        assert_eq!(sync.read().unwrap(), [b"one".to_vec(), b"two".to_vec()]);
        assert!(sync.read().unwrap().is_empty());
        sync.write(b"ours").unwrap();
        sync.write(b"more").unwrap();
        assert!(sync.read().unwrap().is_empty(), "our own are not read");
        let mut again = Sync::join(folder.path(), 0).unwrap();
        again.write(b"third").unwrap();
        let ours = folder.path().join("blitz/queue");
        assert_eq!(names(&ours).unwrap(), ["id:000000,src:blitz", "id:000001,src:blitz", "id:000002,src:blitz"]);
    }
}
