//! `--status-json` of a search path by path: how far it is, for whoever watches.
//!
//! The file is replaced as a whole, about once a second and at the end (`"done": true`). That it can't be written does not end the search.
//! Absent: fuzzing, which has counters of its own (`commands/fuzz.rs`).

use crate::terminal::Terminal;
use blitz_base::Budget;
use blitz_engines::{Exploration, Progress};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// How old the file is at least before it is written again.
const PAUSE: Duration = Duration::from_secs(1);

/// The file, if somebody asked for one.
pub struct StatusFile<'a> {
    file: Option<&'a Path>,
    budget: &'a Budget,
    written: Mutex<Option<Duration>>,
}

impl<'a> StatusFile<'a> {
    pub fn new(file: Option<&'a Path>, budget: &'a Budget) -> Self {
        Self { file, budget, written: Mutex::new(None) }
    }

    /// The search has come further.
    pub fn tell(&self, progress: &Progress) {
        let (Some(file), Some(paths)) = (self.file, &progress.paths) else { return };
        let now = self.budget.elapsed();
        let mut written = self.written.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if written.is_some_and(|before| now < before + PAUSE) {
            return;
        }
        *written = Some(now);
        let status = json!({
            "done": false,
            "seconds": now.as_secs_f64(),
            "paths": paths.paths,
            "waiting": paths.waiting,
            "paths_per_second": paths.paths as f64 / now.as_secs_f64().max(0.001),
            "blocks_covered": paths.covered,
            "blocks": paths.blocks,
            "properties": progress.properties,
            "violated": progress.violated,
            "queries": progress.queries,
            "memory_bytes": progress.memory,
        });
        // The last line of the search says so if no file can be written there.
        let _ = replace(file, &status);
    }
}

/// The search is over.
pub fn finish(file: &Path, exploration: &Exploration, budget: &Budget, terminal: &Terminal) {
    let covered = exploration.blocks.iter().filter(|b| exploration.covered.contains_key(b)).count();
    let status = json!({
        "done": true,
        "complete": exploration.complete,
        "seconds": budget.elapsed().as_secs_f64(),
        "paths": exploration.paths.len(),
        "waiting": exploration.waiting,
        "forks": exploration.forks,
        "blocks_covered": covered,
        "blocks": exploration.blocks.len(),
        "questions": exploration.questions,
        "solved": exploration.solved,
        "diverged": exploration.diverged,
    });
    if let Err(e) = replace(file, &status) {
        terminal.note(&format!("{} can't be written: {e}", file.display()));
    }
}

fn replace(file: &Path, status: &Value) -> std::io::Result<()> {
    let aside = file.with_extension("new");
    let text = serde_json::to_string_pretty(status).expect("counters should be expressible in JSON");
    std::fs::write(&aside, text)?;
    std::fs::rename(&aside, file)
}
