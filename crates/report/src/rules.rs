//! What each kind of check is, for formats that want it described: a sentence, its number in the Common Weakness
//! Enumeration, how bad it is.

use blitz_ir::CheckKind;

/// A kind, described.
pub struct Rule {
    pub kind: CheckKind,
    /// What a violation is, in a few words.
    pub title: &'static str,
    pub cwe: Option<u32>,
    /// GitHub's scale from 0 to 10.
    pub severity: &'static str,
}

/// The rule of a kind.
pub fn rule(kind: CheckKind) -> Rule {
    let (title, cwe, severity) = match kind {
        CheckKind::Assertion => ("An assertion fails", Some(617), "5.0"),
        CheckKind::ArrayBounds => ("An array index is out of bounds", Some(129), "8.0"),
        CheckKind::BufferOverflow => ("Memory is accessed outside of its object", Some(119), "9.0"),
        CheckKind::NullDeref => ("A pointer to nothing is dereferenced", Some(476), "6.0"),
        CheckKind::UseAfterFree => ("Memory is used after it was freed", Some(416), "9.0"),
        CheckKind::UseAfterScope => ("A variable is used after its scope has ended", Some(825), "8.0"),
        CheckKind::DoubleFree => ("Memory is freed twice", Some(415), "9.0"),
        CheckKind::InvalidFree => ("Something is freed that was not allocated", Some(590), "8.0"),
        CheckKind::MemoryLeak => ("Memory is never freed", Some(401), "3.0"),
        CheckKind::Uninitialised => ("A value is used that was never set", Some(457), "6.0"),
        CheckKind::SignedOverflow => ("A signed integer overflows", Some(190), "6.0"),
        CheckKind::UnsignedOverflow => ("An unsigned integer wraps around", Some(190), "3.0"),
        CheckKind::Shift => ("A shift is undefined", Some(1335), "4.0"),
        CheckKind::DivByZero => ("A number is divided by zero", Some(369), "5.0"),
        CheckKind::PointerOverflow => ("Pointer arithmetic overflows", Some(823), "5.0"),
        CheckKind::Unreachable => ("A place that should be unreachable is reached", Some(758), "5.0"),
        CheckKind::Unwinding => ("A loop runs more often than it was unwound", None, "0.0"),
        CheckKind::DataRace => ("Two threads access memory at once, and one writes", Some(362), "7.0"),
        CheckKind::Deadlock => ("Threads wait for each other for good", Some(833), "5.0"),
        CheckKind::MutexMisuse => ("A lock is used in a way that is not allowed", Some(667), "5.0"),
    };
    Rule { kind, title, cwe, severity }
}

/// The name of a kind as one word: `ArrayBounds`.
pub fn word(kind: CheckKind) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    kind.name().split('-').map(capital).collect()
}
