//! Structs that a text first names between a prototype's parentheses.
//!
//! In C such a tag is a type of that prototype alone, so a second prototype of the same function conflicts with the first. CBMC has one
//! tag for the whole file. Declaring the tag in front of everything makes it so; a tag that is defined anywhere else keeps its meaning.

use super::tokens::{Kind, Token, solid};
use std::collections::BTreeSet;

/// Declarations of the tags that the text mentions between parentheses before it mentions them anywhere else.
pub(super) fn declared_in_front(tokens: &[Token<'_>]) -> String {
    let mut depth = 0usize;
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut out = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "struct" | "union" if token.kind == Kind::Word => {
                let name = solid(tokens, at + 1).filter(|&n| tokens[n].kind == Kind::Word).map(|n| tokens[n].text);
                if let Some(name) = name.filter(|n| *n != "__attribute__" && known.insert(n))
                    && depth > 0
                {
                    out.push_str(&format!("{} {name};\n", token.text));
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tokens::split;
    use super::*;

    #[test]
    fn only_what_a_prototype_names_first() {
        let text =
            "struct a { int x; }; int f(struct a *p, struct b *q); int f(struct a *p, struct b *q) { struct c *r; }";
        assert_eq!(declared_in_front(&split(text)), "struct b;\n");
        assert_eq!(declared_in_front(&split("void g(const union u *); union u { int i; };")), "union u;\n");
        assert_eq!(declared_in_front(&split("typedef struct __attribute__((packed)) p { int i; } p;")), "");
    }
}
