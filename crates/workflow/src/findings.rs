//! Findings as they come: each is made small, written, confirmed and printed as soon as an engine hands it out, while the search goes on.
//!
//! Why: a search may take long, and who ends it (`kill -9` too) keeps what was found: its kit, a line in `findings.jsonl`, and a
//! report that says it is partial, put in place by a rename.
//!
//! Invariants: one finding per property, the first that was handed out; what is printed is what the report at the end has. The
//! work done here counts for no engine (`Budget::separate`), so the search is the same whether somebody listens or not.

use crate::check::Request;
use crate::kits::{Kits, Place};
use crate::load::Loaded;
use crate::{Scene, library, written};
use blitz_base::Budget;
use blitz_engines::{CheckConfig, Violation};
use blitz_report::witness::Task;
use blitz_report::{Finding, NeedRow, Report, Stats, Verdict};
use std::io::{self, Write};
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// The findings of the run, one JSON object a line.
const LINES: &str = "findings.jsonl";

/// Where findings go.
pub struct Stream<'a> {
    pub request: &'a Request<'a>,
    pub scene: &'a Scene<'a>,
    pub task: &'a Task<'a>,
    taken: Mutex<Vec<Taken>>,
}

/// A finding and what became of it.
struct Taken {
    finding: Finding,
    fate: Fate,
}

enum Fate {
    Shown,
    /// Accepted by the project: it is in the report as such.
    Suppressed,
    Withdrawn(String),
    /// It needs something that no caller would do.
    Needs(NeedRow),
}

impl<'a> Stream<'a> {
    pub fn new(request: &'a Request<'a>, scene: &'a Scene<'a>, task: &'a Task<'a>) -> Stream<'a> {
        Stream { request, scene, task, taken: Mutex::new(Vec::new()) }
    }

    /// Takes what an engine hands out until it ends.
    pub fn listen(&self, loaded: &Loaded, config: &CheckConfig, violations: &Receiver<Violation>) {
        let kits = OnceLock::new();
        for violation in violations {
            self.take(loaded, config, violation, &kits);
        }
    }

    /// Takes what an engine has found and not handed out.
    pub fn take_rest(&self, loaded: &Loaded, config: &CheckConfig, violations: &[Violation]) {
        let kits = OnceLock::new();
        for violation in violations {
            self.take(loaded, config, violation.clone(), &kits);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Taken>> {
        self.taken.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn take<'k>(
        &'k self,
        loaded: &'k Loaded,
        config: &CheckConfig,
        violation: Violation,
        kits: &OnceLock<Option<Kits<'k>>>,
    ) {
        let property = loaded.program.property(violation.what().property).name;
        if self.lock().iter().any(|t| t.finding.property == property) {
            return;
        }
        let budget: Budget = self.scene.budget.separate();
        let violation = blitz_engines::smaller(&loaded.program, config, violation, &budget);
        let mut finding = blitz_report::finding(&loaded.program, &violation);
        let accepted = self.request.suppressions.accepts(&finding);
        let place = Place { out: self.request.out, native: self.request.native };
        let need = self.need(loaded, &finding);
        let kits = kits.get_or_init(|| Kits::new(place, loaded, self.scene)).as_ref();
        let doubt = match need {
            Some(_) => None,
            None => kits.and_then(|k| k.show(&violation, &mut finding)),
        };
        let fate = match (doubt, accepted, need) {
            (Some(why), _, _) => Fate::Withdrawn(why),
            (None, Some(_), _) => Fate::Suppressed,
            (None, None, Some(row)) => Fate::Needs(row),
            (None, None, None) => Fate::Shown,
        };
        let shown = matches!(fate, Fate::Shown);
        self.lock().push(Taken { finding: finding.clone(), fate });
        if shown {
            self.scene.listener.found(&finding);
            if let Err(e) = self.save(&finding) {
                self.scene.listener.note(&format!("nothing can be written to {}: {e}", self.request.out.display()));
            }
        }
    }

    /// The precondition a function of a library needs so that this does not happen.
    fn need(&self, loaded: &Loaded, finding: &Finding) -> Option<NeedRow> {
        let entry = Some(self.request.entry.name).filter(|_| self.request.library)?;
        let internal = loaded.program.func_named(entry).is_some_and(|f| loaded.program.decl(f).internal);
        Some(NeedRow {
            function: entry.to_owned(),
            needs: library::precondition(finding, internal)?,
            property: finding.property.clone(),
            kind: finding.kind.clone(),
            place: finding.place.clone(),
            message: finding.message.clone(),
        })
    }

    /// Makes a finding survive the process.
    fn save(&self, finding: &Finding) -> io::Result<()> {
        let folder = self.scene.runs.place(self.request.out)?;
        std::fs::create_dir_all(&folder)?;
        let first = self.lock().iter().filter(|t| matches!(t.fate, Fate::Shown)).count() == 1;
        let mut lines = std::fs::OpenOptions::new()
            .create(true)
            .write(true)
            .append(!first)
            .truncate(first)
            .open(folder.join(LINES))?;
        writeln!(lines, "{}", serde_json::to_string(finding).map_err(io::Error::other)?)?;
        let report = self.partial();
        written::write_partial(&folder, &report, self.task)?;
        self.scene.runs.commit()
    }

    fn partial(&self) -> Report {
        let stats = Stats { seconds: self.scene.budget.elapsed().as_secs_f64(), ..Stats::default() };
        let mut report = Report::new(Verdict::Violation, Vec::new(), Vec::new(), stats);
        report.partial = true;
        report.notes.push("the search was still going on when this was written".to_owned());
        for taken in self.lock().iter().filter(|t| matches!(t.fate, Fate::Shown)) {
            report.put(taken.finding.clone());
        }
        report
    }

    /// Puts what was taken into the report of the engine, as it was printed; what the project accepts is taken out.
    pub fn finish(&self, report: &mut Report) {
        let taken = self.lock();
        for t in taken.iter() {
            report.put(t.finding.clone());
        }
        report.withdraw(|f| {
            taken.iter().find(|t| t.finding.property == f.property).and_then(|t| match &t.fate {
                Fate::Withdrawn(why) => Some(why.clone()),
                Fate::Shown | Fate::Suppressed | Fate::Needs(_) => None,
            })
        });
        report.move_to_needs(|f| {
            taken.iter().find(|t| t.finding.property == f.property).and_then(|t| match &t.fate {
                Fate::Needs(row) => Some(row.clone()),
                Fate::Shown | Fate::Suppressed | Fate::Withdrawn(_) => None,
            })
        });
        self.request.suppressions.apply(report);
    }
}
