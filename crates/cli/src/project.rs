//! `blitz.toml`: what a project wants checked, how, and which findings it has accepted. The command line wins.

use crate::args::{AllocArg, CheckArgs};
use crate::checks_arg::parse_checks;
use crate::commands::proofs::Proof;
use crate::quantity::{parse_memory, parse_time};
use crate::suggest::did_you_mean;
use crate::{Fault, args};
use blitz_report::{Finding, Report};
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
    suppress: Vec<Suppression>,
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

/// A finding that is accepted. Every key that is given has to fit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suppression {
    property: Option<String>,
    kind: Option<String>,
    function: Option<String>,
    file: Option<String>,
    reason: String,
    /// The last day it holds, as 2026-12-31.
    until: Option<String>,
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
        project.check_suppressions()?;
        Ok(project)
    }

    /// What to call the file.
    pub fn shown(&self) -> String {
        self.path.as_deref().unwrap_or(Path::new(FILE)).display().to_string()
    }

    fn check_suppressions(&self) -> Result<(), Fault> {
        for s in &self.contents.suppress {
            if s.reason.trim().is_empty() {
                return Err(self.fault("a suppression needs a reason"));
            }
            if s.property.is_none() && s.kind.is_none() && s.function.is_none() && s.file.is_none() {
                return Err(self.fault("a suppression needs a property, kind, function or file"));
            }
            if s.until.as_deref().is_some_and(|d| !is_date(d)) {
                return Err(self.fault("`until` of a suppression is a date as 2026-12-31"));
            }
        }
        Ok(())
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

    /// Takes accepted findings out of a report; says which suppressions have expired, and which do nothing.
    pub fn suppress(&self, report: &mut Report) {
        let today = blitz_base::budget::utc_now()[..10].to_owned();
        let expired = |s: &Suppression| s.until.as_deref().is_some_and(|until| until < today.as_str());
        let list = &self.contents.suppress;
        for s in list.iter().filter(|s| expired(s)) {
            let until = s.until.as_deref().unwrap_or_default();
            report.notes.push(format!("the suppression of {} has expired on {until}: {}", s.what(), s.reason));
        }
        for s in list.iter().filter(|s| !expired(s) && s.property.is_some()) {
            let exists = report.properties.iter().any(|p| Some(&p.id) == s.property.as_ref());
            if !exists {
                report.notes.push(format!("the suppression of {} fits nothing any more", s.what()));
            }
        }
        report.suppress(|f| self.accepts(f));
    }

    /// Why a finding is accepted, if it is.
    pub fn accepts(&self, finding: &Finding) -> Option<String> {
        let today = blitz_base::budget::utc_now()[..10].to_owned();
        let holds = |s: &&Suppression| s.until.as_deref().is_none_or(|until| until >= today.as_str());
        let found = self.contents.suppress.iter().filter(holds).find(|s| s.fits(finding));
        found.map(|s| s.reason.clone())
    }
}

impl Suppression {
    fn fits(&self, finding: &Finding) -> bool {
        let same = |wanted: &Option<String>, got: &str| wanted.as_deref().is_none_or(|w| w == got);
        let file = self.file.as_deref().is_none_or(|f| Path::new(&finding.place.file).ends_with(f));
        same(&self.property, &finding.property)
            && same(&self.kind, &finding.kind)
            && same(&self.function, &finding.function)
            && file
    }

    fn what(&self) -> String {
        let parts = [&self.property, &self.kind, &self.function, &self.file];
        parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    }
}

fn is_date(text: &str) -> bool {
    let shape = text.bytes().enumerate().all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() });
    text.len() == 10 && shape
}
