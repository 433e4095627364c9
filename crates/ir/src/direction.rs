//! The direction in which a model of something outside differs from it.

/// How a model differs from the real thing; one that does not is exact and says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It leaves behaviours out: `safe` can't rest on it.
    Fewer,
    /// It adds behaviours: a violation can't rest on it, unless a native run with the real function shows it.
    More,
}

impl Direction {
    pub const ALL: [Direction; 2] = [Direction::Fewer, Direction::More];

    /// The name in the text form; in C it has the prefix `__blitz_`.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Fewer => "fewer",
            Direction::More => "more",
        }
    }
}
