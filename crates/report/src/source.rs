//! The user's source text, read when an excerpt is wanted.

use std::collections::HashMap;

/// Source files by the path the compiler was given. A file that can't be read has no excerpts, and that is all.
#[derive(Default)]
pub struct Sources {
    texts: HashMap<String, Option<Source>>,
}

/// A text, and where its lines begin: a trace asks for thousands of them.
struct Source {
    text: String,
    lines: Vec<usize>,
}

impl Source {
    fn new(text: String) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, lines }
    }
}

impl Sources {
    pub fn new() -> Self {
        Self::default()
    }

    /// Supplies a text, as tests do.
    pub fn insert(&mut self, path: &str, text: &str) {
        self.texts.insert(path.to_owned(), Some(Source::new(text.to_owned())));
    }

    /// The text of a file.
    pub fn text(&mut self, path: &str) -> Option<&str> {
        self.source(path).map(|s| s.text.as_str())
    }

    /// A line of a file (from 1), its end included.
    pub(crate) fn line(&mut self, path: &str, number: u32) -> Option<&str> {
        let source = self.source(path)?;
        let index = (number as usize).checked_sub(1)?;
        let end = source.lines.get(index + 1).copied().unwrap_or(source.text.len());
        source.text.get(*source.lines.get(index)?..end)
    }

    fn source(&mut self, path: &str) -> Option<&Source> {
        if !self.texts.contains_key(path) {
            let read = std::fs::read(path).ok();
            let source = read.map(|bytes| Source::new(String::from_utf8_lossy(&bytes).into_owned()));
            self.texts.insert(path.to_owned(), source);
        }
        self.texts.get(path)?.as_ref()
    }
}

/// The bytes of the token at a column (from 1) of a line, or of the line's text where the column is unknown.
pub(crate) fn token_span(line: &str, column: u32) -> std::ops::Range<usize> {
    let text = line.trim_end();
    if column == 0 || column as usize > text.len() {
        let indent = text.len() - text.trim_start().len();
        return indent..text.len().max(indent + 1).min(line.len());
    }
    let mut at = column as usize - 1;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at..at + token_length(&text[at..])
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

    fn token(text: &str, line: u32, column: u32) -> String {
        let mut sources = Sources::new();
        sources.insert("a.c", text);
        let line = sources.line("a.c", line).unwrap();
        line[token_span(line, column)].to_owned()
    }

    #[test]
    fn tokens_are_words_operators_or_the_line() {
        let text = "int main(void) {\n  value <<= 3;\n}\n";
        assert_eq!(token(text, 1, 5), "main");
        assert_eq!(token(text, 2, 9), "<<=");
        assert_eq!(token(text, 2, 0), "value <<= 3;");
        assert_eq!(token(text, 3, 1), "}");
        assert_eq!(token("\n\n", 2, 0), "\n");
    }

    #[test]
    fn lines_beyond_the_end_are_none() {
        let mut sources = Sources::new();
        sources.insert("a.c", "one\ntwo");
        assert_eq!(sources.line("a.c", 1), Some("one\n"));
        assert_eq!(sources.line("a.c", 2), Some("two"));
        assert_eq!(sources.line("a.c", 0), None);
        assert_eq!(sources.line("a.c", 3), None);
    }
}
