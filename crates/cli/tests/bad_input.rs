//! Bad input: one clear sentence on stderr, exit code 2, never a panic. And input that is only large or deep goes through.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, contents).expect("a test file should be writable");
        path
    }

    fn blitz(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_blitz"))
            .args(args)
            .current_dir(self.path())
            .env("XDG_CACHE_HOME", self.path().join("cache"))
            .stdin(Stdio::null())
            .output()
            .expect("blitz should start")
    }

    /// The one sentence with which blitz refuses these arguments.
    fn refusal(&self, args: &[&str]) -> String {
        let output = self.blitz(args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(output.stdout.is_empty(), "{args:?} should print nothing on stdout");
        assert!(stderr.starts_with("error: "), "{args:?}: {stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{args:?} should be told one sentence: {stderr}");
        stderr["error: ".len()..].trim_end().to_owned()
    }

    /// What clang says about these arguments.
    fn clang_says(&self, args: &[&str]) -> String {
        let output = self.blitz(args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        stderr
    }

    fn bitcode_of(&self, source: &str) -> Vec<u8> {
        let c = self.file("module.c", source);
        let bc = self.path().join("module.bc");
        let status = Command::new("clang-19")
            .args(["-c", "-emit-llvm", "-o"])
            .arg(&bc)
            .arg(&c)
            .status()
            .expect("clang-19 should start");
        assert!(status.success());
        std::fs::read(&bc).expect("clang should write bitcode")
    }
}

const GOOD: &str = "int main(void) { return 0; }\n";

#[test]
fn files_that_are_not_there_or_not_files() {
    let b = Bench::new();
    for command in ["run", "check", "explore", "ir", "properties", "loops", "callgraph"] {
        assert_eq!(b.refusal(&[command, "gone.c"]), "no such file: gone.c");
        assert!(b.refusal(&[command, "."]).starts_with(". is a directory"));
        assert!(b.refusal(&[command]).starts_with("no input files"));
    }
}

#[test]
fn names_of_files() {
    use std::os::unix::ffi::OsStrExt;
    let b = Bench::new();
    b.file("with space.c", GOOD);
    let checked =
        Command::new(env!("CARGO_BIN_EXE_blitz")).args(["check", "with space.c"]).current_dir(b.path()).output();
    assert!(checked.expect("blitz should start").status.success());
    let odd = std::ffi::OsStr::from_bytes(b"n\xffn.c");
    std::fs::write(b.path().join(odd), GOOD).expect("writable");
    let output = Command::new(env!("CARGO_BIN_EXE_blitz")).arg("check").arg(odd).current_dir(b.path()).output();
    let output = output.expect("blitz should start");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not UTF-8"), "{output:?}");
}

#[test]
fn a_program_without_main() {
    let b = Bench::new();
    b.file("lib.c", "int f(void) { return 1; }\n");
    b.file("empty.c", "");
    for file in ["lib.c", "empty.c"] {
        for command in ["run", "check"] {
            let said = b.refusal(&[command, file]);
            assert!(said.contains("no function `main`"), "{said}");
        }
    }
    assert!(b.refusal(&["check", "--entry", "g", "lib.c"]).contains("no function `g`"));
}

#[test]
fn errors_in_c_are_clangs_own() {
    let b = Bench::new();
    b.file("bad.c", "int main(void) { return x; }\n");
    let said = b.clang_says(&["run", "bad.c"]);
    assert!(said.starts_with("bad.c:1:25: error: use of undeclared identifier 'x'"), "{said}");
    b.file("self.h", "#include \"self.h\"\n");
    b.file("cycle.c", "#include \"self.h\"\nint main(void) { return 0; }\n");
    assert!(b.clang_says(&["run", "cycle.c"]).contains("#include nested too deeply"));
}

#[test]
fn bitcode_that_is_none() {
    let b = Bench::new();
    let whole = b.bitcode_of(GOOD);
    b.file("empty.bc", "");
    b.file("fake.bc", "this is text\n");
    b.file("short.bc", &whole[..whole.len() / 2]);
    b.file("noise.bc", [b"BC\xC0\xDE".as_slice(), &[0x5a; 400]].concat());
    b.file("fake.ll", "this is no assembly\n");
    for file in ["empty.bc", "fake.bc", "short.bc", "noise.bc", "fake.ll"] {
        let said = b.refusal(&["run", file]);
        assert!(said.contains(file), "{said}");
    }
}

#[test]
fn damaged_bitcode_never_panics() {
    let b = Bench::new();
    let whole = b.bitcode_of("int f(int x) { return x / 3; }\nint main(int c, char **v) { return f(c) + v[0][0]; }\n");
    let mut seed = 7u64;
    for _ in 0..60 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (seed >> 33) as usize % bytes.len();
            bytes[at] ^= (seed >> 20) as u8 | 1;
        }
        b.file("damaged.bc", &bytes);
        let output = b.blitz(&["properties", "damaged.bc"]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 2)), "{:?}: {stderr}", output.status);
    }
}

