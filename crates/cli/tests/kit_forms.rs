//! Reproduction kits for every form a program comes in: several files, bitcode, `blitz cc`, a database, one function.

mod common;

use common::blitz;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Checks, and expects the one violation to be shown natively in this file and line.
fn confirmed_at(folder: &Path, args: &[&str], file: &str, line: u64) -> Value {
    let all: Vec<&str> =
        ["check", "--format", "json", "--timeout", "60s"].into_iter().chain(args.iter().copied()).collect();
    let output = blitz(folder, &all);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", text(&output.stderr)));
    let found = &report["violation"];
    assert_eq!(found["confirmed"], "native", "{args:?}: {}", found["native"]);
    let said = &found["native"]["report"];
    assert!(said["file"].as_str().unwrap_or("").ends_with(file), "{said}");
    assert_eq!((said["line"].as_u64(), found["line"].as_u64()), (Some(line), Some(line)));
    found.clone()
}

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, contents) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("writable");
        std::fs::write(path, contents).expect("writable");
    }
    folder
}

const MAIN: &str = "#include <stdlib.h>\nint pick(const char *text);\nint main(int argc, char **argv) {\n  return argc > 1 ? pick(argv[1]) : 0;\n}\n";
const PICK: &str = "static int table[SIZE];\nint pick(const char *text) {\n  int at = text[0] - 'a';\n  if (at < 0)\n    return 0;\n  return at <= SIZE ? table[at] : 0;\n}\n";

#[test]
fn several_files_with_flags() {
    let folder = folder_with(&[("main.c", MAIN), ("pick.c", PICK)]);
    let found = confirmed_at(folder.path(), &["main.c", "pick.c", "--", "-DSIZE=4"], "pick.c", 6);
    assert_eq!(found["kind"], "array-bounds");
    let kit = folder.path().join(found["native"]["kit"].as_str().expect("a kit"));
    for file in ["run.sh", "shim.c", "inputs.txt", "gdb.txt", "kit.json"] {
        assert!(kit.join(file).exists(), "{file} should be in the kit");
    }
    let again = blitz(folder.path(), &["replay"]);
    assert_eq!(again.status.code(), Some(10), "{}", text(&again.stderr));
    assert!(
        text(&again.stdout).contains("confirmed natively: runtime error: index 4 out of bounds"),
        "{}",
        text(&again.stdout)
    );
    // The mended program does not show it any more.
    std::fs::write(folder.path().join("pick.c"), PICK.replace("<= SIZE", "< SIZE")).expect("writable");
    let mended = blitz(folder.path(), &["replay"]);
    assert_eq!(mended.status.code(), Some(20), "{}", text(&mended.stdout));
    assert!(text(&mended.stdout).contains("no sanitizer saw it"), "{}", text(&mended.stdout));
}

#[test]
fn a_compilation_database_in_another_folder() {
    let database = r#"[{"directory": "src", "file": "main.c", "command": "cc -c main.c"},
        {"directory": "src", "file": "pick.c", "command": "cc -O2 -DSIZE=4 -c pick.c -o pick.o"}]"#;
    let folder = folder_with(&[("src/main.c", MAIN), ("src/pick.c", PICK), ("compile_commands.json", database)]);
    confirmed_at(folder.path(), &["-p", "."], "pick.c", 6);
}

#[test]
fn a_program_built_with_cc() {
    let folder = folder_with(&[("main.c", MAIN), ("pick.c", PICK)]);
    let built = blitz(folder.path(), &["cc", "-g", "-DSIZE=4", "main.c", "pick.c", "-o", "program"]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    confirmed_at(folder.path(), &["program"], "pick.c", 6);
}

#[test]
fn bitcode_that_knows_no_sanitizer() {
    let heap = "#include <stdlib.h>\n#include <string.h>\nint main(int argc, char **argv) {\n  char *p = malloc(4);\n  if (p && argc > 1)\n    strcpy(p, argv[1]);\n  free(p);\n  return 0;\n}\n";
    let folder = folder_with(&[("heap.c", heap)]);
    let built = Command::new("clang-19")
        .args(["-g", "-O0", "-emit-llvm", "-c", "heap.c", "-o", "heap.bc"])
        .current_dir(folder.path())
        .status()
        .expect("clang-19 should start");
    assert!(built.success());
    let found = confirmed_at(folder.path(), &["heap.bc"], "heap.c", 6);
    assert_eq!(found["kind"], "buffer-overflow");
}

#[test]
fn one_function_becomes_a_unit_test() {
    let unit = "struct pair { int a, b; };\nstatic int ratio(int whole, short part, double scale) {\n  if (scale > 1.5 && part == 12)\n    return whole / (part - 12);\n  return 0;\n}\nint main(void) {\n  return ratio(1, 2, 3);\n}\n";
    let folder = folder_with(&[("unit.c", unit)]);
    let found = confirmed_at(folder.path(), &["unit.c", "--entry", "ratio"], "unit.c", 4);
    let kit = folder.path().join(found["native"]["kit"].as_str().expect("a kit"));
    let test = std::fs::read_to_string(kit.join("unit_test.c")).expect("a unit test should be in the kit");
    assert!(test.contains("__asm__(\"ratio\")") && test.contains("function("), "{test}");
}

#[test]
fn without_native_the_kit_is_still_written() {
    let folder = folder_with(&[("main.c", MAIN), ("pick.c", PICK)]);
    let args = ["check", "main.c", "pick.c", "--no-native", "--out", "found", "--", "-DSIZE=4"];
    let output = blitz(folder.path(), &args);
    assert_eq!(output.status.code(), Some(10));
    assert!(text(&output.stdout).contains("confirmed by the interpreter"), "{}", text(&output.stdout));
    let kits: Vec<_> = std::fs::read_dir(folder.path().join("found/repro")).expect("kits").collect();
    assert_eq!(kits.len(), 1);
}
