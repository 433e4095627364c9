//! Expressions: precedence climbing over NuSMV's table of precedences.
//!
//! The temporal operators of one argument take comparisons with them but no `&`: `G x = 3 & y` is `(G (x = 3)) & y`. `U`, `V` (also written `R`),
//! `W`, `S` and `T` bind weaker than comparisons and stronger than `&`.

use super::ast::{Binary, BinaryOp, Expr, ExprId, Exprs, Function, Quantified, Unary, UnaryOp};
use super::lex::{Token, tokens};
use super::{Pos, SmvError};

/// How deep expressions may be: what reads them later recurses.
const MAX_DEPTH: u32 = 300;

/// Binding strengths, weakest first.
mod level {
    pub const IMPLIES: u8 = 1;
    pub const IFF: u8 = 2;
    pub const CHOICE: u8 = 3;
    pub const OR: u8 = 4;
    pub const AND: u8 = 5;
    pub const TEMPORAL: u8 = 6;
    pub const COMPARE: u8 = 7;
    pub const IN: u8 = 8;
    pub const UNION: u8 = 9;
    pub const RANGE: u8 = 10;
    pub const SHIFT: u8 = 11;
    pub const ADD: u8 = 12;
    pub const MUL: u8 = 13;
    pub const MINUS: u8 = 14;
    pub const CONCAT: u8 = 15;
    pub const NOT: u8 = 16;
}

/// A reader of tokens that puts expressions into an arena.
pub struct Parser {
    tokens: Vec<(Token, Pos)>,
    at: usize,
    pub exprs: Exprs,
    /// The depth of each expression.
    depths: Vec<u32>,
    nesting: u32,
}

/// Reads one expression that is the whole text.
pub fn expression(text: &str) -> Result<(Exprs, ExprId), SmvError> {
    expression_in(Exprs::default(), text)
}

/// Reads one expression into an arena that has others already.
pub fn expression_in(exprs: Exprs, text: &str) -> Result<(Exprs, ExprId), SmvError> {
    let mut parser = Parser::new(text)?;
    parser.depths = vec![0; exprs.len()];
    parser.exprs = exprs;
    let id = parser.expr()?;
    match parser.peek() {
        Token::End => Ok((parser.exprs, id)),
        other => {
            let message = format!("{} does not continue the expression before it", other.shown());
            parser.error(message)
        }
    }
}

/// Tokens.
impl Parser {
    pub fn new(text: &str) -> Result<Self, SmvError> {
        Ok(Self { tokens: tokens(text)?, at: 0, exprs: Exprs::default(), depths: Vec::new(), nesting: 0 })
    }

    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn peek_after(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }

    pub fn pos(&self) -> Pos {
        self.tokens[self.at].1
    }

    pub fn take(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Token::Mark(m) if *m == mark)
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(n) if n == word)
    }

    /// Takes the mark if it is next.
    pub fn eat(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.take();
        }
        found
    }

    /// Takes the keyword if it is next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.take();
        }
        found
    }

    pub fn expect(&mut self, mark: &str, after: &str) -> Result<(), SmvError> {
        if self.eat(mark) {
            return Ok(());
        }
        self.error(format!("`{mark}` should come after {after}, not {}", self.peek().shown()))
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Result<T, SmvError> {
        Err(SmvError::new(self.pos(), message))
    }

    fn add(&mut self, expr: Expr, pos: Pos) -> Result<ExprId, SmvError> {
        let depth = 1 + children(&expr).iter().map(|c| self.depths[c.0 as usize]).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err(SmvError::new(pos, format!("this expression is nested deeper than {MAX_DEPTH} levels")));
        }
        self.depths.push(depth);
        Ok(self.exprs.add(expr, pos))
    }
}

fn children(expr: &Expr) -> Vec<ExprId> {
    match expr {
        Expr::Bool(_) | Expr::Number(_) | Expr::Word { .. } | Expr::Name(_) => Vec::new(),
        Expr::Dot(a, _) | Expr::Unary(_, a) => vec![*a],
        Expr::Index(a, b) | Expr::Binary(_, a, b) | Expr::Range(a, b) => vec![*a, *b],
        Expr::Bits(a, b, c) | Expr::Choice(a, b, c) => vec![*a, *b, *c],
        Expr::And(list) | Expr::Or(list) | Expr::Set(list) | Expr::Call(_, list) => list.clone(),
        Expr::Case(arms) => arms.iter().flat_map(|&(c, v)| [c, v]).collect(),
    }
}

