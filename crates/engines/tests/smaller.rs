//! Smaller inputs for a violation that is there.

use blitz_base::{Budget, Bv};
use blitz_engines::{CheckConfig, Violation, smaller};
use blitz_interp::{InputSource, InputValue, RunConfig, run};
use blitz_ir::{Program, parse};

/// The last byte of a text must not be a bang.
const ENDS_IN_A_BANG: &str = r#"target 64
file0 = "t.c"
prop0 = "main.assertion.1" assertion func0 "main"
func0 = "main" () -> (i32) {
block0:
  v0: ptr = alloca 64:i64, align 1
  v1: i64 = input "argv[1] length"
  v2: i1 = ult v1, 64:i64
  assume v2
  input.bytes v0, v1, "argv[1]"
  v3: i1 = eq v1, 0:i64
  branch v3, block2, block1
block1:
  v4: i64 = sub v1, 1:i64
  v5: ptr = ptradd v0, v4
  v6: i8 = load v5
  v7: i1 = ne v6, 33:i8
  check v7, prop0
  return 0:i32
block2:
  return 1:i32
}
"#;

fn program() -> Program {
    parse::program(ENDS_IN_A_BANG).expect("the test's program should parse")
}

/// The violation that inputs lead to, with smaller ones.
fn made_smaller(program: &Program, inputs: Vec<InputValue>) -> Violation {
    let config = RunConfig { inputs: InputSource::Recorded(inputs), ..RunConfig::default() };
    let result = run(program, &config, &Budget::unlimited());
    let values = result.inputs_used.iter().map(|u| u.value.clone()).collect();
    let names = result.inputs_used.iter().map(|u| u.name.clone()).collect();
    let violation = Violation::confirmed(result, values, names, "test").expect("the inputs violate the assertion");
    smaller(program, &CheckConfig::default(), violation, &Budget::unlimited())
}

/// The same for a text, and what is left of it.
fn shorter(text: &[u8]) -> (Violation, Vec<u8>) {
    let length = InputValue::Value(Bv::from_i128(64, text.len() as i128));
    let small = made_smaller(&program(), vec![length, InputValue::Bytes(text.to_vec())]);
    let left = small.inputs.iter().find_map(|value| match value {
        InputValue::Bytes(bytes) => Some(bytes.clone()),
        InputValue::Value(_) | InputValue::Bool(_) => None,
    });
    let left = left.expect("the text is an input");
    (small, left)
}

#[test]
fn what_stands_before_is_cut_out_of_a_text() {
    let (violation, text) = shorter(b"\x0b\x0c  +78898527995 and more!");
    assert_eq!(text, b"!");
    assert!(violation.as_found.is_some(), "what was found first is kept");
}

#[test]
fn what_is_small_stays() {
    assert_eq!(shorter(b"!").1, b"!");
}

/// Two million bytes of memory that holds anything, none of them a text, and an assertion about nothing of it. Looking at each byte by
/// itself copied all of them each time, and mutants of coreHTTP ran out of time behind a violation that was found in a second.
#[test]
fn large_memory_is_not_looked_at_byte_by_byte() {
    let text = r#"target 64
file0 = "t.c"
prop0 = "main.assertion.1" assertion func0 "main"
func0 = "main" () -> (i32) {
block0:
  v0: ptr = alloca 2000000:i64, align 1
  input.bytes v0, 2000000:i64, "memory"
  v1: i8 = load v0
  v2: i1 = ne v1, 1:i8
  check v2, prop0
  return 0:i32
}
"#;
    let program = parse::program(text).expect("the test's program should parse");
    let small = made_smaller(&program, vec![InputValue::Bytes(vec![1; 2_000_000])]);
    assert_eq!(small.inputs.len(), 1);
}
