//! Loops with contracts: the first iteration, any later one, and what follows.
//!
//! `while (c) invariant(i) assigns(t) decreases(d) body` becomes, in C:
//!
//! ```text
//! if (c) {
//!   assert(i); begin(t);
//!   for (n = 0;; n++) {
//!     if (n == 2) { assert(i); assert(d < before); stop; }
//!     if (n == 1) { t = anything; assume(i); }
//!     if (!c) break;
//!     before = d; body
//!   }
//!   end
//! }
//! ```
//!
//! So the loop comes to its head three times, and the third time is the end of the path. The first iteration is run as it is, as in CBMC: what it shows of
//! memory that the loop does not write (there is a digit) holds behind the loop. What holds behind the loop, holds after any number of
//! iterations: *more* behaviours than the loop has, if the invariant is kept, which is asserted. Where the loop is not entered nothing is asked of the
//! invariant, in CBMC neither. A condition with effects is not asked twice: there the invariant has to hold in front of it.
//!
//! What the loop writes and its clause does not name, the frame says (`libc/src/contract.c`, `lower/contracts.rs`). Without a clause,
//! what the text writes by name is in it.

use super::super::tokens::{Kind, Token, closing, joined, parts, solid, solid_before, split, stripped};
use super::changed;
use super::clause::{Clause, Says, Target, targets};
use super::declared::clauses;
use super::expr::{History, Use, in_c, quoted};
use super::place::Places;
use super::predicates::Predicates;
use std::collections::{BTreeMap, BTreeSet};

/// Loops nested deeper than this stay as they are.
const MAX_DEPTH: usize = 100;

/// A text in which the loops with invariants are replaced.
pub fn applied(text: &str) -> String {
    if !text.contains("__CPROVER_loop_invariant") && !text.contains("__CPROVER_decreases") {
        return text.to_owned();
    }
    let tokens = split(text);
    let places = Places::of(&tokens);
    let mut rewriting = Rewriting { tokens: &tokens, places: &places, loops: 0 };
    rewriting.run(0, tokens.len(), 0)
}

struct Rewriting<'a, 't> {
    tokens: &'a [Token<'t>],
    places: &'a Places<'t>,
    loops: usize,
}

/// A loop with a contract: where its parts are.
struct Loop {
    start: usize,
    is_do: bool,
    /// The three parts of a `for`, the condition of a `while`.
    header: (usize, usize),
    clauses: Vec<Clause>,
    body: (usize, usize),
    end: usize,
}

impl Rewriting<'_, '_> {
    /// The text from one token to another.
    fn run(&mut self, from: usize, to: usize, depth: usize) -> String {
        let mut out = String::new();
        let mut at = from;
        while at < to {
            if depth < MAX_DEPTH
                && let Some(found) = self.found(at, to)
            {
                out.push_str(&self.replaced(&found, depth));
                out.push_str(&self.places.mark(found.end));
                at = found.end;
            } else {
                out.push_str(self.tokens[at].text);
                at += 1;
            }
        }
        out
    }

    /// The loop with an invariant that begins at a token.
    fn found(&self, at: usize, to: usize) -> Option<Loop> {
        let tokens = self.tokens;
        if tokens[at].kind != Kind::Word {
            return None;
        }
        let is_do = tokens[at].text == "do";
        let found = match tokens[at].text {
            "for" | "while" => {
                let open = solid(tokens, at + 1).filter(|&o| tokens[o].text == "(")?;
                let close = closing(tokens, open)?;
                let body = solid(tokens, behind_clauses(tokens, close + 1))?;
                let end = statement_end(tokens, body);
                let clauses = clauses(tokens, close + 1, body);
                Loop { start: at, is_do, header: (open, close), clauses, body: (body, end), end }
            }
            "do" => {
                let body = solid(tokens, at + 1)?;
                let end = statement_end(tokens, body);
                let word = solid(tokens, end).filter(|&w| tokens[w].text == "while")?;
                let open = solid(tokens, word + 1).filter(|&o| tokens[o].text == "(")?;
                let close = closing(tokens, open)?;
                let semicolon = solid(tokens, behind_clauses(tokens, close + 1)).filter(|&s| tokens[s].text == ";")?;
                let clauses = clauses(tokens, close + 1, semicolon);
                Loop { start: at, is_do, header: (open, close), clauses, body: (body, end), end: semicolon + 1 }
            }
            _ => return None,
        };
        // Without an invariant it is true.
        let has_contract = found.clauses.iter().any(|c| matches!(c.kind, Says::Invariant | Says::Decreases));
        (has_contract && found.end <= to).then_some(found)
    }

