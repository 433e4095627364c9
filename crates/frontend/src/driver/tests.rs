use super::cache::parse_make_rule;
use super::*;
use blitz_ir::CheckKind;
use std::fs;
use std::path::Path;

fn options(cache: Option<&Path>) -> CompileOptions {
    CompileOptions { cache: cache.map(Path::to_owned), ..CompileOptions::default() }
}

fn files(paths: &[&Path]) -> Inputs {
    Inputs { files: paths.iter().map(|p| p.to_path_buf()).collect(), ..Inputs::default() }
}

fn write(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn message(result: Result<Compiled, DriverError>) -> String {
    result.err().expect("the inputs should be refused").to_string()
}

#[test]
fn compiles_several_files_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let a = write(dir.path(), "a.c", "int f(void); int main(void) { return f(); }\n");
    let b = write(dir.path(), "b.c", "int f(void) { return 3; }\n");
    let compiled = compile(&files(&[&a, &b]), &options(None)).unwrap();
    let names: Vec<&str> = compiled.modules.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, [a.to_str().unwrap(), b.to_str().unwrap()]);
    assert!(compiled.modules.iter().all(|m| m.bytes.starts_with(b"BC")));
    assert!(compiled.notes.is_empty());
}

#[test]
fn a_changed_header_is_noticed_and_an_unchanged_one_reused() {
    let dir = tempfile::tempdir().unwrap();
    let cache = dir.path().join("cache");
    write(dir.path(), "n.h", "#define N 1\n");
    let a = write(dir.path(), "a.c", "#include \"n.h\"\nint main(void) { return N; }\n");
    let run = || compile(&files(&[&a]), &options(Some(&cache))).unwrap().modules.remove(0).bytes;
    let first = run();
    assert_eq!(first, run());
    write(dir.path(), "n.h", "#define N 2\n");
    assert_ne!(first, run());
}

#[test]
fn a_torn_cache_entry_is_compiled_again() {
    let dir = tempfile::tempdir().unwrap();
    let cache = dir.path().join("cache");
    let a = write(dir.path(), "a.c", "int main(void) { return 0; }\n");
    let run = || compile(&files(&[&a]), &options(Some(&cache))).unwrap().modules.remove(0).bytes;
    let good = run();
    let mut torn = 0;
    for folder in fs::read_dir(cache.join("bitcode")).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|e| e == "bc") {
                fs::write(path, &good[..good.len() / 2]).unwrap();
                torn += 1;
            }
        }
    }
    assert_eq!(torn, 1);
    assert_eq!(good, run());
}

#[test]
fn old_c_is_retried_and_said() {
    let dir = tempfile::tempdir().unwrap();
    let a = write(
        dir.path(),
        "old.c",
        "main() { char *p = 3; return strlen(\"abc\") + f(p); }\nf(p) char *p; { return p == 0; }\n",
    );
    let cache = dir.path().join("cache");
    for _ in 0..2 {
        let compiled = compile(&files(&[&a]), &options(Some(&cache))).unwrap();
        assert!(compiled.notes[0].contains("old.c is old C"), "{:?}", compiled.notes);
        assert!(compiled.sources[0].flags.contains(&"-Wno-implicit-int".to_owned()));
    }
}

#[test]
fn clangs_errors_are_passed_on() {
    let dir = tempfile::tempdir().unwrap();
    let a = write(dir.path(), "bad.c", "int main(void) { return undeclared; }\n");
    let b = write(dir.path(), "worse.c", "int main(void) { return 1 +; }\n");
    match compile(&files(&[&a, &b]), &options(None)) {
        Err(DriverError::Clang { stderr }) => {
            assert!(stderr.contains("bad.c:1:25: error: use of undeclared identifier 'undeclared'"), "{stderr}");
            assert!(stderr.contains("worse.c:1:28: error: expected expression"), "{stderr}");
        }
        other => panic!("clang should refuse this, not {:?}", other.err()),
    }
}

#[test]
fn inputs_that_are_no_program_are_refused_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let text = write(dir.path(), "notes.txt", "hello\n");
    let empty = write(dir.path(), "empty.bc", "");
    let fake = write(dir.path(), "fake.bc", "not bitcode\n");
    let gone = dir.path().join("gone.c");
    let say = |p: &Path| message(compile(&files(&[p]), &options(None)));
    assert!(say(&gone).starts_with("no such file: "));
    assert!(say(dir.path()).contains("is a directory"));
    assert!(say(&text).contains("neither C (.c, .i) nor LLVM bitcode"));
    assert!(say(&empty).ends_with("empty.bc is empty"));
    assert!(say(&fake).ends_with("fake.bc is not LLVM bitcode"));
    assert!(message(compile(&Inputs::default(), &options(None))).starts_with("no input files"));
}

#[test]
fn thirty_two_bits_need_no_headers_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let text = "#include <stdio.h>\n#include <stdlib.h>\n_Static_assert(sizeof(void *) == 4, \"\");\nint main(void) { puts(\"x\"); return 0; }\n";
    let a = write(dir.path(), "a.c", text);
    let inputs = Inputs { flags: vec!["-m32".into()], ..files(&[&a]) };
    compile(&inputs, &options(Some(&dir.path().join("cache")))).unwrap();
}

