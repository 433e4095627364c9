//! `blitz.toml`: what a project wants checked, how, and which findings it has accepted. The command line wins.

use crate::args::{AllocArg, CheckArgs};
use crate::checks_arg::parse_checks;
use crate::commands::proofs::Proof;
use crate::quantity::{parse_memory, parse_time};
use crate::suggest::did_you_mean;
use crate::{Fault, args};
use blitz_workflow::Suppressions;
use clap::ValueEnum;
use serde::Deserialize;
use std::path::{Path, PathBuf};

pub const FILE: &str = "blitz.toml";

/// The project file, or an empty one.
#[derive(Default)]
pub struct Project {
    path: Option<PathBuf>,
    contents: Contents,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    #[serde(default)]
    check: CheckTable,
    #[serde(default)]
    target: Vec<Target>,
    #[serde(default)]
    suppress: Suppressions,
    #[serde(default)]
    proof: Vec<Proof>,
}

/// How to look; every key is an option of `blitz check`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckTable {
    engine: Option<String>,
    checks: Option<String>,
    unwind: Option<u32>,
    timeout: Option<String>,
    memory: Option<String>,
    alloc: Option<String>,
    out: Option<PathBuf>,
    native: Option<bool>,
}

/// A program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    name: String,
    #[serde(default)]
    files: Vec<PathBuf>,
    database: Option<PathBuf>,
    /// Which program of the database.
    program: Option<String>,
    #[serde(default)]
    flags: Vec<String>,
    /// Functions to begin with; `main` if there are none.
    #[serde(default)]
    entries: Vec<String>,
    #[serde(default)]
    stubs: Vec<PathBuf>,
}

/// One check to make.
pub struct Job {
    pub name: String,
    pub args: CheckArgs,
}

impl Project {
    /// Reads the named file, or `blitz.toml` where there is one.
    pub fn find(named: Option<&Path>) -> Result<Project, Fault> {
        let path = named.unwrap_or(Path::new(FILE));
        if named.is_none() && !path.is_file() {
            return Ok(Project::default());
        }
        let text =
            std::fs::read_to_string(path).map_err(|e| Fault::new(format!("{} can't be read: {e}", path.display())))?;
        let contents: Contents = basic_toml::from_str(&text)
            .map_err(|e| Fault::new(format!("{} can't be understood: {e}", path.display())))?;
        let project = Project { path: Some(path.to_owned()), contents };
        match project.contents.suppress.mistake() {
            Some(mistake) => Err(project.fault(mistake)),
            None => Ok(project),
        }
    }

    /// What to call the file.
    pub fn shown(&self) -> String {
        self.path.as_deref().unwrap_or(Path::new(FILE)).display().to_string()
    }

    fn fault(&self, what: &str) -> Fault {
        Fault::new(format!("{}: {what}", self.shown()))
    }

    /// The proofs to run: those of the file, unless the command line names a program of its own.
    pub fn proofs(&self, args: &CheckArgs) -> Vec<Proof> {
        let own = !args.inputs.files.is_empty() || args.inputs.database.is_some();
        let wanted = |p: &&Proof| !own && args.inputs.target.as_deref().is_none_or(|w| w == p.name);
        self.contents.proof.iter().filter(wanted).cloned().collect()
    }

    /// The checks to make: the command line's own program, else the file's targets.
    pub fn jobs(&self, args: &CheckArgs) -> Result<Vec<Job>, Fault> {
        let base = self.with_settings(args)?;
        let own = !args.inputs.files.is_empty() || args.inputs.database.is_some();
        if own || self.contents.target.is_empty() {
            return Ok(vec![Job { name: "program".to_owned(), args: base }]);
        }
        let wanted = args.inputs.target.as_deref();
        let targets: Vec<&Target> =
            self.contents.target.iter().filter(|t| wanted.is_none_or(|w| w == t.name)).collect();
        if targets.is_empty() {
            let names: Vec<&str> = self.contents.target.iter().map(|t| t.name.as_str()).collect();
            let wanted = wanted.unwrap_or_default();
            let near = did_you_mean(wanted, names.iter().copied());
            return Err(self.fault(&format!("there is no target {wanted}, only {}{near}", names.join(", "))));
        }
        let mut jobs: Vec<Job> = targets.iter().flat_map(|t| self.jobs_of(t, &base)).collect();
        if jobs.len() > 1 {
            for job in &mut jobs {
                job.args.out = job.args.out.join(&job.name);
            }
        }
        Ok(jobs)
    }

    fn jobs_of(&self, target: &Target, base: &CheckArgs) -> Vec<Job> {
        let every = matches!(target.entries.as_slice(), [all] if all == "all");
        let entries: Vec<Option<String>> = match (&base.entry, target.entries.as_slice()) {
            (Some(entry), _) => vec![Some(entry.clone())],
            (None, _) if every => vec![None],
            (None, []) => vec![None],
            (None, entries) => entries.iter().cloned().map(Some).collect(),
        };
        let several = entries.len() > 1;
        let job = |entry: Option<String>| {
            let mut args = base.clone();
            let name = match &entry {
                Some(entry) if several => format!("{}-{entry}", target.name),
                _ => target.name.clone(),
            };
            args.inputs.files = target.files.iter().map(|f| self.resolve(f)).collect();
            args.inputs.database = target.database.as_ref().map(|f| self.resolve(f));
            args.inputs.target = target.program.clone();
            args.stub.extend(target.stubs.iter().map(|f| self.resolve(f)));
            args.clang.flags.splice(0..0, target.flags.iter().cloned());
            args.entry = entry;
            if every && args.entry.is_none() && args.entries.is_empty() {
                args.entries = vec!["all".to_owned()];
            }
            Job { name, args }
        };
        entries.into_iter().map(job).collect()
    }

    /// Paths of the file are relative to its folder.
    fn resolve(&self, path: &Path) -> PathBuf {
        let folder = self.path.as_deref().and_then(Path::parent).filter(|p| !p.as_os_str().is_empty());
        folder.map_or_else(|| path.to_owned(), |folder| folder.join(path))
    }

    /// The command line with the file's settings where it says nothing itself.
    fn with_settings(&self, args: &CheckArgs) -> Result<CheckArgs, Fault> {
        let table = &self.contents.check;
        let mut args = args.clone();
        let wrong = |e: String| self.fault(&e);
        if let (None, Some(name)) = (args.engine, &table.engine) {
            args.engine = Some(args::parse_engine(name).map_err(wrong)?);
        }
        if let (None, Some(list)) = (args.inputs.checks, &table.checks) {
            args.inputs.checks = Some(parse_checks(list).map_err(wrong)?);
        }
        if let (None, Some(time)) = (args.limits.timeout, &table.timeout) {
            args.limits.timeout = Some(parse_time(time).map_err(wrong)?);
        }
        if let (None, Some(memory)) = (args.limits.memory, &table.memory) {
            args.limits.memory = Some(parse_memory(memory).map_err(wrong)?);
        }
        if let (None, Some(how)) = (args.alloc, &table.alloc) {
            args.alloc = Some(AllocArg::from_str(how, false).map_err(wrong)?);
        }
        args.unwind = args.unwind.or(table.unwind.filter(|k| *k > 0));
        args.no_native |= table.native == Some(false);
        if let (true, Some(out)) = (args.out == Path::new(args::OUT), &table.out) {
            args.out = self.resolve(out);
        }
        Ok(args)
    }

    /// The findings it has accepted.
    pub fn suppressions(&self) -> &Suppressions {
        &self.contents.suppress
    }
}
