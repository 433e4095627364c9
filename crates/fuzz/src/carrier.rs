//! How the bytes of a test reach the program, natively and in the interpreter.

use std::ffi::OsString;

/// The way into the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Standard input. Harnesses (`LLVMFuzzerTestOneInput`) get it through a `main` of ours that reads it.
    Stdin,
    /// The file whose name takes the place of `@@` among the arguments.
    File,
    /// Arguments, one NUL after each.
    Argv,
    /// The value of a variable of the environment.
    Env(String),
    /// What the first peer sends.
    Socket,
    /// The nondeterministic values of a harness, one after the other.
    Direct,
}

/// The name of the file in the working folder.
pub const FILE_NAME: &str = "input";
/// What stands for it among the arguments.
pub const PLACE: &str = "@@";
/// The longest name of a variable.
const LONGEST_NAME: usize = 63;

impl Carrier {
    /// As `--input` names it.
    pub fn parse(text: &str) -> Result<Carrier, String> {
        match text {
            "stdin" => Ok(Carrier::Stdin),
            "file" => Ok(Carrier::File),
            "argv" => Ok(Carrier::Argv),
            "socket" => Ok(Carrier::Socket),
            "values" => Ok(Carrier::Direct),
            _ => match text.strip_prefix("env:") {
                Some(name) if is_name(name) => Ok(Carrier::Env(name.to_owned())),
                _ => Err(format!("`{text}` is none of stdin, file, argv, env:NAME, socket and values")),
            },
        }
    }

    pub fn name(&self) -> String {
        match self {
            Carrier::Stdin => "stdin".to_owned(),
            Carrier::File => "file".to_owned(),
            Carrier::Argv => "argv".to_owned(),
            Carrier::Env(name) => format!("env:{name}"),
            Carrier::Socket => "socket".to_owned(),
            Carrier::Direct => "values".to_owned(),
        }
    }

    /// The number it has in `native/area.h`.
    pub(crate) fn number(&self) -> u32 {
        match self {
            Carrier::Stdin => 0,
            Carrier::File => 1,
            Carrier::Argv => 2,
            Carrier::Env(_) => 3,
            Carrier::Socket => 4,
            Carrier::Direct => 5,
        }
    }

    /// Whether a byte can't be part of it.
    pub fn forbids_nul(&self) -> bool {
        matches!(self, Carrier::Env(_))
    }
}

fn is_name(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(word)
}

/// The arguments with the file's name where it belongs.
pub fn with_file(args: &[OsString]) -> Vec<OsString> {
    args.iter().map(|a| if a == PLACE { OsString::from(FILE_NAME) } else { a.clone() }).collect()
}

/// The arguments that the bytes of a test stand for, each with where it begins.
pub fn arguments(bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at..].iter().position(|&b| b == 0).unwrap_or(bytes.len() - at);
        found.push((at, &bytes[at..at + len]));
        at += len + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for text in ["stdin", "file", "argv", "env:HOME", "socket", "values"] {
            assert_eq!(Carrier::parse(text).unwrap().name(), text);
        }
        assert!(Carrier::parse("env:").is_err() && Carrier::parse("env:A=B").is_err() && Carrier::parse("x").is_err());
    }

    #[test]
    fn a_zero_ends_an_argument() {
        assert_eq!(arguments(b"ab\0\0c"), vec![(0, &b"ab"[..]), (3, b""), (4, b"c")]);
        assert_eq!(arguments(b"ab\0"), vec![(0, &b"ab"[..])]);
        assert!(arguments(b"").is_empty());
    }
}
