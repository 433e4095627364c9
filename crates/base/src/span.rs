//! Source places: file, line, column.

use crate::id_type;

id_type!(
    /// A source file of the program.
    FileId,
    "file"
);

/// A place in a source file; line 0 means the place is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc {
    pub file: FileId,
    pub line: u32,
    pub col: u32,
}

impl Loc {
    /// No known place.
    pub const UNKNOWN: Loc = Loc { file: FileId(0), line: 0, col: 0 };

    /// Whether a place is known.
    pub fn is_known(self) -> bool {
        self.line != 0
    }
}
