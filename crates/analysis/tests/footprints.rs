//! Footprints by member, on programs in the IR's text form.

use blitz_analysis::{Bytes, Footprint, Footprints};
use blitz_ir::{FuncId, Program, parse};

/// The footprint of `func1`, which `main` calls with the address of a global.
fn footprint(body: &str) -> Footprint {
    let text = format!(
        r#"target 64
file0 = "t.c"
prop0 = "f.array-bounds.1" array-bounds func1 "index"
global0 = "state" "char[1000]" size 1000 align 8 init #
func0 = "main" () -> (i32) {{
block0:
  call func1(global0, 5:i32) : (ptr, i32) -> ()
  return 0:i32
}}
func1 = "f" (ptr, i32) -> () {{
{body}
}}
func2 = "set" (ptr) -> () {{
block0(v0: ptr):
  v1: ptr = ptradd v0, 8:i64
  store v1, 1:i32
  return
}}
func3 = "walk" (ptr) -> () {{
block0(v0: ptr):
  v1: ptr = ptradd v0, 8:i64
  call func3(v1) : (ptr) -> ()
  store v0, 1:i32
  return
}}
"#
    );
    let program: Program =
        parse::program(&text).unwrap_or_else(|e| panic!("the test's program should parse: {e}\n{text}"));
    let all = Footprints::new(&program, FuncId::new(0), &[]);
    all.of(FuncId::new(1)).expect("f should be reached").clone()
}

/// What it writes through its first parameter.
fn written(body: &str) -> Option<Bytes> {
    let found = footprint(body);
    assert!(!found.writes.anything, "what is written should be known: {found:?}");
    found.writes.params.get(&0).cloned()
}

fn ranges(list: &[(i64, i64)]) -> Option<Bytes> {
    Some(Bytes::Ranges(list.to_vec()))
}

#[test]
fn members_at_constant_offsets_are_told_apart() {
    let body = "block0(v0: ptr, v1: i32):\n  v2: ptr = ptradd v0, 16:i64\n  store v2, v1\n  v3: ptr = ptradd v0, 40:i64\n  \
                v4: ptr = ptradd v3, 18446744073709551608:i64\n  store v4, 7:i64\n  return";
    assert_eq!(written(body), ranges(&[(16, 20), (32, 40)]));
}

#[test]
fn a_mask_bounds_an_index() {
    let body = "block0(v0: ptr, v1: i32):\n  v2: ptr = ptradd v0, 28:i64\n  v3: i32 = and v1, 31:i32\n  v4: i64 = sext v3\n  \
                v5: i64 = mul v4, 4:i64\n  v6: ptr = ptradd v2, v5\n  store v6, v1\n  return";
    assert_eq!(written(body), ranges(&[(28, 28 + 32 * 4)]));
}

const INDEXED: &str = "  v3: i64 = sext v1\n  v4: i1 = ult v3, 40:i64\n";

#[test]
fn a_check_in_front_bounds_an_index() {
    let body = format!(
        "block0(v0: ptr, v1: i32):\n{INDEXED}  check v4, prop0\n  v5: i64 = mul v3, 4:i64\n  v6: ptr = ptradd v0, v5\n  store v6, v1\n  return"
    );
    assert_eq!(written(&body), ranges(&[(0, 160)]));
}

/// Four bytes at any index that 32 bits can hold.
fn any_index() -> Option<Bytes> {
    ranges(&[(-(1 << 33), 1 << 33)])
}

#[test]
fn without_the_check_or_behind_the_access_only_the_type_bounds_an_index() {
    let without = format!(
        "block0(v0: ptr, v1: i32):\n{INDEXED}  v5: i64 = mul v3, 4:i64\n  v6: ptr = ptradd v0, v5\n  store v6, v1\n  return"
    );
    assert_eq!(written(&without), any_index());
    let behind = format!(
        "block0(v0: ptr, v1: i32):\n{INDEXED}  v5: i64 = mul v3, 4:i64\n  v6: ptr = ptradd v0, v5\n  store v6, v1\n  check v4, prop0\n  return"
    );
    assert_eq!(written(&behind), any_index());
}

#[test]
fn a_branch_bounds_an_index_on_its_side_only() {
    let side = |access: &str, other: &str| {
        format!(
            "block0(v0: ptr, v1: i32):\n{INDEXED}  branch v4, block1, block2\nblock1:\n{access}  return\nblock2:\n{other}  return"
        )
    };
    let store = "  v5: i64 = mul v3, 4:i64\n  v6: ptr = ptradd v0, v5\n  store v6, v1\n";
    assert_eq!(written(&side(store, "")), ranges(&[(0, 160)]));
    assert_eq!(written(&side("", store)), any_index());
}

/// `for (p = e; ...; p++) *p = 1;`
#[test]
fn a_pointer_that_walks_may_be_anywhere() {
    let body = "block0(v0: ptr, v1: i32):\n  jump block1(v0)\nblock1(v2: ptr):\n  store v2, v1\n  v3: ptr = ptradd v2, 4:i64\n  \
                v4: i32 = input \"more\"\n  v5: i1 = ne v4, 0:i32\n  branch v5, block1(v3), block2\nblock2:\n  return";
    assert_eq!(written(body), Some(Bytes::Any));
}

#[test]
fn a_callee_writes_where_its_argument_points() {
    let body = "block0(v0: ptr, v1: i32):\n  v2: ptr = ptradd v0, 100:i64\n  call func2(v2) : (ptr) -> ()\n  return";
    assert_eq!(written(body), ranges(&[(108, 112)]));
}

#[test]
fn recursion_that_walks_may_be_anywhere() {
    let body = "block0(v0: ptr, v1: i32):\n  call func3(v0) : (ptr) -> ()\n  return";
    assert_eq!(written(body), Some(Bytes::Any));
}

#[test]
fn copies_write_as_far_as_their_length_may_go() {
    let copy = |len: &str| {
        format!(
            "block0(v0: ptr, v1: i32):\n  v2: i32 = and v1, 15:i32\n  v3: i64 = zext v2\n  v4: i64 = zext v1\n  v5: ptr = ptradd v0, 8:i64\n  \
             memset v5, 0:i8, {len}\n  return"
        )
    };
    assert_eq!(written(&copy("v3")), ranges(&[(8, 8 + 15)]));
    assert_eq!(written(&copy("12:i64")), ranges(&[(8, 20)]));
    // A length of 32 bits is smaller than what offsets reach.
    assert_eq!(written(&copy("v4")), ranges(&[(8, 8 + 0xffff_ffff)]));
}

/// An address that was read from memory may be that of anything.
#[test]
fn what_a_loaded_pointer_points_to_is_anything() {
    let body = "block0(v0: ptr, v1: i32):\n  v2: ptr = load v0\n  store v2, v1\n  return";
    assert!(footprint(body).writes.anything);
}

/// Steps so large that an offset could leave what can be addressed say nothing.
#[test]
fn far_steps_say_nothing() {
    let body = "block0(v0: ptr, v1: i32):\n  v2: ptr = ptradd v0, 549755813887:i64\n  v3: ptr = ptradd v2, 18446743523953737736:i64\n  store v3, v1\n  return";
    assert_eq!(written(body), Some(Bytes::Any));
}
