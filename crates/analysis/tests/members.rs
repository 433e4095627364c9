//! Classes, parts and effects by member, on programs in the IR's text form.

use blitz_analysis::{Analysis, Cell, Instance, Region};
use blitz_ir::{FuncId, Program, Value, parse};
use std::collections::BTreeSet;

/// The object all tests are about, as C would declare it:
/// `struct { int count; int total; char text[40]; struct { int key; int val; } recs[4]; int *cell; }`.
const SIZE: u64 = 88;
const COUNT: i64 = 0;
const TOTAL: i64 = 4;
const TEXT: i64 = 8;
const KEY: i64 = 48;
const VAL: i64 = 52;
const CELL: i64 = 80;

struct Found {
    analysis: Analysis,
    object: Cell,
}

impl Found {
    /// A program whose `main` makes the object and calls `func1` with it; `func2` is called by `func1`, and `func3`
    /// reads every member.
    fn new(first: &str, second: &str) -> Self {
        let text = format!(
            r#"target 64
file0 = "t.c"
func0 = "main" () -> (i32) {{
block0:
  v0: ptr = heap.alloc {SIZE}:i64
  call func1(v0, 3:i64) : (ptr, i64) -> ()
  call func3(v0, 3:i64) : (ptr, i64) -> ()
  return 0:i32
}}
func1 = "first" (ptr, i64) -> () {{
{first}
}}
func2 = "second" (ptr) -> () {{
{second}
}}
func3 = "read" (ptr, i64) -> () {{
block0(v0: ptr, v1: i64):
  v2: i32 = load v0
  v3: ptr = ptradd v0, 4:i64, in 4+4
  v4: i32 = load v3
  v5: ptr = ptradd v0, 8:i64, in 8+40
  v6: ptr = ptradd v5, v1, in 0+40
  v7: i8 = load v6
  v8: ptr = ptradd v0, 48:i64, in 48+32
  v9: i64 = mul v1, 8:i64
  v10: ptr = ptradd v8, v9, in 0+32
  v11: i32 = load v10
  v12: ptr = ptradd v10, 4:i64, in 4+4
  v13: i32 = load v12
  v14: ptr = ptradd v0, 80:i64, in 80+8
  v15: ptr = load v14
  v16: i32 = load v15
  return
}}
"#
        );
        let program: Program =
            parse::program(&text).unwrap_or_else(|e| panic!("the test's program should parse: {e}\n{text}"));
        let analysis = Analysis::new(&program, &[FuncId::new(0)]);
        let object = analysis.cell(Instance::SHARED, FuncId::new(0), Value(0)).expect("the object should have a class");
        Self { analysis, object }
    }

    fn part(&self, offset: i64, bytes: u64) -> Region {
        let place = Cell { offset: self.object.offset + offset, ..self.object };
        self.analysis.part(place, bytes).expect("the member should be accessed somewhere")
    }

    /// The members that `func1` may write, by their offsets.
    fn written(&self) -> Vec<i64> {
        let modified: BTreeSet<Region> = self.analysis.modified(Instance::SHARED, FuncId::new(1)).into_iter().collect();
        let all = [(COUNT, 4), (TOTAL, 4), (TEXT, 1), (KEY, 4), (VAL, 4), (CELL, 8)];
        all.into_iter().filter(|(o, n)| modified.contains(&self.part(*o, *n))).map(|(o, _)| o).collect()
    }
}

const NOTHING: &str = "block0(v0: ptr):\n  return";

fn written(first: &str) -> Vec<i64> {
    Found::new(&format!("block0(v0: ptr, v1: i64):\n{first}  return"), NOTHING).written()
}

#[test]
fn a_store_to_a_member_writes_that_member() {
    assert_eq!(written("  v2: ptr = ptradd v0, 4:i64, in 4+4\n  store v2, 1:i32\n"), [TOTAL]);
    assert_eq!(written("  store v0, 1:i32\n"), [COUNT]);
}

#[test]
fn an_index_stays_in_its_array() {
    let body = "  v2: ptr = ptradd v0, 8:i64, in 8+40\n  v3: ptr = ptradd v2, v1, in 0+40\n  store v3, 1:i8\n";
    assert_eq!(written(body), [TEXT]);
}

#[test]
fn a_byte_at_any_place_may_be_in_every_member() {
    let body = "  v2: ptr = ptradd v0, v1\n  store v2, 1:i8\n";
    assert_eq!(written(body), [COUNT, TOTAL, TEXT, KEY, VAL, CELL]);
}

#[test]
fn an_array_of_structs_is_one_array_for_each_member() {
    let body = "  v2: ptr = ptradd v0, 48:i64, in 48+32\n  v3: i64 = mul v1, 8:i64\n  v4: ptr = ptradd v2, v3, in 0+32\n  \
                v5: ptr = ptradd v4, 4:i64, in 4+4\n  store v5, 1:i32\n";
    assert_eq!(written(body), [VAL]);
}

#[test]
fn a_pointer_that_walks_stays_in_its_member() {
    let found = Found::new(
        "block0(v0: ptr, v1: i64):\n  v2: ptr = ptradd v0, 8:i64, in 8+40\n  jump block1(v2)\nblock1(v3: ptr):\n  \
         store v3, 1:i8\n  v4: ptr = ptradd v3, 1:i64\n  v5: i1 = ult v1, 3:i64\n  branch v5, block1(v4), block2\n\
         block2:\n  return",
        NOTHING,
    );
    assert_eq!(found.written(), [TEXT]);
}

