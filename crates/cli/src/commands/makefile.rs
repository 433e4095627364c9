//! Which flags a Makefile compiles with, from what `make --dry-run` prints.
//!
//! Why: a project without a compile_commands.json says in its Makefile alone what it defines and where its headers lie. Nothing is built; recipes
//! that call `make` again are followed by `make` itself.
//! Absent: flags that differ from file to file; all of them are given to every file.

use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// Seconds that `make` has to say what it would do.
const SECONDS: &str = "10";
const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// What follows is a word of its own.
const PAIRS: [&str; 5] = ["-I", "-D", "-U", "-include", "-isystem"];
const SINGLE: [&str; 10] =
    ["-I", "-D", "-U", "-std=", "-m32", "-m64", "-ansi", "-funsigned-char", "-fsigned-char", "-fwrapv"];

/// The flags for clang, in the order in which they come; none if there is no Makefile or it builds nothing.
pub fn flags(folder: &Path) -> Vec<String> {
    if !NAMES.iter().any(|n| folder.join(n).is_file()) {
        return Vec::new();
    }
    let output = Command::new("timeout")
        .args([SECONDS, "make", "--dry-run", "--always-make", "--keep-going", "--print-directory"])
        .current_dir(folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let base = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    output.map_or_else(|_| Vec::new(), |o| of_log(&String::from_utf8_lossy(&o.stdout), &base))
}

/// The same, from the text that `make` printed in a folder.
fn of_log(log: &str, base: &Path) -> Vec<String> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut found: Vec<String> = Vec::new();
    // A recipe's line may go on behind a backslash.
    for line in log.replace("\\\n", " ").lines() {
        if let Some((_, rest)) = line.split_once(": Entering directory '") {
            folders.push(PathBuf::from(rest.trim_end_matches('\'')));
        } else if line.contains(": Leaving directory '") {
            folders.pop();
        } else if let Some(words) = shlex::split(line) {
            let here = folders.last().map_or(base, PathBuf::as_path);
            for flag in of_command(&words, here, base) {
                if !found.contains(&flag) {
                    found.push(flag);
                }
            }
        }
    }
    found
}

/// The flags of one command that compiles C.
fn of_command(words: &[String], here: &Path, base: &Path) -> Vec<String> {
    if !words.iter().any(|w| w.ends_with(".c")) {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if PAIRS.contains(&word.as_str()) {
            let Some(value) = words.next() else { break };
            match word.as_str() {
                "-I" | "-isystem" => out.push(format!("-I{}", seen_from(base, here, value))),
                "-D" | "-U" => out.push(format!("{word}{value}")),
                _ => out.extend([word.clone(), seen_from(base, here, value)]),
            }
        } else if let Some(dir) = word.strip_prefix("-I") {
            out.push(format!("-I{}", seen_from(base, here, dir)));
        } else if SINGLE.iter().any(|s| word.starts_with(s)) {
            out.push(word.clone());
        }
    }
    out
}

/// A path of a folder as it is from another one.
fn seen_from(base: &Path, here: &Path, path: &str) -> String {
    if Path::new(path).is_absolute() {
        return path.to_owned();
    }
    let inner = here.strip_prefix(base).unwrap_or(Path::new(""));
    let mut whole = PathBuf::new();
    for part in inner.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(whole.components().next_back(), Some(Component::Normal(_))) => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    if whole.as_os_str().is_empty() { ".".to_owned() } else { whole.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_those_of_the_lines_that_compile() {
        let log = "make: Entering directory '/p'\ncc -Iinclude -DLIMIT=4 -O2 -c -o src/a.o src/a.c\n\
                   echo -DNOT_THIS done\nmake[1]: Entering directory '/p/lib'\n\
                   gcc -I .. -I../lib -D 'NAME=\"x y\"' -std=c99 \\\n  -c b.c\nmake[1]: Leaving directory '/p/lib'\n\
                   cc -Iinclude -DLIMIT=4 -c src/c.c\nmake: Leaving directory '/p'\n";
        let found = of_log(log, Path::new("/p"));
        assert_eq!(found, ["-Iinclude", "-DLIMIT=4", "-I.", "-Ilib", "-DNAME=\"x y\"", "-std=c99"]);
        assert!(of_log("cc -o a a.o\n", Path::new("/p")).is_empty());
    }
}
