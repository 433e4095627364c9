//! What a store writes to, as the source writes it: `f.count`, `list->head[i]`.
//!
//! Why from the source: a run knows objects and offsets. clang's place of an assignment is its operator, so what stands left of it is
//! what gets the value; that names members of variables and of allocated memory alike. Where the text is another (a macro, an initialiser),
//! the step keeps its offset.

use crate::model::{Step, StepKind};
use crate::source::Sources;

/// Gives the stores of a trace the names the source has for what they write.
pub(crate) fn name_stores(steps: &mut [Step], sources: &mut Sources) {
    for step in steps.iter_mut().filter(|s| s.what == StepKind::Store) {
        let Some(line) = sources.line(&step.place.file, step.place.line) else { continue };
        let Some(target) = assigned(line, step.place.column) else { continue };
        let value = step.value.as_deref().unwrap_or_default();
        step.text = format!("{target} = {value}");
        step.member = Some(target);
    }
}

/// What stands left of the operator at a column (from 1), if an assignment's operator is there.
fn assigned(line: &str, column: u32) -> Option<String> {
    let at = (column as usize).checked_sub(1)?;
    let (before, operator) = (line.get(..at)?, line.get(at..)?);
    let plain = operator.starts_with('=') && !operator.starts_with("==");
    let compound = ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];
    if !plain && !compound.iter().any(|op| operator.starts_with(op)) {
        return None;
    }
    let target = match (lvalue(before.trim_end()), operator.get(..2)) {
        ("", Some("++" | "--")) => operand(operator[2..].trim_start()),
        (target, _) => target,
    };
    // A plain name is what the step is called anyway.
    (!target.is_empty() && target.contains(['.', '[', '*', '>'])).then(|| target.to_owned())
}

/// The expression a text ends with: names, members, and what stands in brackets.
fn lvalue(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut at = bytes.len();
    let mut depth = 0;
    while at > 0 {
        let c = bytes[at - 1];
        match c {
            b']' | b')' => depth += 1,
            b'[' | b'(' if depth == 0 => break,
            b'[' | b'(' => depth -= 1,
            _ if depth > 0 => {}
            b'>' if at > 1 && bytes[at - 2] == b'-' => at -= 1,
            b'.' | b'_' => {}
            _ if c.is_ascii_alphanumeric() => {}
            _ => break,
        }
        at -= 1;
    }
    let mut begin = at;
    while begin > 0 && bytes[begin - 1] == b'*' {
        begin -= 1;
    }
    // `a * b = ` is no assignment to `* b`: in front of a star there is nothing, or what ends a statement.
    let front = text[..begin].trim_end();
    let starts = front.is_empty() || front.ends_with([';', '{', '}', '(', ',', ')', ':']);
    if begin < at && starts { &text[begin..] } else { &text[at..] }
}

/// The expression a text begins with, as a prefix operator takes it.
fn operand(text: &str) -> &str {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'[' | b'(' => depth += 1,
            b']' | b')' if depth == 0 => break,
            b']' | b')' => depth -= 1,
            _ if depth > 0 => {}
            b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
            b'.' | b'_' => {}
            b'*' if at == 0 => {}
            c if c.is_ascii_alphanumeric() => {}
            _ => break,
        }
        at += 1;
    }
    &text[..at.min(bytes.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_assigned_to() {
        let of = |line: &str| assigned(line, line.find(" =").map_or(0, |i| i as u32 + 2));
        assert_eq!(of("  f.count = 2;").as_deref(), Some("f.count"));
        assert_eq!(of("  if (x) p->next->a[i + 1] = 2;").as_deref(), Some("p->next->a[i + 1]"));
        assert_eq!(of("  *p = 2;").as_deref(), Some("*p"));
        assert_eq!(of("  x = 2;"), None, "a plain name is the variable's");
        assert_eq!(of("  if (a.b == 2)"), None);
        assert_eq!(assigned("p->n++;", 5).as_deref(), Some("p->n"));
        assert_eq!(assigned("p->n += 3;", 6).as_deref(), Some("p->n"));
        assert_eq!(assigned("return m->a[--m->sp];", 13).as_deref(), Some("m->sp"));
        assert_eq!(assigned("++*p;", 1).as_deref(), Some("*p"));
        assert_eq!(assigned("++x;", 1), None, "a plain name is the variable's");
        assert_eq!(assigned("struct f x = {1};", 13), None);
        assert_eq!(assigned("", 40), None);
    }
}