/// An operator between two expressions.
enum Infix {
    And,
    Or,
    Choice,
    Range,
    Binary(BinaryOp),
}

/// Operators by token: how strong, and how strong what stands on the right has to be.
fn infix(token: &Token) -> Option<(Infix, u8, u8)> {
    let left = |op: BinaryOp, level: u8| Some((Infix::Binary(op), level, level + 1));
    match token {
        Token::Mark(mark) => match *mark {
            "->" => Some((Infix::Binary(BinaryOp::Implies), level::IMPLIES, level::IMPLIES)),
            "<->" => left(BinaryOp::Iff, level::IFF),
            "?" => Some((Infix::Choice, level::CHOICE, level::CHOICE)),
            "|" => Some((Infix::Or, level::OR, level::OR + 1)),
            "&" => Some((Infix::And, level::AND, level::AND + 1)),
            "=" => left(BinaryOp::Eq, level::COMPARE),
            "!=" => left(BinaryOp::Ne, level::COMPARE),
            "<" => left(BinaryOp::Lt, level::COMPARE),
            "<=" => left(BinaryOp::Le, level::COMPARE),
            ">" => left(BinaryOp::Gt, level::COMPARE),
            ">=" => left(BinaryOp::Ge, level::COMPARE),
            ".." => Some((Infix::Range, level::RANGE, level::RANGE + 1)),
            "<<" => left(BinaryOp::Shl, level::SHIFT),
            ">>" => left(BinaryOp::Shr, level::SHIFT),
            "+" => left(BinaryOp::Add, level::ADD),
            "-" => left(BinaryOp::Sub, level::ADD),
            "*" => left(BinaryOp::Mul, level::MUL),
            "/" => left(BinaryOp::Div, level::MUL),
            "::" => left(BinaryOp::Concat, level::CONCAT),
            _ => None,
        },
        Token::Name(name) => match name.as_str() {
            "xor" => left(BinaryOp::Xor, level::OR),
            "xnor" => left(BinaryOp::Xnor, level::OR),
            "mod" => left(BinaryOp::Mod, level::MUL),
            "union" => left(BinaryOp::Union, level::UNION),
            "in" => left(BinaryOp::In, level::IN),
            "U" => left(BinaryOp::Temporal(Binary::U), level::TEMPORAL),
            "V" | "R" => left(BinaryOp::Temporal(Binary::R), level::TEMPORAL),
            "W" => left(BinaryOp::Temporal(Binary::W), level::TEMPORAL),
            "S" => left(BinaryOp::Temporal(Binary::S), level::TEMPORAL),
            "T" => left(BinaryOp::Temporal(Binary::T), level::TEMPORAL),
            _ => None,
        },
        Token::Quoted(_) | Token::Number(_) | Token::Word { .. } | Token::End => None,
    }
}

/// Prefix operators by name.
fn prefix(name: &str) -> Option<UnaryOp> {
    let op = match name {
        "X" => UnaryOp::Temporal(Unary::X),
        "F" => UnaryOp::Temporal(Unary::F),
        "G" => UnaryOp::Temporal(Unary::G),
        "Y" => UnaryOp::Temporal(Unary::Y),
        "Z" => UnaryOp::Temporal(Unary::Z),
        "O" => UnaryOp::Temporal(Unary::O),
        "H" => UnaryOp::Temporal(Unary::H),
        "AX" => UnaryOp::Ctl(Quantified::Ax),
        "AF" => UnaryOp::Ctl(Quantified::Af),
        "AG" => UnaryOp::Ctl(Quantified::Ag),
        "EX" => UnaryOp::Ctl(Quantified::Ex),
        "EF" => UnaryOp::Ctl(Quantified::Ef),
        "EG" => UnaryOp::Ctl(Quantified::Eg),
        _ => return None,
    };
    Some(op)
}

