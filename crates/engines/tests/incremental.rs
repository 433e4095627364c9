//! The incremental engine on programs in the IR's text form: where it stops, and what it knows at every moment.

use blitz_base::Budget;
use blitz_engines::{CheckConfig, Engine, LoopPolicy, Progress, Report, Status, Verdict, check_observed};
use blitz_ir::{Program, parse};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

fn program(text: &str) -> Program {
    match parse::program(text) {
        Ok(p) => p,
        Err(e) => panic!("the test's program should parse: {e}\n{text}"),
    }
}

fn config() -> CheckConfig {
    CheckConfig { engine: Engine::Incremental, ..CheckConfig::default() }
}

/// The report, and every progress that was told.
fn check(text: &str, config: &CheckConfig) -> (Report, Vec<Progress>) {
    let told = Mutex::new(Vec::new());
    let observer = |p: &Progress| told.lock().expect("no thread should panic").push(p.clone());
    let report = check_observed(&program(text), config, &Budget::unlimited(), &observer).expect("a program to check");
    (report, told.into_inner().expect("no thread should panic"))
}

/// Stopped by somebody who watches, after a number of steps.
fn stopped_after(steps: u32, text: &str) -> Report {
    let budget = Budget::unlimited();
    let cancel = budget.cancel_flag();
    let observer = |p: &Progress| cancel.store(p.step >= steps, Ordering::Relaxed);
    check_observed(&program(text), &config(), &budget, &observer).expect("a program to check")
}

/// A loop that runs as long as an input says so, with a check of its counter inside and another behind it.
fn counting(inside: &str, behind: &str) -> String {
    format!(
        r#"target 64
file0 = "t.c"
prop0 = "main.assertion.1" assertion func0 "inside"
prop1 = "main.assertion.2" assertion func0 "behind"
prop2 = "main.assertion.3" assertion func0 "before"
func0 = "main" () -> (i32) {{
block0:
  v0: i32 = input "first"
  v1: i32 = and v0, 7:i32
  v2: i1 = ult v1, 8:i32
  check v2, prop2
  jump block1(0:i32)
block1(v3: i32):
  v4: i32 = input "more"
  v5: i1 = ne v4, 0:i32
  branch v5, block2, block3
block2:
  v6: i32 = add v3, 1:i32
  v7: i1 = {inside}
  check v7, prop0
  jump block1(v6)
block3:
  v8: i1 = {behind}
  check v8, prop1
  return 0:i32
}}
"#
    )
}

const NO_BUG_INSIDE: &str = "uge v6, 0:i32";

#[test]
fn a_bug_in_a_deep_iteration_needs_no_bound() {
    let (report, progress) = check(&counting("ne v6, 300:i32", "ne v3, 1000:i32"), &config());
    assert_eq!(report.verdict, Verdict::Violation);
    assert_eq!(report.violations.len(), 1, "it stops after the step that found one");
    let depths: Vec<u32> = progress.iter().filter_map(|p| p.loops.first()).map(|l| l.depth).collect();
    assert!(depths.windows(2).all(|w| w[0] < w[1]), "every step goes deeper: {depths:?}");
    assert!(depths.len() <= 16, "steps grow: {depths:?}");
}

#[test]
fn what_follows_a_loop_is_looked_at_for_each_depth() {
    let (report, _) = check(&counting("ne v6, 5000:i32", "ne v3, 40:i32"), &config());
    assert_eq!(report.verdict, Verdict::Violation);
    assert_eq!(report.violations[0].inputs.len(), 42, "the first input, 40 times more, and the end");
}

#[test]
fn a_search_that_is_stopped_says_how_deep_everything_holds() {
    let text = counting("ne v6, 100000:i32", "ne v3, 100000:i32");
    let depth = |report: &Report| match report.properties[0].status {
        Status::HoldsUpTo(depth) => depth,
        ref other => panic!("{other:?}"),
    };
    let (early, late) = (stopped_after(3, &text), stopped_after(8, &text));
    assert_eq!(early.verdict, Verdict::Bounded);
    assert_eq!(early.bounds[0].name, "main.1");
    assert_eq!(early.bounds[0].bound, depth(&early));
    assert!(depth(&early) < depth(&late), "{} and {}", depth(&early), depth(&late));
    assert!(early.stats.stopped.is_some(), "it says why it ended");
    assert_eq!(early.properties[2].status, Status::Proved, "nothing that waits leads back before the loop");
}

