//! Compiles our libc to bitcode, for two environments and two pointer widths, and writes down which file defines what.
//!
//! Each source stays a module of its own: a program loads those it reaches, and reading all would cost more than the
//! rest of a small check.
//!
//! Also says how LLVM is linked (`link`).
//!
//! A file that does not compile is an error; for the 32-bit target it is a warning, and the binary then says
//! that it has no 32-bit libc.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CLANG: &str = "clang-19";
const NM: &str = "llvm-nm-19";
/// The parts of LLVM that `llvm/` calls.
const COMPONENTS: &[&str] = &["core", "irreader", "bitreader", "bitwriter", "linker", "analysis", "target"];

fn main() {
    link::llvm();
    println!("cargo::rerun-if-changed=libc");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo should set OUT_DIR"));
    for bits in [64, 32] {
        let common = compile_all(&sources(Path::new("libc/src")), bits, "common", &out);
        for variant in ["host", "model"] {
            let own = compile_all(&sources(&Path::new("libc/src").join(variant)), bits, variant, &out);
            let result = common.clone().and_then(|mut files| {
                files.extend(own?);
                Ok(files)
            });
            finish(result, &out.join(format!("libc-{variant}-{bits}.rs")), bits);
        }
    }
}

/// Lists what was compiled; says what was not.
fn finish(files: Result<Vec<PathBuf>, String>, to: &Path, bits: u32) {
    let listed = files.and_then(|files| list(&files, to));
    match listed {
        Ok(()) => {}
        Err(said) if bits == 32 => {
            println!("cargo::warning=the 32-bit libc models are not built: {}", said.replace('\n', " | "));
            std::fs::write(to, "&[]").expect("OUT_DIR should be writable");
        }
        Err(said) => {
            println!("cargo::error=the libc models can't be built: {}", said.replace('\n', " | "));
            std::process::exit(1);
        }
    }
}

/// The C files of a folder, sorted.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

/// Compiles files two at a time.
fn compile_all(files: &[PathBuf], bits: u32, variant: &str, out: &Path) -> Result<Vec<PathBuf>, String> {
    let mut made = Vec::new();
    for pair in files.chunks(2) {
        let results: Vec<Result<PathBuf, String>> = std::thread::scope(|s| {
            let running: Vec<_> = pair.iter().map(|f| s.spawn(move || compile(f, bits, variant, out))).collect();
            running.into_iter().map(|r| r.join().expect("compiling should not panic")).collect()
        });
        for result in results {
            made.push(result?);
        }
    }
    Ok(made)
}

fn compile(file: &Path, bits: u32, variant: &str, out: &Path) -> Result<PathBuf, String> {
    let stem = file.file_stem().expect("a source should have a name").to_string_lossy();
    let to = out.join(format!("{variant}-{bits}-{stem}.bc"));
    let mut clang = Command::new(CLANG);
    clang.args([
        "-c",
        "-Xclang",
        "-emit-llvm-bc",
        "-fno-strict-aliasing",
        "-O1",
        "-Xclang",
        "-disable-llvm-passes",
        "-g",
        "-fno-builtin",
        "-std=gnu17",
    ]);
    clang.args(["-fno-stack-protector", "-U_FORTIFY_SOURCE", "-Wno-everything", "-Ilibc/include"]);
    clang.arg(if bits == 32 { "--target=i386-pc-linux-gnu" } else { "--target=x86_64-pc-linux-gnu" });
    if bits == 32 {
        // Debian keeps the headers of the 64-bit libc in a folder of their own; they serve both.
        clang.args(["-isystem", "/usr/include/x86_64-linux-gnu"]);
    }
    clang.arg(file).arg("-o").arg(&to);
    check(clang.output(), CLANG)?;
    Ok(to)
}

/// Writes an array of (bitcode, names it defines) as a Rust expression.
fn list(files: &[PathBuf], to: &Path) -> Result<(), String> {
    let mut text = String::from("&[\n");
    for file in files {
        let path = file.to_str().ok_or("the path of OUT_DIR is no text")?;
        text += &format!("    (include_bytes!({path:?}), &{:?}),\n", defined(file)?);
    }
    text += "]\n";
    std::fs::write(to, text).map_err(|e| e.to_string())
}

/// The names a module defines for others.
fn defined(file: &Path) -> Result<Vec<String>, String> {
    let mut command = Command::new(NM);
    command.args(["--defined-only", "--extern-only", "--format=just-symbols"]).arg(file);
    let output = command.output();
    let text = output.as_ref().map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    check(output, NM)?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn check(result: std::io::Result<Output>, tool: &str) -> Result<(), String> {
    let output = result.map_err(|e| format!("{tool} can't be run: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).lines().take(12).collect::<Vec<_>>().join("\n"))
}

/// LLVM becomes part of an optimised blitz: loading libLLVM takes half of the time that checking a small program takes, and most of
/// the memory. Other builds link the library, since a copy of LLVM in each of the many test programs would be slow to link. So does an
/// optimised build where LLVM's archives are missing.
mod link {
    use super::{COMPONENTS, Command, Path, PathBuf, check};

    pub fn llvm() {
        println!("cargo::rerun-if-env-changed=LLVM_SYS_191_PREFIX");
        let optimised = std::env::var("PROFILE").is_ok_and(|p| p == "release");
        let folder = ask(&["--libdir"]).unwrap_or_else(|said| {
            println!("cargo::error=LLVM 19 was not found: {}", said.replace('\n', " | "));
            std::process::exit(1);
        });
        println!("cargo::rustc-link-search=native={}", folder.trim());
        match archives(Path::new(folder.trim())) {
            Some(names) if optimised => into_the_binary(&names),
            Some(_) | None => println!("cargo::rustc-link-lib=dylib=LLVM-19"),
        }
    }

    fn into_the_binary(names: &[String]) {
        for name in names {
            println!("cargo::rustc-link-lib=static:-bundle={name}");
        }
        for name in ["zstd", "z", "stdc++"] {
            println!("cargo::rustc-link-lib=dylib={name}");
        }
    }

    /// The archives of the components, if all of them are there.
    fn archives(folder: &Path) -> Option<Vec<String>> {
        let mut args = vec!["--link-static", "--libnames"];
        args.extend_from_slice(COMPONENTS);
        let text = ask(&args).ok()?;
        let files: Vec<&str> = text.split_whitespace().collect();
        let there = files.iter().all(|f| folder.join(f).is_file());
        let names: Option<Vec<String>> =
            files.iter().map(|f| Some(f.strip_prefix("lib")?.strip_suffix(".a")?.to_owned())).collect();
        names.filter(|_| there)
    }

    fn ask(args: &[&str]) -> Result<String, String> {
        let program = match std::env::var_os("LLVM_SYS_191_PREFIX") {
            Some(prefix) => PathBuf::from(prefix).join("bin/llvm-config"),
            None => PathBuf::from("llvm-config-19"),
        };
        let output = Command::new(program).args(args).output();
        let text = output.as_ref().map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        check(output, "llvm-config")?;
        Ok(text)
    }
}
