//! A violation, told: what, where, about which object, with which values, and how execution got there.

use crate::model::{
    Confirmed, InputRow, Native, Object, OtherThread, Place, Precondition, ScheduleRow, StackFrame, Step, ValueRow,
};
use crate::source::Sources;
use crate::value::{Names, c_string, show_input, show_value, show_variable, text_of_literal};
use crate::{members, trace};
use blitz_base::span::Loc;
use blitz_interp::{Doing, Frame, InputValue, ObjectInfo, ObjectKind, ObjectName, RunResult, ThreadStand, Violation};
use blitz_ir::channel::{FailingCall, VariablePart};
use blitz_ir::func::VarFormat;
use blitz_ir::{Channel, CheckKind, Program, Type};
use serde::Serialize;

/// A violation that a run has shown.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub property: String,
    pub kind: String,
    #[serde(flatten)]
    pub place: Place,
    pub function: String,
    /// The function that was called, where each is checked by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// What happened, in one line.
    pub message: String,
    /// What the property says.
    pub text: String,
    /// `stack`, `heap`, `global` or `code`, where memory is involved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_info: Option<Object>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    pub values: Vec<ValueRow>,
    /// Innermost call first.
    pub stack: Vec<StackFrame>,
    /// The thread, in a run with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherThread>,
    /// Which thread made how many steps, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schedule: Vec<ScheduleRow>,
    pub inputs: Vec<InputRow>,
    pub trace: Vec<Step>,
    /// From the entry of the program to the violation.
    pub preconditions: Vec<Precondition>,
    pub confirmed: Confirmed,
    /// The native run, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native: Option<Native>,
}

impl Finding {
    /// The finding a run ended in; `violation` is that of the run's outcome.
    pub fn from_run(program: &Program, violation: &Violation, run: &RunResult) -> Finding {
        let property = program.property(violation.property);
        let stack: Vec<StackFrame> = user_frames(program, &violation.stack);
        let names = Names::of(program, run);
        let mut trace = trace::steps_to(names, &run.trace, &place(program, violation.loc));
        members::name_stores(&mut trace, &mut Sources::new());
        let function = stack.first().map_or_else(|| program.decl(property.func).name.clone(), |f| f.function.clone());
        Finding {
            property: property.name.clone(),
            kind: violation.kind.name().to_owned(),
            place: place(program, violation.loc),
            function,
            entry: None,
            message: message(program, violation, &property.text),
            text: property.text,
            object: violation.object.as_ref().map(|o| kind_name(o.kind)),
            object_info: violation.object.as_ref().map(|o| object(program, o)),
            offset: violation.offset,
            size: violation.size,
            values: values(Names::of(program, run), violation),
            stack,
            thread: (!run.schedule.is_empty()).then_some(violation.thread),
            others: violation.others.iter().map(|o| other_thread(program, o)).collect(),
            schedule: run.schedule.iter().map(|s| ScheduleRow { thread: s.thread, steps: s.steps }).collect(),
            inputs: inputs(program, run),
            trace,
            preconditions: Vec::new(),
            confirmed: Confirmed::Interpreter,
            native: None,
        }
    }

    /// Takes in what a native run showed.
    pub fn add_native(&mut self, native: Native) {
        if native.report.is_some() {
            self.confirmed = if native.stubs.is_empty() { Confirmed::Native } else { Confirmed::NativeStub };
        }
        self.native = Some(native);
    }
}

pub(crate) fn place(program: &Program, loc: Loc) -> Place {
    let file = if loc.is_known() { program.file(loc.file).to_owned() } else { String::new() };
    Place { file, line: loc.line, column: loc.col }
}

/// The frames of the user's own functions.
fn user_frames(program: &Program, frames: &[Frame]) -> Vec<StackFrame> {
    frames
        .iter()
        .filter(|f| !program.decl(f.func).model)
        .map(|f| StackFrame { function: program.decl(f.func).name.clone(), place: place(program, f.loc) })
        .collect()
}

fn other_thread(program: &Program, stand: &ThreadStand) -> OtherThread {
    let what = match stand.doing {
        Doing::Read => "reads",
        Doing::Wrote => "writes",
        Doing::Waits => "waits",
    };
    OtherThread { thread: stand.thread, what, stack: user_frames(program, &stand.stack) }
}

