//! Which lines the tests reach: an lcov file, made from a build of its own.
//!
//! The program is built once more with nothing but block coverage, at `-O0`, where a block's code lies in one piece. The line table of the debug
//! info says which lines that piece has. All tests are run on it; a line is reached if one of its blocks is.
//!
//! Absent: branches; lines of functions that the linker threw away.

use crate::crash::on_path;
use crate::server::Server;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// How often each line was reached, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines(pub BTreeMap<String, BTreeMap<u32, u64>>);

impl Lines {
    /// Runs tests on a program that was built for this.
    pub fn of(server: &mut Server, program: &Path, tests: impl Iterator<Item = Vec<u8>>) -> Result<Lines, String> {
        let blocks = server.blocks();
        let mut hits: BTreeMap<u64, u64> = blocks.iter().skip(1).map(|at| (*at, 0)).collect();
        for test in tests {
            for (edge, _) in server.run(&test)?.counts {
                if let Some(count) = blocks.get(edge as usize).and_then(|at| hits.get_mut(at)) {
                    *count += 1;
                }
            }
        }
        Ok(Lines::from_rows(&rows(program)?, &hits))
    }

    /// A row belongs to the block that begins last before it.
    fn from_rows(rows: &[Row], hits: &BTreeMap<u64, u64>) -> Lines {
        let mut lines = Lines::default();
        for row in rows {
            let Some((_, count)) = hits.range(..=row.address).next_back() else { continue };
            let file = lines.0.entry(row.file.clone()).or_default();
            let known = file.entry(row.line).or_default();
            *known = (*known).max(*count);
        }
        lines
    }

    /// Lines that were reached, and all.
    pub fn totals(&self) -> (usize, usize) {
        let all = self.0.values().flat_map(|f| f.values());
        (all.clone().filter(|c| **c > 0).count(), all.count())
    }

    /// Lines of a file that no test reached, as ranges.
    pub fn unreached(&self) -> Vec<(String, Vec<(u32, u32)>)> {
        let of = |lines: &BTreeMap<u32, u64>| {
            let mut ranges: Vec<(u32, u32)> = Vec::new();
            let mut open = false;
            for (&line, &count) in lines {
                match ranges.last_mut() {
                    Some(last) if open && count == 0 => last.1 = line,
                    _ if count == 0 => ranges.push((line, line)),
                    _ => {}
                }
                open = count == 0;
            }
            ranges
        };
        self.0.iter().map(|(file, lines)| (file.clone(), of(lines))).filter(|(_, r)| !r.is_empty()).collect()
    }

    /// The format of `lcov` and `genhtml`.
    pub fn lcov(&self) -> String {
        let mut text = String::new();
        for (file, lines) in &self.0 {
            let _ = writeln!(text, "TN:blitz\nSF:{file}");
            for (line, count) in lines {
                let _ = writeln!(text, "DA:{line},{count}");
            }
            let hit = lines.values().filter(|c| **c > 0).count();
            let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
        }
        text
    }

    /// Only these files: the user's own.
    pub fn keep(&mut self, files: &BTreeSet<String>) {
        self.0.retain(|file, _| files.contains(file));
    }
}

struct Row {
    address: u64,
    file: String,
    line: u32,
}

/// The line table of a program.
fn rows(program: &Path) -> Result<Vec<Row>, String> {
    let tool = ["llvm-dwarfdump-19", "llvm-dwarfdump"].into_iter().find_map(on_path);
    let tool = tool.ok_or("llvm-dwarfdump is not installed (Debian: apt install llvm-19)")?;
    let output = Command::new(tool).arg("--debug-line").arg(program).output();
    let output = output.map_err(|e| format!("llvm-dwarfdump can't be started: {e}"))?;
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Tables one after the other: folders, files, then rows `0x1234 5 3 1 ...` of address, line, column and file.
fn parse(text: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut folders, mut files): (BTreeMap<u32, String>, BTreeMap<u32, String>) = Default::default();
    let mut named: Option<(u32, String)> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("Line table prologue") {
            folders.clear();
            files.clear();
        } else if let Some((number, name)) = entry(trimmed, "include_directories[") {
            folders.insert(number, name);
        } else if let Some(rest) = trimmed.strip_prefix("file_names[") {
            named = rest.split(']').next().and_then(|n| n.trim().parse().ok()).map(|n| (n, String::new()));
        } else if let (Some((_, name)), Some(rest)) = (&mut named, trimmed.strip_prefix("name: ")) {
            *name = rest.trim_matches('"').to_owned();
        } else if let (Some((number, name)), Some(rest)) = (&named, trimmed.strip_prefix("dir_index: ")) {
            let folder = rest.parse::<u32>().ok().and_then(|d| folders.get(&d)).cloned().unwrap_or_default();
            let base = folders.get(&0).cloned().unwrap_or_default();
            let path = Path::new(&base).join(folder).join(name);
            files.insert(*number, path.display().to_string());
            named = None;
        } else if trimmed.starts_with("0x") && !trimmed.ends_with("end_sequence") {
            rows.extend(row(trimmed, &files));
        }
    }
    rows.sort_by_key(|r| r.address);
    rows
}

fn entry(line: &str, head: &str) -> Option<(u32, String)> {
    let (number, rest) = line.strip_prefix(head)?.split_once(']')?;
    Some((number.trim().parse().ok()?, rest.split_once('=')?.1.trim().trim_matches('"').to_owned()))
}

fn row(line: &str, files: &BTreeMap<u32, String>) -> Option<Row> {
    let mut words = line.split_whitespace();
    let address = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
    let number: u32 = words.next()?.parse().ok()?;
    let file = words.nth(1)?.parse::<u32>().ok()?;
    Some(Row { address, file: files.get(&file)?.clone(), line: number }).filter(|r| r.line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "debug_line[0x0]\nLine table prologue:\n  version: 5\ninclude_directories[  0] = \"/src\"\nfile_names[  0]:\n           name: \"a.c\"\n      dir_index: 0\n\
        \x20  md5_checksum: 1\n\nAddress            Line   Column File   ISA Discriminator OpIndex Flags\n\
        0x0000000000001000      3      0      0   0             0       0  is_stmt\n\
        0x0000000000001008      4      7      0   0             0       0  is_stmt prologue_end\n\
        0x0000000000001020      5      7      0   0             0       0  is_stmt\n\
        0x0000000000001030      6      7      0   0             0       0  is_stmt end_sequence\n";

    #[test]
    fn lines_are_reached_with_their_block() {
        let rows = parse(TABLE);
        assert_eq!(
            rows.iter().map(|r| (r.address, r.line)).collect::<Vec<_>>(),
            [(0x1000, 3), (0x1008, 4), (0x1020, 5)]
        );
        let lines = Lines::from_rows(&rows, &BTreeMap::from([(0x1000, 2), (0x1018, 0)]));
        assert_eq!(lines.totals(), (2, 3));
        assert_eq!(lines.unreached(), vec![("/src/a.c".to_owned(), vec![(5, 5)])]);
        assert!(lines.lcov().contains("SF:/src/a.c\nDA:3,2\nDA:4,2\nDA:5,0\nLF:3\nLH:2\nend_of_record"));
    }
}