    fn replaced(&mut self, l: &Loop, depth: usize) -> String {
        self.loops += 1;
        let number = self.loops;
        let tokens = self.tokens;
        let inside = &tokens[l.header.0 + 1..l.header.1];
        let (init, condition, step) = match (tokens[l.start].text, parts(inside, ";").as_slice()) {
            ("for", [init, condition, step]) => (joined(init), joined(condition), joined(step)),
            _ => (String::new(), joined(inside), String::new()),
        };
        let condition = if condition.trim().is_empty() { "1".to_owned() } else { condition };
        let none = Predicates::default();
        let mut history = History::new(&format!("__blitz_entry{number}_"), &none);
        let first = self.invariants(l, Use::Asserted, &mut history, "holds before the loop");
        let assumed = self.invariants(l, Use::Assumed, &mut history, "");
        let kept = self.invariants(l, Use::Asserted, &mut history, "is kept by the loop");
        let written = self.written(l);
        let says = l.clauses.iter().any(|c| c.kind == Says::Assigns);
        let all: Vec<Target> = match says {
            true => self.targets(l),
            false => written.iter().map(|(name, way)| target_of(name, *way)).collect(),
        };
        let (old, take, less) = self.measure(l, number);
        let allowed: String =
            (0..all.len()).map(|n| format!("__blitz_contract_assigns(__blitz_target{n}, __blitz_size{n}); ")).collect();
        let mark = self.places.mark(l.start);
        let taken = changed::taken(&all);
        let changed = changed::havoc(&all, "after some iterations:");
        // What stands at the loop's head: how often it was come to decides.
        let head = |arrival: usize, take: &str| {
            let last = arrival + 1;
            format!(
                "({{ if (__blitz_arrivals{number} == {last}) {{ {kept} {less} __blitz_contract_stop(); }} \
                 if (__blitz_arrivals{number} == {arrival}) {{ {changed} {assumed} {take} }} __blitz_arrivals{number}++; 1; }})"
            )
        };
        // What decreases is taken where an iteration begins: behind the guard.
        let guard = match take.is_empty() {
            true => format!("({condition})"),
            false => format!("({condition}) && ({{ {take} 1; }})"),
        };
        let body = self.run(l.body.0, l.body.1, depth + 1);
        let at_body = self.places.mark(l.body.0);
        let entered = match l.is_do || has_effects(&condition) {
            true => String::new(),
            false => format!("if ({condition}) "),
        };
        let around = format!(
            "{mark}{{ {init}; {} {entered}{{ {first} {taken} \
             __attribute__((cleanup(__blitz_contract_leave))) char __blitz_frame{number} = 0; \
             __blitz_contract_begin(); {allowed} unsigned char __blitz_arrivals{number} = 0; {old} {mark}",
            history.declarations()
        );
        match l.is_do {
            true => {
                let head = head(0, &take);
                format!("{around} {take} do {at_body}{body} while ({mark}({condition}) && {head}); }} }}")
            }
            false => {
                let head = head(1, "");
                format!("{around} for (; {head} && {mark}{guard}; {step}) {at_body}{body} }} }}")
            }
        }
    }

    fn invariants(&self, l: &Loop, as_what: Use, history: &mut History<'_>, what: &str) -> String {
        let one = |c: &Clause| {
            let inside = &self.tokens[c.open + 1..c.close];
            let condition = in_c(inside, as_what, history);
            let statement = match as_what {
                Use::Assumed => format!("__blitz_assume({condition});"),
                Use::Asserted | Use::AssertedBehind => {
                    format!("__blitz_claim({condition}, \"loop invariant {what}: {}\");", quoted(inside))
                }
            };
            format!("{}{statement}", self.places.mark(c.at))
        };
        l.clauses.iter().filter(|c| c.kind == Says::Invariant).map(one).collect()
    }

    fn targets(&self, l: &Loop) -> Vec<Target> {
        let of_kind = l.clauses.iter().filter(|c| c.kind == Says::Assigns);
        of_kind.flat_map(|c| targets(&self.tokens[c.open + 1..c.close])).collect()
    }

