use super::Held;
use crate::func::{Block, Func};
use crate::parse;

/// What the variables hold at the end of a block, as a list.
fn at_end(body: &str, block: u32) -> String {
    let func: Func = parse::func(body).unwrap_or_else(|e| panic!("the test's body should parse: {e}\n{body}"));
    let values = Held::new(&func, 64).at(&func, Block(block), usize::MAX);
    values.iter().map(|v| format!("{v}")).collect::<Vec<_>>().join(" ")
}

const CHOICE: &str = r#"
  var0 = "p" "char *" pointer
block0(v0: i1, v1: ptr, v2: ptr):
  branch v0, block1, block2
block1:
  debug var0, v1
  jump block3(v1)
block2:
  debug var0, v2
  jump block3(v2)
block3(v3: ptr):
  return
"#;

#[test]
fn a_parameter_holds_what_differs_before_it() {
    assert_eq!(at_end(CHOICE, 1), "v1");
    assert_eq!(at_end(CHOICE, 3), "v3");
}

#[test]
fn without_a_parameter_it_is_one_of_the_values() {
    let body =
        CHOICE.replace("block3(v1)", "block3").replace("block3(v2)", "block3").replace("block3(v3: ptr)", "block3");
    assert_eq!(at_end(&body, 3), "v1 v2");
}

#[test]
fn what_one_path_leaves_out_is_not_held() {
    let body = CHOICE.replace("  debug var0, v2\n", "");
    assert_eq!(at_end(&body, 3), "");
}

#[test]
fn loops_carry_variables_round() {
    // Two variables begin alike; one is set anew in each iteration, and a third lives in the body only.
    let body = r#"
  var0 = "buf" "char *" pointer
  var1 = "old" "char *" pointer
  var2 = "t" "char *" pointer
block0(v0: i1, v1: ptr):
  debug var0, null
  debug var1, null
  jump block1(null, null)
block1(v2: ptr, v3: ptr):
  branch v0, block2, block3
block2:
  v4: ptr = ptradd v1, 1:i64
  debug var2, v4
  debug var1, v2
  debug var0, v4
  jump block1(v4, v2)
block3:
  return
"#;
    assert_eq!(at_end(body, 3), "v2 v3");
    assert_eq!(at_end(body, 2), "v2 v4");
}
