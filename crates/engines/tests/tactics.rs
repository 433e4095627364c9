//! The compositional engine's tactics one by one, on programs in the IR's text form: each alone, and all but each.
//!
//! Invariant: no tactic makes a violation or a proof. The bug is found with any choice of them; its twin, which differs in one token, never has one.

use blitz_base::{Budget, Work};
use blitz_engines::{CheckConfig, Engine, Report, Status, Tactics, Verdict, check};
use blitz_ir::parse;

/// What one search may spend: the programs need some thousandths of it.
const WORK: Work = Work::about_seconds(4);
const NAMES: [&str; 13] = [
    "direct",
    "narrow",
    "focus",
    "absent",
    "idle",
    "letters",
    "one-path",
    "weakening",
    "step-over",
    "requests",
    "groups",
    "answers",
    "probes",
];

/// A number goes through two functions; beside it one counts in a global, in a loop.
fn through_calls(compared: &str) -> String {
    format!(
        r#"target 64
file0 = "t.c"
prop0 = "inner.assertion.1" assertion func3 "inner"
global0 = "count" "int" size 4 align 4 init #00000000
func0 = "main" () -> (i32) {{
block0:
  v0: i32 = input "n"
  call func1(v0) : (i32) -> ()
  return 0:i32
}}
func1 = "outer" (i32) -> () {{
block0(v0: i32):
  call func2(v0) : (i32) -> ()
  v1: i32 = and v0, 255:i32
  call func3(v1) : (i32) -> ()
  return
}}
func2 = "counts" (i32) -> () {{
block0(v0: i32):
  jump block1(0:i32)
block1(v1: i32):
  v2: i1 = ult v1, 3:i32
  branch v2, block2, block3
block2:
  v3: i32 = load global0
  v4: i32 = add v3, v0
  store global0, v4
  v5: i32 = add v1, 1:i32
  jump block1(v5)
block3:
  return
}}
func3 = "inner" (i32) -> () {{
block0(v0: i32):
  v1: i1 = ne v0, {compared}:i32
  check v1, prop0
  return
}}
"#
    )
}

/// What one function stores in a global another reads.
fn through_memory(compared: &str) -> String {
    format!(
        r#"target 64
file0 = "t.c"
prop0 = "reads.assertion.1" assertion func2 "reads"
global0 = "state" "int[2]" size 8 align 4 init #0000000000000000
func0 = "main" () -> (i32) {{
block0:
  v0: i32 = input "n"
  call func1(v0, global0+4) : (i32, ptr) -> ()
  call func2(global0) : (ptr) -> ()
  return 0:i32
}}
func1 = "writes" (i32, ptr) -> () {{
block0(v0: i32, v1: ptr):
  v2: i32 = urem v0, 100:i32
  store v1, v2
  return
}}
func2 = "reads" (ptr) -> () {{
block0(v0: ptr):
  v1: ptr = ptradd v0, 4:i64
  v2: i32 = load v1
  v3: i1 = ne v2, {compared}:i32
  check v3, prop0
  return
}}
"#
    )
}

fn ask(text: &str, tactics: &str) -> Report {
    let program = parse::program(text).unwrap_or_else(|e| panic!("the test's program should parse: {e}\n{text}"));
    let tactics = Tactics::parse(tactics).expect("a list of tactics");
    let config = CheckConfig { engine: Engine::Compositional, tactics, ..CheckConfig::default() };
    check(&program, &config, &Budget::unlimited().worth(WORK)).expect("a program to check")
}

fn choices() -> impl Iterator<Item = String> {
    let each = NAMES.iter().flat_map(|name| [(*name).to_owned(), format!("-{name}")]);
    ["all".to_owned(), "none".to_owned()].into_iter().chain(each)
}

#[test]
fn every_tactic_is_named_here() {
    assert_eq!(Tactics::parse(&NAMES.join(",")), Ok(Tactics::ALL));
}

#[test]
fn a_bug_is_found_with_any_choice_of_tactics_and_its_twin_has_none() {
    for (program, bug, safe) in [(through_calls as fn(&str) -> String, "77", "777"), (through_memory, "77", "777")] {
        for tactics in choices() {
            let found = ask(&program(bug), &tactics);
            assert_eq!(found.verdict, Verdict::Violation, "--tactics {tactics}\n{}", program(bug));
            let none = ask(&program(safe), &tactics);
            let violated = none.properties.iter().filter(|p| matches!(p.status, Status::Violated)).count();
            assert!(none.verdict != Verdict::Violation && violated == 0, "--tactics {tactics}\n{}", program(safe));
        }
    }
}