    /// What keeps the measure, what takes it at the head of an iteration, and the claim that it became less.
    fn measure(&self, l: &Loop, number: usize) -> (String, String, String) {
        let Some(clause) = l.clauses.iter().find(|c| c.kind == Says::Decreases) else {
            return (String::new(), String::new(), String::new());
        };
        let inside = &self.tokens[clause.open + 1..clause.close];
        let each: Vec<String> = parts(inside, ",").into_iter().map(|p| joined(p).trim().to_owned()).collect();
        let name = |n: usize| format!("__blitz_measure{number}_{n}");
        let numbered = || each.iter().enumerate();
        let old: String = numbered().map(|(n, e)| format!("__typeof__({e}) {}; ", name(n))).collect();
        let take: String = numbered().map(|(n, e)| format!("{} = ({e}); ", name(n))).collect();
        let less: Vec<String> = numbered()
            .map(|(n, e)| {
                let before: String = (0..n).map(|m| format!("({}) == {} && ", each[m], name(m))).collect();
                format!("({before}({e}) < {})", name(n))
            })
            .collect();
        let claim = format!(
            "{}__blitz_claim({}, \"the loop decreases {}\");",
            self.places.mark(clause.at),
            less.join(" || "),
            quoted(inside)
        );
        (old, take, claim)
    }

    /// The names that the loop writes and does not declare.
    fn written(&self, l: &Loop) -> BTreeMap<String, Way> {
        let mut found: BTreeMap<String, Way> = BTreeMap::new();
        let mut declared: BTreeSet<&str> = BTreeSet::new();
        let own = parts(&self.tokens[l.header.0 + 1..l.header.1], ";").len();
        // What a `for` declares in its head is written by the loop, not declared in it.
        let header = if own == 3 {
            let first = (l.header.0 + 1..l.header.1).find(|&i| self.tokens[i].text == ";").unwrap_or(l.header.0);
            (first + 1, l.header.1)
        } else {
            (l.header.0 + 1, l.header.1)
        };
        for (from, to) in [header, l.body] {
            declared.extend(declared_in(&self.tokens[from..to]));
        }
        for (from, to) in [header, l.body] {
            let part = &self.tokens[from..to];
            for i in 0..part.len() {
                if let Some((name_at, way)) = written_at(part, i).or_else(|| filled_at(part, i)) {
                    // An element that is always the same is a place of its own.
                    let (name, way) = match element(part, name_at, way) {
                        Some(element) => (element, Way::Itself),
                        None => (part[name_at].text.to_owned(), way),
                    };
                    if !declared.contains(part[name_at].text) {
                        let known = found.entry(name).or_insert(way);
                        *known = (*known).min(way);
                    }
                }
            }
        }
        found
    }
}

/// Whether evaluating a condition may change anything: it assigns, or calls what may.
fn has_effects(condition: &str) -> bool {
    let tokens = split(condition);
    let call = |i: usize| tokens[i].kind == Kind::Word && solid(&tokens, i + 1).is_some_and(|o| tokens[o].text == "(");
    (0..tokens.len()).any(|i| {
        let sign = tokens[i].text;
        let assigns = sign.ends_with('=') && !matches!(sign, "==" | "!=" | "<=" | ">=");
        tokens[i].kind == Kind::Sign && (assigns || matches!(sign, "++" | "--")) || call(i) && sign != "sizeof"
    })
}

/// How a name is written, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// `x = 1`, `x.f = 1`
    Itself,
    /// `x[i] = 1`: itself if it is an array.
    Indexed,
    /// `*x = 1`, `x->f = 1`
    Through,
}

fn target_of(name: &str, way: Way) -> Target {
    let p = format!("((char *)({name}))");
    match way {
        Way::Indexed | Way::Through => Target {
            condition: String::new(),
            address: format!("({p} - __blitz_offset({p}))"),
            size: format!("__blitz_object_size({p})"),
            text: format!("*{name}"),
        },
        Way::Itself => Target {
            condition: String::new(),
            address: format!("&({name})"),
            size: format!("sizeof({name})"),
            text: name.to_owned(),
        },
    }
}

