//! From the inputs of a run to what a native process is given: arguments, environment, standard input, and answers of
//! library calls.

use blitz_base::Bv;
use blitz_interp::{InputValue, RunResult, Slot, UsedInput};
use blitz_ir::channel::{StatPart, StreamPart, TextPart, VariablePart};
use blitz_ir::{Channel, Program};
use std::collections::BTreeSet;

/// What a native run is fed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    /// Without the program's name.
    pub args: Vec<Vec<u8>>,
    /// Variables that are set.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    pub stdin: Vec<u8>,
    /// Files in its folder, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// Inputs the program asks for itself, in order.
    pub direct: Vec<(String, Vec<u8>)>,
    /// Inputs of library calls.
    pub calls: Vec<CallInput>,
    /// What peers send and the program reads through streams.
    connection: Vec<u8>,
    /// Library functions whose calls the shim answers.
    pub wraps: BTreeSet<String>,
    /// Which thread makes how many steps, in order; empty in a run with one.
    pub schedule: Vec<Slot>,
    /// Of each wait for a condition, in order: whether it ends by itself.
    pub spurious: Vec<bool>,
    /// Inputs that nothing can feed, as `what of function`.
    pub unfed: BTreeSet<String>,
}

/// An input of the n-th call of a library function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallInput {
    pub function: String,
    pub nth: u32,
    pub name: String,
    pub bytes: Vec<u8>,
}

/// How an input reaches the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By standard input, or not at all since it follows from others.
    Stdin,
    /// By a file that stands for a socket.
    Connection,
    /// By the environment.
    Env,
    /// By the shim's wrapper of the function.
    Wrapper,
    /// A guess of a model about its own result.
    Nothing,
}

fn way(channel: Channel, function: &str) -> Way {
    match channel {
        Channel::Stdin(_) | Channel::LineLength => Way::Stdin,
        Channel::Variable(_) => Way::Env,
        Channel::Socket(StreamPart::Bytes | StreamPart::Ends) if !SOCKETS.contains(&function) => Way::Connection,
        // What `fstat` says of a file the kit made is near enough.
        Channel::Stat(StatPart::Inode | StatPart::ModifiedAt) if function.starts_with("fstat") => Way::Nothing,
        Channel::Guess(_) => Way::Nothing,
        // The size comes with the bytes.
        Channel::FileSize
        | Channel::Length
        | Channel::Socket(StreamPart::Count)
        | Channel::Argument(_, TextPart::Length)
        | Channel::Environment(_, TextPart::Length) => Way::Nothing,
        Channel::Socket(_)
        | Channel::ArgumentCount
        | Channel::Argument(_, TextPart::Bytes)
        | Channel::EnvironmentCount
        | Channel::Environment(_, TextPart::Bytes)
        | Channel::File
        | Channel::Stat(_)
        | Channel::Fails(_)
        | Channel::AllocationFails
        | Channel::Ready
        | Channel::SpuriousWakeUp
        | Channel::Unset
        | Channel::IsNotNull
        | Channel::IsFunction
        | Channel::Member
        | Channel::Pointee
        | Channel::Count
        | Channel::Nondet { .. }
        | Channel::Word
        | Channel::Other => Way::Wrapper,
    }
}

/// Functions that belong together: if one is answered by the shim, all are.
const SOCKETS: &[&str] = &["socket", "bind", "listen", "setsockopt", "connect", "accept", "recv", "send", "read"];

impl Feed {
    pub fn of(program: &Program, run: &RunResult) -> Feed {
        let mut feed = Feed { schedule: run.schedule.clone(), ..Feed::default() };
        for input in &run.inputs_used {
            match &input.via {
                None => feed.direct(input),
                Some(via) => feed.library(program, input, via),
            }
        }
        if !feed.connection.is_empty() {
            let (function, name) = ("connection".to_owned(), "socket".to_owned());
            feed.calls.push(CallInput { function, nth: 1, name, bytes: std::mem::take(&mut feed.connection) });
        }
        if feed.wraps.iter().any(|w| w != "read" && SOCKETS.contains(&w.as_str())) {
            feed.wraps.extend(SOCKETS.iter().map(|s| (*s).to_owned()));
        } else {
            feed.wraps.remove("read");
        }
        feed
    }