#[test]
fn it_ends_with_a_proof_when_nothing_is_left() {
    let text = counting("ult v6, 9:i32", "ult v3, 9:i32").replace("ne v4, 0:i32", "ult v3, v1");
    let (report, progress) = check(&text, &config());
    assert_eq!(report.verdict, Verdict::Safe);
    assert!(report.bounds.is_empty());
    let last = progress.last().expect("steps should be told");
    assert!(last.open.is_empty() && last.loops.is_empty(), "{last:?}");
}

#[test]
fn a_loop_that_leads_to_nothing_open_is_not_unwound() {
    let text =
        counting(NO_BUG_INSIDE, "eq v3, v3").replace("  check v7, prop0\n", "").replace("  check v8, prop1\n", "");
    let (report, progress) = check(&text, &config());
    assert_eq!(report.verdict, Verdict::Safe);
    assert_eq!(progress.len(), 1);
}

#[test]
fn a_counter_that_moves_to_its_end_is_run_in_one_step() {
    let text = counting("ult v6, 51:i32", "eq v3, 50:i32").replace("ne v4, 0:i32", "ult v3, 50:i32");
    let (report, progress) = check(&text, &config());
    assert_eq!(report.verdict, Verdict::Safe);
    assert_eq!(progress.len(), 1);
}

#[test]
fn every_policy_and_interval_finds_it() {
    let text = counting("ne v6, 20:i32", "ne v3, 1000:i32");
    for loop_policy in [LoopPolicy::RoundRobin, LoopPolicy::Cost, LoopPolicy::Distance] {
        for check_interval in [None, Some(1), Some(7)] {
            let config = CheckConfig { loop_policy, check_interval, ..config() };
            assert_eq!(check(&text, &config).0.verdict, Verdict::Violation, "{loop_policy:?} {check_interval:?}");
        }
    }
}

#[test]
fn a_bound_of_the_users_holds() {
    let text = counting("ne v6, 20:i32", "ne v3, 1000:i32");
    let bounded = |k| check(&text, &CheckConfig { unwind: Some(k), ..config() }).0;
    assert_eq!(bounded(19).verdict, Verdict::Bounded);
    assert_eq!(bounded(19).bounds[0].bound, 19);
    assert_eq!(bounded(20).verdict, Verdict::Violation);
}

#[test]
fn refuted_claims_are_not_asked_again() {
    let text = counting("ne v6, 2000:i32", "ne v3, 3000:i32");
    let (report, progress) = check(&text, &config());
    assert_eq!(report.verdict, Verdict::Violation);
    let (steps, queries) = (progress.len() as u64, report.stats.queries);
    assert!(queries <= 2 * steps + 3, "{queries} questions in {steps} steps");
}

/// A number is doubled until its highest bit is set; `inside` is what else an iteration does, `behind` the check after the loop.
fn doubling(inside: &str, behind: &str) -> String {
    format!(
        r#"target 64
file0 = "t.c"
prop0 = "main.assertion.1" assertion func0 "behind"
func0 = "main" () -> (i32) {{
block0:
  v0: i8 = input "start"
  v1: i8 = or v0, 1:i8
  jump block1(v1, 0:i32)
block1(v2: i8, v3: i32):
  v4: i1 = ult v2, 128:i8
  branch v4, block2(v3), block4
{inside}
block3(v8: i32):
  v9: i8 = shl v2, 1:i8
  jump block1(v9, v8)
block4:
  v10: i1 = {behind}
  check v10, prop0
  return 0:i32
}}
"#
    )
}

const NOTHING_INSIDE: &str = "block2(v5: i32):\n  v6: i32 = add v5, 1:i32\n  jump block3(v6)";
const ENDLESS_INSIDE: &str = "block2(v5: i32):
  v6: i32 = input \"more\"
  v7: i1 = ne v6, 0:i32
  v11: i32 = add v5, 1:i32
  branch v7, block2(v11), block3(v5)";

