//! `blitz init`: writes a `blitz.toml` for what lies in a folder.
//!
//! Programs are those of a compile_commands.json, else the C files that define `main`, each with the files that don't, and with the flags that a
//! Makefile gives; without any it is a library, and every function is checked by itself. Each target is tried: one that can't be loaded is written as a comment with the reason.

use super::{makefile, proofs};
use crate::args::{InitArgs, InputArgs};
use crate::input::{self, Environment};
use crate::project::FILE;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_frontend::driver::{self, DriverError, Inputs};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

pub fn init(args: &InitArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let file = args.folder.join(FILE);
    if file.exists() {
        return Err(Fault::new(format!("{} is there already", file.display())));
    }
    let folders = proofs::folders(&args.folder);
    if !folders.is_empty() {
        let (text, count) = proofs_of(&folders, terminal)?;
        return write(&file, &text, count, terminal);
    }
    let name = folder_name(&args.folder);
    let targets = match database(&args.folder) {
        Some(database) => of_database(&args.folder, &database, &name),
        None => of_sources(&args.folder, &name)?,
    };
    let (mut text, mut works) = (HEAD.to_owned(), 0);
    for target in &targets {
        match target.why_not(&args.folder, terminal) {
            None => {
                works += 1;
                text.push_str(&format!("\n{}", target.toml()));
            }
            Some(why) => {
                terminal.note(&format!("target {} is a comment in {}: {why}", target.name, file.display()));
                let commented: String = target.toml().lines().map(|l| format!("# {l}\n")).collect();
                text.push_str(&format!("\n# It can't be loaded: {why}\n{commented}"));
            }
        }
    }
    text.push_str(TAIL);
    write(&file, &text, works, terminal)
}

fn write(file: &Path, text: &str, works: usize, terminal: &Terminal) -> Result<Exit, Fault> {
    std::fs::write(file, text).map_err(|e| Fault::new(format!("{} can't be written: {e}", file.display())))?;
    let many = if works == 1 { "1 target".to_owned() } else { format!("{works} targets") };
    let then = match works {
        0 => {
            "what is wrong with its targets stands there (if a Makefile builds them: make CC=\"blitz cc\", then blitz check PROGRAM)"
        }
        _ => "`blitz check` in this folder needs no arguments now",
    };
    terminal.result(&format!("{} is written ({many}); {then}", file.display()));
    Ok(Exit::Success)
}

/// All proofs whose Makefiles name their commands; which do not is said.
fn proofs_of(folders: &[PathBuf], terminal: &Terminal) -> Result<(String, usize), Fault> {
    let mut read = Vec::new();
    for folder in folders {
        match proofs::read(folder) {
            Ok(proof) => read.push(proof),
            Err(Fault::Sentence(why) | Fault::Verbatim(why)) => terminal.note(&format!("left out: {why}")),
        }
    }
    if read.is_empty() {
        return Err(Fault::new("no Makefile of a proof here names its commands"));
    }
    terminal.note(&format!("{} proofs of CBMC's form", read.len()));
    let text = format!(
        "# The proofs of this folder, as their Makefiles have them. `blitz check` runs them all, `--target NAME` one.\n{}",
        proofs::toml(&read)
    );
    Ok((text, read.len()))
}

/// One `[[target]]`.
struct Target {
    name: String,
    database: Option<String>,
    program: Option<String>,
    files: Vec<String>,
    flags: Vec<String>,
    library: bool,
}

impl Target {
    fn toml(&self) -> String {
        let mut out = format!("[[target]]\nname = {:?}\n", self.name);
        if let Some(database) = &self.database {
            out.push_str(&format!("database = {database:?}\n"));
        }
        if let Some(program) = &self.program {
            out.push_str(&format!("program = {program:?}\n"));
        }
        if self.database.is_none() {
            out.push_str(&format!("files = {:?}\nflags = {:?}\n", self.files, self.flags));
        }
        out.push_str(if self.library { "entries = [\"all\"]\n" } else { "# entries = [\"main\"]\n" });
        out.push_str("# stubs = [\"stubs.c\"]\n");
        out
    }

    /// Why it can't be checked, in one line.
    fn why_not(&self, folder: &Path, terminal: &Terminal) -> Option<String> {
        let args = InputArgs {
            files: self.files.iter().map(|f| folder.join(f)).collect(),
            database: self.database.as_ref().map(|d| folder.join(d)),
            target: self.program.clone(),
            ..InputArgs::default()
        };
        let flags: Vec<String> = self.flags.iter().map(|f| in_folder(f, folder)).collect();
        let entry = if self.library { None } else { Some("main") };
        match input::try_load(&args, &flags, Environment::Model, entry, terminal) {
            Ok(loaded) => {
                drop(ManuallyDrop::into_inner(loaded.program));
                None
            }
            Err(Fault::Sentence(text) | Fault::Verbatim(text)) => {
                Some(text.lines().find(|l| l.contains("error")).or(text.lines().next()).unwrap_or_default().to_owned())
            }
        }
    }
}

/// `-Iinclude` as it is from here.
fn in_folder(flag: &str, folder: &Path) -> String {
    match flag.strip_prefix("-I") {
        Some(dir) => format!("-I{}", folder.join(dir).display()),
        None => flag.to_owned(),
    }
}

fn folder_name(folder: &Path) -> String {
    let whole = std::path::absolute(folder).ok();
    let name = whole.and_then(|p| p.file_name().map(|n| n.to_string_lossy().into_owned()));
    name.unwrap_or_else(|| "program".to_owned())
}

fn database(folder: &Path) -> Option<String> {
    let databases = ["compile_commands.json", "build/compile_commands.json"];
    databases.into_iter().find(|d| folder.join(d).is_file()).map(str::to_owned)
}

