//! Names of inputs, and what they mean to those who decide by them.
//!
//! Library models name every input they ask for, in C; so do harnesses, and the front end for what it asks itself. The name is
//! read once, here, when the instruction is made. Interpreter, engines, kits and reports match the [`Channel`]; the text is for
//! people, and for the shim of a kit, which is C.
//!
//! Invariant: equal texts have equal channels. Absent: what an answer means (`interp::script`, `kit::feed`).

use std::fmt;
use std::sync::Arc;

/// What the names of inputs begin with that stand for memory nobody has set. Nothing outside the program supplies them,
/// so those whose value is not needed may be dropped.
const UNSET: &str = "unset ";
/// A library model's guess where it does not follow what the function does.
const GUESS: &str = "(guess)";
const LENGTH: &str = " length";
const COUNT: &str = " count";
const FAILS: &str = " fails";
const IS_NOT_NULL: &str = " != NULL";

/// The name of an input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputName {
    text: Arc<str>,
    channel: Channel,
}

/// Where the value of an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Standard input.
    Stdin(StreamPart),
    /// What a peer sends.
    Socket(StreamPart),
    /// How many characters the line has that comes next in a stream.
    LineLength,
    /// `argc`.
    ArgumentCount,
    /// An argument of the program, from 1.
    Argument(u32, TextPart),
    /// How many variables the environment has.
    EnvironmentCount,
    /// A variable of the environment, from 0, as `name=value`.
    Environment(u32, TextPart),
    /// The answer of `getenv`.
    Variable(VariablePart),
    /// The bytes of a file.
    File,
    FileSize,
    /// A member of what `stat` fills in.
    Stat(StatPart),
    /// A call of the library fails.
    Fails(FailingCall),
    AllocationFails,
    /// Descriptors that can be used at once.
    Ready,
    /// A wait for a condition ends by itself.
    SpuriousWakeUp,
    /// What a library model guesses about its own result.
    Guess(Guess),
    /// Memory that nobody has set.
    Unset,
    /// A pointer of a harness leads to something.
    IsNotNull,
    /// A pointer of a harness is this function.
    IsFunction,
    /// A part of what a pointer of a harness leads to.
    Member,
    /// The whole of it.
    Pointee,
    /// How long something is that is an input itself: a text, what a pointer of a harness leads to.
    Length,
    /// How many bytes a call gives.
    Count,
    /// A value that the program asks for itself, by `nondet_int` and the like.
    Nondet {
        unsigned: bool,
    },
    /// One word: an argument of the function that is checked, a global, what a library model asks once.
    Word,
    /// Any other: its name is for people and the shim.
    Other,
}

/// What is asked about a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamPart {
    /// The bytes that come next.
    Bytes,
    /// There are no more.
    Ends,
    /// How many bytes one call gets.
    Count,
    /// How long the word is that comes next.
    WordLength,
    /// The number that comes next, and whether there is one.
    Number,
    HasNumber,
}

/// What is asked about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextPart {
    Bytes,
    Length,
}

/// What is asked about a variable of the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariablePart {
    IsSet,
    Length,
    Bytes,
}

/// What is asked about a file's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatPart {
    Size,
    Inode,
    ModifiedAt,
}

/// Which call fails, where it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailingCall {
    Open,
    Stat,
    Access,
    Accept,
    Other,
}

/// What a library model guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guess {
    /// Where in a text a character is last.
    LastPosition,
    /// What stands for something it does not follow: a run does not follow it either.
    NotFollowed,
    /// Any other.
    Other,
}

