//! Uninterpreted functions: `__CPROVER_uninterpreted_f` is some function, the same one wherever it is called.
//!
//! The first prototype becomes a weak definition that remembers what it was called with: the same arguments get the same result, new ones get any.
//! Further prototypes go, since CBMC does not mind if they differ in qualifiers. Direction: *more* behaviours after so many different arguments
//! (`__blitz_more`), exact before. A prototype that is not understood stays as it is: a function without a body.

use super::tokens::{Kind, Token, closing, joined, parts, solid};
use std::collections::BTreeSet;

/// What all such names begin with.
pub(super) const PREFIX: &str = "__CPROVER_uninterpreted_";
/// Different arguments that are remembered. The proofs of public suites call one with at most six.
const SEEN: usize = 16;

/// A text in which each such function is defined once.
pub(super) fn defined(text: &str) -> String {
    let tokens = super::tokens::split(text);
    let mut out = String::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut start = 0;
    let mut at = 0;
    // Declarations at the top level, one after the other.
    while let Some(i) = solid(&tokens, at) {
        at = i + 1;
        match tokens[i].text {
            "{" => at = closing(&tokens, i).map_or(tokens.len(), |end| end + 1),
            ";" => {
                let declaration = &tokens[start..=i];
                match prototype(declaration) {
                    Some(p) if known.insert(p.name) => out.push_str(&p.definition(declaration)),
                    Some(_) => out.push_str(&lines_only(declaration)),
                    None => out.push_str(&joined(declaration)),
                }
                start = at;
                continue;
            }
            _ => continue,
        }
        // A body ends a declaration, unless it is that of a struct.
        let next = solid(&tokens, at).map(|n| tokens[n].kind);
        if next == Some(Kind::Word) || next.is_none() {
            out.push_str(&joined(&tokens[start..at]));
            start = at;
        }
    }
    out.push_str(&joined(&tokens[start..]));
    out
}

/// `int __CPROVER_uninterpreted_f(const void *a, int);`
struct Prototype<'t> {
    result: String,
    name: &'t str,
    /// Each with its type and its name.
    params: Vec<(String, String)>,
}

fn prototype<'t>(declaration: &[Token<'t>]) -> Option<Prototype<'t>> {
    let at = declaration.iter().position(|t| t.kind == Kind::Word && t.text.starts_with(PREFIX))?;
    let open = solid(declaration, at + 1).filter(|&o| declaration[o].text == "(")?;
    let end = closing(declaration, open)?;
    solid(declaration, end + 1).filter(|&s| declaration[s].text == ";")?;
    let before = declaration[..at].iter().filter(|t| !matches!(t.text, "extern" | "static") && t.kind != Kind::Blank);
    let result: Vec<&str> = before.map(|t| t.text).collect();
    if result.is_empty() || result.iter().any(|t| matches!(*t, "(" | "=" | "typedef")) {
        return None;
    }
    let inside = &declaration[open + 1..end];
    let empty = solid(inside, 0).is_none_or(|i| inside[i].text == "void" && solid(inside, i + 1).is_none());
    let params = if empty {
        Vec::new()
    } else {
        parts(inside, ",").into_iter().enumerate().map(|(i, p)| param(i, p)).collect::<Option<_>>()?
    };
    Some(Prototype { result: result.join(" "), name: declaration[at].text, params })
}

/// Words of a type that say nothing by themselves.
const QUALIFIERS: &[&str] = &["const", "volatile", "restrict", "__restrict", "struct", "union", "enum", "register"];
const TYPE_WORDS: &[&str] =
    &["int", "char", "short", "long", "unsigned", "signed", "float", "double", "_Bool", "void", "__int128"];

