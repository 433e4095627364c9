//! `__CPROVER_forall { T i; body }` and `__CPROVER_exists` as C.
//!
//! Two ways, both exact:
//! - What is asserted for all, or assumed of some, needs one index that may be anything: an input.
//! - Otherwise a loop over the range that the body gives for its variable. It is marked as a quantifier's
//!   (`__blitz_quantifier`), so bounds for the program's loops do not hold for it. The body is evaluated whole for each
//!   value, so the range may be too wide, never too narrow.
//!
//! A quantifier with neither is refused where it is reached: `__blitz_unsupported`, an answer of `unknown`.

use super::tokens::{Kind, Token, closing, joined, parts, solid, solid_before, stripped};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    ForAll,
    Exists,
}

impl Quantifier {
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "__CPROVER_forall" => Some(Quantifier::ForAll),
            "__CPROVER_exists" => Some(Quantifier::Exists),
            _ => None,
        }
    }
}

/// Functions whose first argument is claimed, and those whose first argument is assumed.
const CLAIMS: &[&str] = &[
    "__CPROVER_assert",
    "__CPROVER_precondition",
    "__CPROVER_postcondition",
    "__VERIFIER_assert",
    "assert",
    "__blitz_claim",
];
const ASSUMPTIONS: &[&str] = &["__CPROVER_assume", "__VERIFIER_assume", "__blitz_assume"];

