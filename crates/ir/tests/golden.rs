//! Golden files: each holds a body, a line `---`, and the body after `passes::clean`.
//!
//! `BLITZ_BLESS=1 cargo test -p blitz-ir --test golden` writes the second half anew.

use blitz_ir::{TargetInfo, parse, passes, verify};
use std::path::Path;

fn run(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let (input, expected) = text.split_once("---\n").ok_or("no line '---'")?;
    let target = TargetInfo::new(64);
    let mut func = parse::func(input).map_err(|e| e.to_string())?;
    if let Some(e) = verify::func(&func, target).first() {
        return Err(format!("the input is invalid: {e}"));
    }
    passes::clean(&mut func, target);
    let output = func.to_string();
    if output == expected {
        return Ok(());
    }
    if std::env::var_os("BLITZ_BLESS").is_some() {
        return std::fs::write(path, format!("{input}---\n{output}")).map_err(|e| e.to_string());
    }
    Err(format!("expected\n{expected}found\n{output}"))
}

#[test]
fn cleaned_bodies_are_as_the_files_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clean");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 10, "the golden files should be there");
    let failures: Vec<String> =
        files.iter().filter_map(|p| run(p).err().map(|e| format!("{}: {e}", p.display()))).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
