//! One input file: what it is, and its compilation with the retries that old C needs.

use super::cache::Slot;
use super::clang::Clang;
use super::flags::{self, RELAXED};
use super::implicit::{self, Implicit};
use super::{CompileOptions, Contracts, DriverError, UnitInput, dialect, harness, native};
use crate::Edits;
use std::fs;
use std::path::{Path, PathBuf};

/// Something to load.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Source(Unit),
    /// LLVM bitcode or its text form, made elsewhere.
    Bitcode(PathBuf),
    /// LLVM bitcode that `blitz cc` kept.
    Kept(PathBuf),
}

impl Input {
    /// The file as the user named it.
    pub fn name(&self) -> String {
        match self {
            Input::Source(unit) => unit.file.display().to_string(),
            Input::Bitcode(path) | Input::Kept(path) => path.display().to_string(),
        }
    }

    /// What is changed in it before it is linked.
    pub fn edits(&self) -> Edits {
        match self {
            Input::Source(unit) => unit.edits.clone(),
            Input::Bitcode(_) | Input::Kept(_) => Edits::default(),
        }
    }
}

/// A C file with its flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub file: PathBuf,
    pub directory: PathBuf,
    pub flags: Vec<String>,
    /// The object file the build makes of it, where a database says so.
    pub output: Option<String>,
    pub edits: Edits,
}

impl Unit {
    pub fn of(input: &UnitInput) -> Unit {
        let UnitInput { file, directory, flags, edits } = input.clone();
        Unit { file, directory, flags, output: None, edits }
    }
}

/// A module, and what it took.
pub(super) struct Output {
    pub bytes: Vec<u8>,
    pub note: Option<String>,
    pub extra_flags: Vec<String>,
    /// Functions that are called and declared nowhere, as clang said.
    pub implicit: Vec<Implicit>,
}

/// What a file named by the user is; a program built by `blitz cc` stands for the bitcode of its parts.
pub(super) fn classify(file: &Path, flags: &[String]) -> Result<Vec<Input>, DriverError> {
    let shown = file.display();
    let meta = fs::metadata(file).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => DriverError::input(format!("no such file: {shown}")),
        _ => DriverError::input(format!("{shown} can't be read: {e}")),
    })?;
    if meta.is_dir() {
        return Err(DriverError::input(format!(
            "{shown} is a directory: name its C files, or its compile_commands.json with -p"
        )));
    }
    if file.to_str().is_none() {
        return Err(DriverError::input(format!("the name of {shown} is not UTF-8: give it another one")));
    }
    let head = read_head(file)?;
    if is_bitcode(&head) {
        return Ok(vec![Input::Bitcode(file.to_owned())]);
    }
    if head.starts_with(b"\x7fELF") {
        let parts = native::linked_bitcode(file)?;
        return Ok(parts.into_iter().map(Input::Kept).collect());
    }
    match file.extension().and_then(|e| e.to_str()) {
        Some("c" | "i") => Ok(vec![Input::Source(Unit {
            file: file.to_owned(),
            directory: current_dir()?,
            flags: flags::keep_users(flags),
            output: None,
            edits: Edits::default(),
        })]),
        Some("ll") => Ok(vec![Input::Bitcode(file.to_owned())]),
        Some("bc") if head.is_empty() => Err(DriverError::input(format!("{shown} is empty"))),
        Some("bc") => Err(DriverError::input(format!("{shown} is not LLVM bitcode"))),
        _ => Err(DriverError::input(format!(
            "{shown} is neither C (.c, .i) nor LLVM bitcode (.bc, .ll) nor a program built by `blitz cc`"
        ))),
    }
}

fn current_dir() -> Result<PathBuf, DriverError> {
    std::env::current_dir().map_err(|e| DriverError::input(format!("the current folder can't be read: {e}")))
}

fn read_head(file: &Path) -> Result<Vec<u8>, DriverError> {
    use std::io::Read;
    let mut head = Vec::new();
    fs::File::open(file)
        .and_then(|f| f.take(4).read_to_end(&mut head))
        .map_err(|e| DriverError::input(format!("{} can't be read: {e}", file.display())))?;
    Ok(head)
}

/// Raw bitcode, or bitcode in the wrapper some platforms use.
fn is_bitcode(head: &[u8]) -> bool {
    head == b"BC\xC0\xDE" || head == [0xDE, 0xC0, 0x17, 0x0B]
}

pub(super) fn read_bitcode(path: &Path) -> Result<Output, DriverError> {
    let bytes = fs::read(path).map_err(|e| DriverError::input(format!("{} can't be read: {e}", path.display())))?;
    Ok(Output { bytes, note: None, extra_flags: Vec::new(), implicit: Vec::new() })
}

