//! One claim that no solver decides soon leaves the others decided, in the engines that ask about many claims at once.

use blitz_base::{Budget, Work};
use blitz_engines::{CheckConfig, Engine, Report, Status, Verdict, check_observed};
use blitz_ir::parse;

/// Two factors of a product of primes (a claim that is as hard as factoring), a claim that is violated, and one that holds.
const PROGRAM: &str = r#"target 64
file0 = "t.c"
prop0 = "main.assertion.1" assertion func0 "no factors"
prop1 = "main.assertion.2" assertion func0 "violated"
prop2 = "main.assertion.3" assertion func0 "holds"
func0 = "main" () -> (i32) {
block0:
  v0: i64 = input "a"
  v1: i64 = input "b"
  v2: i1 = ult v0, 2147483648:i64
  assume v2
  v3: i1 = ult v1, 2147483648:i64
  assume v3
  v4: i1 = ult 1:i64, v0
  assume v4
  v5: i1 = ult v0, v1
  assume v5
  v6: i64 = mul v0, v1
  v7: i1 = ne v6, 2305842979148922881:i64
  check v7, prop0
  v8: i32 = input "c"
  v9: i1 = ne v8, 77:i32
  check v9, prop1
  v10: i32 = and v8, 7:i32
  v11: i1 = ult v10, 8:i32
  check v11, prop2
  return 0:i32
}
"#;

fn check(engine: Engine) -> Report {
    let program = parse::program(PROGRAM).unwrap_or_else(|e| panic!("the test's program should parse: {e}"));
    let config = CheckConfig { engine, unwind: Some(1), ..CheckConfig::default() };
    let budget = Budget::unlimited().worth(Work::about_seconds(4));
    check_observed(&program, &config, &budget, &|_| {}).expect("a program to check")
}

fn status<'a>(report: &'a Report, program: &blitz_ir::Program, name: &str) -> &'a Status {
    let row = report.properties.iter().find(|r| program.property(r.property).name == name);
    &row.expect("the property should be reported").status
}

#[test]
fn one_hard_claim_hides_no_other() {
    let program = parse::program(PROGRAM).unwrap_or_else(|e| panic!("the test's program should parse: {e}"));
    for engine in [Engine::Bmc, Engine::Incremental] {
        let report = check(engine);
        assert_eq!(report.verdict, Verdict::Violation, "{}", engine.name());
        assert!(matches!(status(&report, &program, "main.assertion.1"), Status::Unknown(_)), "{}", engine.name());
        assert_eq!(*status(&report, &program, "main.assertion.2"), Status::Violated, "{}", engine.name());
        assert_eq!(*status(&report, &program, "main.assertion.3"), Status::Proved, "{}", engine.name());
    }
}
