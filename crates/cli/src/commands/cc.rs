//! `blitz cc`: compiles as the system's compiler does, and keeps bitcode beside every object file.
//!
//! How: each C file is compiled twice, once natively with the user's own command line, once to bitcode in
//! `.<object>.bc`. The native object carries the path of its bitcode in a section that linkers join, so that the linked
//! program, or an archive on the way to it, knows all its parts, and `blitz check PROGRAM` finds them.
//!
//! Old projects have to survive it. So what gcc long took with a warning is a warning here too ([`OLD_C`]); the bitcode's name
//! is hidden, because configure scripts guess the suffix of objects from what lies beside them; the note goes into
//! the finished object, because a header included for it would be listed among the file's dependencies; and the native
//! object alone decides whether a compilation worked: a file without bitcode is reported, not refused. Options of gcc's that clang
//! refuses (`-fgcse-lm`) are left out: they choose how code is made, not what it means.
//!
//! Absent: C++, assembly, and anything else that is not C goes to the compiler untouched.

use crate::{Exit, Fault};
use blitz_frontend::driver::{Clang, SECTION, front_end_flags, keep_users, sanitizer_flags};
use blitz_ir::Checks;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What clang refuses since version 16 and gcc did not before its version 14: C as it was written before 1999. And that an option of
/// gcc's has no effect is no error, even where warnings are.
const OLD_C: [&str; 6] = [
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
    "-Wno-error=ignored-optimization-argument",
];

pub fn cc(args: &[OsString]) -> Result<Exit, Fault> {
    let clang = Clang::find().map_err(|e| Fault::new(e.to_string()))?;
    let args = &without_refused(&clang, args);
    let plan = Plan::of(args);
    if plan.sources.is_empty() {
        return native(&clang, args.to_vec());
    }
    if plan.only_looks {
        return native(&clang, OLD_C.map(OsString::from).into_iter().chain(args.iter().cloned()).collect());
    }
    if plan.compiles_only { compile_objects(&clang, &plan) } else { compile_and_link(&clang, &plan) }
}

/// The command line without the options of code generation (`-f...`, `-m...`) that clang does not know.
fn without_refused(clang: &Clang, args: &[OsString]) -> Vec<OsString> {
    let tunes = |a: &OsString| a.to_str().is_some_and(|t| t.len() > 2 && (t.starts_with("-f") || t.starts_with("-m")));
    let tuning: Vec<&OsString> = args.iter().filter(|a| tunes(a)).collect();
    if tuning.is_empty() {
        return args.to_vec();
    }
    // With `-###` clang only reads its options.
    let Ok(asked) = Command::new(&clang.program).args(["-###", "-x", "c", "-c", "/dev/null"]).args(tuning).output()
    else {
        return args.to_vec();
    };
    let refused = refused_options(&String::from_utf8_lossy(&asked.stderr));
    if !refused.is_empty() {
        eprintln!("blitz cc: clang does not know {}, which is left out", refused.join(" "));
    }
    let is_refused = |a: &OsString| tunes(a) && refused.iter().any(|r| a == r.as_str());
    args.iter().filter(|a| !is_refused(a)).cloned().collect()
}

/// The options that clang's errors name: `unknown argument: '-fx'`, or `unknown argument '-fx'; did you mean '-fy'?`.
fn refused_options(errors: &str) -> Vec<String> {
    let named = |line: &str| {
        let (_, rest) = line.split_once("unknown argument")?;
        let (_, quoted) = rest.split_once('\'')?;
        Some(quoted.split_once('\'')?.0.to_owned())
    };
    errors.lines().filter(|line| line.contains("error:")).filter_map(named).collect()
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

/// Options whose value is the next word.
const WITH_VALUE: [&str; 22] = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-x",
    "-L",
    "-l",
    "-T",
    "-u",
    "-z",
    "-Xlinker",
    "-Xclang",
    "--param",
    "-target",
];