/// Compiles a C file, or finds the result of an earlier run.
pub(super) fn compile(clang: &Clang, unit: &Unit, opts: &CompileOptions) -> Result<Output, DriverError> {
    let args = arguments(unit, opts)?;
    let source = fs::read(unit.directory.join(&unit.file))
        .map_err(|e| DriverError::input(format!("{} can't be read: {e}", unit.file.display())))?;
    let slot = opts.cache.as_deref().map(|cache| slot(cache, clang, unit, &args, (&source, &opts.contracts)));
    if let Some(hit) = slot.as_ref().and_then(Slot::look_up) {
        return Ok(output(unit, hit.bytes, hit.relaxed, hit.implicit));
    }
    let scratch = tempfile::tempdir().map_err(|e| DriverError::input(format!("no temporary folder: {e}")))?;
    let (relaxed, attempt) = attempts(clang, unit, &args, (&source, &opts.contracts), scratch.path())?;
    if let Some(slot) = &slot {
        slot.keep(&attempt.bytes, relaxed, &attempt.implicit, &unit.directory, &attempt.dependencies);
    }
    Ok(output(unit, attempt.bytes, relaxed, attempt.implicit))
}

/// Compiles C that was written here; nothing in it is checked.
pub(super) fn compile_text(clang: &Clang, text: &str, ptr_bits: u16) -> Result<Vec<u8>, DriverError> {
    let scratch = tempfile::tempdir().map_err(|e| DriverError::input(format!("no temporary folder: {e}")))?;
    let file = PathBuf::from("unit.c");
    let written = fs::write(scratch.path().join(&file), text);
    written.map_err(|e| DriverError::input(format!("{} can't be written: {e}", scratch.path().display())))?;
    let flags = if ptr_bits == 32 { vec!["-m32".to_owned()] } else { Vec::new() };
    let mut args = flags.clone();
    args.extend(flags::front_end_flags());
    args.push(file.display().to_string());
    let unit = Unit { file, directory: scratch.path().to_owned(), flags, output: None, edits: Edits::default() };
    match attempt(clang, &unit, &args, &[], scratch.path())? {
        Ok(done) => Ok(done.bytes),
        Err(stderr) => Err(DriverError::Clang { stderr }),
    }
}

fn slot(cache: &Path, clang: &Clang, unit: &Unit, args: &[String], (source, contracts): (&[u8], &Contracts)) -> Slot {
    let joined = args.join("\0");
    let directory = unit.directory.to_string_lossy().into_owned();
    let contracts = if contracts.is_empty() { String::new() } else { format!("{contracts:?}") };
    let parts: [&[u8]; 7] = [
        contracts.as_bytes(),
        if unit.edits.export_local { b"exports" } else { b"" },
        env!("CARGO_PKG_VERSION").as_bytes(),
        clang.version.as_bytes(),
        directory.as_bytes(),
        joined.as_bytes(),
        source,
    ];
    Slot::new(cache, &parts)
}

fn output(unit: &Unit, bytes: Vec<u8>, relaxed: usize, implicit: Vec<Implicit>) -> Output {
    if relaxed == 0 {
        return Output { bytes, note: None, extra_flags: Vec::new(), implicit };
    }
    let extra: Vec<String> = RELAXED[relaxed - 1].iter().map(|s| (*s).to_owned()).collect();
    let note = format!("{} is old C: it was compiled with {}", unit.file.display(), extra.join(" "));
    Output { bytes, note: Some(note), extra_flags: extra, implicit }
}

fn arguments(unit: &Unit, opts: &CompileOptions) -> Result<Vec<String>, DriverError> {
    let mut args = unit.flags.clone();
    args.extend(flags::front_end_flags());
    args.extend(flags::sanitizer_flags(opts.checks, &unit.flags));
    if flags::is_32_bit(&unit.flags) {
        args.extend(native::headers_for_32_bit(opts.cache.as_deref())?);
    }
    args.push(unit.file.display().to_string());
    Ok(args)
}

struct Attempt {
    bytes: Vec<u8>,
    dependencies: String,
    implicit: Vec<Implicit>,
}

/// Tries the flags as they are, then with the intrinsics declared that clang missed, then each step of relaxation. If
/// none helps, clang's first complaint counts. Where CBMC's language is spoken, in the file or in what it includes, its preprocessed
/// text is put into C first.
fn attempts(
    clang: &Clang,
    unit: &Unit,
    args: &[String],
    (source, contracts): (&[u8], &Contracts),
    scratch: &Path,
) -> Result<(usize, Attempt), DriverError> {
    let mut spoken = unit.edits.export_local || !contracts.is_empty() || dialect::is_spoken_in(source);
    let mut said = None;
    if !spoken {
        match plain_attempts(clang, unit, args, source, scratch)? {
            Ok((_, done)) if dialect::is_spoken_in(&done.bytes) => spoken = true,
            Ok(done) => return Ok(done),
            Err(stderr) => said = Some(stderr),
        }
    }
    let translated =
        preprocess(clang, unit, args, scratch)?.filter(|p| spoken || dialect::is_spoken_in(p.text.as_bytes()));
    if let Some(preprocessed) = translated {
        return translated_attempts(clang, unit, args, (&preprocessed, contracts), scratch);
    }
    match said {
        Some(stderr) => Err(DriverError::Clang { stderr }),
        // The preprocessor refused: clang says why.
        None => plain_attempts(clang, unit, args, source, scratch)?.map_err(|stderr| DriverError::Clang { stderr }),
    }
}

