//! A check as a program makes it, without the command line: the library's own example.

use blitz_base::Budget;
use blitz_engines::CheckConfig;
use blitz_frontend::driver::{CompileOptions, Inputs};
use blitz_ir::Program;
use blitz_report::{Finding, Verdict};
use blitz_workflow::{Checked, Entry, Environment, Fault, Listener, Phase, Request, RunFolder, Scene, Source};
use blitz_workflow::{Suppressions, check};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const PROGRAM: &str = "int __VERIFIER_nondet_int(void);
int main(void) {
  int a[4] = {0}, i = __VERIFIER_nondet_int();
  if (i < 0 || i > 4) return 0;
  return a[i];
}
";

/// Keeps what it is notified of.
#[derive(Default)]
struct Notebook {
    phases: Mutex<Vec<Phase>>,
    found: Mutex<Vec<String>>,
}

impl Listener for Notebook {
    fn note(&self, _: &str) {}

    fn phase(&self, phase: Phase) {
        self.phases.lock().expect("a whole notebook").push(phase);
    }

    fn found(&self, finding: &Finding) {
        self.found.lock().expect("a whole notebook").push(finding.property.clone());
    }
}

fn survives(_: &[PathBuf]) -> Result<(), Fault> {
    Ok(())
}

fn source(file: &Path) -> Source {
    Source {
        inputs: Inputs { files: vec![file.to_owned()], ..Inputs::default() },
        for_models: Vec::new(),
        compile: CompileOptions::default(),
        environment: Environment::Model,
        name: "program".to_owned(),
        any_value: None,
        offset_bits: None,
        survives,
    }
}

fn checked(folder: &Path, suppressions: &str, notebook: &Notebook) -> Result<Checked, Fault> {
    let file = folder.join("program.c");
    std::fs::write(&file, PROGRAM).expect("a writable folder");
    let suppressions: Suppressions = serde_json::from_str(suppressions).expect("a list of suppressions");
    let prepare = |_: &Program, _: &mut CheckConfig| Ok(());
    let request = Request {
        source: source(&file),
        entry: Entry { name: "main", any_globals: false },
        config: CheckConfig::default(),
        vet: &|_| Ok(Vec::new()),
        prepare: &prepare,
        out: &folder.join("out"),
        native: false,
        slice: None,
        suppressions: &suppressions,
        library: false,
        assumptions: &["made by a test".to_owned()],
        version: "0",
        leave: None,
    };
    let scene = Scene { runs: &RunFolder::new(), budget: &Budget::unlimited(), listener: notebook };
    check(&request, &scene)
}

#[test]
fn a_program_checks_a_program() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let notebook = Notebook::default();
    let checked = checked(folder.path(), "[]", &notebook).expect("a program that can be checked");
    assert_eq!(checked.report.verdict, Verdict::Violation);
    let found = notebook.found.into_inner().expect("a whole notebook");
    assert_eq!(found, ["main.array-bounds.1"], "a finding is handed out when it is found");
    assert_eq!(checked.report.violations.iter().map(|f| f.property.as_str()).collect::<Vec<_>>(), found);
    assert!(checked.report.notes.contains(&"made by a test".to_owned()));
    let phases = notebook.phases.into_inner().expect("a whole notebook");
    assert_eq!(phases, [Phase::Compiling, Phase::Checking, Phase::Confirming]);
    assert!(folder.path().join("out/repro/main.array-bounds.1/run.sh").exists(), "the kit is written");
}

#[test]
fn what_a_project_accepts_is_no_violation() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let notebook = Notebook::default();
    let accepted = r#"[{"kind": "array-bounds", "reason": "an exercise"}]"#;
    let checked = checked(folder.path(), accepted, &notebook).expect("a program that can be checked");
    assert!(checked.report.violations.is_empty() && notebook.found.into_inner().expect("whole").is_empty());
    assert_eq!(checked.report.suppressed.len(), 1);
}

#[test]
fn a_file_that_is_not_there_is_a_fault() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = folder.path().join("progam.c");
    std::fs::write(folder.path().join("program.c"), PROGRAM).expect("a writable folder");
    let fault = blitz_workflow::load::load(&source(&missing), None, &Notebook::default()).err();
    let Some(Fault::Sentence(sentence)) = fault else { panic!("a sentence should say what is wrong") };
    assert!(sentence.contains("did you mean `program.c`"), "{sentence}");
}
