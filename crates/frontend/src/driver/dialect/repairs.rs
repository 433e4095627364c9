//! What CBMC takes and clang refuses, mended where clang complains: `conflicts` by the names in a complaint, the rest by the place in it.
//!
//! | clang's complaint | what becomes of the text |
//! |---|---|
//! | functions of conflicting types | one type (`conflicts`) |
//! | a struct with `const` members is assigned | these members lose their `const` |
//! | structs are compared | they are compared byte by byte, padding too, as CBMC does |
//!
//! Invariant: lines stay where they are; a text that clang takes is never touched.

use super::conflicts;
use super::tokens::{Kind, split};
use std::ops::Range;

/// Clang's flags for complaints that say where in the text, line marks aside, their operands stand, and say so of every one.
pub(in super::super) const WITH_PLACES: &[&str] = &["-fdiagnostics-print-source-range-info", "-ferror-limit=0"];

/// Begins the declaration of a comparison that the text may call.
const COMPARED: &str = "__blitz_same_bytes";

/// What a text with such a comparison has to declare.
const DECLARATIONS: &str = "\
__SIZE_TYPE__ __blitz_mismatch(const void *, const void *, __SIZE_TYPE__);\n\
#define __blitz_same_bytes(a, b) ({ __auto_type __blitz_a = (a); __auto_type __blitz_b = (b); \
_Static_assert(__builtin_types_compatible_p(__typeof__(__blitz_a), __typeof__(__blitz_b)), \"structs of two types are compared\"); \
__blitz_mismatch(&__blitz_a, &__blitz_b, sizeof __blitz_a) >= sizeof __blitz_a; })\n";

/// The declarations that a mended text needs.
pub(in super::super) fn declarations(text: &str) -> &'static str {
    if text.contains(COMPARED) { DECLARATIONS } else { "" }
}

/// The text without what clang complains about here; none where nothing in it can be mended.
pub(in super::super) fn mended(text: &str, complaints: &str) -> Option<String> {
    let lines = starts_of_lines(text);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for said in complaints.lines() {
        let places = ranges(said, &lines, text);
        let made = match places.as_slice() {
            [member] if said.contains("data member '") && said.ends_with("' declared const here") => {
                without_const(text, member.clone(), named(said))
            }
            [a, b] if said.contains("invalid operands to binary expression ('") && compares_structs(said) => {
                compared(text, a.clone(), b.clone())
            }
            _ => continue,
        };
        edits.extend(made);
    }
    let mended = applied(text, edits);
    let names = conflicts::named_in(complaints);
    let settled = if names.is_empty() { mended } else { conflicts::settled(&mended, &names) };
    (settled != text).then_some(settled)
}

fn starts_of_lines(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect()
}

/// The places in front of a complaint: `file:5:3:{7:1-7:4}{7:8-8:2}: error: ...`.
fn ranges(said: &str, lines: &[usize], text: &str) -> Vec<Range<usize>> {
    let Some(open) = said.find(":{") else { return Vec::new() };
    let Some(close) = said[open..].find("}: ") else { return Vec::new() };
    let place = |p: &str| {
        let (line, column) = p.split_once(':')?;
        let start = lines.get(line.parse::<usize>().ok()?.checked_sub(1)?)?;
        let at = start + column.parse::<usize>().ok()?.checked_sub(1)?;
        text.is_char_boundary(at).then_some(at)
    };
    let range = |one: &str| {
        let (from, to) = one.split_once('-')?;
        let range = place(from)?..place(to)?;
        (range.start < range.end).then_some(range)
    };
    said[open + 2..open + close].split("}{").filter_map(range).collect()
}

/// What stands between the first quotes.
fn named(said: &str) -> &str {
    said.split('\'').nth(1).unwrap_or_default()
}

/// Whether both types of a complaint about operands are structs or unions of one name.
fn compares_structs(said: &str) -> bool {
    let types: Vec<&str> = said.split('\'').skip(1).step_by(2).collect();
    types.iter().any(|t| t.contains("struct ") || t.contains("union ")) && !types.iter().any(|t| t.contains('*'))
}

/// A member's declaration without the `const` of the member itself: `const char *const p` keeps the first.
fn without_const(text: &str, member: Range<usize>, name: &str) -> Vec<(Range<usize>, String)> {
    let tokens = split(&text[member.clone()]);
    let end = tokens.iter().position(|t| t.kind == Kind::Word && t.text == name).unwrap_or(tokens.len());
    let own = tokens[..end].iter().rposition(|t| t.text == "*").unwrap_or(0);
    let mut at = member.start;
    let mut out = Vec::new();
    for (i, token) in tokens.iter().enumerate().take(end) {
        if i >= own && token.text == "const" {
            out.push((at..at + token.text.len(), String::new()));
        }
        at += token.text.len();
    }
    out
}

/// `a == b` of structs: of their bytes.
fn compared(text: &str, a: Range<usize>, b: Range<usize>) -> Vec<(Range<usize>, String)> {
    let Some(between) = text.get(a.end..b.start) else { return Vec::new() };
    let sign = match between.trim() {
        "==" => "",
        "!=" => "!",
        _ => return Vec::new(),
    };
    let newlines = "\n".repeat(between.matches('\n').count());
    let call = format!("({sign}{COMPARED}({}, {newlines}{}))", &text[a.clone()], &text[b.clone()]);
    vec![(a.start..b.end, call)]
}

/// The text with these changes, of which none overlaps another that comes before it.
fn applied(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::new();
    let mut from = 0;
    for (range, with) in edits {
        if range.start >= from {
            out.push_str(&text[from..range.start]);
            out.push_str(&with);
            from = range.end;
        }
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_const_member_may_be_assigned() {
        let text = "struct s { const int n; const char *const p; int (*const f)(const char *q); };\n";
        let said = "a.h:9:22:{1:12-1:23}: note: data member 'n' declared const here\n\
                    a.h:9:30:{1:25-1:44}: note: data member 'p' declared const here\n\
                    a.h:9:50:{1:46-1:75}: note: nested data member 'f' declared const here\n";
        let wanted = "struct s {  int n; const char * p; int (* f)(const char *q); };\n";
        assert_eq!(mended(text, said).as_deref(), Some(wanted));
    }

    #[test]
    fn structs_are_compared_by_their_bytes() {
        let text = "# 7 \"a.c\"\nif (*p == q) return 1;\nif (p[0] !=\n q) return 2;\n";
        let said = "a.c:7:8:{2:5-2:7}{2:11-2:12}: error: invalid operands to binary expression ('struct t' and 'struct t')\n\
                    a.c:8:8:{3:5-3:9}{4:2-4:3}: error: invalid operands to binary expression ('T' (aka 'struct t') and 'T' (aka 'struct t'))\n";
        let wanted =
            "# 7 \"a.c\"\nif ((__blitz_same_bytes(*p, q))) return 1;\nif ((!__blitz_same_bytes(p[0], \nq)) return 2;\n";
        let wanted = wanted.replace("\nq))", "\nq)))");
        assert_eq!(mended(text, said), Some(wanted));
    }

    #[test]
    fn other_complaints_change_nothing() {
        let text = "int x = p == 1;\n";
        let said =
            "a.c:1:9:{1:9-1:10}{1:14-1:15}: error: invalid operands to binary expression ('struct t' and 'int')\n";
        assert_eq!(mended(text, "a.c:1:2: error: expected ';'\n"), None);
        assert!(mended(text, said).is_some_and(|t| t.contains("__blitz_same_bytes")), "clang refuses that one");
    }
}
