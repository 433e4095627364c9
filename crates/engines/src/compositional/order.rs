//! Which properties are taken up first: what somebody asserted, then where memory is most likely to be overrun.

use super::world::sites;
use blitz_ir::{AccessKind, CheckKind, FuncId, Inst, Program, PropertyId, Target};

/// Library functions that write as much as their source holds: nobody tells them the size of what they write to.
const TOLD_NO_SIZE: &[&str] =
    &["strcpy", "stpcpy", "strcat", "sprintf", "vsprintf", "gets", "scanf", "fscanf", "sscanf", "wcscpy", "wcscat"];

/// Kinds of places, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    Asserted,
    CopiedWithoutSize,
    Written,
    OutOfBounds,
    Freed,
    Null,
    Other,
}

impl Urgency {
    pub fn of(program: &Program, property: PropertyId, func: FuncId) -> Self {
        match program.property(property).kind {
            CheckKind::Assertion => Self::Asserted,
            CheckKind::BufferOverflow | CheckKind::ArrayBounds => Self::of_overrun(program, property, func),
            CheckKind::UseAfterFree | CheckKind::DoubleFree | CheckKind::InvalidFree => Self::Freed,
            CheckKind::NullDeref => Self::Null,
            _ => Self::Other,
        }
    }

    fn of_overrun(program: &Program, property: PropertyId, func: FuncId) -> Self {
        let Some(body) = program.body(func) else { return Self::OutOfBounds };
        let at = |site| match &body.inst(site).inst {
            Inst::Call(call) if told_no_size(program, call.target) => Self::CopiedWithoutSize,
            Inst::CheckMem(check) if check.access == AccessKind::Write => Self::Written,
            _ => Self::OutOfBounds,
        };
        sites(program, func, property).into_iter().map(at).min().unwrap_or(Self::OutOfBounds)
    }
}

fn told_no_size(program: &Program, target: Target) -> bool {
    match target {
        Target::Func(callee) => {
            let decl = program.decl(callee);
            decl.model && TOLD_NO_SIZE.contains(&decl.name.as_ref())
        }
        Target::Pointer(_) => false,
    }
}
