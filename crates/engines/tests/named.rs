//! A property that is named is searched for, whatever other violation comes up on the way.

use blitz_base::{Budget, Work};
use blitz_engines::{CheckConfig, Engine, Status, check};
use blitz_ir::parse;

/// All numbers but one violate the assertion of `first`, which nobody asks about; that one violates the assertion of `second`.
const BEHIND_ANOTHER: &str = r#"target 64
file0 = "t.c"
prop0 = "first.assertion.1" assertion func1 "first"
prop1 = "second.assertion.1" assertion func2 "second"
func0 = "main" () -> (i32) {
block0:
  v0: i32 = input "n"
  call func1(v0) : (i32) -> ()
  call func2(v0) : (i32) -> ()
  return 0:i32
}
func1 = "first" (i32) -> () {
block0(v0: i32):
  jump block1(0:i32)
block1(v1: i32):
  v2: i1 = ult v1, 3:i32
  branch v2, block2, block3
block2:
  v3: i32 = add v1, 1:i32
  jump block1(v3)
block3:
  v4: i1 = eq v0, 6:i32
  check v4, prop0
  return
}
func2 = "second" (i32) -> () {
block0(v0: i32):
  v1: i32 = and v0, 1:i32
  v2: i1 = ne v1, 0:i32
  check v2, prop1
  return
}
"#;

#[test]
fn the_first_violation_is_the_first_of_what_is_asked_for() {
    let program = parse::program(BEHIND_ANOTHER).expect("the test's program should parse");
    // What a call that the compositional engine leaves out violates comes up in each of its searches.
    for &engine in Engine::ALL.iter().filter(|e| **e != Engine::Compositional) {
        let config = CheckConfig {
            engine,
            properties: vec!["second.assertion.1".to_owned()],
            stop_at_first: true,
            unwind: matches!(engine, Engine::Bmc | Engine::Stratified).then_some(8),
            ..CheckConfig::default()
        };
        let report =
            check(&program, &config, &Budget::unlimited().worth(Work::about_seconds(8))).expect("a program to check");
        let named = report.properties.iter().find(|p| program.property(p.property).name == "second.assertion.1");
        let status = &named.expect("the property that is named").status;
        assert_eq!(*status, Status::Violated, "{}", engine.name());
    }
}
