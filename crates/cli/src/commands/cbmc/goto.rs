//! Goto binaries as blitz has them: which sources, with which flags and changes. What compiles is kept in the cache of bitcode.

use crate::Fault;
use blitz_frontend::driver::{CompileOptions, Compiled, Contracts, Inputs, UnitInput};
use blitz_frontend::{Edits, LibcVariant, LoadOptions, NoBody};
use blitz_ir::{CheckKind, Checks};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The first line of such a file.
const MAGIC: &str = "blitz goto 1\n";

/// A program, or a part of one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Goto {
    pub units: Vec<GotoUnit>,
    /// The function it begins with, where a link step named one.
    pub entry: Option<String>,
    /// Whether allocations may fail, where a step decided it.
    pub malloc_may_fail: Option<bool>,
    /// Functions whose contracts are checked, and those that are replaced by theirs; `f/g` is `f` with the contract of `g`.
    #[serde(default)]
    pub enforced: Vec<String>,
    #[serde(default)]
    pub replaced: Vec<String>,
    /// Loops are replaced by their invariants.
    #[serde(default)]
    pub loop_contracts: bool,
    #[serde(default)]
    pub early: EarlyBounds,
    /// Variables hold anything when the entry begins.
    #[serde(default)]
    pub nondet_static: bool,
}

/// What `goto-instrument --unwind` and its kin ask for: bounds that take the place of those cbmc is given.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EarlyBounds {
    pub unwind: Option<u32>,
    pub unwindset: Vec<(String, u32)>,
}

impl EarlyBounds {
    fn add(&mut self, other: EarlyBounds) {
        self.unwind = self.unwind.or(other.unwind);
        self.unwindset.extend(other.unwindset);
    }

    pub fn any(&self) -> bool {
        self.unwind.is_some() || !self.unwindset.is_empty()
    }

    /// The bounds as cbmc's options count them. A body that is copied K times may run K times, while cbmc's `--unwind K` lets a loop that begins
    /// with its condition run one time less. (A loop that ends with its condition gets one iteration more than asked for.)
    pub fn as_cbmc_counts(&self) -> (Option<u32>, Vec<(String, u32)>) {
        let more = |k: u32| k.saturating_add(1);
        (self.unwind.map(more), self.unwindset.iter().map(|(name, k)| (name.clone(), more(*k))).collect())
    }
}

/// A C file with its flags, and what later steps did to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GotoUnit {
    pub file: PathBuf,
    pub directory: PathBuf,
    pub flags: Vec<String>,
    pub export_local: bool,
    pub removed: Vec<String>,
}

impl Goto {
    /// Whether a file is a goto binary of ours.
    pub fn is_one(path: &Path) -> bool {
        std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(MAGIC.as_bytes()))
    }

    pub fn read(path: &Path) -> Result<Goto, Fault> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| Fault::new(format!("{shown} can't be read: {e}")))?;
        let body = text
            .strip_prefix(MAGIC)
            .ok_or_else(|| Fault::new(format!("{shown} is neither C nor a goto binary made by `blitz goto-cc`")))?;
        serde_json::from_str(body).map_err(|e| Fault::new(format!("{shown} is damaged: {e}")))
    }

    pub fn write(&self, path: &Path) -> Result<(), Fault> {
        let body = serde_json::to_string_pretty(self).expect("a goto binary should be expressible in JSON");
        let wrong = |e: std::io::Error| Fault::new(format!("{} can't be written: {e}", path.display()));
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(wrong)?;
        }
        std::fs::write(path, format!("{MAGIC}{body}\n")).map_err(wrong)
    }

    /// Takes another part in.
    pub fn add(&mut self, other: Goto) {
        self.units.extend(other.units);
        self.enforced.extend(other.enforced);
        self.replaced.extend(other.replaced);
        self.loop_contracts |= other.loop_contracts;
        self.early.add(other.early);
        self.nondet_static |= other.nondet_static;
        self.entry = other.entry.or(self.entry.take());
        self.malloc_may_fail = other.malloc_may_fail.or(self.malloc_may_fail);
    }

    /// A C file.
    pub fn add_source(&mut self, file: &Path, flags: &[String], export_local: bool) -> Result<(), Fault> {
        let directory =
            std::env::current_dir().map_err(|e| Fault::new(format!("the current folder can't be read: {e}")))?;
        let flags = blitz_frontend::driver::keep_users(flags);
        self.units.push(GotoUnit { file: file.to_owned(), directory, flags, export_local, removed: Vec::new() });
        Ok(())
    }

    /// The units as the front end takes them.
    pub fn inputs(&self) -> Vec<UnitInput> {
        let input = |u: &GotoUnit| UnitInput {
            file: u.file.clone(),
            directory: u.directory.clone(),
            flags: u.flags.clone(),
            edits: Edits { export_local: u.export_local, removed: u.removed.clone(), yields: true },
        };
        self.units.iter().map(input).collect()
    }

    /// Contracts that are asked for have to be there, in C that compiles.
    pub fn compiles_with_contracts(&self) -> Result<(), Fault> {
        if self.enforced.is_empty() && self.replaced.is_empty() && !self.loop_contracts {
            return Ok(());
        }
        let compiled = self.compile()?;
        let options = LoadOptions {
            checks: Checks::default(),
            libc: LibcVariant::None,
            entry: None,
            unit: None,
            offset_bits: None,
            no_body: NoBody::Unknown,
        };
        let program = blitz_frontend::load(compiled.modules, &options).map_err(|e| Fault::new(e.to_string()))?;
        match self.enforced.iter().chain(&self.replaced).find(|f| !crate::contracts::has_contract(&program, f)) {
            Some(asked) => Err(Fault::new(format!("Function '{asked}' has no contract that is seen"))),
            None => Ok(()),
        }
    }

    /// The bitcode of all units; from the cache, if an earlier step has made it.
    pub fn compile(&self) -> Result<Compiled, Fault> {
        let inputs = Inputs { units: self.inputs(), ..Inputs::default() };
        let contracts = Contracts {
            enforce: self.enforced.clone(),
            replace: self.replaced.clone(),
            loops: self.loop_contracts,
            silence_assigns_nothing: true,
            ..Contracts::default()
        };
        let options = CompileOptions { checks: marked(), jobs: 1, contracts, ..CompileOptions::default() };
        blitz_frontend::driver::compile(&inputs, &options).map_err(crate::input::driver_fault)
    }
}

/// All kinds that clang marks, since the step that compiles does not know which are looked for.
fn marked() -> Checks {
    Checks::default().with(CheckKind::UnsignedOverflow).with(CheckKind::PointerOverflow)
}
