//! What a verdict rests on is among its notes.

use blitz_base::Budget;
use blitz_engines::{CheckConfig, Engine, check};
use blitz_ir::parse;

fn notes(target: u16, operation: &str) -> String {
    let text = format!(
        "target {target}\nfunc0 = \"main\" () -> (i32) {{\nblock0:\n  v0: f64 = {operation}\n  return 0:i32\n}}\n"
    );
    let program = parse::program(&text).expect("the test's program should parse");
    let config = CheckConfig { engine: Engine::Bmc, unwind: Some(1), ..CheckConfig::default() };
    let report = check(&program, &config, &Budget::unlimited()).expect("a program to check");
    report.notes.join("\n")
}

#[test]
fn floats_of_32_bit_programs_are_not_in_registers() {
    let sum = "fadd #x3ff0000000000000:f64, #x3ff0000000000000:f64";
    assert!(notes(32, sum).contains("not in x87 registers"));
    assert!(!notes(32, "fneg #x3ff0000000000000:f64").contains("x87"));
    assert!(!notes(64, sum).contains("x87"));
}
