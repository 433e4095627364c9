//! Words, strings and symbols of the text form.

use super::{ParseError, Result};
use std::fmt;

/// A token and its line.
pub struct Token<'a> {
    pub kind: TokenKind<'a>,
    pub line: u32,
}

pub enum TokenKind<'a> {
    /// Letters, digits, `_`, `.`, and `-` before a letter; may begin with `#`.
    Word(&'a str),
    /// A string, without its escapes.
    Text(String),
    Symbol(&'static str),
    End,
}

impl fmt::Display for TokenKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Word(w) => write!(f, "'{w}'"),
            TokenKind::Text(_) => f.write_str("a string"),
            TokenKind::Symbol(s) => write!(f, "'{s}'"),
            TokenKind::End => f.write_str("the end"),
        }
    }
}

const SYMBOLS: [&str; 13] = ["->", "...", "(", ")", "[", "]", "{", "}", ",", ":", "=", "@", "+"];

/// The tokens of a text; the last one is `End`.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(c) = rest.chars().next() {
        if c == '\n' {
            line += 1;
        }
        if c.is_ascii_whitespace() {
            rest = &rest[1..];
        } else if c == ';' {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else {
            let (kind, used) = token(rest).map_err(|message| ParseError { line, message })?;
            out.push(Token { kind, line });
            rest = &rest[used..];
        }
    }
    out.push(Token { kind: TokenKind::End, line });
    Ok(out)
}

fn token(rest: &str) -> std::result::Result<(TokenKind<'_>, usize), String> {
    if rest.starts_with('"') {
        return string(rest);
    }
    // "-" goes last: it is also how "->" begins.
    let symbol = SYMBOLS.iter().chain(&["-"]).find(|s| rest.starts_with(**s));
    if let Some(symbol) = symbol {
        return Ok((TokenKind::Symbol(symbol), symbol.len()));
    }
    match word_len(rest) {
        0 => Err(format!("unexpected character {:?}", rest.chars().next().unwrap_or(' '))),
        n => Ok((TokenKind::Word(&rest[..n]), n)),
    }
}

fn word_len(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let part = |i: usize| match bytes[i] {
        b'#' => i == 0,
        b'-' => i > 0 && bytes.get(i + 1).is_some_and(u8::is_ascii_alphabetic),
        c => c.is_ascii_alphanumeric() || c == b'_' || c == b'.',
    };
    (0..bytes.len()).find(|&i| !part(i)).unwrap_or(bytes.len())
}

fn string(rest: &str) -> std::result::Result<(TokenKind<'_>, usize), String> {
    let mut out = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((TokenKind::Text(out), at + 1)),
            '\n' => break,
            '\\' => out.push(escape(&mut chars).ok_or("a wrong escape in a string")?),
            other => out.push(other),
        }
    }
    Err("a string without an end".to_string())
}

fn escape(chars: &mut impl Iterator<Item = (usize, char)>) -> Option<char> {
    match chars.next()?.1 {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'u' => {
            chars.next().filter(|c| c.1 == '{')?;
            let digits: String = chars.map(|c| c.1).take_while(|&c| c != '}').take(8).collect();
            char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
        }
        c @ ('\\' | '"' | '\'') => Some(c),
        _ => None,
    }
}