/// Functions by name; they are functions only before a parenthesis.
fn function(name: &str) -> Option<Function> {
    let function = match name {
        "word1" => Function::Word1,
        "bool" => Function::Bool,
        "toint" => Function::ToInt,
        "signed" => Function::Signed,
        "unsigned" => Function::Unsigned,
        "extend" => Function::Extend,
        "resize" => Function::Resize,
        "abs" => Function::Abs,
        "max" => Function::Max,
        "min" => Function::Min,
        "count" => Function::Count,
        "uwconst" => Function::Uwconst,
        "swconst" => Function::Swconst,
        _ => return None,
    };
    Some(function)
}

/// Words that never name anything.
const RESERVED: &[&str] = &[
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "CONSTANTS",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "INVARSPEC",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "JUSTICE",
    "FAIRNESS",
    "COMPASSION",
    "case",
    "esac",
    "mod",
    "union",
    "in",
    "xor",
    "xnor",
    "of",
    "TRUE",
    "FALSE",
    "next",
    "X",
    "F",
    "G",
    "Y",
    "Z",
    "O",
    "H",
    "U",
    "V",
    "S",
    "T",
    "A",
    "E",
    "AX",
    "AF",
    "AG",
    "EX",
    "EF",
    "EG",
    "process",
];

/// Whether a name may be declared.
pub fn reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Expressions.
impl Parser {
    /// An expression.
    pub fn expr(&mut self) -> Result<ExprId, SmvError> {
        self.expr_at(0)
    }

