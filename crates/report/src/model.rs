//! The data of a report. Field names and values are the public contract: `docs/report.md` describes them, and
//! [`SCHEMA`] counts up when one changes its meaning or goes away.

use crate::coverage::CoverageReport;
use crate::finding::Finding;
use crate::why::{Code, Why};
use blitz_ir::Channel;
use serde::Serialize;

/// The version of the JSON format.
pub const SCHEMA: u32 = 1;

/// Everything a run says.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub schema: u32,
    pub verdict: Verdict,
    /// The search goes on: this is what was found until now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Why the verdict is not a plain answer (`bounded`, `unknown`).
    #[serde(flatten)]
    pub reason: Option<Why>,
    pub properties: Vec<PropertyRow>,
    /// The first violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<Finding>,
    /// All violations, the first included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Finding>,
    /// Violations that the project has accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<Suppressed>,
    /// What functions of a library need of their callers, found by checking each by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<NeedRow>,
    /// What was looked at and reached.
    pub coverage: CoverageReport,
    /// The engines that were asked, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineRow>,
    /// What the verdict rests on, and what else should be known, one sentence each.
    pub notes: Vec<String>,
    pub stats: Stats,
}

impl Report {
    /// A report with these parts; the verdict's first violation is put first.
    pub fn new(verdict: Verdict, properties: Vec<PropertyRow>, violations: Vec<Finding>, stats: Stats) -> Self {
        Self {
            schema: SCHEMA,
            verdict,
            partial: false,
            reason: None,
            properties,
            violation: violations.first().cloned(),
            violations,
            suppressed: Vec::new(),
            needs: Vec::new(),
            coverage: CoverageReport::default(),
            engines: Vec::new(),
            notes: Vec::new(),
            stats,
        }
    }

    /// Takes out the violations for which there is a reason to accept them. What is left decides the verdict.
    pub fn suppress(&mut self, reason: impl Fn(&Finding) -> Option<String>) {
        let mut left = Vec::new();
        for finding in std::mem::take(&mut self.violations) {
            match reason(&finding) {
                Some(reason) => self.suppressed.push(Suppressed { property: finding.property, reason }),
                None => left.push(finding),
            }
        }
        self.violations = left;
        self.violation = self.violations.first().cloned();
        if self.verdict == Verdict::Violation && self.violations.is_empty() {
            self.verdict = self.verdict_of_the_rest();
        }
    }

    /// Takes back violations for which there is a reason to doubt them: their properties are open. A note says so.
    pub fn withdraw(&mut self, reason: impl Fn(&Finding) -> Option<String>) {
        let mut left = Vec::new();
        let mut first = None;
        for finding in std::mem::take(&mut self.violations) {
            let Some(reason) = reason(&finding) else {
                left.push(finding);
                continue;
            };
            for row in self.properties.iter_mut().filter(|p| p.id == finding.property) {
                row.status = Status::Unknown;
                row.reason = Some(Why::new(Code::Doubtful, reason.clone()));
            }
            self.notes.push(format!("{}: {} is not reported: {reason}", finding.property, finding.message));
            first.get_or_insert(reason);
        }
        self.violations = left;
        self.violation = self.violations.first().cloned();
        if self.verdict == Verdict::Violation && self.violations.is_empty() {
            self.verdict = self.verdict_of_the_rest();
            self.reason = self.reason.take().or_else(|| first.map(|text| Why::new(Code::Doubtful, text)));
        }
    }

    fn verdict_of_the_rest(&self) -> Verdict {
        let any = |status| self.properties.iter().any(|p| p.status == status);
        if any(Status::Unknown) {
            Verdict::Unknown
        } else if any(Status::Bounded) {
            Verdict::Bounded
        } else {
            Verdict::Safe
        }
    }

    /// Puts in a violation that was handed out while the search went on, in the place of the same property's if there is one.
    pub fn put(&mut self, finding: Finding) {
        for row in self.properties.iter_mut().filter(|p| p.id == finding.property) {
            row.status = Status::Violated;
        }
        match self.violations.iter_mut().find(|v| v.property == finding.property) {
            Some(same) => *same = finding,
            None => self.violations.push(finding),
        }
        self.verdict = Verdict::Violation;
        self.violation = self.violations.first().cloned();
    }

    /// Takes out violations that happen only without a precondition of the function that was called.
    pub fn move_to_needs(&mut self, need: impl Fn(&Finding) -> Option<NeedRow>) {
        let mut left = Vec::new();
        for finding in std::mem::take(&mut self.violations) {
            let Some(row) = need(&finding) else {
                left.push(finding);
                continue;
            };
            for property in self.properties.iter_mut().filter(|p| p.id == finding.property) {
                property.status = Status::Unknown;
                let text = format!("{} needs {}", row.function, row.needs);
                property.reason = Some(Why::new(Code::NeedsPrecondition, text));
            }
            self.needs.push(row);
        }
        self.violations = left;
        self.violation = self.violations.first().cloned();
        if self.verdict == Verdict::Violation && self.violations.is_empty() {
            // What is open for want of a precondition says nothing of how far the search came.
            let needed: Vec<&str> = self.needs.iter().map(|n| n.property.as_str()).collect();
            let rest = |p: &&PropertyRow| !needed.contains(&p.id.as_str());
            let any = |status| self.properties.iter().filter(rest).any(|p| p.status == status);
            self.verdict = match (any(Status::Unknown), any(Status::Bounded)) {
                (true, _) => Verdict::Unknown,
                (false, true) => Verdict::Bounded,
                (false, false) => Verdict::Safe,
            };
        }
    }

    /// Gives every violation to `change`, with its number.
    pub fn change_violations(&mut self, mut change: impl FnMut(usize, &mut Finding)) {
        for (i, finding) in self.violations.iter_mut().enumerate() {
            change(i, finding);
        }
        self.violation = self.violations.first().cloned();
    }
}

