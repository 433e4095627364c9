//! Where tokens stand in the user's files, by the marks of the preprocessor.

use super::super::tokens::{Kind, Token};

/// File and line of every token.
pub struct Places<'t> {
    at: Vec<(u32, &'t str)>,
}

impl<'t> Places<'t> {
    pub fn of(tokens: &[Token<'t>]) -> Self {
        let (mut line, mut file) = (1u32, "");
        let mut at = Vec::with_capacity(tokens.len() + 1);
        for token in tokens {
            at.push((line, file));
            match named_by(token) {
                Some(found) => (line, file) = found,
                None => line += token.text.matches('\n').count() as u32,
            }
        }
        at.push((line, file));
        Self { at }
    }

    /// A line of its own that says where the text goes on as if it were the token's.
    pub fn mark(&self, token: usize) -> String {
        let (line, file) = self.at[token];
        if file.is_empty() { "\n".to_owned() } else { format!("\n# {line} \"{file}\"\n") }
    }
}

/// `# 12 "list.h" 2`: the line that follows.
fn named_by<'t>(token: &Token<'t>) -> Option<(u32, &'t str)> {
    if token.kind != Kind::Blank {
        return None;
    }
    let rest = token.text.strip_prefix('#')?;
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let (number, rest) = rest.split_once(' ')?;
    let name = rest.trim_start().strip_prefix('"')?;
    Some((number.parse().ok()?, &name[..name.rfind('"')?]))
}
