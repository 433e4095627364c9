//! The wrappers of functions: C that stands behind the declaration that says the contract.

use super::super::tokens::{Kind, Token, joined, parts, solid, solid_before, split};
use super::clause::{Clause, Says, Target, freed, targets};
use super::declared::Declared;
use super::expr::{History, Use, in_c, quoted};
use super::place::Places;
use super::predicates::Predicates;
use super::{ASSUMED, ENFORCED, REPLACED};

/// What a wrapper is made of.
pub struct Wrapper<'a, 't> {
    pub tokens: &'a [Token<'t>],
    pub places: &'a Places<'t>,
    /// The declaration with the contract.
    pub one: &'a Declared<'t>,
    /// The function that is called.
    pub function: &'a str,
    pub predicates: &'a Predicates,
}

/// Words that say how a function is linked or called, not what it is.
const DROPPED: &[&str] = &[
    "static",
    "inline",
    "__inline",
    "__inline__",
    "extern",
    "_Noreturn",
    "__attribute__",
    "__attribute",
    "__extension__",
];

/// Of a wrapper: it is one in the whole program, and what its clauses compute is no arithmetic of the program.
const ATTRIBUTES: &str = "__attribute__((weak, noinline, no_sanitize(\"signed-integer-overflow\")))";

/// Words that end a parameter without a name.
const TYPE_WORDS: &[&str] = &[
    "int",
    "char",
    "short",
    "long",
    "unsigned",
    "signed",
    "float",
    "double",
    "_Bool",
    "void",
    "__int128",
    "const",
    "volatile",
    "restrict",
    "__restrict",
];

impl Wrapper<'_, '_> {
    /// Assumes (or asserts) what is required, calls, asserts what is ensured. A call from inside of the call is the function's own affair.
    pub fn enforced(&self, required: Use) -> String {
        let name = self.function;
        let mut history = History::new("__blitz_old", self.predicates);
        let required = self.conditions(Says::Requires, required, &mut history);
        let ensured = self.conditions(Says::Ensures, Use::AssertedBehind, &mut history);
        let mut allowed = String::new();
        for target in self.targets(Says::Assigns) {
            let Target { condition, address, size, .. } = target;
            allowed.push_str(&format!("{}__blitz_contract_assigns({address}, {size}); ", when(&condition)));
        }
        for Target { condition, address, .. } in self.targets(Says::Frees) {
            allowed.push_str(&format!("{}__blitz_contract_frees({address}); ", when(&condition)));
        }
        let (call, back) = self.call(name);
        format!(
            "{}{} {{ static _Bool __blitz_active; if (__blitz_active) {} __blitz_contract_forget(); {required} {} \
             __blitz_contract_begin(); {allowed} __blitz_active = 1; {call} __blitz_active = 0; __blitz_contract_end(); \
             {ensured} {back} }}",
            self.places.mark(self.one.name_at),
            self.head(&format!("{ENFORCED}{name}")),
            self.straight(name),
            history.declarations(),
        )
    }