/// An engine that was asked, and what it said by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineRow {
    pub engine: String,
    pub verdict: Verdict,
}

/// A precondition that a function needs: without it, a property is violated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NeedRow {
    pub function: String,
    /// What callers have to see to.
    pub needs: String,
    pub property: String,
    pub kind: String,
    #[serde(flatten)]
    pub place: Place,
    pub message: String,
}

/// A violation that was accepted, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suppressed {
    pub property: String,
    pub reason: String,
}

/// The answer for the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Safe,
    Violation,
    Bounded,
    Unknown,
}

/// The answer for one property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Proved,
    Violated,
    /// It holds, since nothing gets to its check.
    Unreachable,
    Bounded,
    Unknown,
}

/// One property and its answer.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyRow {
    pub id: String,
    pub kind: String,
    pub status: Status,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    #[serde(flatten)]
    pub reason: Option<Why>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<EffortRow>,
}

/// What was done for one property.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffortRow {
    pub segments: u32,
    pub refinements: u32,
    pub weakenings: u32,
    pub terms: u64,
    pub queries: u64,
    pub solver_seconds: f64,
    /// The chain of preconditions that came nearest to the start of the program, from the error on.
    pub nearest: Vec<Precondition>,
}

/// Who confirmed a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confirmed {
    /// The user's program with the real libraries.
    Native,
    /// The same, but for functions that nobody defines, which stubs answered for.
    NativeStub,
    Interpreter,
}

/// What became of the native run of a violation's reproduction kit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Native {
    /// The kit's folder.
    pub kit: String,
    /// What the sanitizer said, if it saw the violation at the same line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<NativeReport>,
    /// Why not, else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Functions that nobody defines and that were called: a stub gave the answers of the interpreter's run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stubs: Vec<String>,
}

/// A report of a sanitizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NativeReport {
    pub text: String,
    pub file: String,
    pub line: u32,
}

/// A place in the source; line 0 where it is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Place {
    pub fn is_known(&self) -> bool {
        self.line != 0
    }
}

/// A call that was open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StackFrame {
    pub function: String,
    #[serde(flatten)]
    pub place: Place,
}

/// The memory object a violation is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Object {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub size: u64,
    pub live: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allocated: Vec<StackFrame>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub freed: Vec<StackFrame>,
}

/// A value that matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub value: String,
}

/// An input the run took, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InputRow {
    pub name: String,
    /// What it is, for those who decide by it.
    #[serde(skip)]
    pub channel: Channel,
    pub value: String,
    #[serde(flatten)]
    pub place: Place,
}

/// A condition under which the violation happens, at a function on the way to it: the last one is the violation's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Precondition {
    /// Empty where the engine names none.
    pub function: String,
    #[serde(flatten)]
    pub place: Place,
    /// In the user's names.
    pub condition: String,
}

impl std::fmt::Display for Precondition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.function.is_empty(), self.place.is_known()) {
            (true, _) => write!(f, "{}", self.condition),
            (false, false) => write!(f, "{}: {}", self.function, self.condition),
            (false, true) => {
                write!(f, "{} ({}:{}): {}", self.function, self.place.file, self.place.line, self.condition)
            }
        }
    }
}

/// What another thread has to do with a violation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OtherThread {
    pub thread: u32,
    /// `reads`, `writes` or `waits`.
    pub what: &'static str,
    /// Innermost call first.
    pub stack: Vec<StackFrame>,
}

/// So many steps of one thread, from visible point to visible point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScheduleRow {
    pub thread: u32,
    pub steps: u32,
}

/// What a step of the trace does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    Call,
    Return,
    Assign,
    Store,
    Branch,
    Input,
    Alloc,
    Free,
    Output,
    Lock,
    Unlock,
    /// Another thread goes on.
    Turn,
    /// Steps are left out.
    Cut,
}

impl std::fmt::Display for StepKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            StepKind::Call => "call",
            StepKind::Return => "return",
            StepKind::Assign => "assign",
            StepKind::Store => "store",
            StepKind::Branch => "branch",
            StepKind::Input => "input",
            StepKind::Alloc => "alloc",
            StepKind::Free => "free",
            StepKind::Output => "output",
            StepKind::Lock => "lock",
            StepKind::Unlock => "unlock",
            StepKind::Turn => "turn",
            StepKind::Cut => "cut",
        })
    }
}

/// A step of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    pub what: StepKind,
    pub text: String,
    /// How many calls are open.
    pub depth: u32,
    /// Which thread does it, in a run with several; 0 is the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// Another thread made the step before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub switch: bool,
    /// The locks that the thread holds after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    #[serde(flatten)]
    pub place: Place,
    /// The function it happens in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// Of a call: the function that is called.
    #[serde(skip)]
    pub callee: Option<String>,
    /// Of a return: whether there is a result.
    #[serde(skip)]
    pub has_result: bool,
    /// What gets a value, and which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What a store writes to, as the source writes it: `p->count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The object that is written, made or freed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// Bytes written or allocated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Of an input: what it is.
    #[serde(skip)]
    pub input: Option<Channel>,
    /// Of a call: its arguments, each with the parameter's name (empty where it has none).
    #[serde(skip)]
    pub given: Vec<(String, String)>,
    /// Of a store: the source has no name for the object; it is called by the place it comes from.
    #[serde(skip)]
    pub anonymous: bool,
}

/// What it cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    pub seconds: f64,
    pub memory_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Counters of the engine, by name, in its order.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<(String, u64)>,
}

fn as_map<S: serde::Serializer>(pairs: &[(String, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(k, v)| (k, v)))
}
