//! The tutorials, carried out: their files are written, their commands run, the output compared.
//!
//! `BLITZ_BLESS=1 cargo test -p blitz --test tutorial` writes the output into docs/tutorial.md and docs/hardware.md.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn every_command_says_what_the_tutorial_shows() {
    compare("docs/tutorial.md");
}

#[test]
fn every_command_says_what_the_hardware_page_shows() {
    compare("docs/hardware.md");
}

fn compare(page: &str) {
    let path = common::root().join(page);
    let text = std::fs::read_to_string(&path).expect("the tutorial should be readable");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let carried_out = carry_out(&text, folder.path());
    if std::env::var_os("BLITZ_BLESS").is_some() {
        std::fs::write(&path, &carried_out).expect("the tutorial should be writable");
    }
    let kept = std::fs::read_to_string(&path).expect("the tutorial should be readable");
    for (shown, seen) in kept.lines().zip(carried_out.lines()) {
        assert_eq!(without_count(seen), without_count(shown), "{page} shows something else");
    }
    assert_eq!(kept.lines().count(), carried_out.lines().count());
}

/// How many properties were proved when a violation ended the search depends on how far it had come elsewhere.
fn without_count(line: &str) -> &str {
    match line.split_once(" proved, ") {
        Some((count, rest)) if count.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => line,
    }
}

/// The text with the output its commands have now.
fn carry_out(text: &str, folder: &Path) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(fence) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        if fence == "console" {
            for command in block.iter().filter_map(|l| l.strip_prefix("$ ")) {
                out.push_str(&format!("$ {command}\n{}", run(command, folder)));
            }
        } else {
            if let Some((_, name)) = fence.split_once(" file=") {
                let file = folder.join(name);
                std::fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("writable");
                std::fs::write(file, block.join("\n") + "\n").expect("writable");
            }
            block.iter().for_each(|l| out.push_str(&format!("{l}\n")));
        }
        out.push_str("```\n");
    }
    out
}

fn run(command: &str, folder: &Path) -> String {
    let blitz = Path::new(env!("CARGO_BIN_EXE_blitz"));
    let tools = blitz.parent().expect("a program lies in a folder").display().to_string();
    let output = Command::new("bash")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", format!("{tools}:{}", std::env::var("PATH").unwrap_or_default()))
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .expect("bash should start");
    let text = String::from_utf8_lossy(&output.stdout).replace(&folder.display().to_string(), "FOLDER");
    text.lines().map(|l| without_times(l).trim_end().to_owned() + "\n").collect()
}

/// `(0.7 s)` becomes `(... s)`.
fn without_times(line: &str) -> String {
    match line.rsplit_once(" (") {
        Some((start, end)) if end.ends_with(" s)") => format!("{start} (... s)"),
        _ => line.to_owned(),
    }
}
