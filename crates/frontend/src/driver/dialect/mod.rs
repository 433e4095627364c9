//! CBMC's language as C: what a harness written for CBMC may contain that clang does not read.
//!
//! Decided on the preprocessed text, because the words come from headers and macros as often as from the file itself.
//! Quantifiers and `==>` become C expressions, contracts are put in force where that is asked for (`contracts`) and go elsewhere,
//! bit-vector types become `_BitInt`, tags named in prototypes hold for the whole file (`tags`), uninterpreted functions get a body
//! (`uninterpreted`), labels that start threads do (`started`), what clang refuses and CBMC takes is mended (`repairs`), and functions
//! that the program defines under the name of a compiler's builtin get another name. The functions and predicates themselves are declared by
//! `super::harness`.
//!
//! Invariant: a text without such words comes out as it went in; the preprocessor's line marks stay, so that places are the user's.

mod conflicts;
mod contracts;
mod marks;
mod quantifier;
pub(super) mod repairs;
mod started;
mod tags;
mod tokens;
mod unchecked;
mod uninterpreted;

pub use contracts::{ASSUMED, Contracts, ENFORCED, REPLACED};
pub use marks::LoopMark;
pub(super) use marks::{FunctionMarks, of_text as loop_marks};

use quantifier::Quantifier;
use std::collections::BTreeSet;
use tokens::{Kind, Token, closing, joined, parts, solid, solid_before, split};

/// Whether a text has words of CBMC (or ESBMC, which took them over).
pub(super) fn is_spoken_in(text: &[u8]) -> bool {
    let starts = text.windows(2).enumerate().filter(|(_, two)| *two == b"__").map(|(i, _)| &text[i..]);
    starts.into_iter().any(|rest| rest.starts_with(b"__CPROVER_") || rest.starts_with(b"__ESBMC_"))
}

/// Declarations for what the rewriting puts in.
const DECLARATIONS: &str = "\
void __blitz_quantifier(void);\n\
void __blitz_unsupported(const char *);\n\
void __blitz_more(const char *);\n\
void __blitz_start_block(void *);\n\
void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);\n\
#define __blitz_is_unsigned(x) (((__typeof__(x))-1) > 0)\n";

/// The text in C, and a header for it.
pub(super) struct InC {
    pub text: String,
    pub header: String,
}

impl InC {
    /// The header with the declarations of every intrinsic that the text uses and does not declare.
    pub fn whole_header(&self) -> String {
        let declared = super::harness::for_source(self.text.as_bytes()).unwrap_or_default();
        format!("{}{declared}", self.header)
    }
}

/// A harness may bring its own definitions of these, for calls of them: clang must not take a call for the function it knows.
/// Statements that threads run are blocks.
pub(super) const FLAGS: &[&str] = &[
    "-fblocks",
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-fno-builtin-memset",
    "-fno-builtin-memcmp",
    "-fno-builtin-memchr",
    "-fno-builtin-strlen",
    "-fno-builtin-strcmp",
    "-fno-builtin-strncmp",
    "-fno-builtin-strcpy",
    "-fno-builtin-strncpy",
    "-fno-builtin-strcat",
    "-fno-builtin-strncat",
    "-fno-builtin-strchr",
    "-fno-builtin-strstr",
];

/// Rewrites a preprocessed text; `keep_static` keeps static functions that nothing in it calls, for other modules to call.
pub(super) fn in_c(text: &str, keep_static: bool, contracts: &Contracts) -> InC {
    let with_contracts = (!contracts.is_empty()).then(|| contracts::applied(text, contracts));
    let text = with_contracts.as_deref().unwrap_or(text);
    let tokens = split(text);
    let builtins = defined_builtins(&tokens);
    let out = rewritten(&tokens, &builtins);
    let out = if keep_static { keeping_static(&out) } else { out };
    let out = if out.contains("==>") { implications_of_all(&out) } else { out };
    let out = if out.contains(started::PREFIX) { started::in_c(&out) } else { out };
    let out = if out.contains(uninterpreted::PREFIX) { uninterpreted::defined(&out) } else { out };
    let unchecked = if text.contains(unchecked::PRAGMA) { unchecked::list(text) } else { None };
    let out = match unchecked {
        Some(list) => out + &list,
        None => out,
    };
    let mut header = tags::declared_in_front(&tokens);
    header.push_str(&contracts::declared_ahead(&tokens));
    if out.contains("__blitz_quantifier")
        || out.contains("__blitz_unsupported")
        || out.contains("__VERIFIER_nondet_mem")
        || out.contains("__blitz_start_block")
    {
        header.push_str(DECLARATIONS);
    }
    InC { text: out, header }
}

