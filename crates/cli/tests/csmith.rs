//! A few random programs (Csmith, fixed seeds): `blitz run` prints the checksum that the native build prints.
//! `bench/csmith` does the same for a thousand.

use std::path::Path;
use std::process::{Command, Output};

const INCLUDE: &str = "/usr/include/csmith";
const SEEDS: &[u32] = &[1, 2, 3, 5, 8, 11];

fn output(command: &mut Command) -> Output {
    match command.output() {
        Ok(output) => output,
        Err(e) => panic!("{:?} should start ({e}); scripts/deps.sh --test installs it", command.get_program()),
    }
}

fn succeeds(command: &mut Command) -> Output {
    let output = output(command);
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn compare(seed: u32, folder: &Path) {
    let (source, binary) = (folder.join(format!("{seed}.c")), folder.join(format!("{seed}")));
    let small = ["--max-funcs", "4", "--max-block-depth", "3"];
    succeeds(
        Command::new("csmith")
            .args(["--seed", &seed.to_string()])
            .args(small)
            .arg("--output")
            .arg(&source)
            .current_dir(folder),
    );
    succeeds(Command::new("clang-19").args(["-w", "-O0", "-I", INCLUDE]).arg(&source).arg("-o").arg(&binary));
    let native = succeeds(&mut Command::new(&binary));
    let ours = output(Command::new(env!("CARGO_BIN_EXE_blitz")).args(["run", "-I", INCLUDE]).arg(&source));
    let shown = |o: &Output| String::from_utf8_lossy(&o.stdout).into_owned();
    assert_eq!(shown(&ours), shown(&native), "seed {seed}: {}", String::from_utf8_lossy(&ours.stderr));
    assert_eq!(ours.status.code(), Some(0), "seed {seed}");
}

#[test]
fn random_programs_print_their_native_checksum() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("csmith");
    std::fs::create_dir_all(&folder).expect("the folder for the programs should be creatable");
    for &seed in SEEDS {
        compare(seed, &folder);
    }
}