/// The names that library models use for what others decide by, each with its meaning.
pub const FIXED: &[(&str, Channel)] = &[
    ("stdin", Channel::Stdin(StreamPart::Bytes)),
    ("stdin ends", Channel::Stdin(StreamPart::Ends)),
    ("stdin count", Channel::Stdin(StreamPart::Count)),
    ("stdin word length", Channel::Stdin(StreamPart::WordLength)),
    ("stdin number", Channel::Stdin(StreamPart::Number)),
    ("stdin has a number", Channel::Stdin(StreamPart::HasNumber)),
    ("socket", Channel::Socket(StreamPart::Bytes)),
    ("socket ends", Channel::Socket(StreamPart::Ends)),
    ("socket count", Channel::Socket(StreamPart::Count)),
    ("line length", Channel::LineLength),
    ("argc", Channel::ArgumentCount),
    ("environ count", Channel::EnvironmentCount),
    ("getenv set", Channel::Variable(VariablePart::IsSet)),
    ("getenv length", Channel::Variable(VariablePart::Length)),
    ("getenv", Channel::Variable(VariablePart::Bytes)),
    ("file", Channel::File),
    ("file size", Channel::FileSize),
    ("st_size", Channel::Stat(StatPart::Size)),
    ("st_ino", Channel::Stat(StatPart::Inode)),
    ("st_mtime", Channel::Stat(StatPart::ModifiedAt)),
    ("open fails", Channel::Fails(FailingCall::Open)),
    ("stat fails", Channel::Fails(FailingCall::Stat)),
    ("access fails", Channel::Fails(FailingCall::Access)),
    ("accept fails", Channel::Fails(FailingCall::Accept)),
    ("allocation fails", Channel::AllocationFails),
    ("ready", Channel::Ready),
    ("spurious wake-up", Channel::SpuriousWakeUp),
    ("(last position)", Channel::Guess(Guess::LastPosition)),
];

impl Channel {
    fn of(name: &str) -> Channel {
        let fixed = FIXED.iter().find(|(known, _)| *known == name).map(|(_, channel)| *channel);
        let found = fixed.or_else(|| {
            let argument = numbered(name, "argv[").map(|(n, part)| Channel::Argument(n, part));
            argument.or_else(|| numbered(name, "environ[").map(|(n, part)| Channel::Environment(n, part)))
        });
        found.unwrap_or_else(|| by_shape(name))
    }

    /// Whether the value says how long or how many, and nothing else.
    pub fn is_size(self) -> bool {
        match self {
            Channel::Stdin(part) | Channel::Socket(part) => match part {
                StreamPart::Count | StreamPart::WordLength => true,
                StreamPart::Bytes | StreamPart::Ends | StreamPart::Number | StreamPart::HasNumber => false,
            },
            Channel::Argument(_, part) | Channel::Environment(_, part) => part == TextPart::Length,
            Channel::Variable(part) => part == VariablePart::Length,
            Channel::LineLength | Channel::EnvironmentCount | Channel::FileSize | Channel::Length | Channel::Count => {
                true
            }
            Channel::ArgumentCount
            | Channel::File
            | Channel::Stat(_)
            | Channel::Fails(_)
            | Channel::AllocationFails
            | Channel::Ready
            | Channel::SpuriousWakeUp
            | Channel::Guess(_)
            | Channel::Unset
            | Channel::IsNotNull
            | Channel::IsFunction
            | Channel::Member
            | Channel::Pointee
            | Channel::Nondet { .. }
            | Channel::Word
            | Channel::Other => false,
        }
    }

    /// Whether it is text that somebody types or sends.
    pub fn is_typed(self) -> bool {
        matches!(self, Channel::Stdin(StreamPart::Bytes) | Channel::Socket(StreamPart::Bytes))
    }

    /// Whether it asks if a stream has ended.
    pub fn is_end(self) -> bool {
        matches!(self, Channel::Stdin(StreamPart::Ends) | Channel::Socket(StreamPart::Ends))
    }

    /// Whether a call of the library fails.
    pub fn is_failure(self) -> bool {
        matches!(self, Channel::Fails(_) | Channel::AllocationFails)
    }
}

/// `argv[3]` and `argv[3] length`.
fn numbered(name: &str, prefix: &str) -> Option<(u32, TextPart)> {
    let (number, rest) = name.strip_prefix(prefix)?.split_once(']')?;
    let part = match rest {
        "" => TextPart::Bytes,
        LENGTH => TextPart::Length,
        _ => return None,
    };
    Some((number.parse().ok()?, part))
}

