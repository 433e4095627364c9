//! What this machine's C library defines, for kits that were not built.

use std::ffi::{CStr, CString};

/// The libraries that every program is linked with.
const LIBRARIES: [&CStr; 2] = [c"libc.so.6", c"libm.so.6"];

/// Whether the C library has something of this name. If it can't be asked: yes, since a doubt too many is the smaller mistake.
pub fn defines(name: &str) -> bool {
    let Ok(name) = CString::new(name) else { return false };
    LIBRARIES.iter().any(|library| {
        // SAFETY: the C library is loaded already; opening it once more runs nothing of it.
        let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        // SAFETY: the handle is open, and the name is a C string. It is never closed: it stays loaded anyway.
        handle.is_null() || !unsafe { libc::dlsym(handle, name.as_ptr()) }.is_null()
    })
}

#[cfg(test)]
mod tests {
    use super::defines;

    #[test]
    fn the_c_library_knows_its_own() {
        assert!(defines("logbf") && defines("wcstok") && defines("tsearch"));
        assert!(!defines("a_function_of_the_user"));
    }
}
