use crate::{TargetInfo, parse, verify};

fn check(text: &str, expected: &str) {
    let func = parse::func(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let errors: Vec<String> = verify::func(&func, TargetInfo::new(64)).iter().map(ToString::to_string).collect();
    assert!(errors.iter().any(|e| e.contains(expected)), "{text}\nwanted {expected}, got {errors:?}");
}

#[test]
fn broken_bodies_are_told_why() {
    check("", "should have a block");
    check("block0:\n jump block0", "an edge goes to the entry");
    check("block0:\n jump block7", "block7 does not exist");
    check("block0(v0: i32):\n jump block1(v0)\nblock1:\n return", "passes [Int(32)] to block1");
    check("block0:\n jump block1(1:i8)\nblock1(v0: i32):\n return", "which takes [Int(32)]");
    check("block0:\n v0: i32 = add v1, 1:i32\n v1: i32 = add v0, 1:i32\n return", "definition does not reach");
    check(
        "block0(v0: i1):\n branch v0, block1, block2\nblock1:\n v1: i8 = load null\n jump block2\nblock2:\n return v1",
        "definition does not reach",
    );
    check("block0:\n v0: i32 = add 1:i32, 1:i64\n return", "should be i32");
    check("block0:\n v0: i64 = add 1:i32, 1:i32\n return", "yields [Int(64)]");
    check("block0:\n v0: i32 = zext 1:i64\n return", "zext can't make i32 from i64");
    check("block0:\n v0: i32 = ptrtoint null\n return", "ptrtoint can't make i32 from ptr");
    check("block0:\n v0: f32 = fadd 1:i32, 1:i32\n return", "should be a float");
    check("block0:\n v0: i1 = eq #x00000000:f32, #x00000000:f32\n return", "compared differently");
    check("block0:\n check 1:i8, prop0\n return", "should be i1");
    check("block0:\n v0: i32 = load 5:i64\n return", "should be ptr");
    check("block0:\n memset null, 0:i32, 1:i64\n return", "should be i8");
    check("block0:\n call func0(1:i32) : () -> ()\n return", "passes 1 arguments");
    check("block0:\n v0: i8 = call func0() : () -> (i32)\n return", "yields [Int(8)]");
    check("block0:\n debug var0, 1:i32\n return", "var0 does not exist");
    check("block0:\n switch 1:i32, block1, 1:i32 block1, 1:i32 block1\nblock1:\n return", "comes twice");
    check("block0:\n switch 1:i32, block1, 1:i8 block1\nblock1:\n return", "operand's width");
    check("block0:\n v0: i64 = builtin object_size()\n return", "takes 1 arguments");
    check("block0:\n checkmem read null, 1:i64 [double-free prop0]\n return", "can't violate double-free");
    check("block0:\n checkmem read null, 1:i64 [null-deref prop0, null-deref prop1]\n return", "listed twice");
}

#[test]
fn every_error_is_given() {
    let func = parse::func("block0:\n check 1:i8, prop0\n check 1:i16, prop0\n return").unwrap();
    assert_eq!(verify::func(&func, TargetInfo::new(64)).len(), 2);
}

#[test]
fn a_program_is_checked_as_a_whole() {
    let text = r#"
target 64
global0 = "g" "" size 4 align 4 init #0000000000 reloc 0 global9+0
func0 = "f" (i32) -> (i32) {
block0(v0: i64):
  call func1() : () -> ()
  check 1:i1, prop0
  return v0
}
func1 = "g" (i32) -> () extern
"#;
    let program = parse::program(text).unwrap();
    let errors: Vec<String> = verify::program(&program).iter().map(ToString::to_string).collect();
    for expected in
        ["initial bytes", "out of range", "parameters are", "call of g as", "prop0 does not exist", "returns"]
    {
        assert!(errors.iter().any(|e| e.contains(expected)), "{expected}: {errors:?}");
    }
}