/// The preprocessed text of a file.
pub(super) fn preprocessed(clang: &Clang, unit: &Unit) -> Option<String> {
    let scratch = tempfile::tempdir().ok()?;
    let mut args = unit.flags.clone();
    args.extend(["-w", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=0"].map(str::to_owned));
    args.push(unit.file.display().to_string());
    preprocess(clang, unit, &args, scratch.path()).ok()?.map(|p| p.text)
}

/// A preprocessed text with the files it was made of.
struct Preprocessed {
    text: String,
    dependencies: String,
}

/// What the preprocessor makes of a file; none where it refuses it.
fn preprocess(
    clang: &Clang,
    unit: &Unit,
    args: &[String],
    scratch: &Path,
) -> Result<Option<Preprocessed>, DriverError> {
    let (text, rule) = (scratch.join("whole.i"), scratch.join("whole.d"));
    let mut all = for_preprocessor(args);
    if unit.file.extension().is_some_and(|e| e == "i") {
        all.insert(0, "-xc".to_owned());
    }
    all.extend(["-E", "-MD", "-MF"].map(str::to_owned));
    all.extend([rule.display().to_string(), "-o".to_owned(), text.display().to_string()]);
    if !clang.run(&unit.directory, &all)?.status.success() {
        return Ok(None);
    }
    let Ok(bytes) = fs::read(&text) else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Some(Preprocessed { text, dependencies: fs::read_to_string(&rule).unwrap_or_default() }))
}

/// The flags without those that ask for bitcode.
fn for_preprocessor(args: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for arg in args {
        match arg.as_str() {
            "-c" => {}
            "-disable-llvm-passes" | "-emit-llvm-bc" => {
                out.pop();
            }
            _ => out.push(arg.clone()),
        }
    }
    out
}

/// The preprocessed text as C, with the intrinsics it uses declared in front.
fn translated_attempts(
    clang: &Clang,
    unit: &Unit,
    args: &[String],
    (preprocessed, contracts): (&Preprocessed, &Contracts),
    scratch: &Path,
) -> Result<(usize, Attempt), DriverError> {
    let translated = dialect::in_c(&preprocessed.text, unit.edits.export_local, contracts);
    let (header, file) = (scratch.join("dialect.h"), scratch.join("dialect.c"));
    write(&header, &translated.whole_header())?;
    write(&file, &translated.text)?;
    let mut all = vec!["-include".to_owned(), header.display().to_string()];
    // The file is the last argument of all.
    all.extend(args[..args.len() - 1].iter().cloned());
    all.extend(dialect::FLAGS.iter().map(|f| (*f).to_owned()));
    all.push(file.display().to_string());
    let mut text = translated.text;
    let mut said = None;
    for round in 0..=MAX_REPAIRS {
        let stderr = match attempt(clang, unit, &all, &[], scratch)? {
            Ok(done) => return Ok((0, Attempt { dependencies: preprocessed.dependencies.clone(), ..done })),
            Err(stderr) => stderr,
        };
        let placed = attempt(clang, unit, &all, dialect::repairs::WITH_PLACES, scratch)?.err().unwrap_or_default();
        let mended = dialect::repairs::mended(&text, &placed);
        let goes_on = round == 0 || mended.is_some();
        text = mended.unwrap_or(text);
        write(&file, &text)?;
        // The guess what has to be declared may be what is wrong: what clang itself misses counts.
        let missed = harness::for_complaints(&attempt_without(clang, unit, &all, scratch)?).unwrap_or_default();
        write(&header, &format!("{}{}{missed}", translated.header, dialect::repairs::declarations(&text)))?;
        said.get_or_insert(stderr);
        if !goes_on {
            break;
        }
    }
    for (i, relaxed) in RELAXED.iter().enumerate() {
        if let Ok(done) = attempt(clang, unit, &all, relaxed, scratch)? {
            return Ok((i + 1, Attempt { dependencies: preprocessed.dependencies.clone(), ..done }));
        }
    }
    Err(DriverError::Clang { stderr: said.unwrap_or_default() })
}

/// How often a text may be mended: what clang complains about next may have been hidden.
const MAX_REPAIRS: usize = 3;

/// What clang says of a text without a header of ours in front.
fn attempt_without(clang: &Clang, unit: &Unit, args: &[String], scratch: &Path) -> Result<String, DriverError> {
    Ok(attempt(clang, unit, &args[2..], &[], scratch)?.err().unwrap_or_default())
}

fn write(path: &Path, text: &str) -> Result<(), DriverError> {
    fs::write(path, text).map_err(|e| DriverError::input(format!("{} can't be written: {e}", path.display())))
}

/// The attempts without a look at what the file includes; clang's complaint if none helps.
fn plain_attempts(
    clang: &Clang,
    unit: &Unit,
    args: &[String],
    source: &[u8],
    scratch: &Path,
) -> Result<Result<(usize, Attempt), String>, DriverError> {
    let guess = harness::for_source(source);
    let first_args = with_header(unit, args, guess.clone(), scratch)?;
    let mut said = match attempt(clang, unit, &first_args, &[], scratch)? {
        Ok(done) => return Ok(Ok((0, done))),
        Err(stderr) => stderr,
    };
    if guess.is_some() {
        // The guess may be what is wrong: what clang itself misses counts.
        said = match attempt(clang, unit, args, &[], scratch)? {
            Ok(done) => return Ok(Ok((0, done))),
            Err(stderr) => stderr,
        };
    }
    let mut args = args.to_vec();
    if let Some(header) = harness::for_complaints(&said) {
        args = with_header(unit, &args, Some(header), scratch)?;
        if let Ok(done) = attempt(clang, unit, &args, &[], scratch)? {
            return Ok(Ok((0, done)));
        }
    }
    // What clang says of its command line is no matter of the language.
    let about_flags = said.lines().any(|line| line.starts_with("error:"));
    for (i, relaxed) in RELAXED.iter().enumerate().filter(|_| !about_flags) {
        if let Ok(done) = attempt(clang, unit, &args, relaxed, scratch)? {
            return Ok(Ok((i + 1, done)));
        }
    }
    Ok(Err(said))
}

/// The flags with a header of ours in front of the file; preprocessed C is preprocessed again for it.
fn with_header(
    unit: &Unit,
    args: &[String],
    header: Option<String>,
    scratch: &Path,
) -> Result<Vec<String>, DriverError> {
    let Some(text) = header else { return Ok(args.to_vec()) };
    let path = scratch.join("harness.h");
    write(&path, &text)?;
    let mut all = vec!["-include".to_owned(), path.display().to_string()];
    if unit.file.extension().is_some_and(|e| e == "i") {
        all.extend(["-x".to_owned(), "c".to_owned()]);
    }
    all.extend_from_slice(args);
    Ok(all)
}

fn attempt(
    clang: &Clang,
    unit: &Unit,
    args: &[String],
    relaxed: &[&str],
    scratch: &Path,
) -> Result<Result<Attempt, String>, DriverError> {
    let bitcode = scratch.join("out.bc");
    let rule = scratch.join("out.d");
    let mut all: Vec<String> = args.to_vec();
    all.extend(relaxed.iter().map(|s| (*s).to_owned()));
    for (flag, path) in [("-o", &bitcode), ("-MF", &rule)] {
        all.push(flag.to_owned());
        all.push(path.display().to_string());
    }
    all.push("-MD".to_owned());
    let run = clang.run(&unit.directory, &all)?;
    if !run.status.success() {
        return Ok(Err(complaint(unit, &run)));
    }
    let bytes = fs::read(&bitcode)
        .map_err(|e| DriverError::input(format!("clang made no bitcode of {}: {e}", unit.file.display())))?;
    let dependencies = fs::read_to_string(&rule).unwrap_or_default();
    let implicit = if relaxed.is_empty() { Vec::new() } else { undeclared(clang, unit, args, relaxed)? };
    Ok(Ok(Attempt { bytes, dependencies, implicit }))
}

/// The functions that a file calls without a declaration, where that was allowed: clang is asked once more, with its warnings on.
fn undeclared(clang: &Clang, unit: &Unit, args: &[String], relaxed: &[&str]) -> Result<Vec<Implicit>, DriverError> {
    let mut all: Vec<String> = args.iter().filter(|a| *a != "-w").cloned().collect();
    let asked = ["-fsyntax-only", "-Wimplicit-function-declaration", "-Wno-error=implicit-function-declaration"];
    all.extend(relaxed.iter().chain(&asked).map(|s| (*s).to_owned()));
    let run = clang.run(&unit.directory, &all)?;
    Ok(implicit::named_in(&String::from_utf8_lossy(&run.stderr)))
}

fn complaint(unit: &Unit, run: &std::process::Output) -> String {
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    if text.trim().is_empty() {
        return format!("clang failed on {} without a word ({})\n", unit.file.display(), run.status);
    }
    text
}