#[test]
fn what_follows_a_loop_that_ends_soon_is_run_once() {
    let (report, _) = check(&doubling(NOTHING_INSIDE, "ne v2, 127:i8"), &config());
    assert_eq!(report.verdict, Verdict::Safe);
    assert_eq!(report.stats.rounds, 1, "the loop should be closed before anything is asked");
    assert_eq!(report.stats.claims, 1, "the check behind the loop should be run once");
    let (report, _) = check(&doubling(NOTHING_INSIDE, "ult v3, 7:i32"), &config());
    assert_eq!(report.verdict, Verdict::Violation, "the last iteration is not lost");
}

#[test]
fn a_loop_with_one_inside_that_goes_on_is_not_closed() {
    let (report, _) = check(&doubling(ENDLESS_INSIDE, "ne v3, 9:i32"), &config());
    assert_eq!(report.verdict, Verdict::Violation, "what waits in the inner loop is not lost");
}

/// An endless loop around one that runs as long as its inputs say; `kept` is what a round of the outer one leaves behind, made
/// from the rounds of the inner one (v7) and what was there before (v0).
fn rounds(kept: &str) -> String {
    format!(
        r#"target 64
file0 = "t.c"
prop0 = "main.assertion.1" assertion func0 "kept"
func0 = "main" () -> (i32) {{
block0:
  jump block1(0:i32)
block1(v0: i32):
  v1: i1 = eq v0, 0:i32
  check v1, prop0
  v2: i32 = input "stop"
  v3: i1 = eq v2, 0:i32
  branch v3, block4, block2(0:i32)
block2(v4: i32):
  v5: i32 = input "more"
  v6: i1 = ne v5, 0:i32
  v7: i32 = add v4, 1:i32
  branch v6, block2(v7), block3
block3:
  v8: i32 = {kept}
  jump block1(v8)
block4:
  return 0:i32
}}
"#
    )
}

#[test]
fn a_loop_that_comes_back_to_its_state_is_closed() {
    let text = rounds("and v0, 15:i32").replace("branch v6, block2(v7), block3", "jump block3");
    let report = stopped_after(4, &text);
    assert_eq!(report.verdict, Verdict::Safe, "nothing is ever kept");
    let report = stopped_after(4, &text.replace("and v0, 15:i32", "add v0, 1:i32"));
    assert_eq!(report.verdict, Verdict::Violation, "something is kept in the first round");
}

#[test]
fn a_change_of_a_later_wave_is_not_taken_for_none() {
    // After five rounds of the inner loop, and not before, something is left behind.
    let (report, _) = check(&rounds("udiv v7, 5:i32"), &config());
    assert_eq!(report.verdict, Verdict::Violation);
}

/// A loop of 60 iterations that can be left before each; what it computes makes many terms. The check behind it fails if it is left at once.
const LONG: &str = r#"target 64
file0 = "t.c"
prop0 = "main.assertion.1" assertion func0 "behind"
func0 = "main" () -> (i32) {
block0:
  v0: i8 = input "start"
  jump block1(v0, 0:i32)
block1(v1: i8, v2: i32):
  v3: i1 = ult v2, 60:i32
  branch v3, block2, block4
block2:
  v4: i1 = ne v1, 0:i8
  branch v4, block3, block4
block3:
  v5: i8 = xor v1, 85:i8
  v6: i8 = add v5, v1
  v7: i8 = and v6, v5
  v8: i8 = add v7, v1
  v9: i8 = xor v8, v6
  v10: i8 = add v9, v7
  v13: i8 = and v10, v8
  v14: i8 = xor v13, 51:i8
  v15: i8 = add v14, v9
  v16: i8 = and v15, v6
  v17: i8 = xor v16, v10
  v11: i32 = add v2, 1:i32
  jump block1(v17, v11)
block4:
  v12: i1 = ne v2, 0:i32
  check v12, prop0
  return 0:i32
}
"#;

#[test]
fn the_first_iterations_are_looked_at_before_a_long_loop_is_run_to_its_end() {
    let (whole, _) = check(LONG, &config());
    let (first, _) = check(LONG, &CheckConfig { stop_at_first: true, ..config() });
    assert_eq!((whole.verdict, first.verdict), (Verdict::Violation, Verdict::Violation));
    let (whole, first) = (whole.stats.terms, first.stats.terms);
    assert!(2 * first < whole, "the step should end early: {first} terms, {whole} without");
}
