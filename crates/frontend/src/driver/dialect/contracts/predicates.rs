//! Predicates about memory that a program writes itself: functions whose bodies ask `__CPROVER_is_fresh` and its kin, directly or through others.
//!
//! What such a question means depends on the clause it is asked in: assumed, it makes an object and sets the pointer; asserted, it looks. So each
//! predicate gets a copy for every use, and clauses call the copy. In the copy for assumptions pointers are passed by reference, since the
//! predicate sets them. A clause may call what another file defines: the file that defines a predicate gives its copies to all others, and what
//! turns out to be no predicate is called as it is (a weak copy, which gives way to a true one).
//!
//! Absent: functions of a file that clauses call, which ask nothing themselves and call a predicate of another file; parameters that are arrays, pointers to functions, or pointers by a typedef's name: these are passed by value, and stay what they are.

use super::super::tokens::{Kind, Token, closing, parts, solid, solid_before};
use super::declared::Declared;
use super::expr::{History, Use, in_c};
use super::functions::{is_nothing, one_line, parameter_name, without_linkage};
use super::place::Places;
use std::collections::{BTreeMap, BTreeSet};

/// What only clauses may ask.
const QUESTIONS: &[&str] = &["__CPROVER_is_fresh", "__CPROVER_pointer_equals", "__CPROVER_pointer_in_range_dfcc"];

/// A macro may give a predicate's parameter the name of the result, which is no word of contracts there.
const RESULT: &str = "__CPROVER_return_value";
const OWN_RESULT: &str = "__blitz_own_result";

/// The predicates of a text: for each, which of its parameters are pointers.
#[derive(Default)]
pub struct Predicates {
    pointers: BTreeMap<String, Vec<bool>>,
    /// Those of other files, if they are predicates; where each is declared first.
    elsewhere: BTreeMap<String, usize>,
}

