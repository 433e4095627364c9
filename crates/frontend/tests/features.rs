//! Every feature of C that clang has an instruction for: lowered without refusal, and run with the output of
//! the native build, for both pointer widths and with all checks and none.

mod common;

use blitz_frontend::LibcVariant;
use blitz_ir::Checks;
use std::path::{Path, PathBuf};

fn check(name: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/features").join(name);
    let expected = common::native_output(&file);
    assert!(!expected.is_empty(), "{name} should print something");
    for (flags, checks) in [(&[][..], Checks::default()), (&[], Checks::none()), (&["-m32"], Checks::default())] {
        agrees(&file, flags, checks, &expected);
    }
}

fn agrees(file: &Path, flags: &[&str], checks: Checks, expected: &[u8]) {
    let program = common::program(file, flags, checks, LibcVariant::Host);
    assert_eq!(common::complaints(&program), Vec::<String>::new(), "{} {flags:?}", file.display());
    let result = common::run(&program);
    let printed = String::from_utf8_lossy(&result.written(1)).into_owned();
    let how = format!("{} {flags:?}: {}", file.display(), common::outcome(&program, &result));
    assert_eq!(printed, String::from_utf8_lossy(expected), "{how}");
    assert!(how.ends_with("exit 0"), "{how}");
}

macro_rules! features {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(concat!(stringify!($name), ".c")); })*
    };
}

features! { aggregates atomics control numbers pointers symbols varargs vectors }