#[test]
fn broken_databases() {
    let b = Bench::new();
    b.file("a.c", GOOD);
    let say = |text: &str| {
        b.file("compile_commands.json", text);
        b.refusal(&["run", "-p", "."])
    };
    assert!(say("[{").contains("is not a compilation database"));
    assert!(say("{}").contains("is not a compilation database"));
    assert!(say("[]").contains("lists no C file"));
    assert!(say(r#"[{"directory": ".", "file": "a.c"}]"#).contains("neither `command` nor `arguments`"));
    assert!(say(r#"[{"directory": ".", "file": "b.c", "command": "cc -c b.c"}]"#).contains("does not exist"));
    assert_eq!(b.refusal(&["run", "-p", "nowhere.json"]), "no such file: nowhere.json");
}

#[test]
fn options_that_contradict_or_do_not_exist() {
    let b = Bench::new();
    b.file("a.c", GOOD);
    let cases: &[(&[&str], &str)] = &[
        (&["run", "-q", "-v", "a.c"], "cannot be used with"),
        (&["run", "--target", "x", "a.c"], "needs -p"),
        (&["run", "--checks", "bounds", "a.c"], "`bounds` is no kind of check"),
        (&["run", "--checks", "", "a.c"], "the list is empty"),
        (&["run", "--timeout", "soon", "a.c"], "`soon` is no time"),
        (&["run", "--memory", "much", "a.c"], "`much` is no amount of memory"),
        (&["run", "--memory", "4", "a.c"], "`4` is less than a megabyte"),
        (&["run", "--timeout", "-1", "a.c"], "`-1` is no time"),
        (&["check", "--unwind", "-3", "a.c"], "`-3` is not in 1..=4294967295"),
        (&["check", "--entries", "", "a.c"], "a name is empty"),
        (&["run", "-m", "16", "a.c"], "16"),
        (&["run", "--cflags", "'", "a.c"], "unclosed quote"),
        (&["run", "--no-such-option", "a.c"], "--no-such-option"),
        (&["check", "--engine", "magic", "a.c"], "there is no engine `magic`"),
        (&["check", "--unwind", "0", "a.c"], "0"),
        (&["check", "--unwindset", "main.1", "a.c"], "write main.1:8"),
        (&["ir", "--function", "g", "a.c"], "no function `g`"),
        (&["conquer", "a.c"], "conquer"),
    ];
    for (args, part) in cases {
        let said = b.refusal(args);
        assert!(said.contains(part), "{args:?}: {said}");
    }
}

#[test]
fn inputs_that_do_not_fit_together() {
    let b = Bench::new();
    b.file("a.c", GOOD);
    b.file("b.c", GOOD);
    assert!(b.refusal(&["run", "a.c", "b.c"]).contains("`main` is defined in more than one input"));
}

#[test]
fn deep_and_long_programs_go_through() {
    let b = Bench::new();
    let n = 10_000;
    b.file("deep.c", format!("int main(void) {{ int x = 1; return {}x{} & 1; }}\n", "(".repeat(n), "^2)".repeat(n)));
    let output = b.blitz(&["run", "deep.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let statements = "  x = x * 3 & 1023;\n".repeat(100_000);
    b.file("long.c", format!("int main(void) {{\n  int x = 1;\n{statements}  return x & 0;\n}}\n"));
    let output = b.blitz(&["run", "--checks", "none", "long.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A mistyped name compiled as "old C" and was answered `safe`.
#[test]
fn a_function_that_is_neither_declared_nor_defined() {
    let b = Bench::new();
    b.file(
        "typo.c",
        "#include <string.h>\nint main(void) {\n  char a[4];\n  strncyp(a, \"abc\", 4);\n  return 0;\n}\n",
    );
    for _ in ["compiled", "from the cache"] {
        let said = b.refusal(&["check", "typo.c"]);
        assert_eq!(said, "`strncyp` is called in line 4 but neither declared nor defined; did you mean `strncpy`?");
    }
}

/// `--std c42` was overridden by the flags for old C.
#[test]
fn a_standard_that_clang_does_not_know() {
    let b = Bench::new();
    b.file("good.c", GOOD);
    assert!(b.clang_says(&["check", "--std", "c42", "good.c"]).starts_with("error: invalid value 'c42'"));
}
