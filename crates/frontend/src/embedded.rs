//! Our libc as bitcode, built by `build.rs` and embedded in the binary; empty where it could not be built.

use crate::LibcVariant;

/// A source of our libc: its bitcode, and the names it defines for others.
pub type Part = (&'static [u8], &'static [&'static str]);

static HOST_64: &[Part] = include!(concat!(env!("OUT_DIR"), "/libc-host-64.rs"));
static HOST_32: &[Part] = include!(concat!(env!("OUT_DIR"), "/libc-host-32.rs"));
static MODEL_64: &[Part] = include!(concat!(env!("OUT_DIR"), "/libc-model-64.rs"));
static MODEL_32: &[Part] = include!(concat!(env!("OUT_DIR"), "/libc-model-32.rs"));

/// The parts of a variant for a pointer width.
pub fn libc(variant: LibcVariant, ptr_bits: u16) -> Option<&'static [Part]> {
    match (variant, ptr_bits) {
        (LibcVariant::None, _) => None,
        (LibcVariant::Host, 32) => Some(HOST_32),
        (LibcVariant::Host, _) => Some(HOST_64),
        (LibcVariant::Model, 32) => Some(MODEL_32),
        (LibcVariant::Model, _) => Some(MODEL_64),
    }
}

/// The functions that our libc defines.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    MODEL_64.iter().flat_map(|(_, names)| names.iter().copied()).filter(|n| !n.starts_with('_'))
}
