//! Properties: what is checked, where, and the kinds of the public contract.

use crate::program::FuncId;
use blitz_base::id_type;
use blitz_base::span::Loc;

id_type!(
    /// A property of the whole program; numbered as functions are lowered.
    PropertyId,
    "prop"
);

impl PropertyId {
    /// Stands where a check of a kind that is switched off would be: no violation is reported, but what comes behind it is not known.
    pub fn unasked(kind: CheckKind) -> Self {
        Self(u32::MAX - kind as u32)
    }

    /// The kind that is switched off, if this stands for one.
    pub fn unasked_kind(self) -> Option<CheckKind> {
        CheckKind::ALL.get((u32::MAX - self.0) as usize).copied()
    }
}

/// One check at one place.
#[derive(Clone, Debug)]
pub struct Property {
    /// Stable between runs: `<function>.<kind>.<n>`, n counting from 1 within the function.
    pub name: String,
    /// Its number among the checks of its kind that the function's text makes, from 1: those that were decided while it was read count too.
    pub number: u32,
    pub kind: CheckKind,
    pub func: FuncId,
    pub loc: Loc,
    /// For people: `dereference of p: out of bounds`, the text of the assertion, ...
    pub text: String,
}

macro_rules! kinds {
    ($($variant:ident => $name:literal, $default:literal;)*) => {
        /// The kinds of the public contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum CheckKind { $($variant,)* }

        impl CheckKind {
            /// All kinds, in the order of the contract.
            pub const ALL: &[CheckKind] = &[$(CheckKind::$variant,)*];

            /// The name in JSON, on the command line and in property ids.
            pub fn name(self) -> &'static str {
                match self { $(CheckKind::$variant => $name,)* }
            }

            /// Whether the kind is checked unless switched off.
            pub fn on_by_default(self) -> bool {
                match self { $(CheckKind::$variant => $default,)* }
            }

            /// Whether nobody can say what a program does once this has happened. After the others it goes on as the machine does.
            pub fn ends_meaning(self) -> bool {
                matches!(
                    self,
                    CheckKind::BufferOverflow
                        | CheckKind::NullDeref
                        | CheckKind::UseAfterFree
                        | CheckKind::UseAfterScope
                        | CheckKind::DoubleFree
                        | CheckKind::InvalidFree
                        | CheckKind::Shift
                        | CheckKind::DivByZero
                        | CheckKind::Unreachable
                )
            }

            /// The kind of this name.
            pub fn from_name(name: &str) -> Option<CheckKind> {
                match name { $($name => Some(CheckKind::$variant),)* _ => None }
            }
        }
    };
}

kinds! {
    Assertion => "assertion", true;
    ArrayBounds => "array-bounds", true;
    BufferOverflow => "buffer-overflow", true;
    NullDeref => "null-deref", true;
    UseAfterFree => "use-after-free", true;
    UseAfterScope => "use-after-scope", true;
    DoubleFree => "double-free", true;
    InvalidFree => "invalid-free", true;
    MemoryLeak => "memory-leak", true;
    Uninitialised => "uninitialised", true;
    SignedOverflow => "signed-overflow", true;
    UnsignedOverflow => "unsigned-overflow", false;
    Shift => "shift", true;
    DivByZero => "div-by-zero", true;
    PointerOverflow => "pointer-overflow", false;
    Unreachable => "unreachable", true;
    Unwinding => "unwinding", true;
    DataRace => "data-race", true;
    Deadlock => "deadlock", true;
    MutexMisuse => "mutex-misuse", true;
}

impl std::fmt::Display for CheckKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The set of kinds that are switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checks(u32);

impl Default for Checks {
    fn default() -> Self {
        CheckKind::ALL.iter().filter(|k| k.on_by_default()).fold(Checks::none(), |set, &k| set.with(k))
    }
}

impl Checks {
    pub fn none() -> Self {
        Checks(0)
    }

    pub fn all() -> Self {
        CheckKind::ALL.iter().fold(Checks::none(), |set, &k| set.with(k))
    }

    pub fn with(self, kind: CheckKind) -> Self {
        Checks(self.0 | 1 << kind as u32)
    }

    pub fn without(self, kind: CheckKind) -> Self {
        Checks(self.0 & !(1 << kind as u32))
    }

    pub fn has(self, kind: CheckKind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Any of the checks that guard a memory access.
    pub fn any_access(self) -> bool {
        use CheckKind::{BufferOverflow, NullDeref, UseAfterFree, UseAfterScope};
        [BufferOverflow, NullDeref, UseAfterFree, UseAfterScope].into_iter().any(|k| self.has(k))
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckKind, PropertyId};

    #[test]
    fn ids_of_what_is_switched_off_are_no_properties() {
        for &kind in CheckKind::ALL {
            assert_eq!(PropertyId::unasked(kind).unasked_kind(), Some(kind));
        }
        assert_eq!(PropertyId::new(0).unasked_kind(), None);
        assert_eq!(PropertyId::new(1_000_000).unasked_kind(), None);
    }
}