    /// Asserts what is required, lets what is assigned hold anything, assumes what is ensured.
    pub fn replaced(&self, silence_assigns_nothing: bool) -> String {
        let name = self.function;
        let mut history = History::new("__blitz_old", self.predicates);
        let required = self.conditions(Says::Requires, Use::Asserted, &mut history);
        let ensured = self.conditions(Says::Ensures, Use::Assumed, &mut history);
        let changed = super::changed::any(&self.targets(Says::Assigns), &format!("what {name} leaves in"));
        let freed = self.targets(Says::Frees).into_iter().map(|Target { condition, address, text, .. }| {
            let asked = format!("__blitz_input_bool(\"{name} frees {}\")", escaped(&text));
            let condition = if condition.is_empty() { asked } else { format!("({condition}) && {asked}") };
            format!("if ({condition}) __blitz_heap_free({address}); ")
        });
        let freed: String = freed.collect();
        let says_assigns = self.one.clauses.iter().any(|c| matches!(c.kind, Says::Assigns));
        let (stranger, met) = match says_assigns || silence_assigns_nothing {
            true => (String::new(), String::new()),
            // Nobody said what it changes: it may do what a function without a body may do.
            false => {
                let unknown = format!("__blitz_unsaid_{name}");
                let label = format!(" __asm__(\"{name}, whose contract does not say what it assigns\");");
                let declared = self.head(&unknown).replace(ATTRIBUTES, "extern");
                (format!("{declared}{label}\n"), format!("{unknown}({});", self.arguments()))
            }
        };
        let (result, back) = match self.gives_nothing() {
            true => (String::new(), "return;"),
            false => (
                format!(
                    "__typeof__({name}({})) __blitz_result; __blitz_input_bytes((void *)&__blitz_result, sizeof __blitz_result, \
                     \"what {name} returns\");",
                    self.arguments()
                ),
                "return __blitz_result;",
            ),
        };
        format!(
            "{}{stranger}{} {{ __blitz_contract_forget(); {required} {} {changed} {freed} {met} {result} {ensured} {back} }}",
            self.places.mark(self.one.name_at),
            self.head(&format!("{REPLACED}{name}")),
            history.declarations(),
        )
    }

    /// Calls with arguments for which the expressions hold.
    pub fn assumed(&self, expressions: &[&String]) -> String {
        let conditions: Vec<String> = expressions.iter().map(|e| format!("__blitz_assume({});", guarded(e))).collect();
        format!(
            "{}{} {{ {} {} }}",
            self.places.mark(self.one.name_at),
            self.head(&format!("{ASSUMED}{}", self.function)),
            conditions.join(" "),
            self.straight(self.function),
        )
    }

    /// The clauses of a kind as statements at their own places.
    fn conditions(&self, kind: Says, as_what: Use, history: &mut History<'_>) -> String {
        let of_kind = self.one.clauses.iter().filter(|c| c.kind == kind);
        let one = |c: &Clause| {
            let inside = &self.tokens[c.open + 1..c.close];
            let condition = in_c(inside, as_what, history);
            let what = if kind == Says::Requires { "requires" } else { "ensures" };
            let shown = quoted(inside);
            let statement = match as_what {
                Use::Assumed => format!("__blitz_assume({condition});"),
                Use::Asserted | Use::AssertedBehind => {
                    format!("__blitz_claim({condition}, \"{} {what} {shown}\");", self.one.name)
                }
            };
            format!("{}{statement}", self.places.mark(c.at))
        };
        let all: String = of_kind.map(one).collect();
        if all.is_empty() { all } else { all + &self.places.mark(self.one.name_at) }
    }

    fn targets(&self, kind: Says) -> Vec<Target> {
        let of_kind = self.one.clauses.iter().filter(|c| c.kind == kind);
        let inside = |c: &Clause| &self.tokens[c.open + 1..c.close];
        match kind {
            Says::Frees => of_kind.flat_map(|c| freed(inside(c))).collect(),
            _ => of_kind.flat_map(|c| targets(inside(c))).collect(),
        }
    }

    /// The function's head under another name, for anybody to link with.
    fn head(&self, name: &str) -> String {
        let before = &self.tokens[self.one.start..self.one.name_at];
        format!("{ATTRIBUTES} {} {name}({})", without_linkage(before), self.parameters())
    }