impl Predicates {
    pub fn of(tokens: &[Token<'_>], all: &[Declared<'_>]) -> Self {
        let mut found = Predicates::default();
        // Who calls a predicate is one; chains of calls are short.
        loop {
            let before = found.pointers.len();
            for one in all {
                let Some((open, close)) = one.body else { continue };
                let asks = |t: &Token<'_>| {
                    t.kind == Kind::Word && (QUESTIONS.contains(&t.text) || found.pointers.contains_key(t.text))
                };
                let known = found.pointers.contains_key(one.name);
                if !known && one.clauses.is_empty() && tokens[open..close].iter().any(asks) {
                    found.pointers.insert(one.name.to_owned(), pointers(tokens, one));
                }
            }
            if found.pointers.len() == before {
                break;
            }
        }
        for one in elsewhere(tokens, all, &found) {
            found.elsewhere.insert(one.name.to_owned(), one.start);
            found.pointers.insert(one.name.to_owned(), pointers(tokens, one));
        }
        let asked = asked(tokens, all, &found);
        found.pointers.retain(|name, _| asked.contains(name));
        found
    }

    /// The call of a predicate's copy, if the word at a place is one with its arguments; and where the text goes on.
    pub fn call(
        &self,
        tokens: &[Token<'_>],
        at: usize,
        as_what: Use,
        history: &mut History<'_>,
    ) -> Option<(String, usize)> {
        let pointers = self.pointers.get(tokens[at].text)?;
        let open = solid(tokens, at + 1).filter(|&o| tokens[o].text == "(")?;
        let close = closing(tokens, open)?;
        let passed = |(n, argument): (usize, &[Token<'_>])| {
            let text = in_c(argument, as_what, history).trim().to_owned();
            match as_what == Use::Assumed && pointers.get(n) == Some(&true) {
                true if is_place(argument) => format!("&({text})"),
                true => format!("(__typeof__({text})[1]){{ {text} }}"),
                false => text,
            }
        };
        let arguments: Vec<String> = parts(&tokens[open + 1..close], ",").into_iter().enumerate().map(passed).collect();
        Some((format!("{}({})", copy(tokens[at].text, as_what), arguments.join(", ")), close + 1))
    }

    /// The copies of a predicate, behind its declaration or definition.
    pub fn copies(&self, tokens: &[Token<'_>], places: &Places<'_>, one: &Declared<'_>) -> String {
        let Some(pointers) = self.pointers.get(one.name) else { return String::new() };
        let first = self.elsewhere.get(one.name);
        if first.is_some_and(|start| *start != one.start) {
            return String::new();
        }
        let uses = [Use::Assumed, Use::Asserted, Use::AssertedBehind];
        uses.into_iter().map(|u| places.mark(one.name_at) + &self.one_copy(tokens, one, pointers, u)).collect()
    }

    fn one_copy(&self, tokens: &[Token<'_>], one: &Declared<'_>, pointers: &[bool], as_what: Use) -> String {
        let by_reference = as_what == Use::Assumed;
        let inside = &tokens[one.open + 1..one.close];
        let mut referred = Vec::new();
        let mut passed = Vec::new();
        let parameter = |(n, p): (usize, &[Token<'_>])| {
            if is_nothing(p) {
                return one_line(p);
            }
            let named = parameter_name(p);
            let name = named.map_or_else(|| format!("__blitz_a{n}"), |name| name.replace(RESULT, OWN_RESULT));
            if by_reference && pointers[n] {
                referred.extend(named.map(|own| (own.to_owned(), format!("(*__blitz_ref_{name})"))));
                passed.push(format!("*__blitz_ref_{name}"));
                let ty: String = p.iter().filter(|t| Some(t.text) != named).map(|t| t.text).collect();
                return format!("{} *__blitz_ref_{name}", ty.trim());
            }
            passed.push(name.clone());
            let own = one_line(p).replace(RESULT, OWN_RESULT);
            if named.is_some() { own } else { format!("{own} {name}") }
        };
        let parameters: Vec<String> = parts(inside, ",").into_iter().enumerate().map(parameter).collect();
        let linkage = match self.elsewhere.contains_key(one.name) {
            true => "__attribute__((weak, noinline))",
            false if is_given(tokens, one) => "",
            false => "static __attribute__((unused))",
        };
        let head = format!(
            "{linkage} {} {}({})",
            without_linkage(&tokens[one.start..one.name_at]),
            copy(one.name, as_what),
            parameters.join(", ")
        );
        let Some((open, close)) = one.body else {
            return match self.elsewhere.contains_key(one.name) {
                true => format!("{head} {{ return {}({}); }}", one.name, passed.join(", ")),
                false => format!("{head};"),
            };
        };
        let renamed = |(i, t): (usize, &Token<'_>)| {
            let member =
                solid_before(&tokens[open..close], i).is_some_and(|b| matches!(tokens[open + b].text, "." | "->"));
            match referred.iter().find(|(name, _)| t.kind == Kind::Word && !member && name == t.text) {
                Some((_, by_reference)) => by_reference.clone(),
                None if t.text == RESULT => OWN_RESULT.to_owned(),
                None if t.kind == Kind::Blank => " ".to_owned(),
                None => t.text.to_owned(),
            }
        };
        let body: String = tokens[open..close].iter().enumerate().map(renamed).collect();
        let body = super::super::split(&body);
        format!("{head} {} }}", in_c(&body, as_what, &mut History::new("__blitz_past", self)))
    }
}

/// Whether other files may call a function.
fn is_given(tokens: &[Token<'_>], one: &Declared<'_>) -> bool {
    !tokens[one.start..one.name_at].iter().any(|t| matches!(t.text, "static" | "inline" | "__inline" | "__inline__"))
}

/// Functions that clauses and predicates call and that other files define: where each is declared first.
fn elsewhere<'a, 't>(tokens: &[Token<'_>], all: &'a [Declared<'t>], known: &Predicates) -> Vec<&'a Declared<'t>> {
    let calls = |from: usize, to: usize| {
        let call = move |i: &usize| solid(tokens, i + 1).is_some_and(|open| tokens[open].text == "(");
        (from..to).filter(|&i| tokens[i].kind == Kind::Word).filter(call).map(|i| tokens[i].text)
    };
    let of_clauses = all.iter().flat_map(|one| &one.clauses).flat_map(|c| calls(c.open, c.close));
    let of_predicates = all.iter().filter(|one| known.pointers.contains_key(one.name)).filter_map(|one| one.body);
    let called: BTreeSet<&str> = of_clauses.chain(of_predicates.flat_map(|(open, close)| calls(open, close))).collect();
    let fixed = |one: &Declared<'_>| !tokens[one.open..one.close].iter().any(|t| t.text == "...");
    let fits = |one: &Declared<'_>| fixed(one) && is_given(tokens, one) && !one.name.starts_with("__");
    let first = |name: &&str| {
        let own: Vec<_> = all.iter().filter(|one| one.name == *name).collect();
        let none = own.iter().all(|one| one.body.is_none() && one.clauses.is_empty() && fits(one));
        own.first().copied().filter(|_| none)
    };
    called.iter().filter_map(first).collect()
}

/// The predicates that clauses call, here or in another file, and those that these call.
fn asked(tokens: &[Token<'_>], all: &[Declared<'_>], known: &Predicates) -> BTreeSet<String> {
    let named = |from: usize, to: usize| {
        let words = tokens[from..to].iter().filter(|t| t.kind == Kind::Word && known.pointers.contains_key(t.text));
        words.map(|t| t.text.to_owned()).collect::<Vec<_>>()
    };
    let clauses = all.iter().flat_map(|one| &one.clauses);
    let given = |one: &&Declared<'_>| one.body.is_some() && is_given(tokens, one);
    let given = all.iter().filter(given).filter(|one| known.pointers.contains_key(one.name));
    let given = given.map(|one| one.name.to_owned());
    let mut open: Vec<String> = clauses.flat_map(|c| named(c.open, c.close)).chain(given).collect();
    let mut out = BTreeSet::new();
    while let Some(name) = open.pop() {
        if out.insert(name.clone()) {
            let bodies = all.iter().filter(|one| one.name == name).filter_map(|one| one.body);
            open.extend(bodies.flat_map(|(from, to)| named(from, to)));
        }
    }
    out
}

fn copy(name: &str, as_what: Use) -> String {
    let which = match as_what {
        Use::Assumed => "assumed",
        Use::Asserted => "asserted",
        Use::AssertedBehind => "asserted_behind",
    };
    format!("__blitz_predicate_{which}_{name}")
}

/// Which parameters are pointers that can be passed by reference.
fn pointers(tokens: &[Token<'_>], one: &Declared<'_>) -> Vec<bool> {
    let inside = &tokens[one.open + 1..one.close];
    let simple = |p: &[Token<'_>]| p.iter().any(|t| t.text == "*") && !p.iter().any(|t| matches!(t.text, "(" | "["));
    parts(inside, ",").into_iter().map(simple).collect()
}

/// Whether something has an address: names, members, elements, what pointers point to.
fn is_place(tokens: &[Token<'_>]) -> bool {
    let part = |t: &Token<'_>| t.kind != Kind::Sign || matches!(t.text, "->" | "." | "*" | "[" | "]" | "(" | ")");
    let call = |i: usize| tokens[i].kind == Kind::Word && solid(tokens, i + 1).is_some_and(|n| tokens[n].text == "(");
    tokens.iter().all(part)
        && tokens.iter().any(|t| t.kind == Kind::Word)
        && !(0..tokens.len()).any(call)
        && !tokens.iter().any(|t| t.kind == Kind::Literal && t.text.starts_with('"'))
}
