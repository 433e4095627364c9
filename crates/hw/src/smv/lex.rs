//! Tokens of SMV, each with its line and column.
//!
//! Identifiers are NuSMV's: after the first letter they may have `-`, `$` and `#` in them, so `a-b` is one name and a difference needs spaces. A name
//! in double quotes is an identifier of any characters: formulas over AIGER and BTOR2 models need it (`"count[3]"`).
//! Absent: reals, which no finite model has.

use super::{Pos, SmvError};
use blitz_base::Bv;

/// The widest word that is read.
pub const MAX_WORD_BITS: u16 = 4096;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Name(String),
    /// A name in double quotes: never a keyword.
    Quoted(String),
    Number(i64),
    Word {
        value: Bv,
        signed: bool,
    },
    /// Punctuation and operators, as written.
    Mark(&'static str),
    End,
}

impl Token {
    /// The token as the user wrote it, for messages.
    pub fn shown(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Quoted(name) => format!("`\"{name}\"`"),
            Token::Number(n) => format!("`{n}`"),
            Token::Word { .. } => "a word constant".to_owned(),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

/// Marks, longest first.
const MARKS: &[&str] = &[
    "<->", ":=", "->", "!=", "<=", ">=", "<<", ">>", "::", "..", "&&", "||", "==", "!", "&", "|", "=", "<", ">", "+",
    "-", "*", "/", "?", ":", ";", ",", "(", ")", "[", "]", "{", "}", ".",
];

/// All tokens of a text; the last one is `End`.
pub fn tokens(text: &str) -> Result<Vec<(Token, Pos)>, SmvError> {
    let mut lexer = Lexer { rest: text, pos: Pos { line: 1, column: 1 } };
    let mut found = Vec::new();
    loop {
        lexer.skip_blank()?;
        let pos = lexer.pos;
        let token = lexer.token()?;
        let end = token == Token::End;
        found.push((token, pos));
        if end {
            return Ok(found);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    pos: Pos,
}

impl<'a> Lexer<'a> {
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        for c in taken.chars() {
            if c == '\n' {
                self.pos.line += 1;
                self.pos.column = 1;
            } else {
                self.pos.column += 1;
            }
        }
        self.rest = rest;
        taken
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, SmvError> {
        Err(SmvError::new(self.pos, message))
    }

    fn skip_blank(&mut self) -> Result<(), SmvError> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.advance(blank);
            if self.rest.starts_with("/--") {
                match self.rest.find("--/") {
                    Some(end) => self.advance(end + 3),
                    None => return self.error("this comment has no end `--/`"),
                };
            } else if self.rest.starts_with("--") {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.advance(end);
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, SmvError> {
        let Some(first) = self.rest.chars().next() else {
            return Ok(Token::End);
        };
        if first == '"' {
            return self.quoted();
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let in_name = |c: char| c.is_ascii_alphanumeric() || "_-$#".contains(c);
            let end = self.rest.find(|c| !in_name(c)).unwrap_or(self.rest.len());
            // `a->b` and `a--comment` end the name before the dash.
            let end = dash_end(&self.rest[..end], &self.rest[end..]);
            return Ok(Token::Name(self.advance(end).to_owned()));
        }
        match MARKS.iter().find(|m| self.rest.starts_with(**m)) {
            Some(mark) => {
                self.advance(mark.len());
                Ok(Token::Mark(match *mark {
                    "&&" => "&",
                    "||" => "|",
                    "==" => "=",
                    other => other,
                }))
            }
            None => self.error(format!("the character `{}` begins nothing in SMV", first.escape_default())),
        }
    }

    fn quoted(&mut self) -> Result<Token, SmvError> {
        match self.rest[1..].find(['"', '\n']) {
            Some(end) if self.rest[1 + end..].starts_with('"') => {
                let name = self.rest[1..1 + end].to_owned();
                self.advance(end + 2);
                Ok(Token::Quoted(name))
            }
            _ => self.error("this name has no closing quote"),
        }
    }

    fn number(&mut self) -> Result<Token, SmvError> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let text = &self.rest[..end];
        if text.bytes().all(|b| b.is_ascii_digit()) {
            let fraction =
                self.rest[end..].strip_prefix('.').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
            if fraction {
                return self.error("reals are not supported: a model has to be finite");
            }
            let Ok(value) = text.parse() else {
                return self.error(format!("the number {text} does not fit into 64 bits"));
            };
            self.advance(end);
            return Ok(Token::Number(value));
        }
        let (value, signed) = word(text).map_err(|why| SmvError::new(self.pos, why))?;
        self.advance(end);
        Ok(Token::Word { value, signed })
    }
}

/// Where a name ends that was read with all its dashes.
fn dash_end(name: &str, after: &str) -> usize {
    let comment = name.find("--").unwrap_or(name.len());
    let name = &name[..comment];
    if comment == name.len() && after.starts_with('>') && name.ends_with('-') {
        return name.len() - 1;
    }
    name.len()
}

/// `0ub4_1010`, `0sd8_17`, `0h_ff`: base, width and digits.
fn word(text: &str) -> Result<(Bv, bool), String> {
    let wrong = || format!("`{text}` is neither a number nor a word constant as in 0ud8_17");
    let rest = text.strip_prefix('0').ok_or_else(wrong)?;
    let (signed, rest) = match rest.as_bytes().first() {
        Some(b's') => (true, &rest[1..]),
        Some(b'u') => (false, &rest[1..]),
        _ => (false, rest),
    };
    let base = match rest.as_bytes().first() {
        Some(b'b' | b'B') => 2u32,
        Some(b'o' | b'O') => 8,
        Some(b'd' | b'D') => 10,
        Some(b'h' | b'H') => 16,
        _ => return Err(wrong()),
    };
    let (width, digits) = rest[1..].split_once('_').ok_or_else(wrong)?;
    let digits: String = digits.chars().filter(|c| *c != '_').collect();
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return Err(format!("`{text}` has no digits of base {base} after its `_`"));
    }
    let width = match (width, base) {
        ("", 10) => return Err(format!("`{text}` needs a width, as in 0ud8_17")),
        ("", _) => (digits.len() as u64) * u64::from(base.ilog2()),
        (width, _) => width.parse().map_err(|_| wrong())?,
    };
    let Some(width) = u16::try_from(width).ok().filter(|w| (1..=MAX_WORD_BITS).contains(w)) else {
        return Err(format!("words of {width} bits are not supported: 1 to {MAX_WORD_BITS} are"));
    };
    let value = digit_value(width, base, &digits)
        .ok_or_else(|| format!("the value of `{text}` does not fit into {width} bits"))?;
    Ok((value, signed))
}

/// The digits as a number of `width` bits, if it fits.
fn digit_value(width: u16, base: u32, digits: &str) -> Option<Bv> {
    let wide = width + 8;
    let mut value = Bv::zero(wide);
    let base_value = Bv::from_u64(wide, u64::from(base));
    for digit in digits.chars() {
        let digit = digit.to_digit(base).expect("digits should have been looked at");
        value = value.mul(&base_value).add(&Bv::from_u64(wide, u64::from(digit)));
        if !value.lshr_by(width).is_zero() {
            return None;
        }
    }
    Some(value.extract(width - 1, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Token> {
        tokens(text).expect("should be tokens").into_iter().map(|(t, _)| t).collect()
    }

    #[test]
    fn names_numbers_words_and_comments() {
        let name = |n: &str| Token::Name(n.to_owned());
        assert_eq!(
            all("a-b ->c -- all this\n/-- and\n this --/ 0..7"),
            [
                name("a-b"),
                Token::Mark("->"),
                name("c"),
                Token::Number(0),
                Token::Mark(".."),
                Token::Number(7),
                Token::End
            ]
        );
        assert_eq!(all("x->y"), [name("x"), Token::Mark("->"), name("y"), Token::End]);
        assert_eq!(all("0ud8_17")[0], Token::Word { value: Bv::from_u64(8, 17), signed: false });
        assert_eq!(all("0sh_f0")[0], Token::Word { value: Bv::from_u64(8, 0xf0), signed: true });
        assert_eq!(all("\"a b[1]\"")[0], Token::Quoted("a b[1]".to_owned()));
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, says) in [
            ("ok\n  ~", "line 2, column 3: the character `~`"),
            ("0ud4_16", "line 1, column 1: the value of `0ud4_16` does not fit into 4 bits"),
            ("0ud_16", "needs a width"),
            ("0b4_12", "has no digits of base 2"),
            ("0ub9999_1", "words of 9999 bits"),
            ("1.5", "reals are not supported"),
            ("99999999999999999999", "does not fit into 64 bits"),
            ("/-- x", "has no end"),
        ] {
            let message = tokens(text).expect_err("should be wrong").to_string();
            assert!(message.contains(says), "{message}");
        }
    }
}