fn object(program: &Program, info: &ObjectInfo) -> Object {
    Object {
        name: info.name.map(|n| object_name(program, n)),
        size: info.size,
        live: info.live,
        allocated: user_frames(program, &info.allocated),
        freed: user_frames(program, &info.freed),
    }
}

pub(crate) fn object_name(program: &Program, name: ObjectName) -> String {
    match name {
        ObjectName::Global(g) => program.global(g).name.clone(),
        ObjectName::Func(f) => program.decl(f).name.clone(),
        ObjectName::Var(f, var) => {
            let body = program.body(f).expect("a function with variables should have a body");
            body.vars[var.index()].name.clone()
        }
    }
}

fn values(names: Names<'_>, violation: &Violation) -> Vec<ValueRow> {
    let func = violation.stack.first().map(|f| f.func);
    let row = |v: &blitz_interp::NamedValue| {
        let format = func.and_then(|f| names.format(f, v.name.as_ref()));
        let value = match format
            .filter(|f| v.ty.bits(names.program.target.ptr_bits) == v.value.width() && *f != VarFormat::Pointer)
        {
            Some(format) => show_variable(names, format, &v.value),
            None => show_value(names, v.ty, &v.value),
        };
        ValueRow { name: v.name.clone(), value }
    };
    violation.values.iter().map(row).collect()
}

fn inputs(program: &Program, run: &RunResult) -> Vec<InputRow> {
    let row = |i: &blitz_interp::UsedInput| InputRow {
        name: input_name(i),
        channel: i.name.channel(),
        value: show_input(&i.value),
        place: place(program, i.loc),
    };
    let absent = absent(run);
    run.inputs_used.iter().filter(|i| !absent.iter().any(|p| is_part(i.name.as_str(), p))).map(row).collect()
}

/// Pointers of a harness that are null: what they would lead to was made, but is not there.
fn absent(run: &RunResult) -> Vec<&str> {
    let null = |i: &&blitz_interp::UsedInput| match &i.value {
        InputValue::Bool(there) => !there,
        InputValue::Value(v) => v.is_zero(),
        InputValue::Bytes(_) => false,
    };
    let pointers = run.inputs_used.iter().filter(|i| i.name.channel() == Channel::IsNotNull);
    pointers.filter(null).filter_map(|i| i.name.owner()).collect()
}

/// Whether an input is part of what a pointer means: `p->f`, `*p`, `p[0]`, `p length`.
fn is_part(name: &str, pointer: &str) -> bool {
    match name.trim_start_matches('*').strip_prefix(pointer) {
        Some("") => name.starts_with('*'),
        Some(rest) => ["->", "[", ".", " length"].iter().any(|sep| rest.starts_with(sep)),
        None => false,
    }
}

/// The input's name with that of the variable or file it belongs to: `getenv("HOME")`, `file "data"`.
pub(crate) fn input_name(input: &blitz_interp::UsedInput) -> String {
    let text = input.via.as_ref().and_then(|via| via.text.as_ref());
    let Some(text) = text else { return input.name.to_string() };
    let text = c_string(text);
    match input.name.channel() {
        Channel::Variable(VariablePart::Bytes) => format!("getenv({text})"),
        Channel::Variable(VariablePart::IsSet) => format!("getenv({text}) set"),
        Channel::Variable(VariablePart::Length) => format!("getenv({text}) length"),
        Channel::File => format!("file {text}"),
        Channel::FileSize => format!("file {text} length"),
        Channel::Fails(FailingCall::Open) => format!("open {text} fails"),
        Channel::Fails(FailingCall::Stat) => format!("stat {text} fails"),
        Channel::Fails(FailingCall::Access) => format!("access {text} fails"),
        _ => input.name.to_string(),
    }
}

fn kind_name(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Global => "global",
        ObjectKind::Stack => "stack",
        ObjectKind::Heap => "heap",
        ObjectKind::Code => "code",
    }
}