#[test]
fn deep_nesting_does_not_break_clang() {
    let dir = tempfile::tempdir().unwrap();
    let n = 10_000;
    let a = write(
        dir.path(),
        "deep.c",
        &format!("int main(void) {{ int x = 1; return {}x{}; }}\n", "(".repeat(n), "^1)".repeat(n)),
    );
    compile(&files(&[&a]), &options(None)).unwrap();
}

#[test]
fn sanitizers_follow_the_checks() {
    assert_eq!(sanitizer_flags(Checks::none(), &[])[0], "-fsanitize=builtin");
    let only = Checks::none().with(CheckKind::Shift);
    assert_eq!(sanitizer_flags(only, &[])[0], "-fsanitize=shift,builtin");
    assert!(!sanitizer_flags(Checks::default(), &[])[0].contains("unsigned"));
    let flags = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for (users, marked) in
        [("-O2", true), ("-fwrapv", false), ("-fwrapv -fno-wrapv", true), ("-fno-strict-overflow", false)]
    {
        assert_eq!(sanitizer_flags(Checks::default(), &flags(users))[0].contains("signed-integer"), marked, "{users}");
    }
}

#[test]
fn make_rules_are_read_with_their_escapes() {
    assert_eq!(parse_make_rule("out.bc: a.c my\\ file.h \\\n  b$$.h\n"), ["a.c", "my file.h", "b$.h"]);
}

fn database(dir: &Path, json: &str) -> Result<Compiled, DriverError> {
    choose(dir, json, None)
}

fn choose(dir: &Path, json: &str, target: Option<&str>) -> Result<Compiled, DriverError> {
    write(dir, "compile_commands.json", json);
    let inputs = Inputs { database: Some(dir.to_owned()), target: target.map(str::to_owned), ..Inputs::default() };
    compile(&inputs, &options(None))
}

#[test]
fn a_database_gives_files_folders_and_flags() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    write(&dir.path().join("src"), "a.c", "int main(void) { return NUMBER; }\n");
    let json = r#"[{"directory": "src", "file": "a.c", "command": "ccache gcc -O2 '-DNUMBER=(1 + 2)' -MD -MF a.d -o a.o -c a.c"}]"#;
    let compiled = database(dir.path(), json).unwrap();
    assert_eq!(compiled.sources[0].flags, ["-DNUMBER=(1 + 2)"]);
    assert_eq!(compiled.modules.len(), 1);
}

#[test]
fn several_programs_ask_for_a_choice() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "one.c", "int f(void); int main(void) { return f(); }\n");
    write(dir.path(), "two.c", "int f(void); int main(void) { return 2 * f(); }\n");
    write(dir.path(), "lib.c", "int f(void) { return 1; }\n");
    let json = r#"[{"directory": ".", "file": "one.c", "arguments": ["cc", "-c", "one.c"]},
        {"directory": ".", "file": "two.c", "arguments": ["cc", "-c", "two.c"]},
        {"directory": ".", "file": "lib.c", "arguments": ["cc", "-c", "lib.c"]}]"#;
    let said = message(database(dir.path(), json));
    assert_eq!(said, "the database holds several programs: choose one with --target (one, two)");
    let names = |target| {
        let compiled = choose(dir.path(), json, Some(target)).unwrap();
        compiled.modules.into_iter().map(|m| m.name).collect::<Vec<_>>()
    };
    assert_eq!(names("one"), ["one.c", "lib.c"]);
    assert_eq!(names("two"), ["two.c", "lib.c"]);
    assert!(message(choose(dir.path(), json, Some("three"))).contains("no program three"));
}

#[test]
fn cmake_targets_are_programs() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "main.c", "int f(void); int main(void) { return f(); }\n");
    write(dir.path(), "f.c", "int f(void) { return V; }\n");
    let entry = |target: &str, file: &str| {
        format!(
            r#"{{"directory": ".", "file": "{file}", "command": "cc -DV=1 -o CMakeFiles/{target}.dir/{file}.o -c {file}"}}"#
        )
    };
    let json = format!(
        "[{},{},{},{}]",
        entry("app", "main.c"),
        entry("app", "f.c"),
        entry("tool", "main.c"),
        entry("tool", "f.c")
    );
    let compiled = choose(dir.path(), &json, Some("tool")).unwrap();
    assert_eq!(compiled.modules.len(), 2);
}

#[test]
fn broken_databases_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "a.c", "int main(void) { return 0; }\n");
    let say = |json: &str| message(database(dir.path(), json));
    assert!(say("{ not json").contains("is not a compilation database"));
    assert!(say("[]").contains("lists no C file"));
    assert!(say(r#"[{"directory": ".", "file": "a.c"}]"#).contains("neither `command` nor `arguments`"));
    assert!(say(r#"[{"directory": ".", "file": "b.c", "command": "cc b.c"}]"#).contains("does not exist"));
    assert!(say(r#"[{"directory": "nowhere", "file": "a.c", "command": "cc a.c"}]"#).contains("which does not exist"));
    assert!(say(r#"[{"directory": ".", "file": "a.c", "command": "cc 'a.c"}]"#).contains("unclosed quote"));
}