/// Clauses that say something about a function or a loop, for proofs by contract.
const CLAUSES: &[&str] = &[
    "__CPROVER_requires",
    "__CPROVER_ensures",
    "__CPROVER_requires_contract",
    "__CPROVER_ensures_contract",
    "__CPROVER_assigns",
    "__CPROVER_frees",
    "__CPROVER_loop_invariant",
    "__CPROVER_decreases",
];

fn rewritten(tokens: &[Token<'_>], builtins: &BTreeSet<&str>) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        if token.kind == Kind::Word
            && let Some((text, end)) = rewritten_word(tokens, at, builtins)
        {
            out.push_str(&text);
            // Lines stay where they are.
            out.extend(std::iter::repeat_n('\n', lines(&tokens[at..end]).saturating_sub(text.matches('\n').count())));
            at = end;
        } else {
            out.push_str(token.text);
            at += 1;
        }
    }
    out
}

fn lines(tokens: &[Token<'_>]) -> usize {
    tokens.iter().map(|t| t.text.matches('\n').count()).sum()
}

/// What a word becomes, and where the text goes on after it.
fn rewritten_word(tokens: &[Token<'_>], at: usize, builtins: &BTreeSet<&str>) -> Option<(String, usize)> {
    let word = tokens[at].text;
    if builtins.contains(word) {
        return Some((format!("__program_{word}"), at + 1));
    }
    if !word.starts_with("__CPROVER_") {
        return None;
    }
    let open = solid(tokens, at + 1)?;
    if let Some(what) = Quantifier::of(word) {
        let end = closing(tokens, open).filter(|_| tokens[open].text == "{")?;
        let one_index = quantifier::one_index_is_enough(what, tokens, at, end);
        let inside = rewritten(&tokens[open + 1..end], builtins);
        return Some((one_line(&quantifier::in_c(what, &split(&inside), one_index)), end + 1));
    }
    if CLAUSES.contains(&word) && tokens[open].text == "(" {
        return Some((String::new(), closing(tokens, open)? + 1));
    }
    if word == "__CPROVER_bitvector" && tokens[open].text == "[" {
        return bit_vector(tokens, at, open);
    }
    if word == "__CPROVER_floatbv" && tokens[open].text == "[" {
        return float(tokens, open);
    }
    None
}

/// A quantifier keeps the place it begins at.
fn one_line(text: &str) -> String {
    let tokens = split(text);
    let no_marks = tokens.iter().filter(|t| !(t.kind == Kind::Blank && t.text.starts_with('#')));
    no_marks.map(|t| if t.kind == Kind::Blank { " " } else { t.text }).collect()
}

/// `signed __CPROVER_bitvector[N]`; without a sign it is a vector of bits, which C calls unsigned.
fn bit_vector(tokens: &[Token<'_>], at: usize, open: usize) -> Option<(String, usize)> {
    let end = closing(tokens, open)?;
    let signed = solid_before(tokens, at).is_some_and(|i| matches!(tokens[i].text, "signed" | "unsigned"));
    let sign = if signed { "" } else { "unsigned " };
    Some((format!("{sign}_BitInt({})", joined(&tokens[open + 1..end])), end + 1))
}

/// `__CPROVER_floatbv[64][52]`: those that C has.
fn float(tokens: &[Token<'_>], open: usize) -> Option<(String, usize)> {
    let end = closing(tokens, open)?;
    let second = solid(tokens, end + 1).filter(|&i| tokens[i].text == "[")?;
    let last = closing(tokens, second)?;
    let numbers = (joined(&tokens[open + 1..end]), joined(&tokens[second + 1..last]));
    let name = match (numbers.0.trim(), numbers.1.trim()) {
        ("32", "23") => "float",
        ("64", "52") => "double",
        _ => return None,
    };
    Some((name.to_owned(), last + 1))
}

/// Marks what is static at the top level as used.
fn keeping_static(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    for token in split(text) {
        out.push_str(token.text);
        match (token.kind, token.text) {
            (Kind::Sign, "{" | "(" | "[") => depth += 1,
            (Kind::Sign, "}" | ")" | "]") => depth = depth.saturating_sub(1),
            (Kind::Word, "static") if depth == 0 => out.push_str(" __attribute__((used))"),
            _ => {}
        }
    }
    out
}

/// Names of compilers' builtins that the text defines as functions: clang would refuse that.
fn defined_builtins<'t>(tokens: &[Token<'t>]) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    let mut at = 0;
    while let Some(i) = solid(tokens, at) {
        at = i + 1;
        if tokens[i].kind == Kind::Sign && matches!(tokens[i].text, "{" | "[") {
            at = closing(tokens, i).map_or(tokens.len(), |end| end + 1);
        } else if tokens[i].text.starts_with("__builtin_") {
            let end = solid(tokens, i + 1).filter(|&o| tokens[o].text == "(").and_then(|open| closing(tokens, open));
            let body = end.and_then(|e| solid(tokens, e + 1));
            if body.is_some_and(|b| tokens[b].text == "{") {
                found.insert(tokens[i].text);
            }
        }
    }
    found
}

/// Every `a ==> b` in a text as C.
fn implications_of_all(text: &str) -> String {
    let mut out = text.to_owned();
    while let Some(at) = split(&out).iter().position(|t| t.text == "==>") {
        let tokens = split(&out);
        let (start, end) = around(&tokens, at);
        let inside = implications(&tokens[start..end]);
        out = format!("{}{inside}{}", joined(&tokens[..start]), joined(&tokens[end..]));
    }
    out
}

/// The expression that an implication is the outermost operator of: as far as the brackets, commas and semicolons around it.
fn around(tokens: &[Token<'_>], at: usize) -> (usize, usize) {
    let ends = |t: &Token<'_>| (t.kind == Kind::Sign && matches!(t.text, "," | ";" | "=")) || t.text == "return";
    let mut depth = 0usize;
    let mut start = 0;
    for i in (0..at).rev() {
        match tokens[i].text {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth == 0 => {
                start = i + 1;
                break;
            }
            "(" | "[" | "{" => depth -= 1,
            _ if depth == 0 && ends(&tokens[i]) => {
                start = i + 1;
                break;
            }
            _ => {}
        }
    }
    depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return (start, i),
            ")" | "]" | "}" => depth -= 1,
            _ if depth == 0 && ends(token) => return (start, i),
            _ => {}
        }
    }
    (start, tokens.len())
}