#[test]
fn members_handed_to_one_function_are_one_class_and_the_others_are_not() {
    let call = "block0(v0: ptr, v1: i64):\n  v2: ptr = ptradd v0, 4:i64, in 4+4\n  call func2(v2) : (ptr) -> ()\n  \
                v3: ptr = ptradd v0, 48:i64, in 48+32\n  v4: ptr = ptradd v3, 4:i64, in 4+4\n  \
                call func2(v4) : (ptr) -> ()\n  return";
    let found = Found::new(call, "block0(v0: ptr):\n  store v0, 1:i32\n  return");
    assert_eq!(found.written(), [TOTAL, VAL]);
    assert_eq!(found.part(TOTAL, 4), found.part(VAL, 4));
}

#[test]
fn a_pointer_that_leaves_its_member_may_mean_the_others() {
    // container_of: from the address of `total` back to the object, and on to `text` without saying so.
    let body = "  v2: ptr = ptradd v0, 4:i64, in 4+4\n  v3: ptr = ptradd v2, 18446744073709551612:i64\n  \
                store v3, 1:i32\n  v4: ptr = ptradd v3, 4:i64, in 4+4\n  store v4, 1:i32\n";
    assert_eq!(written(body), [COUNT, TOTAL]);
}

#[test]
fn a_bulk_operation_writes_what_it_goes_over() {
    assert_eq!(written("  memset v0, 0:i8, 88:i64\n"), [COUNT, TOTAL, TEXT, KEY, VAL, CELL]);
    assert_eq!(written("  memset v0, 0:i8, 8:i64\n"), [COUNT, TOTAL]);
    assert_eq!(written("  v2: ptr = ptradd v0, 8:i64, in 8+40\n  memset v2, 0:i8, v1\n"), [TEXT]);
}

#[test]
fn an_access_that_straddles_members_joins_them() {
    let found = Found::new("block0(v0: ptr, v1: i64):\n  store v0, 1:i64\n  return", NOTHING);
    assert_eq!(found.part(COUNT, 4), found.part(TOTAL, 4));
    assert_eq!(found.written(), [COUNT, TOTAL]);
    assert_ne!(found.part(COUNT, 4), found.part(KEY, 4));
}

#[test]
fn what_is_stored_in_a_member_is_not_the_object_itself() {
    let body = "block0(v0: ptr, v1: i64):\n  v2: ptr = heap.alloc 4:i64\n  v3: ptr = ptradd v0, 80:i64, in 80+8\n  \
                store v3, v2\n  v4: ptr = ptradd v0, 48:i64, in 48+32\n  v5: i64 = mul v1, 8:i64\n  \
                v6: ptr = ptradd v4, v5, in 0+32\n  v7: ptr = ptradd v6, 4:i64, in 4+4\n  store v7, 2:i32\n  return";
    let found = Found::new(body, NOTHING);
    let cell = Cell { offset: found.object.offset + CELL, ..found.object };
    let pointee = found.analysis.pointee(cell).expect("one class should be stored there");
    assert_ne!(found.analysis.life(pointee), found.analysis.life(found.object));
    assert_eq!(found.written(), [VAL, CELL]);
}

#[test]
fn a_copied_object_has_the_same_pointers_and_members_of_its_own() {
    let body = "block0(v0: ptr, v1: i64):\n  v2: ptr = heap.alloc 88:i64\n  memcopy v2, v0, 88:i64\n  \
                v3: ptr = ptradd v2, 4:i64, in 4+4\n  store v3, 1:i32\n  v4: ptr = ptradd v2, 80:i64, in 80+8\n  \
                v5: ptr = load v4\n  store v5, 1:i32\n  return";
    let found = Found::new(body, NOTHING);
    assert_eq!(found.written(), [] as [i64; 0]);
    let copy = found.analysis.cell(Instance::SHARED, FuncId::new(1), Value(5)).expect("a pointer should have a class");
    let cell = Cell { offset: found.object.offset + CELL, ..found.object };
    assert_eq!(found.analysis.pointee(cell).map(|c| c.node), Some(copy.node));
}

#[test]
fn parts_of_a_range_say_which_bytes_they_are() {
    let found = Found::new("block0(v0: ptr, v1: i64):\n  return", NOTHING);
    let places = found.analysis.places(found.object, Some(SIZE));
    let spans = |part: Region| places.iter().find(|p| p.part == part).and_then(|p| p.spans.clone()).map(|s| s.to_vec());
    assert_eq!(spans(found.part(TOTAL, 4)), Some(vec![(4, 8)]));
    assert_eq!(spans(found.part(TEXT, 1)), Some(vec![(8, 48)]));
    assert_eq!(spans(found.part(KEY, 4)), Some(vec![(48, 52), (56, 60), (64, 68), (72, 76)]));
}

#[test]
fn allocation_and_free_change_lives_and_no_parts() {
    let found = Found::new("block0(v0: ptr, v1: i64):\n  heap.free v0\n  return", NOTHING);
    assert_eq!(found.analysis.modified(Instance::SHARED, FuncId::new(1)), [found.analysis.life(found.object)]);
}