fn behind_clauses(tokens: &[Token<'_>], from: usize) -> usize {
    let mut at = from;
    while let Some(word) = solid(tokens, at).filter(|&w| super::clause::of_token(tokens[w].text).is_some()) {
        let Some(close) = solid(tokens, word + 1).and_then(|o| closing(tokens, o)) else { return at };
        at = close + 1;
    }
    at
}

/// Behind the statement that begins at a token.
fn statement_end(tokens: &[Token<'_>], at: usize) -> usize {
    let mut at = at;
    // Heads of statements that go on with one more statement.
    loop {
        let Some(i) = solid(tokens, at) else { return tokens.len() };
        match tokens[i].text {
            "{" => return behind_else(tokens, closing(tokens, i).map_or(tokens.len(), |e| e + 1)),
            "if" | "for" | "while" | "switch" => {
                let open = solid(tokens, i + 1).unwrap_or(i);
                let close = closing(tokens, open).map_or(tokens.len(), |c| c + 1);
                at = behind_clauses(tokens, close);
            }
            "else" | "do" => at = i + 1,
            _ => {
                let mut end = i;
                while end < tokens.len() && tokens[end].text != ";" {
                    let opens = matches!(tokens[end].text, "(" | "[" | "{");
                    end = if opens { closing(tokens, end).unwrap_or(tokens.len() - 1) + 1 } else { end + 1 };
                }
                return behind_else(tokens, end + 1);
            }
        }
    }
}

/// A statement that an `else` follows goes on: behind the last of its branches.
fn behind_else(tokens: &[Token<'_>], end: usize) -> usize {
    let mut end = end;
    while let Some(word) = solid(tokens, end).filter(|&i| tokens[i].text == "else") {
        let mut at = word + 1;
        if let Some(next) = solid(tokens, at).filter(|&n| tokens[n].text == "if") {
            let open = solid(tokens, next + 1).unwrap_or(next);
            at = closing(tokens, open).map_or(at, |c| c + 1);
        }
        end = match solid(tokens, at).filter(|&open| tokens[open].text == "{") {
            Some(open) => closing(tokens, open).unwrap_or(tokens.len() - 1) + 1,
            None => (at..tokens.len()).find(|&s| tokens[s].text == ";").unwrap_or(tokens.len() - 1) + 1,
        };
    }
    end
}

const NO_TYPES: &[&str] = &["return", "else", "do", "case", "goto", "sizeof", "break", "continue", "default"];

/// The names that declarations in a text introduce.
fn declared_in<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let mut out = Vec::new();
    let mut start = 0;
    for end in 0..=tokens.len() {
        let ends = tokens.get(end).is_none_or(|t| t.kind == Kind::Sign && matches!(t.text, ";" | "{" | "}"));
        let opens_for = tokens.get(end).is_some_and(|t| t.text == "(")
            && solid_before(tokens, end).is_some_and(|b| tokens[b].text == "for");
        if ends {
            out.extend(declarators(&tokens[start..end]));
        }
        if ends || opens_for {
            start = end + 1;
        }
    }
    out
}

/// What one declaration declares; nothing if it is a statement.
fn declarators<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let words: Vec<&Token<'t>> = tokens.iter().filter(|t| t.kind != Kind::Blank).collect();
    let [first, second, ..] = words.as_slice() else { return Vec::new() };
    let is_type = first.kind == Kind::Word && !NO_TYPES.contains(&first.text);
    let named = second.kind == Kind::Word || second.text == "*";
    if !is_type || !named || words.iter().any(|t| t.text == ":") {
        return Vec::new();
    }
    let name = |part: &[Token<'t>]| {
        let end = part.iter().position(|t| matches!(t.text, "=" | "[")).unwrap_or(part.len());
        solid_before(part, end).map(|i| part[i]).filter(|t| t.kind == Kind::Word).map(|t| t.text)
    };
    parts(tokens, ",").into_iter().filter_map(name).collect()
}

const ASSIGNMENTS: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];