    fn parameters(&self) -> String {
        let inside = &self.tokens[self.one.open + 1..self.one.close];
        let named = |(n, p): (usize, &[Token<'_>])| match parameter_name(p) {
            Some(_) => one_line(p),
            None if is_nothing(p) => one_line(p),
            None => format!("{} __blitz_a{n}", one_line(p)),
        };
        parts(inside, ",").into_iter().enumerate().map(named).collect::<Vec<_>>().join(", ")
    }

    fn arguments(&self) -> String {
        let inside = &self.tokens[self.one.open + 1..self.one.close];
        let passed = |(n, p): (usize, &[Token<'_>])| match parameter_name(p) {
            Some(name) => Some(name.to_owned()),
            None => (!is_nothing(p)).then(|| format!("__blitz_a{n}")),
        };
        parts(inside, ",").into_iter().enumerate().filter_map(passed).collect::<Vec<_>>().join(", ")
    }

    fn gives_nothing(&self) -> bool {
        let before = without_linkage(&self.tokens[self.one.start..self.one.name_at]);
        before.split_whitespace().eq(["void"])
    }

    /// The call as a statement, and the return behind all.
    fn call(&self, name: &str) -> (String, &'static str) {
        let call = format!("{name}({})", self.arguments());
        match self.gives_nothing() {
            true => (format!("{call};"), "return;"),
            false => (format!("__auto_type __blitz_result = {call};"), "return __blitz_result;"),
        }
    }

    /// The call and nothing else.
    fn straight(&self, name: &str) -> String {
        let call = format!("{name}({})", self.arguments());
        if self.gives_nothing() { format!("{{ {call}; return; }}") } else { format!("return {call};") }
    }
}

fn when(condition: &str) -> String {
    if condition.is_empty() { String::new() } else { format!("if ({condition}) ") }
}

pub fn escaped(text: &str) -> String {
    quoted(&split(text))
}

/// Tokens without line marks and comments.
/// A declaration for calls that stand in front of it, where its types are C's own. Old C takes such calls to be of `int f()`,
/// which the definition then contradicts.
pub fn ahead(tokens: &[Token<'_>], one: &Declared<'_>) -> Option<String> {
    let word = |t: &Token<'_>| match t.kind {
        Kind::Blank => true,
        Kind::Word => TYPE_WORDS.contains(&t.text),
        Kind::Literal | Kind::Sign => t.text == "*",
    };
    let type_of = |p: &[Token<'_>]| match parameter_name(p) {
        Some(name) => p.iter().filter(|t| t.text != name).all(&word),
        None => p.iter().all(&word),
    };
    let (before, inside) = (&tokens[one.start..one.name_at], &tokens[one.open + 1..one.close]);
    let plain = before.iter().all(&word) && parts(inside, ",").into_iter().all(type_of);
    plain.then(|| format!("{} {}({});\n", one_line(before), one.name, one_line(inside)))
}

pub fn one_line(tokens: &[Token<'_>]) -> String {
    tokens.iter().map(|t| if t.kind == Kind::Blank { " " } else { t.text }).collect::<String>().trim().to_owned()
}

pub fn without_linkage(tokens: &[Token<'_>]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        at += 1;
        if token.kind == Kind::Word && DROPPED.contains(&token.text) {
            let open = solid(tokens, at).filter(|&o| tokens[o].text == "(");
            at = open.and_then(|o| super::super::closing(tokens, o)).map_or(at, |close| close + 1);
        } else {
            out.push_str(if token.kind == Kind::Blank { " " } else { token.text });
        }
    }
    out.trim().to_owned()
}

/// `void`, `...`, or nothing at all.
pub fn is_nothing(tokens: &[Token<'_>]) -> bool {
    let words: Vec<&str> = tokens.iter().filter(|t| t.kind != Kind::Blank).map(|t| t.text).collect();
    matches!(words.as_slice(), [] | ["void"] | ["..."])
}

/// The name of a parameter, if it has one.
pub fn parameter_name<'t>(tokens: &[Token<'t>]) -> Option<&'t str> {
    // `int (*f)(int)`: the name stands in the first brackets.
    if let Some(open) = tokens.iter().position(|t| t.text == "(")
        && let Some(star) = solid(tokens, open + 1).filter(|&s| tokens[s].text == "*")
    {
        return solid(tokens, star + 1).map(|n| tokens[n]).filter(|n| n.kind == Kind::Word).map(|n| n.text);
    }
    let end = tokens.iter().position(|t| t.text == "[").unwrap_or(tokens.len());
    let last = solid_before(tokens, end)?;
    let word = tokens[last];
    let before = tokens[..last].iter().filter(|t| t.kind != Kind::Blank);
    // A name stands behind a type: `struct s` alone, and `int` alone, have none.
    let words: Vec<&str> = before.map(|t| t.text).collect();
    let is_type = matches!(words.as_slice(), [.., "struct" | "union" | "enum"])
        || words.iter().all(|w| matches!(*w, "const" | "volatile" | "register"));
    (word.kind == Kind::Word && !TYPE_WORDS.contains(&word.text) && !is_type).then_some(word.text)
}

/// Whether an expression speaks of parameters of this function, and of nothing that the text does not have.
pub fn fits(tokens: &[Token<'_>], one: &Declared<'_>, expression: &str) -> bool {
    let parameters: Vec<&str> =
        parts(&tokens[one.open + 1..one.close], ",").into_iter().filter_map(parameter_name).collect();
    let spoken = split(expression);
    let free: Vec<&str> = names(&spoken).collect();
    let known = |n: &&str| parameters.contains(n) || tokens.iter().any(|t| t.kind == Kind::Word && t.text == *n);
    free.iter().any(|n| parameters.contains(n)) && free.iter().all(|n| *n == "NULL" || known(n))
}

/// The names in an expression that are no members.
fn names<'a>(tokens: &'a [Token<'_>]) -> impl Iterator<Item = &'a str> {
    tokens.iter().enumerate().filter_map(|(i, t)| {
        let member = solid_before(tokens, i).is_some_and(|b| matches!(tokens[b].text, "." | "->"));
        (t.kind == Kind::Word && !member && t.text != "sizeof").then_some(t.text)
    })
}

/// An expression that is false where evaluating it would go through a null pointer: `r->n` becomes `r && r->n`.
fn guarded(expression: &str) -> String {
    let tokens = split(expression);
    let mut guards: Vec<String> = Vec::new();
    for i in (0..tokens.len()).filter(|&i| tokens[i].text == "->") {
        let mut start = i;
        while let Some(before) = solid_before(&tokens, start) {
            let joins = tokens[before].kind == Kind::Word || matches!(tokens[before].text, "." | "->");
            if !joins || before + 1 < start && tokens[before].kind == Kind::Word && tokens[start].kind == Kind::Word {
                break;
            }
            start = before;
        }
        let pointer = joined(&tokens[start..i]).trim().to_owned();
        if !pointer.is_empty() && !guards.contains(&pointer) {
            guards.push(pointer);
        }
    }
    let null = |t: &Token<'_>| if t.text == "NULL" { "((void *)0)".to_owned() } else { t.text.to_owned() };
    let whole: String = tokens.iter().map(null).collect();
    let guards: String = guards.iter().map(|g| format!("({g}) != 0 && ")).collect();
    format!("{guards}({whole})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_with_and_without_names() {
        let name = |text: &str| parameter_name(&split(text)).map(str::to_owned);
        assert_eq!(name("const struct s *p").as_deref(), Some("p"));
        assert_eq!(name("int a[10]").as_deref(), Some("a"));
        assert_eq!(name("int (*f)(int)").as_deref(), Some("f"));
        assert_eq!(name("size_t n").as_deref(), Some("n"));
        for unnamed in ["struct s", "unsigned int", "void", "char *", "const size_t"] {
            assert_eq!(name(unnamed), None, "{unnamed}");
        }
    }

    #[test]
    fn an_assumption_goes_through_no_null() {
        assert_eq!(guarded("r->count <= r->cap"), "(r) != 0 && (r->count <= r->cap)");
        assert_eq!(guarded("q->a.b->c"), "(q) != 0 && (q->a.b) != 0 && (q->a.b->c)");
        assert_eq!(guarded("p != NULL"), "(p != ((void *)0))");
    }
}
