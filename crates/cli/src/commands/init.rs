//! `blitz init`: writes a `blitz.toml` for what lies in a folder.

use super::proofs;
use crate::args::InitArgs;
use crate::project::FILE;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use std::path::{Path, PathBuf};

pub fn init(args: &InitArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let file = args.folder.join(FILE);
    if file.exists() {
        return Err(Fault::new(format!("{} is there already", file.display())));
    }
    let folders = proofs::folders(&args.folder);
    let text = match folders.is_empty() {
        true => contents(&args.folder)?,
        false => proofs_of(&folders, terminal)?,
    };
    std::fs::write(&file, text).map_err(|e| Fault::new(format!("{} can't be written: {e}", file.display())))?;
    terminal.result(&format!("{} is written; `blitz check` in this folder needs no arguments now", file.display()));
    Ok(Exit::Success)
}

/// All proofs whose Makefiles name their commands; which do not is said.
fn proofs_of(folders: &[PathBuf], terminal: &Terminal) -> Result<String, Fault> {
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
    Ok(format!(
        "# The proofs of this folder, as their Makefiles have them. `blitz check` runs them all, `--target NAME` one.\n{}",
        proofs::toml(&read)
    ))
}

fn contents(folder: &Path) -> Result<String, Fault> {
    let name = std::path::absolute(folder)
        .ok()
        .and_then(|p| p.file_name().map(|n| n.to_string_lossy().into_owned()))
        .unwrap_or_else(|| "program".to_owned());
    let databases = ["compile_commands.json", "build/compile_commands.json"];
    let what = match databases.iter().find(|d| folder.join(d).is_file()) {
        Some(database) => format!("database = {database:?}\n# program = \"which of several\"\n"),
        None => format!("files = {:?}\nflags = []\n", sources(folder)?),
    };
    Ok(format!("{HEAD}\n[[target]]\nname = {name:?}\n{what}# entries = [\"main\"]\n# stubs = [\"stubs.c\"]\n{TAIL}"))
}

/// The C files of a folder.
fn sources(folder: &Path) -> Result<Vec<String>, Fault> {
    let list = std::fs::read_dir(folder).map_err(|e| Fault::new(format!("{} can't be read: {e}", folder.display())))?;
    let mut names: Vec<String> = list
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    if names.is_empty() {
        return Err(Fault::new(format!("there are no C files and no compile_commands.json in {}", folder.display())));
    }
    Ok(names)
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
