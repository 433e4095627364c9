//! Bitcode from elsewhere is read by another process first, since LLVM may end the process that reads it.
//!
//! LLVM's reader checks much, but damaged bitcode can still make it abort or run out of memory. The child does nothing but
//! read; if it dies, the file is refused in a sentence. What it only complains about is told by the real reading.

use crate::{Exit, Fault};
use blitz_frontend::{LibcVariant, LoadOptions, ModuleInput};
use blitz_ir::{Checks, FuncId};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The word that makes blitz a child that only reads.
pub const WORD: &str = "__read";

/// Whether reading these files leaves a process alive.
pub fn survives(files: &[PathBuf]) -> Result<(), Fault> {
    if files.is_empty() || reading(files)? == Some(0) {
        return Ok(());
    }
    for file in files {
        // 70 is a defect of ours, not damage: the real reading tells it as one.
        if !matches!(reading(std::slice::from_ref(file))?, Some(0 | 2 | 70)) {
            return Err(Fault::new(format!("{} is damaged: LLVM can't read it", file.display())));
        }
    }
    Ok(())
}

/// How a process that reads them all ends. One for all: starting it takes longer than reading a small file.
fn reading(files: &[PathBuf]) -> Result<Option<i32>, Fault> {
    let me = std::env::current_exe().map_err(|e| Fault::new(format!("blitz can't find itself: {e}")))?;
    let status = Command::new(me)
        .arg(WORD)
        .args(files)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|e| Fault::new(format!("blitz can't start itself: {e}")))?;
    Ok(status.code())
}

/// What the child does.
pub fn read(files: &[PathBuf]) -> Result<Exit, Fault> {
    files.iter().try_for_each(|file| read_one(file))?;
    Ok(Exit::Success)
}

fn read_one(file: &Path) -> Result<(), Fault> {
    let bytes = std::fs::read(file).map_err(|e| Fault::new(e.to_string()))?;
    let module = ModuleInput { name: file.display().to_string(), bytes, edits: Default::default() };
    let options = LoadOptions {
        checks: Checks::default(),
        libc: LibcVariant::None,
        entry: None,
        unit: None,
        offset_bits: None,
        no_body: Default::default(),
    };
    let program = blitz_frontend::load(vec![module], &options).map_err(|e| Fault::new(e.to_string()))?;
    for f in (0..program.funcs.len()).map(FuncId::new) {
        program.body(f);
    }
    Ok(())
}