    /// An expression whose operators bind at least this strongly.
    pub fn expr_at(&mut self, weakest: u8) -> Result<ExprId, SmvError> {
        self.nesting += 1;
        if self.nesting > MAX_DEPTH {
            return self.error(format!("this expression is nested deeper than {MAX_DEPTH} levels"));
        }
        let pos = self.pos();
        let mut left = self.operand()?;
        while let Some((op, strength, right)) = infix(self.peek()) {
            if strength < weakest {
                break;
            }
            self.take();
            left = self.infix(op, left, right, pos)?;
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn infix(&mut self, op: Infix, left: ExprId, strength: u8, pos: Pos) -> Result<ExprId, SmvError> {
        match op {
            Infix::And => self.chain(left, "&", strength, pos, Expr::And),
            Infix::Or => self.chain(left, "|", strength, pos, Expr::Or),
            Infix::Choice => {
                let yes = self.expr_at(strength)?;
                self.expect(":", "what a `?` chooses")?;
                let no = self.expr_at(strength)?;
                self.add(Expr::Choice(left, yes, no), pos)
            }
            Infix::Range => {
                let high = self.expr_at(strength)?;
                self.add(Expr::Range(left, high), pos)
            }
            Infix::Binary(op) => {
                let right = self.expr_at(strength)?;
                self.add(Expr::Binary(op, left, right), pos)
            }
        }
    }

    /// The rest of `a & b & c`, as one node.
    fn chain(
        &mut self,
        first: ExprId,
        mark: &str,
        strength: u8,
        pos: Pos,
        make: fn(Vec<ExprId>) -> Expr,
    ) -> Result<ExprId, SmvError> {
        let mut parts = vec![first, self.expr_at(strength)?];
        while self.eat(mark) {
            parts.push(self.expr_at(strength)?);
        }
        self.add(make(parts), pos)
    }

    fn operand(&mut self) -> Result<ExprId, SmvError> {
        let pos = self.pos();
        let token = self.peek().clone();
        match token {
            Token::Mark("!") => self.unary(UnaryOp::Not, level::NOT, pos),
            Token::Mark("-") => self.unary(UnaryOp::Minus, level::MINUS, pos),
            Token::Mark("(") => {
                self.take();
                let inner = self.expr()?;
                self.expect(")", "an expression in parentheses")?;
                self.postfix(inner, pos)
            }
            Token::Mark("{") => self.set(pos),
            Token::Number(n) => self.leaf(Expr::Number(n), pos),
            Token::Word { value, signed } => self.leaf(Expr::Word { value, signed }, pos),
            Token::Quoted(name) => self.leaf(Expr::Name(name), pos),
            Token::Name(name) => self.named(&name, pos),
            Token::Mark(_) | Token::End => {
                self.error(format!("an expression should be here, not {}", self.peek().shown()))
            }
        }
    }

    fn leaf(&mut self, expr: Expr, pos: Pos) -> Result<ExprId, SmvError> {
        self.take();
        let id = self.add(expr, pos)?;
        self.postfix(id, pos)
    }

    fn unary(&mut self, op: UnaryOp, strength: u8, pos: Pos) -> Result<ExprId, SmvError> {
        self.take();
        let arg = self.expr_at(strength)?;
        self.add(Expr::Unary(op, arg), pos)
    }

    fn named(&mut self, name: &str, pos: Pos) -> Result<ExprId, SmvError> {
        if let Some(op) = prefix(name) {
            if matches!(self.peek_after(), Token::Mark("[")) {
                return self.error(format!("the bounded form `{name} [..]` is not supported"));
            }
            return self.unary(op, level::COMPARE, pos);
        }
        match name {
            "TRUE" => return self.leaf(Expr::Bool(true), pos),
            "FALSE" => return self.leaf(Expr::Bool(false), pos),
            "case" => return self.case(pos),
            "next" => return self.next_state(pos),
            "A" | "E" => return self.ctl_until(name == "A", pos),
            "self" => return self.error("`self` is not supported"),
            _ => {}
        }
        if matches!(self.peek_after(), Token::Mark("(")) {
            return match function(name) {
                Some(function) => self.call(function, pos),
                None => self.error(format!("there is no function `{name}`")),
            };
        }
        if reserved(name) {
            return self.error(format!("an expression should be here, not the keyword `{name}`"));
        }
        self.leaf(Expr::Name(name.to_owned()), pos)
    }

    fn next_state(&mut self, pos: Pos) -> Result<ExprId, SmvError> {
        self.take();
        self.expect("(", "`next`")?;
        let arg = self.expr()?;
        self.expect(")", "the argument of `next`")?;
        let id = self.add(Expr::Unary(UnaryOp::NextState, arg), pos)?;
        self.postfix(id, pos)
    }

    fn call(&mut self, function: Function, pos: Pos) -> Result<ExprId, SmvError> {
        self.take();
        self.take();
        let mut args = vec![self.expr()?];
        while self.eat(",") {
            args.push(self.expr()?);
        }
        self.expect(")", "the arguments of a function")?;
        let id = self.add(Expr::Call(function, args), pos)?;
        self.postfix(id, pos)
    }

    fn case(&mut self, pos: Pos) -> Result<ExprId, SmvError> {
        self.take();
        let mut arms = Vec::new();
        while !self.eat_word("esac") {
            let condition = self.expr()?;
            self.expect(":", "the condition of a case")?;
            let value = self.expr()?;
            self.expect(";", "the value of a case")?;
            arms.push((condition, value));
        }
        if arms.is_empty() {
            return Err(SmvError::new(pos, "this `case` has no branches"));
        }
        let id = self.add(Expr::Case(arms), pos)?;
        self.postfix(id, pos)
    }

    fn set(&mut self, pos: Pos) -> Result<ExprId, SmvError> {
        self.take();
        let mut items = vec![self.expr()?];
        while self.eat(",") {
            items.push(self.expr()?);
        }
        self.expect("}", "the members of a set")?;
        self.add(Expr::Set(items), pos)
    }

    fn ctl_until(&mut self, all: bool, pos: Pos) -> Result<ExprId, SmvError> {
        self.take();
        self.expect("[", "`A` or `E`")?;
        let inner = self.expr()?;
        self.expect("]", "`A [` and its formula")?;
        let Expr::Binary(BinaryOp::Temporal(Binary::U), p, q) = *self.exprs.get(inner) else {
            return Err(SmvError::new(pos, "between `A [` and `]` should be `p U q`"));
        };
        let op = if all { BinaryOp::CtlUntil } else { BinaryOp::CtlExistsUntil };
        self.add(Expr::Binary(op, p, q), pos)
    }

    /// `.name`, `[i]` and `[high:low]` after an expression.
    fn postfix(&mut self, mut id: ExprId, pos: Pos) -> Result<ExprId, SmvError> {
        loop {
            if self.eat(".") {
                let expr = match self.take() {
                    Token::Name(name) | Token::Quoted(name) => Expr::Dot(id, name),
                    other => return self.error(format!("a name should come after `.`, not {}", other.shown())),
                };
                id = self.add(expr, pos)?;
            } else if self.eat("[") {
                let first = self.expr()?;
                let expr = match self.eat(":") {
                    true => Expr::Bits(id, first, self.expr()?),
                    false => Expr::Index(id, first),
                };
                self.expect("]", "an index")?;
                id = self.add(expr, pos)?;
            } else {
                return Ok(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expression with all its parentheses.
    fn shown(exprs: &Exprs, id: ExprId) -> String {
        let show = |id: &ExprId| shown(exprs, *id);
        let list = |ids: &[ExprId], with: &str| ids.iter().map(show).collect::<Vec<_>>().join(with);
        match exprs.get(id) {
            Expr::Bool(b) => b.to_string().to_uppercase(),
            Expr::Number(n) => n.to_string(),
            Expr::Word { value, .. } => value.to_decimal(),
            Expr::Name(name) => name.clone(),
            Expr::Dot(a, name) => format!("{}.{name}", show(a)),
            Expr::Index(a, i) => format!("{}[{}]", show(a), show(i)),
            Expr::Bits(a, h, l) => format!("{}[{}:{}]", show(a), show(h), show(l)),
            Expr::Unary(UnaryOp::Temporal(op), a) => format!("({op:?} {})", show(a)),
            Expr::Unary(UnaryOp::Ctl(op), a) => format!("({} {})", op.name(), show(a)),
            Expr::Unary(op, a) => format!("({op:?} {})", show(a)),
            Expr::Binary(op, a, b) => format!("({} {} {})", show(a), op.name(), show(b)),
            Expr::And(parts) => format!("({})", list(parts, " & ")),
            Expr::Or(parts) => format!("({})", list(parts, " | ")),
            Expr::Choice(c, a, b) => format!("({} ? {} : {})", show(c), show(a), show(b)),
            Expr::Case(arms) => {
                arms.iter().map(|(c, v)| format!("[{}: {}]", show(c), show(v))).collect::<Vec<_>>().join("")
            }
            Expr::Set(items) => format!("{{{}}}", list(items, ", ")),
            Expr::Range(a, b) => format!("({}..{})", show(a), show(b)),
            Expr::Call(f, args) => format!("{f:?}({})", list(args, ", ")),
        }
    }

    #[test]
    fn precedence_is_that_of_nusmv() {
        for (text, wanted) in [
            ("a -> b -> c", "(a -> (b -> c))"),
            ("a | b & c -> d <-> e", "((a | (b & c)) -> (d <-> e))"),
            ("!a = b", "((Not a) = b)"),
            ("x + 1 * 2 = y mod 3", "((x + (1 * 2)) = (y mod 3))"),
            ("G x = 3 & y", "((G (x = 3)) & y)"),
            ("G (req -> F ack)", "(G (req -> (F ack)))"),
            ("F p U q & r", "(((F p) U q) & r)"),
            ("p R q", "(p V q)"),
            ("a & b & c & d", "(a & b & c & d)"),
            ("a = b ? c : d", "((a = b) ? c : d)"),
            ("m.x[2] in {1, 2} union 3..4", "(m.x[2] in ({1, 2} union (3..4)))"),
            ("AG (p -> AF q = 1)", "(AG (p -> (AF (q = 1))))"),
            ("A [p U q]", "(p A [ U ] q)"),
            ("w[7:4] :: 0ub4_1", "(w[7:4] :: 1)"),
            ("case a : b; TRUE : c; esac", "[a: b][TRUE: c]"),
            ("- x - -1", "((Minus x) - (Minus 1))"),
            ("!F x = 1", "(Not (F (x = 1)))"),
        ] {
            let (exprs, id) = expression(text).expect("should be an expression");
            assert_eq!(shown(&exprs, id), wanted, "{text}");
        }
    }

    #[test]
    fn mistakes_are_one_sentence_with_a_place() {
        let deep = "(".repeat(5000);
        for (text, says) in [
            ("a &", "line 1, column 4: an expression should be here, not the end of the text"),
            ("(a", "`)` should come after an expression in parentheses"),
            ("a b", "line 1, column 3: `b` does not continue"),
            ("F [1, 2] p", "bounded form"),
            ("f(x)", "there is no function `f`"),
            ("case esac", "no branches"),
            ("A [p]", "should be `p U q`"),
            ("next", "`(` should come after `next`"),
            (deep.as_str(), "nested deeper"),
        ] {
            let message = expression(text).expect_err("should be wrong").to_string();
            assert!(message.contains(says), "{text}: {message}");
        }
    }
}
