//! `#pragma CPROVER check push|pop|disable "..."|enable "..."`: lines on which some checks are not made.
//!
//! The preprocessed text ends with a string that lists them, so that the bitcode carries them wherever it is linked; lowering reads it
//! (`crate::unchecked`). Absent: checks that `enable` would add to those asked for on the command line.

use rustc_hash::FxHasher;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hash::Hasher;

/// What begins such a line.
pub(super) const PRAGMA: &str = "#pragma CPROVER check";

/// The declaration that lists the lines, if there are any.
pub(super) fn list(text: &str) -> Option<String> {
    let mut walk = Walk::default();
    for line in text.lines() {
        walk.line(line);
    }
    if walk.found.is_empty() {
        return None;
    }
    let mut list = String::new();
    for Lines { file, first, last, checks } in &walk.found {
        // The name stands between quotes as the preprocessor wrote it, so it is a literal already.
        let _ = write!(list, "{first} {last} {} {file}\\n", checks.iter().cloned().collect::<Vec<_>>().join(","));
    }
    // A linker leaves out what is static and not named by anything, and keeps one of several that are weak: the same list has the same name.
    let mut hasher = FxHasher::default();
    hasher.write(list.as_bytes());
    let name = format!("{}_{:x}", crate::unchecked::NAME, hasher.finish());
    Some(format!("\nconst char {name}[] __attribute__((weak)) = \"{list}\";\n"))
}

struct Lines {
    file: String,
    first: u32,
    last: u32,
    checks: BTreeSet<String>,
}

#[derive(Default)]
struct Walk {
    file: String,
    next: u32,
    off: BTreeSet<String>,
    saved: Vec<BTreeSet<String>>,
    found: Vec<Lines>,
}

impl Walk {
    fn line(&mut self, line: &str) {
        if let Some((number, file)) = mark(line) {
            (self.next, self.file) = (number, file.to_owned());
            return;
        }
        let at = self.next;
        self.next += 1;
        if let Some(rest) = line.strip_prefix(PRAGMA) {
            self.pragma(rest.trim());
        } else if !self.off.is_empty() {
            self.add(at);
        }
    }

    fn pragma(&mut self, what: &str) {
        let (verb, name) = what.split_once(' ').unwrap_or((what, ""));
        let name = name.trim().trim_matches('"').to_owned();
        match verb {
            "push" => self.saved.push(self.off.clone()),
            "pop" => self.off = self.saved.pop().unwrap_or_default(),
            "disable" => {
                self.off.insert(name);
            }
            "enable" => {
                self.off.remove(&name);
            }
            _ => {}
        }
    }

    fn add(&mut self, line: u32) {
        match self.found.last_mut() {
            Some(l) if l.file == self.file && l.checks == self.off && line >= l.last && line <= l.last + 2 => {
                l.last = line;
            }
            _ => {
                let (file, checks) = (self.file.clone(), self.off.clone());
                self.found.push(Lines { file, first: line, last: line, checks });
            }
        }
    }
}

/// `# 12 "file.c" 2`: the number of the next line and its file.
fn mark(line: &str) -> Option<(u32, &str)> {
    let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("#line "))?;
    let (number, rest) = rest.split_once(' ')?;
    let name = rest.strip_prefix('"')?;
    Some((number.parse().ok()?, &name[..name.rfind('"')?]))
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn lines_between_push_and_pop() {
        let text = "# 1 \"a.c\"\nint a;\n#pragma CPROVER check push\n#pragma CPROVER check disable \"pointer\"\nint b;\nint c;\n\
                    # 7 \"b.h\" 1\nint d;\n# 6 \"a.c\" 2\n#pragma CPROVER check pop\nint e;\n";
        let found = list(text).expect("there should be lines");
        assert!(found.contains("\"4 5 pointer a.c\\n7 7 pointer b.h\\n\""), "{found}");
        assert!(list("int a;\n").is_none());
    }
}
