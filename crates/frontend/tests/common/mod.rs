//! What the tests of this crate share: C to programs, and programs run beside their native build.
#![allow(dead_code)]

use blitz_base::Budget;
use blitz_frontend::driver::{CompileOptions, Inputs, compile};
use blitz_frontend::{LibcVariant, LoadOptions, ModuleInput, load};
use blitz_interp::{Outcome, RunConfig, RunResult};
use blitz_ir::{Checks, FuncId, Inst, Program};
use std::path::Path;
use std::process::Command;

/// Bitcode of a C file, as the driver makes it.
pub fn bitcode(file: &Path, flags: &[&str], checks: Checks) -> Vec<ModuleInput> {
    let inputs = Inputs {
        files: vec![file.to_path_buf()],
        flags: flags.iter().map(ToString::to_string).collect(),
        ..Inputs::default()
    };
    let options = CompileOptions { checks, cache: None, ..CompileOptions::default() };
    compile(&inputs, &options).unwrap_or_else(|e| panic!("{} should compile: {e}", file.display())).modules
}

/// The program of a C file.
pub fn program(file: &Path, flags: &[&str], checks: Checks, libc: LibcVariant) -> Program {
    let options = LoadOptions { checks, libc, entry: None, unit: None, offset_bits: None, no_body: Default::default() };
    load(bitcode(file, flags, checks), &options).unwrap_or_else(|e| panic!("{} should load: {e}", file.display()))
}

/// The program of a C text.
pub fn program_of(text: &str, libc: LibcVariant) -> Program {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("test.c");
    std::fs::write(&file, text).expect("the folder should be writable");
    program(&file, &[], Checks::default(), libc)
}

/// Every refusal in the bodies of a program, and every rule of the IR that is broken.
pub fn complaints(program: &Program) -> Vec<String> {
    let mut out: Vec<String> = blitz_ir::verify::program(program).iter().map(ToString::to_string).collect();
    for f in (0..program.funcs.len()).map(FuncId::new).filter(|&f| !program.decl(f).model) {
        let Some(body) = program.body(f) else { continue };
        for data in &body.insts {
            if let Inst::Unsupported { what } = &data.inst {
                out.push(format!("{}: unsupported: {what}", program.decl(f).name));
            }
        }
    }
    out
}

/// Runs a program with the host's libc.
pub fn run(program: &Program) -> RunResult {
    blitz_interp::run(program, &RunConfig::default(), &Budget::unlimited())
}

/// Standard output of the native build.
pub fn native_output(file: &Path) -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let exe = dir.path().join("native");
    let built = Command::new("clang-19").args(["-w", "-O1", "-std=gnu17", "-lm", "-o"]).arg(&exe).arg(file).status();
    assert!(built.is_ok_and(|s| s.success()), "{} should build", file.display());
    Command::new(&exe).output().expect("the native build should run").stdout
}

/// What a run ended in, as one line.
pub fn outcome(program: &Program, result: &RunResult) -> String {
    match &result.outcome {
        Outcome::Exit(status) => format!("exit {status}"),
        Outcome::Violation(v) => {
            let property = program.property(v.property);
            format!("{} at line {}", property.name, property.loc.line)
        }
        other => format!("{other:?}"),
    }
}
