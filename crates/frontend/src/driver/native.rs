//! What the host's own files give us: headers for 32-bit programs, the bitcode list in a program built by `blitz cc`, and the
//! libraries it is linked with.

use super::DriverError;
use std::fs;
use std::path::{Path, PathBuf};

/// The section of an object file in which `blitz cc` leaves the path of its bitcode; the linker joins them.
pub const SECTION: &str = ".blitz_bc";

/// Flags that let a 32-bit program include the 64-bit C library's headers, which are the same but for one generated
/// file (`gnu/stubs-32.h`, a list of functions that don't work), supplied here.
pub(super) fn headers_for_32_bit(cache: Option<&Path>) -> Result<Vec<String>, DriverError> {
    let base = cache.map_or_else(|| std::env::temp_dir().join("blitz"), Path::to_owned);
    let folder = base.join("include32");
    let file = folder.join("gnu").join("stubs-32.h");
    if !file.exists() {
        let made = fs::create_dir_all(folder.join("gnu"))
            .and_then(|()| fs::write(&file, "/* Supplied by blitz: every function of the C library is there. */\n"));
        made.map_err(|e| DriverError::input(format!("{} can't be written: {e}", file.display())))?;
    }
    let mut flags = Vec::new();
    for dir in [folder, PathBuf::from("/usr/include/x86_64-linux-gnu")] {
        flags.push("-idirafter".to_owned());
        flags.push(dir.display().to_string());
    }
    Ok(flags)
}

/// The bitcode files a program or object built by `blitz cc` was made from.
pub fn linked_bitcode(program: &Path) -> Result<Vec<PathBuf>, DriverError> {
    let shown = program.display();
    let bytes = fs::read(program).map_err(|e| DriverError::input(format!("{shown} can't be read: {e}")))?;
    let section = elf_section(&bytes, SECTION).ok_or_else(|| {
        DriverError::input(format!(
            "{shown} is a compiled program without bitcode: build it with `blitz cc`, or name its sources"
        ))
    })?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for part in section.split(|&b| b == 0).filter(|p| !p.is_empty()) {
        let path = PathBuf::from(String::from_utf8_lossy(part).into_owned());
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    match paths.iter().find(|p| !p.exists()) {
        Some(gone) => {
            Err(DriverError::input(format!("{shown} was built from {}, which is gone: build it again", gone.display())))
        }
        None => Ok(paths),
    }
}

/// The shared libraries a program is linked with, by file name, but for the C library itself. None, if it is no program.
pub(super) fn linked_libraries(program: &Path) -> Vec<String> {
    const NEEDED: usize = 1;
    let Ok(bytes) = fs::read(program) else { return Vec::new() };
    let (Some(table), Some(strings)) = (elf_section(&bytes, ".dynamic"), elf_section(&bytes, ".dynstr")) else {
        return Vec::new();
    };
    let word = if bytes[4] == 2 { 8 } else { 4 };
    let needed = |entry: &[u8]| {
        let at = number(entry, word, word).filter(|_| number(entry, 0, word) == Some(NEEDED))?;
        let name = strings.get(at..)?.split(|&b| b == 0).next()?;
        Some(String::from_utf8_lossy(name).into_owned())
    };
    let ours = |name: &String| ["libc.so", "libm.so", "ld-linux"].iter().any(|start| name.starts_with(start));
    table.chunks(2 * word).filter_map(needed).filter(|name| !ours(name)).collect()
}

/// The contents of a section of a little-endian ELF file of either width.
fn elf_section<'a>(bytes: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let wide = *bytes.get(4)? == 2;
    let word = |at: usize| number(bytes, at, if wide { 8 } else { 4 });
    let half = |at: usize| number(bytes, at, 2);
    let table = word(if wide { 0x28 } else { 0x20 })?;
    let entry = half(if wide { 0x3A } else { 0x2E })?;
    let count = half(if wide { 0x3C } else { 0x30 })?;
    let names = half(if wide { 0x3E } else { 0x32 })?;
    let header = |i: usize| table.checked_add(i.checked_mul(entry)?);
    let contents = |i: usize| {
        let at = header(i)?;
        let (offset, size) = if wide { (at + 0x18, at + 0x20) } else { (at + 0x10, at + 0x14) };
        let start = word(offset)?;
        bytes.get(start..start.checked_add(word(size)?)?)
    };
    let strings = contents(names)?;
    (0..count).find_map(|i| {
        let name = strings.get(number(bytes, header(i)?, 4)?..)?;
        let name = name.split(|&b| b == 0).next()?;
        (name == wanted.as_bytes()).then(|| contents(i)).flatten()
    })
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    let part = bytes.get(at..at.checked_add(size)?)?;
    let value = part.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
    usize::try_from(value).ok()
}
