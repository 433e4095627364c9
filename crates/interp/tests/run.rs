//! Programs in the IR's text form, and how their runs end.

use blitz_base::{Budget, Bv};
use blitz_interp::{Entry, Event, InputSource, InputValue, ObjectKind, Outcome, RunConfig, RunResult, TraceLevel, run};
use blitz_ir::{Program, parse};

fn program(text: &str) -> Program {
    match parse::program(text) {
        Ok(p) => p,
        Err(e) => panic!("the test's program should parse: {e}\n{text}"),
    }
}

fn run_main(text: &str, config: RunConfig) -> RunResult {
    let config = RunConfig { entry: Entry::Func("main".into(), Vec::new()), ..config };
    run(&program(text), &config, &Budget::unlimited())
}

/// One line that says how a run ended.
fn ending(result: &RunResult) -> String {
    match &result.outcome {
        Outcome::Exit(status) => format!("exit {status}"),
        Outcome::Violation(v) => format!("{} of {} at line {}", v.kind, v.property, v.loc.line),
        Outcome::AssumeFailed(_) => "assumption".into(),
        Outcome::Unsupported { what, .. } => format!("unsupported: {what}"),
        Outcome::OutOfSteps => "out of steps".into(),
        Outcome::Stopped(stop) => format!("stopped: {stop}"),
        Outcome::Halt(status) => format!("halt {status}"),
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(ending(&run_main(text, RunConfig::default())), expected, "{text}");
}

/// A program whose `main` has this body.
fn main_only(body: &str) -> String {
    format!("target 64\nfile0 = \"t.c\"\n{PROPERTIES}func0 = \"main\" () -> (i32) {{\n{body}}}\n")
}

const PROPERTIES: &str = r#"prop0 = "main.buffer-overflow.1" buffer-overflow func0 "out of bounds"
prop1 = "main.null-deref.1" null-deref func0 "null"
prop2 = "main.use-after-free.1" use-after-free func0 "dead"
prop3 = "main.use-after-scope.1" use-after-scope func0 "out of scope"
prop4 = "main.double-free.1" double-free func0 "twice"
prop5 = "main.invalid-free.1" invalid-free func0 "not the start"
prop6 = "main.memory-leak.1" memory-leak func0 "lost"
prop7 = "main.uninitialised.1" uninitialised func0 "not set"
prop8 = "main.signed-overflow.1" signed-overflow func0 "overflow"
"#;

const ACCESS: &str = "[buffer-overflow prop0, null-deref prop1, use-after-free prop2, use-after-scope prop3]";

#[test]
fn arithmetic_wraps_and_branches_go_both_ways() {
    check(
        &main_only(
            "block0:
  v1: i32 = add 2147483647:i32, 1:i32
  v2: i1 = slt v1, 0:i32
  branch v2, block1, block2
block1:
  return 3:i32
block2:
  return 4:i32
",
        ),
        "exit 3",
    );
}

#[test]
fn loops_pass_values_in_parallel() {
    // Two parameters exchange their values on every round: the moves form a cycle.
    check(
        &main_only(
            "block0:
  jump block1(0:i32, 1:i32, 5:i32)
block1(v1: i32, v2: i32, v3: i32):
  v4: i1 = eq v3, 0:i32
  v5: i32 = sub v3, 1:i32
  branch v4, block2, block1(v2, v1, v5)
block2:
  v6: i32 = mul v1, 10:i32
  v7: i32 = add v6, v2
  return v7
",
        ),
        "exit 10",
    );
}

#[test]
fn accesses_inside_of_an_object_go_through() {
    check(
        &main_only(&format!(
            "block0:
  v1: ptr = alloca 8:i64, align 8
  v2: ptr = ptradd v1, 4:i64
  checkmem write v2, 4:i64 {ACCESS}
  store v2, 77:i32
  checkmem read v2, 4:i64 {ACCESS}
  v3: i32 = load v2
  return v3
"
        )),
        "exit 77",
    );
}

#[test]
fn a_write_past_the_end_is_an_overflow() {
    let text = main_only(&format!(
        "block0:
  v1: ptr = heap.alloc 7:i64, prop6 @0:3:1
  v2: ptr = ptradd v1, 4:i64
  checkmem write v2, 4:i64 {ACCESS} @0:4:1
  store v2, 77:i32 @0:4:1
  return 0:i32
"
    ));
    check(&text, "buffer-overflow of prop0 at line 4");
    let Outcome::Violation(v) = run_main(&text, RunConfig::default()).outcome else { panic!("a violation was seen") };
    let object = v.object.expect("the pointer points into an object");
    assert_eq!((object.kind, object.size, v.offset, v.size), (ObjectKind::Heap, 7, Some(4), Some(4)));
    assert_eq!(object.allocated[0].loc.line, 3);
}

#[test]
fn dead_and_null_pointers_are_told_apart() {
    let read = |setup: &str, ptr: &str| {
        main_only(&format!(
            "block0:
{setup}  checkmem read {ptr}, 1:i64 {ACCESS} @0:9:1
  v9: i8 = load {ptr} @0:9:1
  return 0:i32
"
        ))
    };
    check(&read("", "null"), "null-deref of prop1 at line 9");
    check(&read("  v1: ptr = heap.alloc 4:i64\n  heap.free v1\n", "v1"), "use-after-free of prop2 at line 9");
    check(&read("  v1: ptr = alloca 4:i64, align 1, dead\n", "v1"), "use-after-scope of prop3 at line 9");
    check(&read("  v1: ptr = alloca 4:i64, align 1\n  lifetime.end v1\n", "v1"), "use-after-scope of prop3 at line 9");
    check(&read("  v1: ptr = alloca 4:i64, align 1, dead\n  lifetime.start v1\n", "v1"), "exit 0");
}

#[test]
fn frees_are_checked() {
    let free = |setup: &str, ptr: &str| {
        main_only(&format!(
            "block0:
  v1: ptr = heap.alloc 4:i64
{setup}  checkmem free {ptr}, 0:i64 [double-free prop4, invalid-free prop5] @0:9:1
  heap.free {ptr}
  return 0:i32
"
        ))
    };
    check(&free("", "v1"), "exit 0");
    check(&free("", "null"), "exit 0");
    check(&free("  heap.free v1\n", "v1"), "double-free of prop4 at line 9");
    check(&free("  v2: ptr = ptradd v1, 1:i64\n", "v2"), "invalid-free of prop5 at line 9");
    check(&free("  v2: ptr = alloca 1:i64, align 1\n", "v2"), "invalid-free of prop5 at line 9");
}

#[test]
fn lost_memory_is_a_leak_and_reachable_memory_is_none() {
    check(
        &main_only("block0:\n  v1: ptr = heap.alloc 4:i64, prop6 @0:2:1\n  return 0:i32\n"),
        "memory-leak of prop6 at line 2",
    );
    check(
        &main_only(
            "block0:
  v1: ptr = heap.alloc 16:i64, prop6 @0:2:1
  v2: ptr = heap.alloc 16:i64, prop6 @0:3:1
  v3: ptr = ptradd v1, 8:i64
  store v3, v2
  v4: ptr = alloca 8:i64, align 8
  store v4, v1
  exit 5:i32
",
        ),
        "exit 5",
    );
}

#[test]
fn the_values_of_variables_keep_memory_reachable() {
    check(
        &main_only(
            "  var0 = \"p\" \"char *\" pointer
block0:
  v1: ptr = heap.alloc 4:i64, prop6 @0:2:1
  debug var0, v1
  exit 0:i32
",
        ),
        "exit 0",
    );
    check(
        &main_only(
            "  var0 = \"p\" \"char *\" pointer
block0:
  v1: ptr = heap.alloc 4:i64, prop6 @0:2:1
  debug var0, v1
  debug var0, null
  exit 0:i32
",
        ),
        "memory-leak of prop6 at line 2",
    );
}

#[test]
fn shadows_follow_copies() {
    let text = |first: &str| {
        main_only(&format!(
            "block0:
  v1: ptr = alloca 4:i64, align 4
  v2: ptr = alloca 4:i64, align 4
{first}  memcopy v2, v1, 4:i64
  v3: i32 = load v2
  v4: i32 = load.shadow v2
  v5: i1 = eq v4, 0:i32
  check v5, prop7 @0:9:1
  return v3
"
        ))
    };
    check(&text("  store v1, 6:i32\n"), "exit 6");
    check(&text(""), "uninitialised of prop7 at line 9");
    check(&text("  store v1, 6:i16\n"), "uninitialised of prop7 at line 9");
}

#[test]
fn calls_pass_arguments_results_and_variable_arguments() {
    let text = r#"target 64
func0 = "main" () -> (i32) {
block0:
  v1: i32 = call func1(2:i32, 30:i32, 400:i64) : (i32, ...) -> (i32)
  v2: i32 = call.ptr func2(v1, 1:i32) : (i32, i32) -> (i32)
  return v2
}
func1 = "sum" (i32, ...) -> (i32) {
block0(v1: i32, v2: ptr):
  v3: i32 = load v2
  v4: ptr = ptradd v2, 8:i64
  v5: i64 = load v4
  v6: i32 = trunc v5
  v7: i32 = add v3, v6
  v8: i32 = add v7, v1
  return v8
}
func2 = "sub" (i32, i32) -> (i32) address_taken {
block0(v1: i32, v2: i32):
  v3: i32 = sub v1, v2
  return v3
}
"#;
    check(text, "exit 431");
}

#[test]
fn deep_recursion_does_not_use_our_stack() {
    let text = r#"target 64
func0 = "main" () -> (i32) {
block0:
  v1: i32 = call func1(100000:i32) : (i32) -> (i32)
  v2: i32 = lshr v1, 8:i32
  return v2
}
func1 = "down" (i32) -> (i32) {
block0(v1: i32):
  v2: i1 = eq v1, 0:i32
  v3: i32 = sub v1, 1:i32
  branch v2, block1, block2
block1:
  return 0:i32
block2:
  v4: i32 = call func1(v3) : (i32) -> (i32)
  v5: i32 = add v4, 1:i32
  return v5
}
"#;
    check(text, &format!("exit {}", 100_000 >> 8));
    let shallow = RunConfig { max_depth: 1000, ..RunConfig::default() };
    assert_eq!(ending(&run_main(text, shallow)), "unsupported: more than 1000 open calls");
}

#[test]
fn longjmp_comes_back_to_setjmp() {
    let text = r#"target 64
global0 = "buffer" "jmp_buf" size 200 align 16 init #
func0 = "main" () -> (i32) {
block0:
  v1: i32 = setjmp global0
  v2: i1 = eq v1, 0:i32
  branch v2, block1, block2
block1:
  call func1() : () -> ()
  return 1:i32
block2:
  return v1
}
func1 = "thrower" () -> () {
block0:
  v1: ptr = alloca 8:i64, align 8
  longjmp global0, 42:i32
}
"#;
    check(text, "exit 42");
}

#[test]
fn violations_in_models_are_named_at_the_users_call() {
    let text = r#"target 64
file0 = "t.c"
prop0 = "main.buffer-overflow.1" buffer-overflow func0 "call"
prop1 = "model.buffer-overflow.1" buffer-overflow func1 "inside"
func0 = "main" () -> (i32) {
block0:
  v1: ptr = alloca 1:i64, align 1
  call func1(v1) : (ptr) -> () [buffer-overflow prop0] @0:8:2
  return 0:i32
}
func1 = "model" (ptr) -> () model {
block0(v1: ptr):
  checkmem read v1, 2:i64 [buffer-overflow prop1] @0:90:1
  return
}
"#;
    let result = run_main(text, RunConfig::default());
    assert_eq!(ending(&result), "buffer-overflow of prop0 at line 8");
    let Outcome::Violation(v) = result.outcome else { panic!("a violation was seen") };
    assert_eq!(v.stack.len(), 2);
    assert_eq!((v.stack[0].loc.line, v.stack[0].call_loc.map(|l| l.line)), (90, Some(8)));
}

#[test]
fn recorded_inputs_come_in_order_and_end_in_zeros() {
    let text = main_only(
        "block0:
  v1: ptr = alloca 2:i64, align 1
  v2: i32 = input \"a\"
  input.bytes v1, 2:i64, \"b\"
  v3: i8 = load v1
  v4: i1 = builtin alloc_fails()
  v5: i32 = input \"c\"
  v6: i32 = zext v3
  v7: i32 = zext v4
  v8: i32 = shl v7, 8:i32
  v9: i32 = add v2, v6
  v10: i32 = add v9, v8
  v11: i32 = add v10, v5
  return v11
",
    );
    let inputs = vec![InputValue::Value(Bv::from_u64(32, 1000)), InputValue::Bytes(vec![7, 8]), InputValue::Bool(true)];
    let config = RunConfig { inputs: InputSource::Recorded(inputs), ..RunConfig::default() };
    let result = run_main(&text, config);
    assert_eq!(ending(&result), "exit 1263");
    assert_eq!(result.inputs_used.len(), 4);
}

#[test]
fn a_run_tells_which_behaviours_may_be_too_many() {
    let body = "block0:\n  fewer \"f: half\"\n  more \"f: twice\"\n  more \"f: twice\"\n  return 0:i32\n";
    let result = run_main(&main_only(body), RunConfig::default());
    assert_eq!(ending(&result), "exit 0");
    assert_eq!(result.more.iter().map(|(what, _)| what.to_string()).collect::<Vec<_>>(), ["f: twice"]);
}

#[test]
fn functions_without_a_body_are_refused_or_replayed() {
    let text = "target 64\nfunc0 = \"main\" () -> (i32) {\nblock0:\n  v1: i32 = call func1() : () -> (i32)\n  return v1\n}\nfunc1 = \"mystery\" () -> (i32) extern\n";
    check(text, "unsupported: function without body: mystery");
    let inputs = InputSource::Recorded(vec![InputValue::Value(Bv::from_u64(32, 9))]);
    assert_eq!(ending(&run_main(text, RunConfig { inputs, ..RunConfig::default() })), "exit 9");
}

#[test]
fn wide_integers_and_exotic_floats_have_a_slow_path() {
    check(
        &main_only(
            "block0:
  v1: i128 = zext 18446744073709551615:i64
  v2: i128 = mul v1, v1
  v3: i128 = lshr v2, 64:i128
  v4: ptr = alloca 16:i64, align 16
  store v4, v3
  v5: i128 = load v4
  v6: f80 = uitof v5
  v7: f80 = sitof 2:i32
  v8: f80 = fadd v6, v7
  v9: i128 = ftosi v8
  v10: i128 = sub v9, v1
  v11: i32 = trunc v10
  return v11
",
        ),
        "exit 1",
    );
}

#[test]
fn scans_stop_at_the_end_of_the_object() {
    check(
        &main_only(
            "block0:
  v1: ptr = alloca 4:i64, align 1
  memset v1, 65:i8, 4:i64
  v2: i64 = scan v1, 0:i8, 100:i64
  v3: ptr = ptradd v1, 2:i64
  store v3, 0:i8
  v4: i64 = scan v1, 0:i8, 100:i64
  v5: i64 = mismatch v1, v3, 2:i64
  v6: i64 = add v2, v4
  v7: i64 = add v6, v5
  v8: i32 = trunc v7
  return v8
",
        ),
        "exit 102",
    );
}

#[test]
fn limits_end_a_run() {
    let text = main_only("block0:\n  jump block1\nblock1:\n  jump block1\n");
    let config = RunConfig { max_steps: Some(1000), ..RunConfig::default() };
    assert_eq!(ending(&run_main(&text, config)), "out of steps");
    let config = RunConfig { entry: Entry::Func("main".into(), Vec::new()), ..RunConfig::default() };
    let budget = Budget::unlimited();
    budget.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(ending(&run(&program(&text), &config, &budget)), "stopped: interrupted");
}

#[test]
fn the_trace_tells_assignments_and_branches() {
    let text = main_only(
        "  var0 = \"x\" \"int\" signed
block0:
  v1: i32 = add 1:i32, 2:i32
  debug var0, v1 @0:3:1
  v2: i1 = sgt v1, 2:i32
  branch v2, block1, block1 @0:4:1
block1:
  return v1
",
    );
    let result = run_main(&text, RunConfig { trace: TraceLevel::Full, ..RunConfig::default() });
    let told: Vec<&str> = result
        .trace
        .iter()
        .map(|e| match e {
            Event::Enter { .. } => "enter",
            Event::Assign { value, .. } if value.to_u64() == Some(3) => "x = 3",
            Event::Branch { taken: true, .. } => "taken",
            _ => "other",
        })
        .collect();
    assert_eq!(told, ["enter", "x = 3", "taken"]);
}

#[test]
fn a_switch_finds_its_case_in_every_table() {
    for (value, expected) in [(3u64, "exit 13"), (5, "exit 15"), (1_000_000, "exit 20"), (7, "exit 1")] {
        let body = |sparse: &str| {
            main_only(&format!(
                "block0:
  v1: i32 = add {value}:i32, 0:i32
  switch v1, block4, 3:i32 block1, 5:i32 block2{sparse}
block1:
  return 13:i32
block2:
  return 15:i32
block3:
  return 20:i32
block4:
  return 1:i32
"
            ))
        };
        check(&body(", 1000000:i32 block3"), expected);
        if value != 1_000_000 {
            check(&body(", 6:i32 block3"), expected);
        }
    }
}
