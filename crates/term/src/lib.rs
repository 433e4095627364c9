//! placeholder line