/// What a name means by how it begins or ends.
fn by_shape(name: &str) -> Channel {
    if name.starts_with(UNSET) {
        Channel::Unset
    } else if name.starts_with(GUESS) {
        Channel::Guess(Guess::NotFollowed)
    } else if name.starts_with('(') && !name.starts_with("(*") {
        Channel::Guess(Guess::Other)
    } else if name.ends_with(IS_NOT_NULL) {
        Channel::IsNotNull
    } else if name.ends_with(LENGTH) {
        Channel::Length
    } else if name.ends_with(COUNT) {
        Channel::Count
    } else if name.ends_with(FAILS) {
        Channel::Fails(FailingCall::Other)
    } else if name.contains("nondet_") {
        let unsigned = ["_u", "unsigned", "size_t", "_bool", "pointer"].iter().any(|word| name.contains(word));
        Channel::Nondet { unsigned }
    } else if name.contains("->") || name.contains('.') || name.contains('[') {
        Channel::Member
    } else if name.contains(" is ") {
        Channel::IsFunction
    } else if name.starts_with(['*', '(']) {
        Channel::Pointee
    } else if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        Channel::Word
    } else {
        Channel::Other
    }
}

impl InputName {
    pub fn new(text: &str) -> Self {
        Self { text: text.into(), channel: Channel::of(text) }
    }

    /// Of memory that nobody has set; `what` names it.
    pub fn unset(what: &str) -> Self {
        Self { text: format!("{UNSET}{what}").into(), channel: Channel::Unset }
    }

    pub fn allocation_fails() -> Self {
        Self::new("allocation fails")
    }

    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// For people.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What the input is about, where it is not that itself: `p` of `p != NULL` and `p length`, the memory of an unset one.
    pub fn owner(&self) -> Option<&str> {
        owner(&self.text, self.channel)
    }
}

/// The same of a name whose channel is known.
pub fn owner(text: &str, channel: Channel) -> Option<&str> {
    match channel {
        Channel::Unset => text.strip_prefix(UNSET),
        Channel::IsNotNull => text.strip_suffix(IS_NOT_NULL),
        Channel::Fails(_) => text.strip_suffix(FAILS),
        other if other.is_size() => text.strip_suffix(LENGTH),
        _ => None,
    }
}

impl From<&str> for InputName {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for InputName {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

impl fmt::Display for InputName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_what_they_say() {
        let is = |name: &str, channel: Channel| assert_eq!(InputName::new(name).channel(), channel, "{name}");
        is("stdin ends", Channel::Stdin(StreamPart::Ends));
        is("argv[12] length", Channel::Argument(12, TextPart::Length));
        is("argv[0]", Channel::Argument(0, TextPart::Bytes));
        is("argv[0]->next", Channel::Member);
        is("environ[3]", Channel::Environment(3, TextPart::Bytes));
        is("unset argv[1]", Channel::Unset);
        is("(guess) length", Channel::Guess(Guess::NotFollowed));
        is("(open)", Channel::Guess(Guess::Other));
        is("p != NULL", Channel::IsNotNull);
        is("p length", Channel::Length);
        is("send fails", Channel::Fails(FailingCall::Other));
        is("__VERIFIER_nondet_uint", Channel::Nondet { unsigned: true });
        is("__VERIFIER_nondet_int", Channel::Nondet { unsigned: false });
        is("it->count", Channel::Member);
        is("n", Channel::Word);
        is("*it", Channel::Pointee);
        is("callback()", Channel::Other);
    }

    #[test]
    fn what_an_input_is_about_is_part_of_its_name() {
        let owner = |name: &str| InputName::new(name).owner().map(str::to_owned);
        assert_eq!(owner("it->text length").as_deref(), Some("it->text"));
        assert_eq!(owner("it != NULL").as_deref(), Some("it"));
        assert_eq!(owner("argv[1] length").as_deref(), Some("argv[1]"));
        assert_eq!(owner("it"), None);
        assert_eq!(InputName::unset("buf").owner(), Some("buf"));
    }

    #[test]
    fn a_fixed_name_is_listed_once() {
        for (at, (name, channel)) in FIXED.iter().enumerate() {
            assert!(FIXED[..at].iter().all(|(other, known)| other != name && known != channel), "{name}");
        }
    }
}
