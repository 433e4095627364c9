//! `blitz goto-cc`: compiles and links as CBMC's compiler does.

use super::goto::Goto;
use super::words;
use crate::{Exit, Fault};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Flags of a compiler whose value is the next word.
const WITH_VALUE: &[&str] =
    &["-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot"];
/// Words of goto-cc that change nothing here, with the number of words that follow.
const WITHOUT_EFFECT: &[(&str, usize)] = &[
    ("--verbosity", 1),
    ("--object-bits", 1),
    ("--native-compiler", 1),
    ("--native-linker", 1),
    ("--print-rejected-preprocessed-source", 1),
    ("--validate-goto-model", 0),
];

pub fn goto_cc(args: &[OsString]) -> Result<Exit, Fault> {
    let words = words(args);
    let mut goto = Goto::default();
    let (mut flags, mut files) = (Vec::new(), Vec::new());
    let (mut output, mut entry) = (None, None);
    let (mut export, mut only_compile) = (false, false);
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let mut value = |what: &str| rest.next().map(str::to_owned).ok_or_else(|| super::needs_value(what));
        match word {
            "-o" => output = Some(PathBuf::from(value("-o")?)),
            "--function" => entry = Some(value("--function")?),
            "--export-file-local-symbols" => export = true,
            "-c" => only_compile = true,
            "--version" => {
                println!("{}", super::VERSION);
                return Ok(Exit::Success);
            }
            _ if WITH_VALUE.contains(&word) => flags.extend([word.to_owned(), value(word)?]),
            _ if word.starts_with("--") && word != "--std" => {
                let (_, skipped) = WITHOUT_EFFECT
                    .iter()
                    .find(|(name, _)| *name == word)
                    .ok_or_else(|| super::not_understood("goto-cc", word))?;
                (0..*skipped).try_for_each(|_| value(word).map(drop))?;
            }
            _ if word.starts_with("-l") || word.starts_with("-L") || word.starts_with("-Wl,") => {}
            _ if word.starts_with('-') => flags.push(word.to_owned()),
            _ => files.push(PathBuf::from(word)),
        }
    }
    if files.is_empty() {
        return Err(Fault::new("goto-cc: no input files"));
    }
    for file in &files {
        match file.extension().and_then(|e| e.to_str()) {
            Some("c" | "i") => goto.add_source(file, &flags, export)?,
            _ => goto.add(Goto::read(file)?),
        }
    }
    goto.entry = entry.or(goto.entry);
    if files.iter().any(|f| f.extension().is_some_and(|e| e == "c" || e == "i")) {
        goto.compile()?;
    }
    goto.write(&output.unwrap_or_else(|| default_output(&files, only_compile)))?;
    Ok(Exit::Success)
}

fn default_output(files: &[PathBuf], only_compile: bool) -> PathBuf {
    match files {
        [one] if only_compile => Path::new(one.file_name().unwrap_or(one.as_os_str())).with_extension("o"),
        _ => PathBuf::from("a.out"),
    }
}
