//! Preprocessed C as a list of tokens that still stand in their text, so that what is not rewritten stays as it is.
//!
//! Absent: anything of C's grammar beyond brackets that match.

/// What a token is, as far as a rewriting has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Blanks, comments and the preprocessor's own lines.
    Blank,
    Word,
    Literal,
    /// One sign; `==>` is one, and so are the comparisons and the logical operators.
    Sign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
}

/// Signs of several characters that matter here, longest first.
const SIGNS: &[&str] = &[
    "==>", "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=",
];

/// Splits a text; joined, the tokens are the text again.
pub fn split(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while at < text.len() {
        let rest = &text[at..];
        let (kind, len) = next(rest, line_start);
        let token = &rest[..len];
        line_start = match kind {
            Kind::Blank => token.ends_with('\n') || (line_start && !token.contains('\n')),
            Kind::Word | Kind::Literal | Kind::Sign => false,
        };
        out.push(Token { kind, text: token });
        at += len;
    }
    out
}

fn next(rest: &str, line_start: bool) -> (Kind, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let first = rest.chars().next().expect("there should be text left");
    if line_start && first == '#' {
        return (Kind::Blank, directive(rest));
    }
    if first.is_whitespace() {
        // Up to the end of a line at most, so that a directive is seen to begin one.
        let end = rest.find(|c: char| !c.is_whitespace() || c == '\n').unwrap_or(rest.len());
        return (Kind::Blank, if rest[end..].starts_with('\n') { end + 1 } else { end });
    }
    if rest.starts_with("//") {
        return (Kind::Blank, rest.find('\n').unwrap_or(rest.len()));
    }
    if let Some(inside) = rest.strip_prefix("/*") {
        return (Kind::Blank, inside.find("*/").map_or(rest.len(), |end| end + 4));
    }
    if first == '"' || first == '\'' {
        return (Kind::Literal, quoted(rest, first));
    }
    if first.is_ascii_digit() {
        let end = rest.find(|c| !is_word(c) && c != '.').unwrap_or(rest.len());
        return (Kind::Literal, end);
    }
    if is_word(first) {
        return (Kind::Word, rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
    }
    let sign = SIGNS.iter().find(|s| rest.starts_with(**s));
    (Kind::Sign, sign.map_or(first.len_utf8(), |s| s.len()))
}

/// A line of the preprocessor, with the lines that continue it.
fn directive(rest: &str) -> usize {
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end_matches('\n').ends_with('\\') {
            break;
        }
    }
    end
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return i,
            c if c == quote => return i + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The text of a run of tokens.
pub fn joined(tokens: &[Token<'_>]) -> String {
    tokens.iter().map(|t| t.text).collect()
}

/// The first token from `at` on that is no blank.
pub fn solid(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    (at..tokens.len()).find(|&i| tokens[i].kind != Kind::Blank)
}

/// The last token before `at` that is no blank.
pub fn solid_before(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    (0..at).rev().find(|&i| tokens[i].kind != Kind::Blank)
}

/// Where the bracket that opens at `at` is closed.
pub fn closing(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        match (token.kind, token.text) {
            (Kind::Sign, "(" | "[" | "{") => depth += 1,
            (Kind::Sign, ")" | "]" | "}") => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
    }
    None
}

/// The tokens without the blanks around them, and without brackets around the whole.
pub fn stripped<'a, 't>(mut tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    loop {
        tokens = trimmed(tokens);
        match tokens {
            [first, .., _] if first.text == "(" && closing(tokens, 0) == Some(tokens.len() - 1) => {
                tokens = &tokens[1..tokens.len() - 1];
            }
            _ => return tokens,
        }
    }
}

fn trimmed<'a, 't>(tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    let Some(start) = solid(tokens, 0) else { return &[] };
    let end = solid_before(tokens, tokens.len()).map_or(start, |e| e + 1);
    &tokens[start..end]
}

/// The tokens between the signs of one kind that are in no bracket.
pub fn parts<'a, 't>(tokens: &'a [Token<'t>], sign: &str) -> Vec<&'a [Token<'t>]> {
    let mut out = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < tokens.len() {
        match tokens[at].text {
            "(" | "[" | "{" if tokens[at].kind == Kind::Sign => at = closing(tokens, at).unwrap_or(tokens.len() - 1),
            text if tokens[at].kind == Kind::Sign && text == sign => {
                out.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    out.push(&tokens[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        let text = "# 1 \"a.c\"\nint f(void) { /* a */ return x ==> \"}\\\"\"[0] == '\\''; } // end";
        let tokens = split(text);
        assert_eq!(joined(&tokens), text);
        assert!(tokens.iter().any(|t| t.text == "==>"));
        assert_eq!(tokens[0].kind, Kind::Blank);
    }

    #[test]
    fn brackets_and_parts() {
        let tokens = split("((a && (b && c)) ==> d)");
        let inside = stripped(&tokens);
        assert_eq!(parts(inside, "==>").len(), 2);
        assert_eq!(parts(stripped(parts(inside, "==>")[0]), "&&").len(), 2);
    }
}