fn message(program: &Program, violation: &Violation, text: &str) -> String {
    let what = violation.object.as_ref().map_or_else(|| "memory".to_owned(), |o| describe(program, o));
    match violation.kind {
        CheckKind::Assertion if text.is_empty() => "assertion failed".to_owned(),
        CheckKind::Assertion => format!("assertion failed: {text}"),
        CheckKind::ArrayBounds => match integer(violation, 0).filter(|_| compares_with_bound(violation, text)) {
            Some(index) => format!("array index {index} is out of bounds"),
            None => "array index out of bounds".to_owned(),
        },
        CheckKind::BufferOverflow => overflow_message(violation, &what),
        CheckKind::NullDeref => null_message(violation, text),
        CheckKind::UseAfterFree => format!("use of {what} after it was freed"),
        CheckKind::UseAfterScope => format!("use of {what} after its scope has ended"),
        CheckKind::DoubleFree => format!("{what} is freed a second time"),
        CheckKind::InvalidFree => format!("free of {what}, which is not the start of a heap object"),
        CheckKind::MemoryLeak => format!("{what} is never freed, and nothing points to it at the end"),
        CheckKind::Uninitialised => "use of a value that was never set".to_owned(),
        CheckKind::SignedOverflow => "signed integer overflow".to_owned(),
        CheckKind::UnsignedOverflow => "unsigned integer overflow".to_owned(),
        CheckKind::Shift => shift_message(violation),
        CheckKind::DivByZero => "division by zero".to_owned(),
        CheckKind::PointerOverflow => "pointer arithmetic overflows".to_owned(),
        CheckKind::Unreachable => "a place that should be unreachable was reached".to_owned(),
        CheckKind::Unwinding => "a loop runs more often than it was unwound".to_owned(),
        CheckKind::DataRace => format!("{what} is accessed by two threads at once, and one of them writes"),
        CheckKind::Deadlock | CheckKind::MutexMisuse => text.to_owned(),
    }
}

/// One of the values a violation is about, as a signed number.
fn integer(violation: &Violation, at: usize) -> Option<i128> {
    let value = violation.values.get(at).filter(|v| matches!(v.ty, Type::Int(_)))?;
    value.value.to_i128()
}

/// Whether the values are an index and the number of elements that the text names, `int[4]`: a condition that was put together with a branch's
/// is about other values.
fn compares_with_bound(violation: &Violation, text: &str) -> bool {
    let bound = text.rsplit_once('[').and_then(|(_, rest)| rest.split(']').next()?.parse::<i128>().ok());
    let Some(bound) = bound else { return true };
    integer(violation, 1).is_some_and(|n| n == bound || n == bound + 1)
}

/// A pointer that is null, or null and some offset, is called so.
fn null_message(violation: &Violation, text: &str) -> String {
    let pointer = violation.values.first().filter(|v| v.ty == Type::Ptr).and_then(|v| v.value.to_u64());
    match pointer {
        Some(0) => "access through a null pointer".to_owned(),
        None if text.starts_with("call ") => "call through a pointer that points to no function".to_owned(),
        Some(_) | None => "access through a pointer that points to no object".to_owned(),
    }
}

/// The amount, where it is the amount that is wrong: it was held against the highest that is allowed.
fn shift_message(violation: &Violation) -> String {
    match (integer(violation, 0), integer(violation, 1)) {
        (Some(amount), Some(most @ (7 | 15 | 31 | 63 | 127))) if !(0..=most).contains(&amount) => {
            format!("shift by {amount} of a value of {} bits", most + 1)
        }
        _ => "shift that C does not define".to_owned(),
    }
}

fn overflow_message(violation: &Violation, what: &str) -> String {
    match (&violation.object, violation.offset, violation.size) {
        (Some(o), Some(offset), Some(size)) => {
            let bytes = if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") };
            let inside = offset >= 0 && (offset as u64).saturating_add(size) <= o.size;
            match inside {
                true => format!("write of {bytes} at offset {offset} of {what}, which is constant"),
                false => format!("access of {bytes} at offset {offset} of {what}"),
            }
        }
        _ => format!("access outside of {what}"),
    }
}

/// `buf (stack, 8 bytes)`, `a heap object of 8 bytes`.
fn describe(program: &Program, info: &ObjectInfo) -> String {
    let kind = kind_name(info.kind);
    let bytes = if info.size == 1 { "1 byte".to_owned() } else { format!("{} bytes", info.size) };
    let global = info.name.and_then(|n| program.globals.iter().find(|g| g.name == object_name(program, n)));
    if let Some(text) = global.and_then(|g| text_of_literal(g, 0)) {
        return format!("the string literal {text} ({bytes})");
    }
    match info.name {
        Some(name) if info.kind == ObjectKind::Code => format!("function `{}`", object_name(program, name)),
        Some(name) => format!("`{}` ({kind}, {bytes})", object_name(program, name)),
        None => format!("a {kind} object of {bytes}"),
    }
}