/// One target per program of the database.
fn of_database(folder: &Path, database: &str, name: &str) -> Vec<Target> {
    let target = |name: &str, program: Option<String>| Target {
        name: name.to_owned(),
        database: Some(database.to_owned()),
        program,
        files: Vec::new(),
        flags: Vec::new(),
        library: false,
    };
    let inputs = Inputs { database: Some(folder.join(database)), ..Inputs::default() };
    match driver::compile(&inputs, &driver::CompileOptions::default()) {
        Err(DriverError::Programs(names)) => names.iter().map(|n| target(n, Some(n.clone()))).collect(),
        Err(DriverError::Input(_) | DriverError::Clang { .. }) => vec![target(name, None)],
        Ok(compiled) => {
            let library = !compiled.modules.iter().any(|m| driver::defines(&m.bytes, "main"));
            vec![Target { library, ..target(name, None) }]
        }
    }
}

/// One target per file with a `main`.
fn of_sources(folder: &Path, name: &str) -> Result<Vec<Target>, Fault> {
    let mut found = Found::default();
    found.look(folder, Path::new(""), 0)?;
    found.sources.sort();
    if found.sources.is_empty() {
        return Err(Fault::new(format!("there are no C files and no compile_commands.json in {}", folder.display())));
    }
    let text = |f: &String| std::fs::read_to_string(folder.join(f)).unwrap_or_default();
    let (mains, others): (Vec<String>, Vec<String>) = found.sources.into_iter().partition(|f| defines_main(&text(f)));
    found.headers.sort();
    let mut flags = makefile::flags(folder);
    let headers: Vec<String> = found.headers.iter().map(|d| format!("-I{d}")).collect();
    flags.extend(headers.into_iter().filter(|h| !flags.contains(h)).collect::<Vec<_>>());
    let target = |name: String, files: Vec<String>, library: bool| Target {
        name,
        database: None,
        program: None,
        files,
        flags: flags.clone(),
        library,
    };
    Ok(match mains.as_slice() {
        [] => vec![target(name.to_owned(), others, true)],
        [one] => vec![target(name.to_owned(), [vec![one.clone()], others].concat(), false)],
        several => several.iter().map(|m| target(stem(m), [vec![m.clone()], others.clone()].concat(), false)).collect(),
    })
}

fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| file.to_owned(), |s| s.to_string_lossy().into_owned())
}

/// How deep folders are looked into, and folders that hold no sources of the project's own.
const DEEPEST: usize = 4;
const NOT_OURS: [&str; 6] = ["build", "blitz-out", "node_modules", "target", "CMakeFiles", "vendor"];

/// What lies in a folder.
#[derive(Default)]
struct Found {
    sources: Vec<String>,
    /// Folders with headers, beside the folder itself.
    headers: Vec<String>,
}

impl Found {
    fn look(&mut self, base: &Path, inner: &Path, depth: usize) -> Result<(), Fault> {
        let folder = base.join(inner);
        let wrong = |e: std::io::Error| Fault::new(format!("{} can't be read: {e}", folder.display()));
        for entry in std::fs::read_dir(&folder).map_err(wrong)? {
            let path = entry.map_err(wrong)?.path();
            // A name that is no text can't be written down.
            let Some(name) = path.file_name().and_then(|n| n.to_str()).map(str::to_owned) else { continue };
            let shown: PathBuf = inner.join(&name);
            let ours = !name.starts_with('.') && !NOT_OURS.contains(&name.as_str());
            if path.is_dir() && ours && depth < DEEPEST {
                self.look(base, &shown, depth + 1)?;
            } else if name.ends_with(".c") {
                self.sources.push(shown.display().to_string());
            } else if name.ends_with(".h") {
                let place = if depth == 0 { ".".to_owned() } else { inner.display().to_string() };
                if !self.headers.contains(&place) {
                    self.headers.push(place);
                }
            }
        }
        Ok(())
    }
}

/// Whether a text defines `main`, as far as a glance tells: the name, a list in parentheses, and a brace.
fn defines_main(text: &str) -> bool {
    text.match_indices("main").any(|(at, word)| {
        let before = text[..at].chars().next_back();
        let rest = text[at + word.len()..].trim_start();
        let whole = before.is_none_or(|c| c.is_whitespace() || c == '*') && rest.starts_with('(');
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        let comment = line.contains("//") || line.trim_start().starts_with('*') || line.trim_start().starts_with('#');
        whole
            && !comment
            && rest.find(')').is_some_and(|end| {
                let tail = rest[end + 1..].trim_start();
                tail.starts_with('{') || !tail.starts_with([';', ',', ')', '+', '-', '=', '.'])
            })
    })
}

const HEAD: &str = r#"# What `blitz check` does in this folder. The command line wins over what is here.

[check]
# checks = "+unsigned-overflow"
# engine = "auto"
# unwind = 10
timeout = "60s"
# memory = "4G"
# alloc = "succeeds"
# native = false
"#;

const TAIL: &str = r#"
# A finding that is accepted: by property, or by kind, function and file together.
# [[suppress]]
# property = "main.memory-leak.1"
# reason = "the process ends right after"
# until = "2030-12-31"
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_of_main_is_seen() {
        assert!(defines_main("int main(void) {\n"));
        assert!(defines_main("int\nmain(argc, argv)\n  char **argv;\n{"));
        assert!(defines_main("int main(int argc,\n   char **argv)\n{"));
        assert!(!defines_main("int main(void);\n"));
        assert!(!defines_main("/* the domain(x) { */ int f(void) { return 0; }"));
        assert!(!defines_main("// int main(void) {\n"));
    }
}
