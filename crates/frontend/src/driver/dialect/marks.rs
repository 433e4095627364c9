//! What goes round in a function's text, in the order in which CBMC numbers it: by where control goes back.
//!
//! CBMC has a number for every jump back, `do ... while(0)` included, which compilers make nothing of.

use super::tokens::{Kind, Token, closing, joined, solid, solid_before, split, stripped};
use std::collections::BTreeSet;

/// Something that CBMC calls a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopMark {
    Loop,
    /// It has a number, and never goes round.
    Never,
}

/// A function's text: its file, its name, whether it is static, and what goes round in it.
pub struct FunctionMarks {
    pub file: String,
    pub name: String,
    pub is_static: bool,
    pub marks: Vec<LoopMark>,
}

/// Nests deeper than this are left aside: their loops are numbered as they come.
const MAX_DEPTH: usize = 400;

/// All functions of a preprocessed text.
pub fn of_text(text: &str) -> Vec<FunctionMarks> {
    let tokens = split(text);
    let mut out = Vec::new();
    let (mut at, mut start) = (0, 0);
    let mut file = String::new();
    while at < tokens.len() {
        let token = tokens[at];
        match (token.kind, token.text) {
            (Kind::Blank, text) => file = named_by(text).unwrap_or(file),
            (Kind::Sign, "{") => {
                let end = closing(&tokens, at).unwrap_or(tokens.len() - 1);
                if let Some(name) = defined(&tokens[start..at]) {
                    let is_static = tokens[start..at].iter().any(|t| t.text == "static");
                    let marks = Walk::new(&tokens[..=end]).body(at);
                    out.push(FunctionMarks { file: file.clone(), name, is_static, marks });
                    start = end + 1;
                }
                at = end;
            }
            (Kind::Sign, ";") => start = at + 1,
            _ => {}
        }
        at += 1;
    }
    out
}

/// The file that a line mark names: `# 12 "list.h" 2`.
fn named_by(text: &str) -> Option<String> {
    let rest = text.strip_prefix('#')?.trim_start();
    rest.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
    rest.split('"').nth(1).map(str::to_owned)
}

/// The function that a head defines: the name before its parameters.
fn defined(head: &[Token<'_>]) -> Option<String> {
    let open = (0..head.len()).find(|&i| {
        let before = solid_before(head, i).map(|b| head[b]);
        head[i].text == "(" && before.is_some_and(|b| b.kind == Kind::Word && !b.text.starts_with("__attribute"))
    })?;
    let name = head[solid_before(head, open)?].text;
    let initialised = head.iter().any(|t| t.kind == Kind::Sign && t.text == "=");
    (!initialised).then(|| name.to_owned())
}

/// The place after the statement that begins at a token.
pub fn end_of_statement(tokens: &[Token<'_>], at: usize) -> usize {
    Walk::new(tokens).statement(at).min(tokens.len())
}

struct Walk<'a, 't> {
    tokens: &'a [Token<'t>],
    marks: Vec<LoopMark>,
    labels: BTreeSet<&'t str>,
    taken: BTreeSet<&'t str>,
    depth: usize,
}

impl<'a, 't> Walk<'a, 't> {
    fn new(tokens: &'a [Token<'t>]) -> Self {
        Self { tokens, marks: Vec::new(), labels: BTreeSet::new(), taken: BTreeSet::new(), depth: 0 }
    }

    fn body(mut self, open: usize) -> Vec<LoopMark> {
        self.statement(open);
        if self.depth > MAX_DEPTH { Vec::new() } else { self.marks }
    }

    fn text(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |t| t.text)
    }

    fn next(&self, at: usize) -> usize {
        solid(self.tokens, at).unwrap_or(self.tokens.len())
    }

    /// Walks the statement that begins at a token; gives the place after it.
    fn statement(&mut self, at: usize) -> usize {
        let at = self.next(at);
        if self.depth > MAX_DEPTH || at >= self.tokens.len() {
            return self.tokens.len();
        }
        self.depth += 1;
        let end = self.kind_of_statement(at);
        if self.depth <= MAX_DEPTH {
            self.depth -= 1;
        }
        end
    }

    fn kind_of_statement(&mut self, at: usize) -> usize {
        match self.text(at) {
            "{" => self.block(at),
            "if" => {
                let then = self.statement(self.after_brackets(at));
                let next = self.next(then);
                if self.text(next) == "else" { self.statement(next + 1) } else { then }
            }
            "switch" => self.statement(self.after_brackets(at)),
            "for" => {
                let end = self.statement(self.after_brackets(at));
                self.marks.push(LoopMark::Loop);
                end
            }
            "while" => {
                let mark = self.mark_of_condition(at);
                let end = self.statement(self.after_brackets(at));
                self.marks.push(mark);
                end
            }
            "do" => {
                let body = self.statement(at + 1);
                let condition = self.next(body);
                let mark = self.mark_of_condition(condition);
                self.marks.push(mark);
                self.next(self.after_brackets(condition)) + 1
            }
            "goto" => {
                let label = self.text(self.next(at + 1));
                if self.labels.contains(label) {
                    self.marks.push(if self.taken.insert(label) { LoopMark::Loop } else { LoopMark::Never });
                }
                self.expression(at)
            }
            "case" | "default" => self.after_colon(at),
            _ if self.tokens[at].kind == Kind::Word && self.text(self.next(at + 1)) == ":" => {
                self.labels.insert(self.tokens[at].text);
                self.statement(self.next(at + 1) + 1)
            }
            _ => self.expression(at),
        }
    }

    fn block(&mut self, open: usize) -> usize {
        let end = closing(self.tokens, open).unwrap_or(self.tokens.len() - 1);
        let mut at = open + 1;
        while self.next(at) < end {
            at = self.statement(at);
        }
        end + 1
    }

    /// Behind the brackets that follow a keyword.
    fn after_brackets(&self, at: usize) -> usize {
        let open = self.next(at + 1);
        closing(self.tokens, open).map_or(self.tokens.len(), |end| end + 1)
    }

    fn after_colon(&self, at: usize) -> usize {
        let mut open = 0usize;
        for i in at..self.tokens.len() {
            match self.text(i) {
                "?" => open += 1,
                ":" if open == 0 => return i + 1,
                ":" => open -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn mark_of_condition(&self, at: usize) -> LoopMark {
        let open = self.next(at + 1);
        let Some(end) = closing(self.tokens, open) else { return LoopMark::Loop };
        let inside = joined(stripped(&self.tokens[open..=end]));
        if inside.trim() == "0" { LoopMark::Never } else { LoopMark::Loop }
    }

    /// An expression or a declaration, up to its semicolon; statements may stand in it.
    fn expression(&mut self, at: usize) -> usize {
        let mut at = at;
        while at < self.tokens.len() {
            match self.text(at) {
                ";" => return at + 1,
                "{" => at = self.block(at),
                "}" => return at,
                _ => at += 1,
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::LoopMark::{Loop, Never};
    use super::*;

    #[test]
    fn loops_by_their_ways_back() {
        let text = "# 1 \"a.h\"\nint g;\nstatic int f(int n) { for (;;) { do { g += 1; } while (0); while (n) n--; }\
                    again: if (n) goto again; do n++; while (n < 3); int a[] = { 1 }; return 0; }\nstruct s { int x; };";
        let found = of_text(text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name.as_str(), found[0].file.as_str(), found[0].is_static), ("f", "a.h", true));
        assert_eq!(found[0].marks, [Never, Loop, Loop, Loop, Loop]);
    }
}