/// `x[0]`, `x[1][2]`: the text, where nothing but numbers stands between the brackets.
fn element(tokens: &[Token<'_>], name: usize, way: Way) -> Option<String> {
    if way != Way::Indexed {
        return None;
    }
    let mut end = name + 1;
    while let Some(open) = solid(tokens, end).filter(|&o| tokens[o].text == "[") {
        let close = closing(tokens, open)?;
        let number = stripped(&tokens[open + 1..close]);
        if !matches!(number, [only] if only.kind == Kind::Literal) {
            return None;
        }
        end = close + 1;
    }
    let is_whole = solid(tokens, end).is_some_and(|n| ASSIGNMENTS.contains(&tokens[n].text));
    is_whole.then(|| joined(&tokens[name..end]).trim().to_owned())
}

/// The name that the sign at a token writes, and how.
fn written_at(tokens: &[Token<'_>], at: usize) -> Option<(usize, Way)> {
    let sign = tokens[at];
    if sign.kind != Kind::Sign || !ASSIGNMENTS.contains(&sign.text) {
        return None;
    }
    let before = solid_before(tokens, at);
    let is_end = before.is_some_and(|b| tokens[b].kind == Kind::Word || matches!(tokens[b].text, "]" | ")"));
    let base = match (sign.text, is_end) {
        ("++" | "--", false) => solid(tokens, at + 1).filter(|&n| tokens[n].kind == Kind::Word)?,
        _ => base_before(tokens, before?)?,
    };
    let way = match solid(tokens, base + 1).map(|n| tokens[n].text) {
        _ if is_dereferenced(tokens, base) => Way::Through,
        Some("->") => Way::Through,
        Some("[") => Way::Indexed,
        // `(*p).f`
        Some(")") => Way::Through,
        Some(_) | None => Way::Itself,
    };
    Some((base, way))
}

/// The name that a call of a function which fills memory writes.
fn filled_at(tokens: &[Token<'_>], at: usize) -> Option<(usize, Way)> {
    let function = tokens[at].text.trim_start_matches("__builtin_").trim_start_matches("__builtin___");
    if tokens[at].kind != Kind::Word || !matches!(function, "memset" | "memcpy" | "memmove" | "bzero") {
        return None;
    }
    let open = solid(tokens, at + 1).filter(|&o| tokens[o].text == "(")?;
    let first = (open + 1..tokens.len()).find(|&i| tokens[i].kind == Kind::Word)?;
    let way = if tokens[open + 1..first].iter().any(|t| t.text == "&") { Way::Itself } else { Way::Indexed };
    Some((first, way))
}

/// Whether a star in front of a name is no product.
fn is_dereferenced(tokens: &[Token<'_>], name: usize) -> bool {
    let star = solid_before(tokens, name).filter(|&s| tokens[s].text == "*");
    star.is_some_and(|s| {
        solid_before(tokens, s).is_none_or(|b| {
            tokens[b].kind == Kind::Sign && !matches!(tokens[b].text, ")" | "]") || NO_TYPES.contains(&tokens[b].text)
        })
    })
}

/// The name at the front of the place that ends at a token.
fn base_before(tokens: &[Token<'_>], end: usize) -> Option<usize> {
    let mut at = end;
    loop {
        match tokens[at].text {
            "]" | ")" => {
                let open = opening(tokens, at)?;
                if tokens[open].text == "(" {
                    // `(*p).f`, `(*p)[i]`
                    let star = solid(tokens, open + 1).filter(|&s| tokens[s].text == "*")?;
                    return solid(tokens, star + 1).filter(|&n| tokens[n].kind == Kind::Word);
                }
                at = solid_before(tokens, open)?;
            }
            _ if tokens[at].kind == Kind::Word => match solid_before(tokens, at) {
                Some(b) if matches!(tokens[b].text, "->" | ".") => at = solid_before(tokens, b)?,
                Some(_) | None => return Some(at),
            },
            _ => return None,
        }
    }
}

/// Where the bracket that closes at a token is opened.
fn opening(tokens: &[Token<'_>], close: usize) -> Option<usize> {
    let mut depth = 0usize;
    (0..=close).rev().find(|&i| {
        match tokens[i].text {
            "]" | ")" => depth += 1,
            "[" | "(" => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_loop_writes() {
        let text = "int k = 0; a[i] = 1; p->f += 2; (*q).g = 3; *r = 4; s.x[2] = 5; n--; ++m; k = n == 2; t = u * v;";
        let tokens = split(text);
        let written = (0..tokens.len()).filter_map(|i| written_at(&tokens, i));
        let found: Vec<(&str, Way)> = written.map(|(at, way)| (tokens[at].text, way)).collect();
        let through = |name: &'static str| (name, Way::Through);
        let itself = |name: &'static str| (name, Way::Itself);
        let expected = [
            itself("k"),
            ("a", Way::Indexed),
            through("p"),
            through("q"),
            through("r"),
            itself("s"),
            itself("n"),
            itself("m"),
            itself("k"),
            itself("t"),
        ];
        assert_eq!(found, expected);
        assert_eq!(declared_in(&tokens), ["k"]);
    }

    #[test]
    fn a_loop_comes_to_its_head_three_times() {
        let text = "# 1 \"a.c\"\nvoid f(int n) { while (n > 0) __CPROVER_loop_invariant(n >= 0) __CPROVER_decreases(n) n--; g(); }";
        let text = applied(text);
        assert!(
            text.contains("holds before the loop: n >= 0") && text.contains("is kept by the loop: n >= 0"),
            "{text}"
        );
        assert!(text.contains("the loop decreases n") && text.contains("&(n)") && text.ends_with("g(); }"), "{text}");
    }
}
