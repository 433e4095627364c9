//! The user's source text, read when an excerpt is wanted.

use std::collections::HashMap;

/// Source files by the path the compiler was given. A file that can't be read has no excerpts, and that is all.
#[derive(Default)]
pub struct Sources {
    texts: HashMap<String, Option<String>>,
}

impl Sources {
    pub fn new() -> Self {
        Self::default()
    }

    /// Supplies a text, as tests do.
    pub fn insert(&mut self, path: &str, text: &str) {
        self.texts.insert(path.to_owned(), Some(text.to_owned()));
    }

    /// The text of a file.
    pub fn text(&mut self, path: &str) -> Option<&str> {
        let slot = self.texts.entry(path.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(path).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        });
        slot.as_deref()
    }
}

/// The bytes of the token at a line and column (both from 1), or of the line's text where the column is unknown.
pub(crate) fn token_span(text: &str, line: u32, column: u32) -> Option<std::ops::Range<usize>> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    let start = if index == 0 { 0 } else { text.match_indices('\n').nth(index - 1)?.0 + 1 };
    let line = text[start..].split('\n').next()?.trim_end();
    if column == 0 || column as usize > line.len() {
        let indent = line.len() - line.trim_start().len();
        return Some(start + indent..start + line.len().max(indent + 1).min(text.len() - start));
    }
    let mut at = column as usize - 1;
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    Some(start + at..start + at + token_length(&line[at..]))
}

fn token_length(rest: &str) -> usize {
    let word = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    if word > 0 {
        return word;
    }
    const OPERATORS: &[&str] = &["<<=", ">>=", "<<", ">>", "->", "+=", "-=", "*=", "/=", "%=", "++", "--", "&&", "||"];
    match OPERATORS.iter().find(|op| rest.starts_with(**op)) {
        Some(op) => op.len(),
        None => rest.chars().next().map_or(0, char::len_utf8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str, line: u32, column: u32) -> &str {
        &text[token_span(text, line, column).unwrap()]
    }

    #[test]
    fn tokens_are_words_operators_or_the_line() {
        let text = "int main(void) {\n  value <<= 3;\n}\n";
        assert_eq!(token(text, 1, 5), "main");
        assert_eq!(token(text, 2, 9), "<<=");
        assert_eq!(token(text, 2, 0), "value <<= 3;");
        assert_eq!(token(text, 3, 1), "}");
        assert!(token_span(text, 9, 1).is_none());
    }
}