/// An expression with its implications as C; they group to the right.
fn implications(tokens: &[Token<'_>]) -> String {
    let chain = parts(tokens, "==>");
    let Some((last, before)) = chain.split_last() else { return String::new() };
    let inner = |part: &[Token<'_>]| -> String {
        let text = joined(part);
        if text.contains("==>") { implications_of_all(&text) } else { text }
    };
    let mut out = inner(last);
    for part in before.iter().rev() {
        out = format!("(!({}) || ({out}))", inner(part));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(text: &str) -> String {
        in_c(text, false, &Contracts::default()).text
    }

    #[test]
    fn what_is_c_stays() {
        let text = "# 1 \"a.c\"\nint main(void) { return a == b ? __builtin_abs(1) : 2; }\n";
        assert_eq!(c(text), text);
        assert!(in_c(text, false, &Contracts::default()).header.is_empty());
    }

    #[test]
    fn an_implication_groups_to_the_right() {
        assert_eq!(c("f(a ==> b ==> c, d);"), "f((!(a ) || ((!( b ) || ( c)))), d);");
        assert_eq!(c("x = p ==> q;"), "x =(!( p ) || ( q));");
    }

    #[test]
    fn a_range_becomes_a_loop() {
        let dense = |text: &str| c(text).replace(' ', "");
        let text = dense("int f() { return __CPROVER_forall { int i; (i >= 0 && i < n) ==> a[i] == 0 }; }");
        assert!(text.contains("for(inti=(0);__blitz_holds&&(i<(n));)"), "{text}");
        assert!(text.contains("__blitz_quantifier()"), "{text}");
        let some = dense("x = __CPROVER_exists { unsigned i; i < n && a[i] == 0 };");
        assert!(some.contains("!__blitz_holds&&(i<(n))"), "{some}");
    }

    #[test]
    fn a_claim_for_all_needs_one_index() {
        let text = c("__CPROVER_assert(__CPROVER_forall { int i; p(i) }, \"all\");");
        assert!(text.contains("__VERIFIER_nondet_memory(&i, sizeof i)"), "{text}");
        let text = c("__CPROVER_assume(__CPROVER_forall { int i; p(i) });");
        assert!(text.contains("__blitz_unsupported"), "{text}");
        let text = c("if (__CPROVER_forall { int i; p(i) }) ; else __assert_fail(\"\");");
        assert!(text.contains("__VERIFIER_nondet_memory"), "{text}");
    }

    #[test]
    fn contracts_go_and_lines_stay() {
        let text = c("int f(int x)\n__CPROVER_requires(x >\n 0)\n{ return x; }");
        assert_eq!(text, "int f(int x)\n\n\n{ return x; }");
    }

    #[test]
    fn types_and_builtins() {
        assert_eq!(c("unsigned __CPROVER_bitvector[12] x;"), "unsigned _BitInt(12) x;");
        assert_eq!(c("__CPROVER_floatbv[64][52] x;"), "double x;");
        let text = c("void *__builtin___memset_chk(void *s) { return s; }");
        assert_eq!(text, "void *__program___builtin___memset_chk(void *s) { return s; }");
    }
}
