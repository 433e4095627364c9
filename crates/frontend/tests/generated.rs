//! Programs made by Csmith: lowered without refusal, and run with the checksum of the native build.

mod common;

use blitz_frontend::LibcVariant;
use blitz_ir::Checks;
use std::process::Command;

/// A program of this seed.
fn csmith(seed: u32) -> Vec<u8> {
    // It leaves a file about the platform where it runs.
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = Command::new("csmith")
        .current_dir(dir.path())
        .args(["--seed", &seed.to_string(), "--max-block-depth", "3"])
        .output()
        .expect("csmith should start: scripts/deps.sh --test installs it");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    made.stdout
}

#[test]
fn generated_programs_print_their_native_checksum() {
    for seed in [11, 12, 13, 14] {
        let source = csmith(seed);
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = dir.path().join("csmith.c");
        let text = String::from_utf8_lossy(&source).replace("\"csmith.h\"", "<csmith/csmith.h>");
        std::fs::write(&file, text).expect("the folder should be writable");
        for flags in [&["-I/usr/include/csmith"][..], &["-I/usr/include/csmith", "-m32"]] {
            let program = common::program(&file, flags, Checks::default(), LibcVariant::Host);
            assert_eq!(common::complaints(&program), Vec::<String>::new(), "seed {seed}");
            if flags.len() == 1 {
                let exe = dir.path().join("native");
                let built = Command::new("clang-19").args(["-w", "-O1", flags[0], "-o"]).arg(&exe).arg(&file).status();
                assert!(built.is_ok_and(|s| s.success()));
                let native = Command::new(&exe).output().expect("the native build should run").stdout;
                assert_eq!(common::run(&program).written(1), native, "seed {seed}");
            }
        }
    }
}

/// Every function of the bitcode files named in `BLITZ_BIG_BITCODE` (separated by colons): lowered, and nothing refused
/// but threads.
#[test]
fn big_bitcode_is_lowered_whole() {
    let Some(files) = std::env::var_os("BLITZ_BIG_BITCODE") else { return };
    for file in std::env::split_paths(&files) {
        let bytes = std::fs::read(&file).expect("the file should be readable");
        let input = blitz_frontend::ModuleInput { name: file.display().to_string(), bytes, edits: Default::default() };
        let options = blitz_frontend::LoadOptions {
            checks: Checks::default(),
            libc: LibcVariant::Model,
            entry: None,
            unit: None,
            offset_bits: None,
            no_body: Default::default(),
        };
        let program = blitz_frontend::load(vec![input], &options).expect("the file should load");
        let complaints: Vec<String> =
            common::complaints(&program).into_iter().filter(|c| !c.contains("threads (")).collect();
        assert_eq!(complaints, Vec::<String>::new(), "{}", file.display());
    }
}
