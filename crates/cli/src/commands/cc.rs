//! `blitz cc`: compiles as the system's compiler does, and keeps bitcode beside every object file.
//!
//! How: each C file is compiled twice, once natively with the user's own command line, once to bitcode in
//! `<object>.bc`. The native object carries the path of its bitcode in a section that linkers join, so that the linked
//! program, or an archive on the way to it, knows all its parts, and `blitz check PROGRAM` finds them.
//!
//! Absent: C++, assembly, and anything else that is not C goes to the compiler untouched.

use crate::{Exit, Fault};
use blitz_frontend::driver::{Clang, front_end_flags, sanitizer_flags};
use blitz_ir::Checks;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn cc(args: &[OsString]) -> Result<Exit, Fault> {
    let clang = Clang::find().map_err(|e| Fault::new(e.to_string()))?;
    let plan = Plan::of(args);
    if plan.sources.is_empty() || plan.only_looks {
        return native(&clang, args.to_vec());
    }
    if plan.compiles_only { compile_objects(&clang, &plan) } else { compile_and_link(&clang, &plan) }
}

/// What a compiler command line asks for.
struct Plan {
    args: Vec<OsString>,
    sources: Vec<PathBuf>,
    output: Option<PathBuf>,
    /// `-c`
    compiles_only: bool,
    /// `-E`, `-S`, `-M`, ...: no object file is made.
    only_looks: bool,
}

impl Plan {
    fn of(args: &[OsString]) -> Plan {
        let mut plan =
            Plan { args: args.to_vec(), sources: Vec::new(), output: None, compiles_only: false, only_looks: false };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.to_str() {
                Some("-o") => plan.output = rest.next().map(PathBuf::from),
                Some("-c") => plan.compiles_only = true,
                Some("-E" | "-S" | "-M" | "-MM" | "-fsyntax-only" | "-###" | "--version" | "-v") => {
                    plan.only_looks = true
                }
                Some("-I" | "-D" | "-U" | "-include" | "-isystem" | "-MF" | "-MT" | "-MQ" | "-x" | "-L" | "-l") => {
                    rest.next();
                }
                Some(text) if !text.starts_with('-') && text.ends_with(".c") => plan.sources.push(PathBuf::from(text)),
                _ => {}
            }
        }
        plan
    }

    /// The flags that are neither sources nor the output nor for the linker.
    fn compile_flags(&self) -> Vec<OsString> {
        let mut flags = Vec::new();
        let mut rest = self.args.iter();
        while let Some(arg) = rest.next() {
            if arg == "-o" {
                rest.next();
            } else if arg != "-c" && !self.sources.iter().any(|s| s.as_os_str() == arg) && !for_linker(arg) {
                flags.push(arg.clone());
            }
        }
        flags
    }

    fn object_of(&self, source: &Path) -> PathBuf {
        match &self.output {
            Some(output) if self.compiles_only && self.sources.len() == 1 => output.clone(),
            _ => PathBuf::from(source.file_name().unwrap_or(OsStr::new("out"))).with_extension("o"),
        }
    }
}

fn for_linker(arg: &OsStr) -> bool {
    let text = arg.to_string_lossy();
    let object = !text.starts_with('-') && [".o", ".a", ".so"].iter().any(|end| text.ends_with(end));
    object || ["-l", "-L", "-Wl,"].iter().any(|start| text.starts_with(start)) || text == "-shared" || text == "-static"
}

fn compile_objects(clang: &Clang, plan: &Plan) -> Result<Exit, Fault> {
    for source in &plan.sources {
        let exit = compile(clang, plan, source, &plan.object_of(source))?;
        if exit != Exit::Success {
            return Ok(exit);
        }
    }
    Ok(Exit::Success)
}

fn compile_and_link(clang: &Clang, plan: &Plan) -> Result<Exit, Fault> {
    let program = plan.output.clone().unwrap_or_else(|| PathBuf::from("a.out"));
    let mut link: Vec<OsString> = Vec::new();
    for arg in &plan.args {
        let Some(source) = plan.sources.iter().find(|s| s.as_os_str() == arg) else {
            link.push(arg.clone());
            continue;
        };
        let stem = source.file_stem().unwrap_or(OsStr::new("part")).to_string_lossy();
        let object = PathBuf::from(format!("{}.{stem}.o", program.display()));
        let exit = compile(clang, plan, source, &object)?;
        if exit != Exit::Success {
            return Ok(exit);
        }
        link.push(object.into_os_string());
    }
    native(clang, link)
}

/// One C file: natively into `object`, with the note of its bitcode, and into `<object>.bc`.
fn compile(clang: &Clang, plan: &Plan, source: &Path, object: &Path) -> Result<Exit, Fault> {
    let bitcode = absolute(&PathBuf::from(format!("{}.bc", object.display())))?;
    let note = PathBuf::from(format!("{}.note.h", bitcode.display()));
    let text = format!(
        "__asm__(\".pushsection {},\\\"\\\",@progbits\\n.asciz \\\"{}\\\"\\n.popsection\");\n",
        blitz_frontend::driver::SECTION,
        bitcode.display()
    );
    std::fs::write(&note, text).map_err(|e| Fault::new(format!("{} can't be written: {e}", note.display())))?;
    let mut args = plan.compile_flags();
    args.extend(["-c".into(), "-include".into(), note.clone().into(), "-o".into(), object.into(), source.into()]);
    let exit = native(clang, args);
    let _ = std::fs::remove_file(&note);
    match exit? {
        Exit::Success => keep_bitcode(clang, plan, source, &bitcode),
        other => Ok(other),
    }
}

fn keep_bitcode(clang: &Clang, plan: &Plan, source: &Path, bitcode: &Path) -> Result<Exit, Fault> {
    let mut args: Vec<OsString> = plan.compile_flags();
    args.retain(|a| !a.to_string_lossy().starts_with("-M"));
    args.extend(front_end_flags().into_iter().chain(sanitizer_flags(Checks::default())).map(OsString::from));
    args.extend(["-o".into(), bitcode.into(), source.into()]);
    native(clang, args)
}

fn absolute(path: &Path) -> Result<PathBuf, Fault> {
    std::path::absolute(path).map_err(|e| Fault::new(format!("{} has no absolute path: {e}", path.display())))
}

fn native(clang: &Clang, args: Vec<OsString>) -> Result<Exit, Fault> {
    let status = Command::new(&clang.program)
        .args(args)
        .status()
        .map_err(|e| Fault::new(format!("{} could not be started: {e}", clang.program.display())))?;
    Ok(match status.code() {
        Some(0) => Exit::Success,
        Some(code) => Exit::Status(u8::try_from(code).unwrap_or(1)),
        None => Exit::Status(1),
    })
}
