//! A line taken apart into words.

use crate::read::ReadError;

/// A line with something on it, read from left to right.
pub struct Line<'a> {
    pub number: usize,
    pub id: u64,
    pub keyword: &'a str,
    words: std::iter::Peekable<std::str::SplitAsciiWhitespace<'a>>,
}

impl<'a> Line<'a> {
    /// The line, unless it is empty or a comment.
    pub fn parse(number: usize, text: &'a str) -> Result<Option<Line<'a>>, ReadError> {
        let mut words = text.split_ascii_whitespace().peekable();
        let Some(first) = words.next().filter(|w| !w.starts_with(';')) else { return Ok(None) };
        let id = parse_number(first).filter(|&id| id > 0);
        let id =
            id.ok_or_else(|| ReadError::at(number, format!("a line begins with its id, not `{}`", shorten(first))))?;
        let keyword = words.next().filter(|w| !w.starts_with(';'));
        let keyword = keyword.ok_or_else(|| ReadError::at(number, "the line ends after its id"))?;
        Ok(Some(Line { number, id, keyword, words }))
    }

    /// A mistake on this line.
    pub fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError::at(self.number, message)
    }

    /// The next word, which has to be there.
    pub fn word(&mut self, what: &str) -> Result<&'a str, ReadError> {
        match self.words.next().filter(|w| !w.starts_with(';')) {
            Some(word) => Ok(word),
            None => Err(self.error(format!("{what} is missing at the end of the line"))),
        }
    }

    /// A number.
    pub fn number(&mut self, what: &str) -> Result<u64, ReadError> {
        let word = self.word(what)?;
        parse_number(word).ok_or_else(|| self.error(format!("{what} should be here, not `{}`", shorten(word))))
    }

    /// An id that may be negated.
    pub fn reference(&mut self) -> Result<(bool, u64), ReadError> {
        let word = self.word("an operand")?;
        let (negated, digits) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
        match parse_number(digits) {
            Some(id) => Ok((negated, id)),
            None => Err(self.error(format!("the id of an operand should be here, not `{}`", shorten(word)))),
        }
    }

    /// The name at the end of the line, if there is one.
    pub fn symbol(&mut self) -> Result<Option<&'a str>, ReadError> {
        Ok(self.words.next_if(|w| !w.starts_with(';')))
    }

    /// A name that nobody needs.
    pub fn skip_symbol(&mut self) -> Result<(), ReadError> {
        self.symbol().map(|_| ())
    }

    /// Nothing but a comment may follow.
    pub fn end(&mut self) -> Result<(), ReadError> {
        match self.words.next() {
            Some(word) if !word.starts_with(';') => {
                Err(self.error(format!("the line should end before `{}`", shorten(word))))
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn parse_number(word: &str) -> Option<u64> {
    (!word.is_empty() && word.len() <= 18 && word.bytes().all(|b| b.is_ascii_digit())).then(|| word.parse().ok())?
}

/// At most so much of a word as a message needs.
pub fn shorten(word: &str) -> String {
    let short: String = word.chars().take(40).collect();
    if short.len() < word.len() { short + "..." } else { short }
}
