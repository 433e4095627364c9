//! Reproduction kits of a check: written for every violation, built and run unless the user declines.

use crate::load::Loaded;
use crate::{Listener, Scene};
use blitz_base::Budget;
use blitz_engines::Violation;
use blitz_frontend::driver::Clang;
use blitz_kit::{Case, Kit, NativeRun, Subject};
use blitz_report::{Finding, Native, Report};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Building and running one kit may take this long, if the check has so much left.
const ONE: Duration = Duration::from_secs(120);
/// All kits of a check together.
const ALL: Duration = Duration::from_secs(600);

/// Where kits go, and whether they are built and run.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub out: &'a Path,
    pub native: bool,
}

/// The program a kit builds.
pub fn subject<'a>(loaded: &'a Loaded, clang: &'a Clang) -> Subject<'a> {
    Subject {
        program: &loaded.program,
        sources: &loaded.sources,
        bitcode: &loaded.bitcode,
        libraries: &loaded.libraries,
        clang: &clang.program,
        unit: loaded.unit.as_ref(),
    }
}

/// Writes the kits of a report's violations, and confirms them natively. Those that rest on made up answers of functions that exist are withdrawn.
pub fn confirm(
    place: Place<'_>,
    loaded: &Loaded,
    answer: &blitz_engines::Report,
    report: &mut Report,
    scene: &Scene<'_>,
) {
    if report.violations.is_empty() {
        return;
    }
    let Some(kits) = Kits::new(place, loaded, scene) else { return };
    let mut open: BTreeMap<String, String> = BTreeMap::new();
    report.change_violations(|i, finding| {
        if let Some(doubt) = kits.show(&answer.violations[i], finding) {
            open.insert(finding.property.clone(), doubt);
        }
    });
    report.withdraw(|finding| open.get(&finding.property).cloned());
}

/// The kits of one check.
pub struct Kits<'a> {
    loaded: &'a Loaded,
    clang: Clang,
    out: PathBuf,
    /// Objects that kits share.
    objects: Option<TempDir>,
    /// Whether kits are built and run.
    native: bool,
    budget: Budget,
    listener: &'a dyn Listener,
}

impl<'a> Kits<'a> {
    /// None, with a note, where none can be made.
    pub fn new(place: Place<'_>, loaded: &'a Loaded, scene: &Scene<'a>) -> Option<Kits<'a>> {
        let listener = scene.listener;
        let clang = Clang::find().map_err(|e| listener.note(&format!("no reproduction kit: {e}"))).ok()?;
        let no_kit = |e| listener.note(&format!("no reproduction kit in {}: {e}", place.out.display()));
        let out = scene.runs.place(place.out).map_err(no_kit).ok()?;
        let objects = tempfile::tempdir().ok();
        Some(Kits { loaded, clang, out, objects, native: place.native, budget: scene.budget.child(ALL), listener })
    }

    /// Writes the kit of a violation, and builds and runs it. Why it should not be reported, if so.
    pub fn show(&self, violation: &Violation, finding: &mut Finding) -> Option<String> {
        let folder = blitz_kit::folder(&self.out, &finding.property);
        let work = Work {
            subject: subject(self.loaded, &self.clang),
            objects: self.objects.as_ref().map(|d| d.path()),
            native: self.native,
            budget: &self.budget,
            listener: self.listener,
        };
        match work.show(violation, finding, &folder) {
            Ok(doubts) => (!doubts.is_empty()).then(|| doubtful(&doubts)),
            Err(e) => {
                self.listener.note(&format!("no reproduction kit in {}: {e}", folder.display()));
                None
            }
        }
    }
}

/// What a violation that no native run showed may rest on and the real program may not do: answers of these functions, and what models
/// on the way added.
fn doubts(violation: &Violation, functions: Vec<String>) -> Vec<String> {
    let answers = functions.into_iter().map(|name| format!("an answer of `{name}`, which has no model"));
    answers.chain(violation.run().more.iter().map(|(what, _)| what.to_string())).collect()
}

/// Why a violation is not reported.
fn doubtful(doubts: &[String]) -> String {
    format!(
        "it rests on more than the real program may do, and no native run has shown it: {} (--stub FILE.c gives a function a body)",
        doubts.join("; ")
    )
}

/// The making of one kit.
struct Work<'a> {
    subject: Subject<'a>,
    objects: Option<&'a Path>,
    /// Whether kits are built and run.
    native: bool,
    budget: &'a Budget,
    listener: &'a dyn Listener,
}

impl Work<'_> {
    /// Writes the kit of a violation and runs it; if it does not show, that of the violation as it was found, which takes its place
    /// if it does. The functions that leave a doubt.
    fn show(&self, violation: &Violation, finding: &mut Finding, folder: &Path) -> io::Result<Vec<String>> {
        let libraries = self.subject.libraries;
        let (kit, seen) = self.attempt(violation, finding, folder)?;
        let Some((native, seen)) = seen else { return Ok(doubts(violation, kit.doubts(None, libraries))) };
        if native.report.is_none()
            && seen.stopped.is_none()
            && let Some(other) = self.as_found(violation, folder)?
        {
            *finding = other;
            return Ok(Vec::new());
        }
        let shown = native.report.is_some();
        finding.add_native(native);
        Ok(if shown { Vec::new() } else { doubts(violation, kit.doubts(Some(&seen), libraries)) })
    }

    /// The violation as it was found, if that shows natively.
    fn as_found(&self, violation: &Violation, folder: &Path) -> io::Result<Option<Finding>> {
        let Some(first) = &violation.as_found else { return Ok(None) };
        let mut finding = blitz_report::finding(self.subject.program, first);
        let aside = folder.with_extension("as-found");
        let (_, seen) = self.attempt(first, &finding, &aside)?;
        let shown = seen.filter(|(native, _)| native.report.is_some());
        let Some((mut native, _)) = shown else {
            std::fs::remove_dir_all(&aside)?;
            return Ok(None);
        };
        std::fs::remove_dir_all(folder)?;
        std::fs::rename(&aside, folder)?;
        native.kit = folder.display().to_string();
        finding.add_native(native);
        Ok(Some(finding))
    }

    fn attempt(
        &self,
        violation: &Violation,
        finding: &Finding,
        folder: &Path,
    ) -> io::Result<(Kit, Option<(Native, NativeRun)>)> {
        let kit = blitz_kit::write(&self.subject, &Case { finding, run: violation.run() }, folder)?;
        if !self.native {
            return Ok((kit, None));
        }
        let (native, seen) = kit.confirm(self.objects, &self.budget.child(ONE));
        self.listener.detail(&format!("the native run of {}:\n{}", finding.property, seen.stderr.trim_end()));
        Ok((kit, Some((native, seen))))
    }
}
