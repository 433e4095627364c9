//! Prototypes that conflict with a later declaration of their function, mostly in a qualifier of what a pointer leads to. C refuses such a
//! text; CBMC takes the definition's type.
//!
//! The prototype of a function that the text defines becomes the head of the definition; of several prototypes without a definition the
//! first counts. Only functions that clang complains about are touched, and lines stay where they are.

use super::tokens::{Kind, Token, closing, joined, solid, split};
use std::collections::BTreeSet;

/// The functions of which clang says that their types conflict.
pub(super) fn named_in(complaints: &str) -> BTreeSet<String> {
    let names = complaints.split("error: conflicting types for '").skip(1);
    names.filter_map(|rest| rest.split('\'').next()).map(str::to_owned).collect()
}

/// The text with one type for each of these functions.
pub(super) fn settled(text: &str, names: &BTreeSet<String>) -> String {
    let tokens = split(text);
    let all = declarations(&tokens);
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut out = String::new();
    for d in &all {
        let own = &tokens[d.start..d.end];
        let Some(name) = d.name.filter(|n| names.contains(*n) && d.body.is_none()) else {
            out.push_str(&joined(own));
            continue;
        };
        let first = solid(own, 0).unwrap_or(0);
        out.push_str(&joined(&own[..first]));
        let defined = all.iter().find_map(|d| Some(&tokens[d.start..d.body.filter(|_| d.name == Some(name))?]));
        let stays = match (seen.insert(name), defined) {
            (false, _) => String::new(),
            (true, None) => joined(&own[first..]),
            (true, Some(head)) => format!("{};", one_line(head)),
        };
        let lines = |text: &str| text.matches('\n').count();
        let missing = lines(&joined(&own[first..])).saturating_sub(lines(&stays));
        out.push_str(&stays);
        out.extend(std::iter::repeat_n('\n', missing));
    }
    out
}

/// Tokens between the end of one declaration of the text and the end of the next.
struct Declaration<'t> {
    start: usize,
    end: usize,
    /// The function that it declares.
    name: Option<&'t str>,
    /// Where its body begins, if it has one.
    body: Option<usize>,
}

fn declarations<'t>(tokens: &[Token<'t>]) -> Vec<Declaration<'t>> {
    let mut out = Vec::new();
    let (mut start, mut at) = (0, 0);
    let (mut name, mut body, mut plain) = (None, None, true);
    while let Some(i) = solid(tokens, at) {
        at = i + 1;
        match tokens[i].text {
            "(" if tokens[i].kind == Kind::Sign => {
                if name.is_none() {
                    name = function(tokens, start, i);
                }
                at = closing(tokens, i).map_or(tokens.len(), |end| end + 1);
                continue;
            }
            "typedef" | "=" => {
                plain = false;
                continue;
            }
            "{" => {
                at = closing(tokens, i).map_or(tokens.len(), |end| end + 1);
                // The braces of a struct come before the name that is declared.
                if name.is_none() {
                    continue;
                }
                body = Some(i);
            }
            ";" => {}
            _ => continue,
        }
        out.push(Declaration { start, end: at, name: name.filter(|_| plain), body });
        (start, name, body, plain) = (at, None, None, true);
    }
    out.push(Declaration { start, end: tokens.len(), name: None, body: None });
    out
}

/// The name in front of a parenthesis, unless that belongs to an attribute.
fn function<'t>(tokens: &[Token<'t>], start: usize, open: usize) -> Option<&'t str> {
    const NO_FUNCTIONS: &[&str] =
        &["__attribute__", "__attribute", "__declspec", "__asm__", "asm", "__asm", "_Alignas", "__typeof__", "typeof"];
    let before = super::tokens::solid_before(tokens, open).filter(|&b| b >= start)?;
    let word = tokens[before];
    (word.kind == Kind::Word && !NO_FUNCTIONS.contains(&word.text)).then_some(word.text)
}

fn one_line(tokens: &[Token<'_>]) -> String {
    let text = |t: &Token<'_>| if t.kind == Kind::Blank { " " } else { t.text }.to_owned();
    tokens.iter().map(text).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(text: &str, names: &[&str]) -> String {
        settled(text, &names.iter().map(|n| (*n).to_owned()).collect())
    }

    #[test]
    fn a_prototype_takes_the_type_of_the_definition() {
        let text = "# 1 \"a.h\"\nint f(const struct s\n  *p);\nint g(int);\nint f(struct s *p)\n{ return g(1); }\n";
        let wanted = "# 1 \"a.h\"\nint f(struct s *p);\n\nint g(int);\nint f(struct s *p)\n{ return g(1); }\n";
        assert_eq!(settle(text, &["f"]), wanted);
        assert_eq!(settle(text, &["h"]), text);
    }

    #[test]
    fn without_a_definition_the_first_counts() {
        let text = "struct s { int a; } f(void);\n__attribute__((pure)) long f(int);\nint (*f_pointer)(void);\ntypedef int f(void);\nint x = (f(1));\n";
        assert_eq!(settle(text, &["f"]), text.replace("__attribute__((pure)) long f(int);", ""));
    }

    #[test]
    fn clang_names_them() {
        let said = "a.c:1:2: error: conflicting types for 'f'\nnote: previous\na.c:3:4: error: conflicting types for 'g'; have\n";
        assert_eq!(named_in(said).into_iter().collect::<Vec<_>>(), ["f", "g"]);
    }
}
