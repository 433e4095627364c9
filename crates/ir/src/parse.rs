//! Reads the text form back: the inverse of [`crate::print`].
//!
//! Invariants: what parses keeps the numbers it is written with (values, blocks, variables, properties), so that printing
//! it again gives the same text. Constants are interned above the written values. Comments (`; ...` to the end of the line)
//! and line breaks mean nothing. Whether the result keeps the rules of the IR is the verifier's business.
//!
//! Absent: recursion, so nothing in a text can exhaust the stack; numbers out of proportion to the text, which
//! would exhaust memory, are refused.

mod body;
mod lexer;
mod program;

use crate::func::Func;
use crate::program::{Program, Signature};
use crate::property::{CheckKind, PropertyId};
use crate::types::Type;
use blitz_base::span::{FileId, Loc};
use lexer::{Token, TokenKind};
use std::fmt;

/// Why a text is no IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Counted from 1.
    pub line: u32,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

/// Reads a function body, as `Func`'s `Display` writes it.
pub fn func(text: &str) -> Result<Func> {
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser::new(&tokens);
    let func = body::body(&mut parser)?;
    match parser.peek() {
        TokenKind::End => Ok(func),
        other => parser.fail(format!("unexpected {other}")),
    }
}

/// Reads a program, as `Program::text` writes it.
pub fn program(text: &str) -> Result<Program> {
    let tokens = lexer::tokens(text)?;
    program::program(&mut Parser::new(&tokens))
}

/// A position in the tokens. The last token is `End` and is never passed.
struct Parser<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
}

impl<'a> Parser<'a> {
    fn new(tokens: &'a [Token<'a>]) -> Self {
        Self { tokens, at: 0 }
    }

    fn peek(&self) -> &'a TokenKind<'a> {
        &self.tokens[self.at].kind
    }

    fn next(&mut self) -> &'a TokenKind<'a> {
        let token = &self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        &token.kind
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ParseError { line: self.tokens[self.at].line, message: message.into() })
    }

    /// The same, for a fault in what was taken last.
    fn wrong<T>(&self, message: impl Into<String>) -> Result<T> {
        let at = self.at.saturating_sub(1);
        Err(ParseError { line: self.tokens[at].line, message: message.into() })
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), TokenKind::Symbol(s) if *s == symbol)
    }

    /// Takes the symbol if it comes next.
    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.accept(symbol) {
            return Ok(());
        }
        self.fail(format!("expected '{symbol}', found {}", self.peek()))
    }

    fn peek_word(&self) -> Option<&'a str> {
        match self.peek() {
            TokenKind::Word(w) => Some(w),
            TokenKind::Symbol(_) | TokenKind::Text(_) | TokenKind::End => None,
        }
    }

    /// Takes this word if it comes next.
    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        if found {
            self.next();
        }
        found
    }

    fn word(&mut self) -> Result<&'a str> {
        let Some(word) = self.peek_word() else {
            return self.fail(format!("expected a word, found {}", self.peek()));
        };
        self.next();
        Ok(word)
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.accept_word(word) {
            return Ok(());
        }
        self.fail(format!("expected '{word}', found {}", self.peek()))
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        let parsed = self.peek_word().and_then(|w| w.parse().ok());
        let Some(n) = parsed else {
            return self.fail(format!("expected a number, found {}", self.peek()));
        };
        self.next();
        Ok(n)
    }

    /// The number of an id such as `block3`, if one with this prefix comes next.
    fn peek_id(&self, prefix: &str) -> Option<u32> {
        self.peek_word()?.strip_prefix(prefix)?.parse().ok()
    }

    fn accept_id(&mut self, prefix: &str) -> Option<u32> {
        let id = self.peek_id(prefix);
        if id.is_some() {
            self.next();
        }
        id
    }

    fn id(&mut self, prefix: &str) -> Result<u32> {
        match self.accept_id(prefix) {
            Some(n) => Ok(n),
            None => self.fail(format!("expected {prefix}<n>, found {}", self.peek())),
        }
    }

    fn text(&mut self) -> Result<String> {
        match self.peek() {
            TokenKind::Text(t) => {
                self.next();
                Ok(t.clone())
            }
            other => self.fail(format!("expected a string, found {other}")),
        }
    }

    fn ty(&mut self) -> Result<Type> {
        let Some(ty) = self.peek_word().and_then(Type::from_name) else {
            return self.fail(format!("expected a type, found {}", self.peek()));
        };
        self.next();
        Ok(ty)
    }

    /// Items with commas between them up to a closing symbol, which is taken.
    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.accept(close) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn place(&mut self) -> Result<Loc> {
        if !self.accept("@") {
            return Ok(Loc::UNKNOWN);
        }
        let file = FileId(self.number()?);
        self.expect(":")?;
        let line = self.number()?;
        self.expect(":")?;
        let col = self.number()?;
        Ok(Loc { file, line, col })
    }

    fn signature(&mut self) -> Result<Signature> {
        self.expect("(")?;
        let mut variadic = false;
        let mut params = Vec::new();
        while !self.accept(")") {
            if !params.is_empty() {
                self.expect(",")?;
            }
            if self.accept("...") {
                variadic = true;
                self.expect(")")?;
                break;
            }
            params.push(self.ty()?);
        }
        self.expect("->")?;
        self.expect("(")?;
        let results = self.list(")", Self::ty)?;
        Ok(Signature { params, results, variadic })
    }

    fn kind(&mut self) -> Result<CheckKind> {
        let Some(kind) = self.peek_word().and_then(CheckKind::from_name) else {
            return self.fail(format!("expected a kind of check, found {}", self.peek()));
        };
        self.next();
        Ok(kind)
    }

    /// `[kind prop, ...]`, or nothing.
    fn kinds(&mut self) -> Result<Vec<(CheckKind, PropertyId)>> {
        if !self.accept("[") {
            return Ok(Vec::new());
        }
        self.list("]", |p| Ok((p.kind()?, PropertyId(p.id("prop")?))))
    }

    /// `+5`, `-5`, or nothing.
    fn addend(&mut self) -> Result<i64> {
        let negative = self.is_symbol("-");
        if !negative && !self.is_symbol("+") {
            return Ok(0);
        }
        self.next();
        let magnitude: i128 = self.number()?;
        let signed = if negative { -magnitude } else { magnitude };
        i64::try_from(signed).or_else(|_| self.wrong("the offset does not fit in 64 bits"))
    }
}

#[cfg(test)]
mod tests;
