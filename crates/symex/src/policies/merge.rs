//! Everything at once (bmc): calls are inlined, loops run up to their bound, all ways are followed, states are joined where they meet.
//!
//! Nothing is decided here that is not every policy's default.

use crate::policy::Policy;

/// Inlines, iterates, joins.
pub struct Merge;

impl<'p, 'a> Policy<'p, 'a> for Merge {}
