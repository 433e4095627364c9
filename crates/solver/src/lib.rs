//! The solver trait and its back ends.
