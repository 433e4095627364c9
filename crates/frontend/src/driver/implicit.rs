//! Functions that a source calls without a declaration, as C before 1999 allowed.
//!
//! Old programs do so with functions that they define elsewhere. A function that is neither declared nor defined is a
//! mistake, most often a mistyped name, and nothing can be said of a program with one.

use blitz_ir::Program;
use std::fmt;

/// A call of a function that is declared nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implicit {
    pub name: String,
    pub line: u32,
}

impl fmt::Display for Implicit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.line)
    }
}

impl Implicit {
    /// The inverse of `Display`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (name, line) = text.rsplit_once(':')?;
        Some(Self { name: name.to_owned(), line: line.parse().ok()? })
    }
}

/// The functions that clang's warnings name, each once.
pub(super) fn named_in(stderr: &str) -> Vec<Implicit> {
    let mut found: Vec<Implicit> = Vec::new();
    for line in stderr.lines() {
        let Some((place, said)) = line.split_once(": warning: call to undeclared ") else { continue };
        let Some(name) = said.split('\'').nth(1) else { continue };
        let line = place.rsplit(':').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
        if !found.iter().any(|i| i.name == name) {
            found.push(Implicit { name: name.to_owned(), line });
        }
    }
    found
}

/// The first of these functions that the program does not define either, as one sentence with a suggestion.
pub fn undefined(program: &Program, implicit: &[Implicit]) -> Option<String> {
    let missing = implicit.iter().find(|i| {
        let decl = program.func_named(&i.name).map(|f| program.decl(f));
        decl.is_some_and(|d| !d.has_body)
    })?;
    let known: Vec<&str> = program.funcs.iter().filter(|d| d.has_body).map(|d| d.name.as_str()).collect();
    let library: Vec<&str> = crate::embedded::function_names().collect();
    let hint = nearest(&missing.name, known.into_iter().chain(library))
        .map_or(String::new(), |n| format!("; did you mean `{n}`?"));
    Some(format!("`{}` is called in line {} but neither declared nor defined{hint}", missing.name, missing.line))
}

/// Likeness (Jaro and Winkler's, at most 1) from which a name counts as mistyped: one pair of letters in seven swapped gives 0.97, one of
/// seven replaced 0.94, names with nothing but the first letters in common less than 0.85.
const ALIKE: f64 = 0.9;

/// The name that is most like a mistyped one, if any is.
fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let like = names.map(|n| (strsim::jaro_winkler(typed, n), n)).filter(|(likeness, _)| *likeness >= ALIKE);
    like.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1))).map(|(_, n)| n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_name_functions_and_lines() {
        let said = "a.c:7:3: warning: call to undeclared function 'strncyp'; ISO C99 and later do not support implicit\n\
                    a.c:9:3: warning: call to undeclared library function 'exit' with type 'void (int)'\n\
                    a.c:12:3: warning: call to undeclared function 'strncyp'\n";
        let found = named_in(said);
        assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), ["strncyp:7", "exit:9"]);
        assert_eq!(Implicit::parse("exit:9"), Some(found[1].clone()));
    }

    #[test]
    fn a_mistyped_name_is_near_the_one_that_was_meant() {
        let names = ["strcpy", "strncpy", "strncmp", "puts"];
        assert_eq!(nearest("strncyp", names.into_iter()), Some("strncpy"));
        assert_eq!(nearest("frobnicate", names.into_iter()), None);
    }
}
