//! compile_commands.json: which files, with which flags, in which folder, and which of them make up one program.
//!
//! A database lists compilations, not programs. The object file's path tells more: CMake puts the objects of a target
//! into `<target>.dir`. A *program* is a group of units with a `main`; groups without one are libraries and go with
//! every program. Without such paths every file with a `main` is a program of its own, named by its stem, and the files
//! without go with each.

use super::flags;
use super::unit::{Input, Unit};
use super::{Compiled, DriverError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
    output: Option<String>,
}

/// The C files of a database. `path` is the file, or the folder it lies in.
pub(super) fn units(path: &Path, extra: &[String]) -> Result<Vec<Unit>, DriverError> {
    let path = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => DriverError::input(format!("no such file: {shown}")),
        _ => DriverError::input(format!("{shown} can't be read: {e}")),
    })?;
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .map_err(|e| DriverError::input(format!("{shown} is not a compilation database: {e}")))?;
    let base = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut units: Vec<Unit> = Vec::new();
    for entry in entries {
        let unit = unit_of(entry, &base, extra).map_err(|why| DriverError::input(format!("{shown}: {why}")))?;
        if let Some(unit) = unit.filter(|u| !units.contains(u)) {
            units.push(unit);
        }
    }
    if units.is_empty() {
        return Err(DriverError::input(format!("{shown} lists no C file")));
    }
    Ok(units)
}

fn unit_of(entry: Entry, base: &Path, extra: &[String]) -> Result<Option<Unit>, String> {
    let file = entry.file.display().to_string();
    if entry.file.extension().is_none_or(|e| e != "c" && e != "i") {
        return Ok(None);
    }
    let directory = base.join(&entry.directory);
    if !directory.is_dir() {
        return Err(format!("the entry of {file} names the folder {}, which does not exist", directory.display()));
    }
    if !directory.join(&entry.file).is_file() {
        return Err(format!("it lists {file}, which does not exist in {}", directory.display()));
    }
    let arguments = match (entry.arguments, entry.command) {
        (Some(arguments), _) => arguments,
        (None, Some(command)) => {
            shlex::split(&command).ok_or_else(|| format!("the command of {file} has an unclosed quote"))?
        }
        (None, None) => return Err(format!("the entry of {file} has neither `command` nor `arguments`")),
    };
    let output = entry.output.or_else(|| output_of(&arguments));
    let mut flags = flags::keep_users(&strip(&arguments, &file));
    flags.extend_from_slice(extra);
    Ok(Some(Unit { file: entry.file, directory, flags, output, edits: Default::default() }))
}

fn output_of(arguments: &[String]) -> Option<String> {
    let at = arguments.iter().position(|a| a == "-o")?;
    arguments.get(at + 1).cloned()
}

/// The arguments without the compiler (and a launcher such as ccache before it) and without the source file.
fn strip(arguments: &[String], file: &str) -> Vec<String> {
    let first = arguments.iter().position(|a| a.starts_with('-')).unwrap_or(arguments.len());
    let same_file =
        |a: &String| a == file || Path::new(a).file_name() == Path::new(file).file_name() && a.ends_with(".c");
    let compiler = arguments[..first].iter().rposition(|a| !same_file(a)).map_or(0, |i| i + 1);
    arguments[compiler.min(first)..].iter().filter(|a| !same_file(a) && *a != "--").cloned().collect()
}

/// Keeps the units of the chosen program only. An error names the programs there are.
pub(super) fn choose_program(list: &[Input], compiled: &mut Compiled, wanted: Option<&str>) -> Result<(), DriverError> {
    let labels = labels(list, compiled);
    let programs: Vec<&str> = labels.keys().map(String::as_str).collect();
    let chosen = match (wanted, programs.as_slice()) {
        (None, [] | [_]) => return Ok(()),
        (None, several) => {
            return Err(DriverError::Programs(several.iter().map(|&p| p.to_owned()).collect()));
        }
        (Some(name), several) => several.iter().copied().find(|p| *p == name).ok_or_else(|| {
            DriverError::input(format!("there is no program {name} in the database, only {}", several.join(", ")))
        })?,
    };
    let others: Vec<usize> =
        labels.iter().filter(|(name, _)| *name != chosen).flat_map(|(_, units)| units.clone()).collect();
    let mine = &labels[chosen];
    let drop = |i: &usize| others.contains(i) && !mine.contains(i);
    let mut index = 0..;
    compiled.modules.retain(|_| !index.next().is_some_and(|i| drop(&i)));
    let dropped: Vec<&Path> = (0..list.len())
        .filter(drop)
        .filter_map(|i| match &list[i] {
            Input::Source(unit) => Some(unit.file.as_path()),
            Input::Bitcode(_) | Input::Kept(_) => None,
        })
        .collect();
    compiled.sources.retain(|s| !dropped.contains(&s.file.as_path()));
    Ok(())
}

/// The programs by name, each with the positions of the units that are its own.
fn labels(list: &[Input], compiled: &Compiled) -> BTreeMap<String, Vec<usize>> {
    let mut groups: BTreeMap<String, (bool, Vec<usize>)> = BTreeMap::new();
    for (i, input) in list.iter().enumerate() {
        let Input::Source(unit) = input else { continue };
        let has_main = crate::driver::symbols::defines(&compiled.modules[i].bytes, "main");
        let name = cmake_target(unit).or_else(|| has_main.then(|| stem(&unit.file)));
        if let Some(name) = name {
            let group = groups.entry(name).or_default();
            group.0 |= has_main;
            group.1.push(i);
        }
    }
    groups.into_iter().filter(|(_, (has_main, _))| *has_main).map(|(name, (_, units))| (name, units)).collect()
}

fn stem(file: &Path) -> String {
    file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
}

/// `foo` of `CMakeFiles/foo.dir/src/a.c.o`.
fn cmake_target(unit: &Unit) -> Option<String> {
    let output = unit.output.as_deref()?;
    let part = output.split('/').find(|part| part.ends_with(".dir"))?;
    part.strip_suffix(".dir").map(str::to_owned)
}
