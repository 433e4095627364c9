//! Inputs that are no programs: one clear sentence each, never a panic.

mod common;

use blitz_frontend::{LibcVariant, LoadError, LoadOptions, ModuleInput, load};
use blitz_ir::{Checks, FuncId};
use std::path::Path;

fn options() -> LoadOptions {
    LoadOptions {
        checks: Checks::default(),
        libc: LibcVariant::None,
        entry: None,
        unit: None,
        offset_bits: None,
        no_body: Default::default(),
    }
}

fn input(name: &str, bytes: &[u8]) -> ModuleInput {
    ModuleInput { name: name.into(), bytes: bytes.to_vec(), edits: Default::default() }
}

fn refusal(inputs: Vec<ModuleInput>, options: &LoadOptions) -> String {
    match load(inputs, options) {
        Ok(_) => panic!("the input should be refused"),
        Err(e) => {
            let text = e.to_string();
            assert!(!text.contains('\n'), "one line: {text}");
            text
        }
    }
}

fn sample(text: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("t.c");
    std::fs::write(&file, text).unwrap();
    common::bitcode(&file, &[], Checks::default()).remove(0).bytes
}

const SAMPLE: &str = "
struct s { int a : 3; double d; char t[5]; };
static const char *names[] = {\"a\", \"b\"};
int f(int n, struct s v, ...) { int a[n + 1]; a[n] = v.a / (n | 1); return a[n] + names[n & 1][0]; }
int main(int argc, char **argv) {
  struct s v = {1, 2.5, \"x\"};
  switch (argc) { case 1: return f(argc, v, 3); case 7: v.d *= 2; }
  for (int i = 0; i < argc; i++) v.t[i % 5] = argv[i][0];
  return v.t[1] << 3;
}";

#[test]
fn nothing_to_load() {
    assert_eq!(refusal(Vec::new(), &options()), "there is no module to load");
    assert_eq!(refusal(vec![input("e.bc", b"")], &options()), "e.bc is empty");
}

#[test]
fn not_a_module() {
    let expected = "x.bc is neither LLVM bitcode nor textual LLVM IR";
    assert_eq!(refusal(vec![input("x.bc", b"\x7fELF\0\0\0")], &options()), expected);
    assert_eq!(refusal(vec![input("x.bc", b"hello world")], &options()), expected);
}

#[test]
fn truncated_bitcode() {
    let whole = sample(SAMPLE);
    for len in [4, 5, 7, 8, 20, 100, whole.len() / 4, whole.len() / 2, whole.len() - 4, whole.len() - 1] {
        let said = refusal(vec![input("t.bc", &whole[..len])], &options());
        assert!(said.starts_with("t.bc is"), "{len} bytes: {said}");
    }
}

#[test]
fn text_with_an_error() {
    let said = refusal(vec![input("t.ll", b"define i32 @f() {\n  ret i64 0\n}\n")], &options());
    assert!(said.starts_with("t.ll is not well-formed LLVM IR:"), "{said}");
}

#[test]
fn text_is_accepted() {
    let text = b"target triple = \"x86_64-pc-linux-gnu\"\ntarget datalayout = \"e-p:64:64\"\ndefine i32 @f() {\n  ret i32 0\n}\n";
    assert!(load(vec![input("t.ll", text)], &options()).is_ok());
}

#[test]
fn bitcode_of_a_newer_llvm_is_named() {
    let said = LoadError::Newer { name: "n.bc".into(), producer: "LLVM21.1.0".into() }.to_string();
    assert_eq!(said, "n.bc was produced by a newer LLVM (LLVM21.1.0) than the 19 that blitz reads");
}

#[test]
fn two_definitions() {
    let (a, b) = (sample("int twice(void) { return 1; }"), sample("int twice(void) { return 2; }"));
    let said = refusal(vec![input("a.bc", &a), input("b.bc", &b)], &options());
    assert_eq!(said, "`twice` is defined in more than one input");
}

#[test]
fn mixed_and_foreign_targets() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("t.c");
    std::fs::write(&file, "int g(void) { return 1; }").unwrap();
    let wide = sample("int f(void) { return 1; }");
    let narrow = common::bitcode(Path::new(&file), &["-m32"], Checks::none()).remove(0).bytes;
    let said = refusal(vec![input("a.bc", &wide), input("b.bc", &narrow)], &options());
    assert!(said.starts_with("b.bc is for the target i386"), "{said}");
    let foreign = b"target triple = \"s390x-ibm-linux\"\ntarget datalayout = \"E-p:64:64\"\n";
    let said = refusal(vec![input("z.ll", foreign)], &options());
    assert_eq!(said, "the target s390x-ibm-linux is not supported (only x86-64 and 32-bit x86)");
}

#[test]
fn missing_entry() {
    let bytes = sample("int f(void) { return 1; }");
    let options = LoadOptions { entry: Some("main".into()), ..options() };
    let said = refusal(vec![input("f.bc", &bytes)], &options);
    assert_eq!(said, "the program defines no function `main` to start in");
}

/// Bytes of bitcode changed at random: refused, or lowered to something the rules of the IR hold for.
#[test]
fn mutated_bitcode() {
    let whole = sample(SAMPLE);
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..150 {
        let mut bytes = whole.clone();
        for _ in 0..=next(4) {
            let at = next(bytes.len());
            bytes[at] = next(256) as u8;
        }
        if let Ok(program) = load(vec![input("m.bc", &bytes)], &options()) {
            for f in (0..program.funcs.len()).map(FuncId::new) {
                program.body(f);
            }
        }
    }
}