impl Plan {
    fn of(args: &[OsString]) -> Plan {
        let mut plan =
            Plan { args: args.to_vec(), sources: Vec::new(), output: None, compiles_only: false, only_looks: false };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.to_str() {
                Some("-o") => plan.output = rest.next().map(PathBuf::from),
                Some("-c") => plan.compiles_only = true,
                Some("-E" | "-S" | "-M" | "-MM" | "-fsyntax-only" | "-###" | "--version") => plan.only_looks = true,
                Some(text) if WITH_VALUE.contains(&text) => {
                    rest.next();
                }
                Some(text) if !text.starts_with('-') && text.ends_with(".c") => plan.sources.push(PathBuf::from(text)),
                _ => {}
            }
        }
        plan.only_looks |= plan.output.as_ref().is_some_and(|o| o.starts_with("/dev"));
        plan
    }

    /// The flags that are neither sources nor the output nor files for the linker.
    fn compile_flags(&self) -> Vec<OsString> {
        let mut flags = Vec::new();
        let mut rest = self.args.iter();
        while let Some(arg) = rest.next() {
            if arg == "-o" {
                rest.next();
            } else if arg.to_str().is_some_and(|text| WITH_VALUE.contains(&text)) {
                flags.push(arg.clone());
                flags.extend(rest.next().cloned());
            } else if arg != "-c" && !self.is_source(arg) && !for_linker(arg) {
                flags.push(arg.clone());
            }
        }
        if !self.compiles_only {
            flags.push("-Wno-unused-command-line-argument".into());
        }
        flags
    }

    fn is_source(&self, arg: &OsStr) -> bool {
        self.sources.iter().any(|s| s.as_os_str() == arg)
    }

    fn object_of(&self, source: &Path) -> PathBuf {
        match &self.output {
            Some(output) if self.sources.len() == 1 => output.clone(),
            _ => PathBuf::from(source.file_name().unwrap_or(OsStr::new("out"))).with_extension("o"),
        }
    }
}

/// Optimisation at link time is left out: its objects are not native ones.
fn for_linker(arg: &OsStr) -> bool {
    let text = arg.to_string_lossy();
    let object = !text.starts_with('-') && [".o", ".lo", ".a", ".so"].iter().any(|end| text.ends_with(end));
    object
        || ["-l", "-L", "-Wl,", "-flto"].iter().any(|start| text.starts_with(start))
        || ["-shared", "-static", "-rdynamic", "-s"].iter().any(|flag| text == *flag)
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
    let mut objects = Vec::new();
    for arg in &plan.args {
        if !plan.is_source(arg) {
            link.push(arg.clone());
            continue;
        }
        let source = Path::new(arg);
        let stem = source.file_stem().unwrap_or(OsStr::new("part")).to_string_lossy();
        let object = beside(&program, &format!(".{}.{stem}.o", objects.len()));
        let exit = compile(clang, plan, source, &object)?;
        if exit != Exit::Success {
            return Ok(exit);
        }
        objects.push(object.clone());
        link.push(object.into_os_string());
    }
    let exit = native(clang, link);
    for object in objects {
        let _ = std::fs::remove_file(object);
    }
    exit
}

/// A hidden file that belongs to another.
fn beside(file: &Path, end: &str) -> PathBuf {
    let name = file.file_name().unwrap_or(OsStr::new("out")).to_string_lossy();
    let dot = if name.starts_with('.') { "" } else { "." };
    file.with_file_name(format!("{dot}{name}{end}"))
}

/// One C file: natively into `object`, then into bitcode, and the path of the bitcode into the object.
fn compile(clang: &Clang, plan: &Plan, source: &Path, object: &Path) -> Result<Exit, Fault> {
    let mut args: Vec<OsString> = OLD_C.map(OsString::from).to_vec();
    args.extend(plan.compile_flags());
    args.extend(["-c".into(), "-o".into(), object.into(), source.into()]);
    let exit = native(clang, args)?;
    if exit != Exit::Success {
        return Ok(exit);
    }
    let bitcode = absolute(&beside(object, ".bc"))?;
    if let Err(why) = keep_bitcode(clang, plan, source, &bitcode).and_then(|()| leave_note(object, &bitcode)) {
        eprintln!("blitz cc: {} has no bitcode, so nothing in it can be checked: {why}", source.display());
    }
    Ok(Exit::Success)
}

fn keep_bitcode(clang: &Clang, plan: &Plan, source: &Path, bitcode: &Path) -> Result<(), String> {
    let flags: Vec<String> = plan.compile_flags().iter().map(|f| f.to_string_lossy().into_owned()).collect();
    let output = Command::new(&clang.program)
        .args(OLD_C)
        .args(keep_users(&flags))
        .args(front_end_flags())
        .args(sanitizer_flags(Checks::default(), &flags))
        .arg("-o")
        .args([bitcode, source])
        .output()
        .map_err(|e| format!("{} could not be started: {e}", clang.program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(said.trim_end().to_owned()) }
}

/// Puts the path of the bitcode into a section of the object.
fn leave_note(object: &Path, bitcode: &Path) -> Result<(), String> {
    let note = PathBuf::from(format!("{}.note", bitcode.display()));
    let mut text = bitcode.as_os_str().as_encoded_bytes().to_vec();
    text.push(0);
    std::fs::write(&note, text).map_err(|e| format!("{} can't be written: {e}", note.display()))?;
    let done = Command::new("objcopy")
        .args(["--remove-section", SECTION, "--add-section"])
        .arg(format!("{SECTION}={}", note.display()))
        .arg(object)
        .output();
    let _ = std::fs::remove_file(&note);
    let output = done.map_err(|e| format!("objcopy could not be started: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(said.trim_end().to_owned()) }
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