    fn direct(&mut self, input: &UsedInput) {
        let bytes = bytes(&input.value);
        match input.name.channel() {
            // What a compiler leaves in memory that nobody has set is not ours to choose.
            Channel::Unset => {
                let memory = input.name.owner().unwrap_or_default();
                self.unfed.insert(format!("the unset `{memory}`"));
            }
            Channel::Argument(_, TextPart::Bytes) => self.args.push(bytes),
            Channel::Environment(_, TextPart::Bytes) => {
                let name = bytes.iter().position(|&b| b == b'=').unwrap_or(bytes.len());
                self.env.push((bytes[..name].to_vec(), bytes.get(name + 1..).unwrap_or_default().to_vec()));
            }
            Channel::ArgumentCount
            | Channel::Argument(_, TextPart::Length)
            | Channel::EnvironmentCount
            | Channel::Environment(_, TextPart::Length) => {}
            _ => self.direct.push((input.name.to_string(), bytes)),
        }
    }

    fn library(&mut self, program: &Program, input: &UsedInput, via: &blitz_interp::Via) {
        let function = program.decl(via.func).name.clone();
        if input.name.channel() == Channel::SpuriousWakeUp {
            let ends = |v: &InputValue| bytes(v).iter().any(|b| *b != 0);
            return self.spurious.push(ends(&input.value));
        }
        if input.value == InputValue::Bool(false) && input.name.channel() == Channel::AllocationFails {
            return;
        }
        match way(input.name.channel(), &function) {
            Way::Nothing => {}
            Way::Stdin => self.stdin(input),
            Way::Connection if input.name.channel().is_typed() => self.connection.extend(bytes(&input.value)),
            Way::Connection => {}
            Way::Env => self.variable(input, function, via.text.as_deref()),
            Way::Wrapper => {
                if !has_wrapper(&function) {
                    self.unfed.insert(format!("`{}` of {function}", input.name));
                }
                self.wraps.insert(function.clone());
                let (name, bytes) = (input.name.to_string(), bytes(&input.value));
                self.calls.push(CallInput { function, nth: via.nth, name, bytes });
            }
        }
    }

    fn stdin(&mut self, input: &UsedInput) {
        match (input.name.channel(), &input.value) {
            (Channel::Stdin(StreamPart::Bytes), value) => self.stdin.extend(bytes(value)),
            // As a signed number: scanf reads it into an unsigned variable just as well.
            (Channel::Stdin(StreamPart::Number), InputValue::Value(v)) => {
                let text = v.to_i128().map_or_else(|| "0".to_owned(), |n| n.to_string());
                self.stdin.extend(format!(" {text}").bytes());
            }
            _ => {}
        }
    }

    fn variable(&mut self, input: &UsedInput, function: String, name: Option<&[u8]>) {
        if input.name.channel() != Channel::Variable(VariablePart::Bytes) {
            return;
        }
        match name {
            Some(name) if !name.is_empty() && !name.contains(&b'=') => {
                self.env.push((name.to_vec(), bytes(&input.value)));
            }
            _ => {
                self.unfed.insert(format!("`getenv` of {function}"));
            }
        }
    }

    /// The wrapped functions that the shim knows.
    pub fn wrapped(&self) -> impl Iterator<Item = &str> {
        self.wraps.iter().map(String::as_str).filter(|f| has_wrapper(f))
    }
}

/// Whether the shim can answer calls of a function.
fn has_wrapper(function: &str) -> bool {
    let word = format!("WRAP_{function}");
    crate::SHIM.lines().filter_map(|l| l.strip_prefix("#ifdef ")).any(|w| w == word)
}

/// The bytes of an input.
pub fn bytes(value: &InputValue) -> Vec<u8> {
    match value {
        InputValue::Bytes(bytes) => bytes.clone(),
        InputValue::Bool(yes) => vec![u8::from(*yes)],
        InputValue::Value(v) => bytes_of(v),
    }
}

/// The bytes of a value, lowest first.
pub(crate) fn bytes_of(v: &Bv) -> Vec<u8> {
    v.limbs().iter().flat_map(|l| l.to_le_bytes()).take(usize::from(v.width()).div_ceil(8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shim_says_what_it_can_wrap() {
        assert!(has_wrapper("malloc") && has_wrapper("getcwd") && has_wrapper("fopen"));
        assert!(!has_wrapper("sin"));
        assert!(SOCKETS.iter().all(|s| has_wrapper(s)));
    }
}
