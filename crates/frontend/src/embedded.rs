//! Our libc as bitcode, built by `build.rs` and embedded in the binary; empty where it could not be built.

use crate::LibcVariant;

static HOST_64: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libc-host-64.bc"));
static HOST_32: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libc-host-32.bc"));
static MODEL_64: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libc-model-64.bc"));
static MODEL_32: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libc-model-32.bc"));

/// The bitcode of a variant for a pointer width.
pub fn libc(variant: LibcVariant, ptr_bits: u16) -> Option<&'static [u8]> {
    match (variant, ptr_bits) {
        (LibcVariant::None, _) => None,
        (LibcVariant::Host, 32) => Some(HOST_32),
        (LibcVariant::Host, _) => Some(HOST_64),
        (LibcVariant::Model, 32) => Some(MODEL_32),
        (LibcVariant::Model, _) => Some(MODEL_64),
    }
}
