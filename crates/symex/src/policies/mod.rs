//! The policies, one room each: what is done at calls, loops, joins and forks.

pub mod follow;
pub mod generalise;
pub mod havoc;
pub mod merge;
pub mod rounds;
pub mod segment;
pub mod waves;
