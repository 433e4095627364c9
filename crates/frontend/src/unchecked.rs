//! Lines on which the program asks for some checks not to be made (CBMC's pragmas, which `driver::dialect` writes into the text as a string).

use crate::llvm::{Module, Session, Val};
use blitz_base::span::Loc;
use blitz_ir::CheckKind;

/// What the names of such strings begin with.
pub const NAME: &str = "__blitz_unchecked";

/// CBMC's names of checks.
const CHECKS: &[(&str, &[CheckKind])] = &[
    ("bounds", &[CheckKind::ArrayBounds]),
    (
        "pointer",
        &[
            CheckKind::NullDeref,
            CheckKind::BufferOverflow,
            CheckKind::UseAfterFree,
            CheckKind::UseAfterScope,
            CheckKind::DoubleFree,
            CheckKind::InvalidFree,
        ],
    ),
    ("div-by-zero", &[CheckKind::DivByZero]),
    ("signed-overflow", &[CheckKind::SignedOverflow]),
    ("unsigned-overflow", &[CheckKind::UnsignedOverflow]),
    ("pointer-overflow", &[CheckKind::PointerOverflow]),
    ("undefined-shift", &[CheckKind::Shift]),
    ("memory-leak", &[CheckKind::MemoryLeak]),
];

/// All such lines of a program.
#[derive(Default)]
pub struct Unchecked(Vec<Lines>);

struct Lines {
    first: u32,
    last: u32,
    kinds: Vec<CheckKind>,
    file: String,
}

impl Unchecked {
    pub fn of(session: &Session, user: Module) -> Self {
        let globals = session.globals(user).into_iter().filter(|g| g.name().starts_with(NAME));
        let strings: Vec<Vec<u8>> = globals.filter_map(Val::initializer).map(Val::data_bytes).collect();
        let text: Vec<String> =
            strings.iter().map(|s| String::from_utf8_lossy(s).trim_end_matches('\0').to_owned()).collect();
        Self(text.iter().flat_map(|t| t.lines()).filter_map(lines).collect())
    }

    /// Whether a check of this kind is not to be made at a place of this file.
    pub fn has(&self, files: &[String], loc: Loc, kind: CheckKind) -> bool {
        self.0.iter().any(|l| {
            (l.first..=l.last).contains(&loc.line)
                && l.kinds.contains(&kind)
                && files.get(loc.file.index()).is_some_and(|f| same_file(f, &l.file))
        })
    }
}

/// `12 20 pointer,bounds dir/file.c`
fn lines(text: &str) -> Option<Lines> {
    let mut words = text.splitn(4, ' ');
    let (first, last) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let names = words.next()?;
    let known = CHECKS.iter().filter(|(name, _)| names.split(',').any(|n| n == *name));
    Some(Lines { first, last, kinds: known.flat_map(|(_, k)| *k).copied().collect(), file: words.next()?.to_owned() })
}

/// Debug information may put the compiler's folder before the name, or leave it out.
fn same_file(whole: &str, name: &str) -> bool {
    let (whole, name) = (without_detours(whole), without_detours(name));
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|folder| folder.ends_with('/'));
    whole == name || ends(&whole, &name) || ends(&name, &whole)
}

/// A path without `.` and `folder/..`.
fn without_detours(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|p| !p.is_empty() && *p != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::same_file;

    #[test]
    fn files_by_other_paths() {
        assert!(same_file("/p/proofs/a/../../include/x.h", "/p/include/x.h"));
        assert!(same_file("/p/src/x.c", "./src/x.c"));
        assert!(!same_file("/p/src/xx.c", "x.c"));
        assert!(same_file("../x.c", "../x.c"));
    }
}