/// Whether the quantifier from `start` to `end` (its closing brace) is the whole of a condition for which one index is enough.
pub fn one_index_is_enough(what: Quantifier, tokens: &[Token<'_>], start: usize, end: usize) -> bool {
    let (mut before, mut after) = (solid_before(tokens, start), solid(tokens, end + 1));
    loop {
        let (Some(open), Some(close)) = (before, after) else { return false };
        if tokens[open].text != "(" {
            return false;
        }
        let user = solid_before(tokens, open).map_or("", |i| tokens[i].text);
        let taken_by = match what {
            Quantifier::ForAll if CLAIMS.contains(&user) => true,
            Quantifier::ForAll => user == "if" && fails_otherwise(tokens, close),
            Quantifier::Exists => ASSUMPTIONS.contains(&user),
        };
        if taken_by {
            return matches!(tokens[close].text, ")" | ",");
        }
        if tokens[close].text != ")" || closing(tokens, open) != Some(close) {
            return false;
        }
        (before, after) = (solid_before(tokens, open), solid(tokens, close + 1));
    }
}

/// `) ; else __assert_fail`: what the C library makes of `assert`.
fn fails_otherwise(tokens: &[Token<'_>], close: usize) -> bool {
    let mut at = close;
    for expected in [")", ";", "else", "__assert_fail"] {
        if tokens.get(at).is_none_or(|t| t.text != expected) {
            return false;
        }
        at = solid(tokens, at + 1).unwrap_or(tokens.len());
    }
    true
}

/// The C for a quantifier; `inside` is what stands between its braces, with what is quantified in it rewritten already.
pub fn in_c(what: Quantifier, inside: &[Token<'_>], one_index: bool) -> String {
    let refused = || refuse("a quantifier of a form that is not known");
    let pieces = parts(inside, ";");
    let [declaration, body] = pieces.as_slice() else { return refused() };
    let Some(name_at) = solid_before(declaration, declaration.len()) else { return refused() };
    let name = declaration[name_at].text;
    if declaration[name_at].kind != Kind::Word || parts(declaration, ",").len() > 1 {
        return refused();
    }
    let ty = joined(&declaration[..name_at]).trim().to_owned();
    let condition = super::implications(body);
    if one_index {
        return format!("({{ {ty} {name}; __VERIFIER_nondet_memory(&{name}, sizeof {name}); (_Bool)({condition}); }})");
    }
    let Some(range) = Range::of(what, name, &ty, body) else {
        return refuse("a quantifier without a range for its variable");
    };
    range.looped(what, name, &ty, &condition)
}

fn refuse(why: &str) -> String {
    format!("({{ __blitz_unsupported(\"{why}\"); (_Bool)0; }})")
}

/// What the values of the variable are enumerated by.
struct Range {
    /// The first value, and whether it is a literal (not negative then).
    from: String,
    literal: bool,
    /// The condition to go on, and what the variable is compared with in it; none enumerates the whole type.
    until: Option<(String, String)>,
}

impl Range {
    fn of(what: Quantifier, name: &str, ty: &str, body: &[Token<'_>]) -> Option<Range> {
        let mut from = None;
        let mut until = None;
        for part in guards(what, body) {
            let Some((sign, other)) = bound(stripped(part), name) else { continue };
            match sign {
                // Beginning at what `>` leaves out is no harm, and the next value may not be there.
                ">=" | ">" if from.is_none() => from = Some(joined(stripped(other))),
                "<" | "<=" if until.is_none() => {
                    let other = super::implications(other);
                    until = Some((format!("{name} {sign} ({other})"), other));
                }
                _ => {}
            }
        }
        if from.is_none() && until.is_none() {
            return is_small(ty).then(|| Range { from: smallest(ty), literal: true, until: None });
        }
        until.as_ref()?;
        let (from, literal) = match from {
            Some(text) => {
                let literal = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                (text, literal)
            }
            None if is_unsigned(ty) => ("0".to_owned(), true),
            None if is_small(ty) => (smallest(ty), false),
            None => return None,
        };
        Some(Range { from, literal, until })
    }

    fn looped(&self, what: Quantifier, name: &str, ty: &str, condition: &str) -> String {
        let (start, on) = match what {
            Quantifier::ForAll => (1, "__blitz_holds"),
            Quantifier::Exists => (0, "!__blitz_holds"),
        };
        let from = &self.from;
        let odd = match &self.until {
            // Mixed signs: a comparison would then not mean what the order of the values means.
            Some((_, to)) if !self.literal => format!(
                "if (({from}) != ({ty})({from}) || (__blitz_is_unsigned(({ty})0 + ({from})) && !__blitz_is_unsigned(({ty})0)) || \
                 (({from}) < 0 && __blitz_is_unsigned(({ty})0 + ({to})))) \
                 __blitz_unsupported(\"a quantifier over a range of mixed signs\"); "
            ),
            Some(_) | None => String::new(),
        };
        let until = self.until.as_ref().map_or("1", |(text, _)| text.as_str());
        format!(
            "({{ _Bool __blitz_holds = {start}; {odd}for ({ty} {name} = ({from}); {on} && ({until}); ) {{ \
             __blitz_quantifier(); __blitz_holds = ({condition}); \
             if (__builtin_add_overflow({name}, ({ty})1, &{name})) break; }} __blitz_holds; }})"
        )
    }
}

/// The parts of a body that limit its variable: of `a && b ==> c` those are `a` and `b`, of `a && b` likewise.
fn guards<'a, 't>(what: Quantifier, body: &'a [Token<'t>]) -> Vec<&'a [Token<'t>]> {
    let body = stripped(body);
    let condition = match what {
        Quantifier::Exists => body,
        Quantifier::ForAll => {
            let implication = parts(body, "==>");
            let alternatives = parts(body, "||");
            match (implication.as_slice(), alternatives.as_slice()) {
                ([first, _, ..], _) => stripped(first),
                (_, [first, _, ..]) => match stripped(first) {
                    [not, rest @ ..] if not.text == "!" => stripped(rest),
                    _ => return Vec::new(),
                },
                _ => return Vec::new(),
            }
        }
    };
    let mut out = Vec::new();
    let mut open = vec![condition];
    while let Some(part) = open.pop() {
        match parts(part, "&&") {
            single if single.len() == 1 => out.push(part),
            several => open.extend(several.into_iter().rev().map(stripped)),
        }
    }
    out
}

/// `name < other` as `("<", other)`, whichever side the name stands on.
fn bound<'a, 't>(part: &'a [Token<'t>], name: &str) -> Option<(&'static str, &'a [Token<'t>])> {
    const TURNED: &[(&str, &str)] = &[("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")];
    // Operators that bind less than a comparison would make another part of it.
    if ["&&", "||", "==>", "?", "==", "!=", "&", "|", "^", ","].iter().any(|s| parts(part, s).len() > 1) {
        return None;
    }
    for (sign, turned) in TURNED {
        let sides = parts(part, sign);
        let [left, right] = sides.as_slice() else { continue };
        let is_name = |side: &[Token<'_>]| matches!(stripped(side), [only] if only.text == name);
        let mentions = |side: &[Token<'_>]| side.iter().any(|t| t.text == name);
        if is_name(left) && !mentions(right) {
            return Some((sign_of(sign), right));
        }
        if is_name(right) && !mentions(left) {
            return Some((sign_of(turned), left));
        }
    }
    None
}

fn sign_of(text: &str) -> &'static str {
    ["<", "<=", ">", ">="].into_iter().find(|s| *s == text).expect("a comparison should be one of four")
}

/// Types of which every value can be tried.
fn is_small(ty: &str) -> bool {
    let words: Vec<&str> = ty.split_whitespace().collect();
    matches!(words.as_slice(), ["char" | "uint8_t" | "int8_t"] | ["unsigned" | "signed", "char"])
}

fn smallest(ty: &str) -> String {
    format!("({})(__blitz_is_unsigned(({ty})0) ? 0 : -128)", ty.trim())
}

/// Types that are unsigned by their name.
fn is_unsigned(ty: &str) -> bool {
    ty.split_whitespace().any(|w| {
        matches!(w, "unsigned" | "size_t" | "__CPROVER_size_t") || (w.starts_with("uint") && w.ends_with("_t"))
    })
}
