use super::*;
use crate::parse;

const PROGRAM: &str = r#"
target 64
func0 = "main" () -> (i32) {
block0:
  call func1() : () -> ()
  v0: ptr = input "p"
  v1: i32 = call.ptr v0(5:i32) : (i32) -> (i32)
  return v1
}
func1 = "even" () -> () {
block0:
  call func2() : () -> ()
  return
}
func2 = "odd" () -> () {
block0:
  call func1() : () -> ()
  return
}
func3 = "handler" (i32) -> (i32) address_taken {
block0(v0: i32):
  return v0
}
func4 = "other type" (ptr) -> (i32) address_taken extern
func5 = "not taken" (i32) -> (i32) extern
func6 = "old style" (...) -> (i32) address_taken extern
func7 = "unreached" () -> () {
block0:
  call func0() : () -> (i32)
  return
}
"#;

fn names(program: &Program, funcs: &[FuncId]) -> Vec<String> {
    funcs.iter().map(|&f| program.decl(f).name.clone()).collect()
}

#[test]
fn indirect_calls_reach_what_has_the_type_and_an_address() {
    let program = parse::program(PROGRAM).unwrap();
    let graph = CallGraph::new(&program, &[FuncId(0)]);
    assert_eq!(names(&program, graph.callees(FuncId(0))), ["even", "handler", "old style"]);
    assert_eq!(names(&program, graph.callers(FuncId(1))), ["main", "odd"]);
    assert!(!graph.contains(FuncId(7)));
    assert_eq!(graph.sites(FuncId(0)).len(), 2);
}

#[test]
fn components_come_callees_first() {
    let program = parse::program(PROGRAM).unwrap();
    let graph = CallGraph::new(&program, &[FuncId(0)]);
    let order: Vec<Vec<String>> = graph.components().iter().map(|c| names(&program, c)).collect();
    assert_eq!(order, [vec!["even", "odd"], vec!["handler"], vec!["old style"], vec!["main"]]);
    assert!(graph.is_recursive(FuncId(1)) && !graph.is_recursive(FuncId(0)));
}

#[test]
fn a_long_chain_of_calls_does_not_overflow_the_stack() {
    let n = 50_000;
    let mut text = String::from("target 64\n");
    for i in 0..n {
        let callee = (i + 1) % n;
        text += &format!("func{i} = \"f{i}\" () -> () {{\nblock0:\n  call func{callee}() : () -> ()\n  return\n}}\n");
    }
    let program = parse::program(&text).unwrap();
    assert_eq!(CallGraph::new(&program, &[FuncId(0)]).components().len(), 1);
}