fn param(number: usize, tokens: &[Token<'_>]) -> Option<(String, String)> {
    let solid: Vec<Token<'_>> = tokens.iter().filter(|t| t.kind != Kind::Blank).copied().collect();
    if solid.is_empty() || solid.iter().any(|t| matches!(t.text, "(" | "[" | "...")) {
        return None;
    }
    let (last, before) = solid.split_last()?;
    let says_something = |t: &Token<'_>| !QUALIFIERS.contains(&t.text);
    let named = last.kind == Kind::Word
        && !TYPE_WORDS.contains(&last.text)
        && !QUALIFIERS.contains(&last.text)
        && before.iter().any(says_something);
    let words = |tokens: &[Token<'_>]| tokens.iter().map(|t| t.text).collect::<Vec<_>>().join(" ");
    let name = format!("__blitz_a{number}");
    Some((words(if named { before } else { &solid }), name))
}

impl Prototype<'_> {
    /// On one line, with as many lines after it as the prototype had.
    fn definition(&self, declaration: &[Token<'_>]) -> String {
        let Self { result, name, params } = self;
        let declared: Vec<String> = params.iter().map(|(of, name)| format!("{of} {name}")).collect();
        let declared = if declared.is_empty() { "void".to_owned() } else { declared.join(", ") };
        let all = |each: &dyn Fn(&str) -> String| params.iter().map(|(_, name)| each(name)).collect::<String>();
        let members = all(&|a| format!("__typeof__(({{ {a}; }})) {a}; "));
        let equal = all(&|a| format!(" && __blitz_seen[__blitz_i].{a} == {a}"));
        let stored = all(&|a| format!("__blitz_seen[__blitz_count].{a} = {a}; "));
        let marks: String = directives(declaration);
        format!(
            "{marks}__attribute__((weak)) {result} {name}({declared}) {{ \
             static struct {{ {members}__typeof__(({{ {result} __blitz_x; __blitz_x; }})) r; }} __blitz_seen[{SEEN}]; \
             static unsigned __blitz_count; \
             for (unsigned __blitz_i = 0; __blitz_i < __blitz_count; __blitz_i++) {{ __blitz_quantifier(); \
             if (1{equal}) return __blitz_seen[__blitz_i].r; }} \
             {result} __blitz_r; __VERIFIER_nondet_memory(&__blitz_r, sizeof __blitz_r); \
             if (__blitz_count < {SEEN}) {{ {stored}__blitz_seen[__blitz_count].r = __blitz_r; __blitz_count++; }} \
             else __blitz_more(\"{name}: the same result for the same arguments, after {SEEN} different ones\"); \
             return __blitz_r; }}{}",
            "\n".repeat(own_lines(declaration))
        )
    }
}

/// The preprocessor's line marks before a declaration, which must stay.
fn directives(declaration: &[Token<'_>]) -> String {
    let first = declaration.iter().position(|t| t.kind != Kind::Blank).unwrap_or(0);
    joined(&declaration[..first])
}

fn own_lines(declaration: &[Token<'_>]) -> usize {
    let first = declaration.iter().position(|t| t.kind != Kind::Blank).unwrap_or(0);
    declaration[first..].iter().map(|t| t.text.matches('\n').count()).sum()
}

fn lines_only(declaration: &[Token<'_>]) -> String {
    format!("{}{}", directives(declaration), "\n".repeat(own_lines(declaration)))
}

#[cfg(test)]
mod tests {
    use super::defined;

    #[test]
    fn the_first_prototype_is_defined_and_the_others_go() {
        let text = "int f(int x) { return x; }\nlong __CPROVER_uninterpreted_h(void *);\nstruct s { int a; };\n\
                    long __CPROVER_uninterpreted_h(const void *const p);\nint g;\n";
        let out = defined(text);
        assert_eq!(out.lines().count(), text.lines().count());
        assert!(out.contains("long __CPROVER_uninterpreted_h(void * __blitz_a0) {"), "{out}");
        assert!(!out.contains("const void"), "{out}");
        assert!(out.contains("struct s { int a; };") && out.ends_with("int g;\n"), "{out}");
    }

    #[test]
    fn parameters_have_names_or_not() {
        let head = |text: &str| defined(text).split('{').next().unwrap_or_default().to_owned();
        let text = "int __CPROVER_uninterpreted_p(const uint8_t, unsigned int n, struct s *, const T x);";
        let wanted = "__attribute__((weak)) int __CPROVER_uninterpreted_p(const uint8_t __blitz_a0, unsigned int __blitz_a1, \
                      struct s * __blitz_a2, const T __blitz_a3) ";
        assert_eq!(head(text), wanted);
        assert!(head("_Bool __CPROVER_uninterpreted_c(void);").ends_with("__CPROVER_uninterpreted_c(void) "));
        // What is not understood stays.
        let odd = "int __CPROVER_uninterpreted_q(int (*f)(void));";
        assert_eq!(defined(odd), odd);
    }
}
