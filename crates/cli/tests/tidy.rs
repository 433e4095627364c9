//! Rules of the repository, as a test: layers, file sizes, nothing unfinished, nothing of one machine.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The layers of ARCHITECTURE.md: what each crate may use. What is missing here is absent on purpose.
const LAYERS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("testkit", &[]),
    ("ir", &["base"]),
    ("term", &["base"]),
    ("solver", &["base", "term"]),
    ("hw", &["base", "term", "solver"]),
    ("frontend", &["base", "ir"]),
    ("analysis", &["base", "ir"]),
    ("interp", &["base", "ir"]),
    ("symex", &["base", "ir", "term", "analysis"]),
    ("engines", &["base", "ir", "term", "solver", "analysis", "symex", "interp"]),
    ("report", &["base", "ir", "interp", "engines"]),
    ("kit", &["base", "ir", "frontend", "interp", "report"]),
    ("fuzz", &["base", "ir", "frontend", "interp", "engines", "report", "kit"]),
    ("cli", &["base", "ir", "solver", "hw", "frontend", "analysis", "interp", "engines", "report", "kit", "fuzz"]),
];

const LONGEST_FILE: usize = 800;
const LONGEST_ARCHITECTURE: usize = 150;

#[test]
fn crates_use_only_the_layers_below() {
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    for folder in folders(&common::root().join("crates")) {
        let name = folder.file_name().expect("a crate should have a name").to_string_lossy().into_owned();
        let Some(allowed) = allowed.get(name.as_str()) else {
            panic!("crate {name} is in no layer of ARCHITECTURE.md")
        };
        let used = internal_dependencies(&folder.join("Cargo.toml"));
        let wrong: Vec<&String> = used.iter().filter(|d| !allowed.contains(&d.as_str())).collect();
        assert!(wrong.is_empty(), "{name} must not use {wrong:?}");
    }
}

/// Names of our own crates in the `[dependencies]` of a manifest.
fn internal_dependencies(manifest: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(manifest).expect("a crate should have a manifest");
    let mut section = String::new();
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.to_owned();
        } else if let (true, Some(rest)) = (section == "[dependencies]", line.strip_prefix("blitz-")) {
            found.insert(rest.split(['.', ' ', '=']).next().unwrap_or(rest).to_owned());
        }
    }
    found
}

#[test]
fn files_stay_short() {
    let long: Vec<String> = sources()
        .iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(path, lines)| format!("{} has {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "files should have at most {LONGEST_FILE} lines: {long:#?}");
}

#[test]
fn nothing_is_left_unfinished() {
    // Spelt in two halves, so that this file does not find itself.
    let words = [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("FIX", "ME"), concat!("#[ign", "ore")];
    complain_about(&words, "should not be left in the code");
}

#[test]
fn nothing_of_one_machine_is_in_the_code() {
    // A folder of some user's, or of the place where this was written; a model's "user" is nobody.
    let words =
        [concat!("/home", "/runner"), concat!("/ro", "ot/."), concat!("/work", "/main"), concat!("/work", "/shared")];
    complain_about(&words, "is a path of one machine");
}

#[test]
fn only_the_command_line_prints_or_exits() {
    let words = [concat!("println", "!("), concat!("eprintln", "!("), concat!("process", "::exit")];
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|(path, _)| is_library_source(path))
        .flat_map(|(path, text)| occurrences(&path, &text, &words))
        .collect();
    assert!(found.is_empty(), "a library gives strings: {found:#?}");
}

fn is_library_source(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let parts: Vec<&str> = text.split('/').collect();
    parts.contains(&"src")
        && !parts.contains(&"cli")
        && !parts.contains(&"tests")
        && path.file_name().is_some_and(|f| f != "tests.rs")
}

#[test]
fn every_file_of_rust_begins_with_what_it_is() {
    let bare: Vec<String> = sources()
        .into_iter()
        .filter(|(path, text)| path.extension().is_some_and(|e| e == "rs") && !text.starts_with("//!"))
        .filter(|(path, _)| path.file_name().is_some_and(|f| f != "tests.rs"))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(bare.is_empty(), "a module should open with its documentation: {bare:#?}");
}

#[test]
fn the_architecture_is_one_short_page_and_a_page_per_engine() {
    let root = common::root();
    let lines = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("a readable page").lines().count();
    assert!(lines <= LONGEST_ARCHITECTURE, "ARCHITECTURE.md has {lines} lines");
    for engine in blitz_engines::Engine::ALL {
        let page = root.join(format!("docs/engines/{}.md", engine.name()));
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        let says_what_is_missing = text.contains("**Missing.**") || text.contains("## Missing");
        assert!(text.contains("**Idea.**") && says_what_is_missing, "{page:?}");
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page should be text");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next()) {
            let folder = page.parent().expect("a page should be in a folder");
            if !target.is_empty() && !target.contains("://") && !folder.join(target).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links should lead to files: {broken:#?}");
}

/// The words that meant two things, or nothing to a reader who knows the field.
#[test]
fn confused_words_stay_out() {
    let words = [concat!("how man", "ieth"), concat!("so man", "ieth"), concat!("taken ", "to be")];
    complain_about(&words, "has a better word in the glossary");
}

/// Every page for readers.
fn pages() -> Vec<PathBuf> {
    let root = common::root();
    let mut open = vec![root.join("docs")];
    let mut found = files(&root);
    found.extend(files(&root.join("bench")));
    while let Some(folder) = open.pop() {
        open.extend(folders(&folder));
        found.extend(files(&folder));
    }
    found.retain(|p| p.extension().is_some_and(|e| e == "md"));
    found
}

fn complain_about(words: &[&str], why: &str) {
    let found: Vec<String> = sources().iter().flat_map(|(path, text)| occurrences(path, text, words)).collect();
    assert!(found.is_empty(), "{why}: {found:#?}");
}

fn occurrences(path: &Path, text: &str, words: &[&str]) -> Vec<String> {
    let hit = |(i, line): (usize, &str)| {
        let word = words.iter().find(|w| line.contains(**w))?;
        Some(format!("{}:{}: {word}", path.display(), i + 1))
    };
    text.lines().enumerate().filter_map(hit).collect()
}

/// Every source file of ours: Rust, C, scripts.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![common::root().join("crates"), common::root().join("scripts")];
    while let Some(folder) = open.pop() {
        open.extend(folders(&folder));
        for path in files(&folder) {
            if path.extension().is_some_and(|e| e == "rs" || e == "c" || e == "h" || e == "sh") {
                let text = std::fs::read_to_string(&path).expect("a source file should be text");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|p| p.is_dir()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|p| p.is_file()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let written_by_tools = |p: &PathBuf| p.file_name().is_some_and(|f| f == "target" || f == "blitz-out");
    let list = std::fs::read_dir(folder).expect("a folder should be readable");
    list.map(|e| e.expect("a folder entry").path()).filter(|p| !written_by_tools(p)).collect()
}
