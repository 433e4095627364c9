//! The memory that blitz and a fuzzed program share: `native/area.h` in Rust.
//!
//! Invariant: the program compares the size it was compiled with to the one it finds here, and refuses to begin if they differ.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};

pub const MAGIC: u32 = 0x626c_7a31;
pub const MAX_GUARDS: usize = 1 << 18;
pub const MAX_COMPARISONS: usize = 1 << 12;
pub const MAX_WORDS: usize = 256;
pub const WORD_BYTES: usize = 32;
/// The longest input, in bytes.
pub const MAX_INPUT: usize = 1 << 20;

/// Descriptors that a fuzzed program inherits.
pub const FD_BOX: RawFd = 195;
pub const FD_AREA: RawFd = 197;
pub const FD_COMMAND: RawFd = 198;
pub const FD_ANSWER: RawFd = 199;

/// Two integers that the program compared and that differ.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    pub first: u64,
    pub second: u64,
    pub bytes: u32,
    pub constant: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Words {
    pub sizes: [u8; 2],
    pub bytes: [[u8; WORD_BYTES]; 2],
}

#[repr(C)]
pub struct Area {
    pub magic: u32,
    pub bytes: u32,
    pub guards: u32,
    pub record: u32,
    pub size: u32,
    pub carrier: u32,
    pub timeout_ms: u32,
    pub memory_mb: u32,
    pub path: u64,
    pub edges: u64,
    pub comparisons: u32,
    pub words: u32,
    pub variable: [u8; 64],
    pub counts: [u8; MAX_GUARDS],
    pub blocks: [u64; MAX_GUARDS],
    pub compared: [Comparison; MAX_COMPARISONS],
    pub worded: [Words; MAX_WORDS],
    pub input: [u8; MAX_INPUT],
}

/// A mapped area. While a run is on, the program writes to it; blitz looks at it before and after only.
pub struct Shared {
    file: File,
    at: *mut Area,
}

impl Shared {
    pub fn new() -> io::Result<Shared> {
        let file = memory_file(c"area")?;
        file.set_len(size_of::<Area>() as u64)?;
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: a fresh mapping of a file of ours, as long as the file.
        let at = unsafe {
            libc::mmap(std::ptr::null_mut(), size_of::<Area>(), protection, flags, file.as_raw_fd(), 0).cast::<Area>()
        };
        if at.cast() == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mut shared = Shared { file, at };
        let area = shared.area();
        (area.magic, area.bytes) = (MAGIC, size_of::<Area>() as u32);
        Ok(shared)
    }

    pub fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// The area, while no run is on.
    pub fn area(&mut self) -> &mut Area {
        // SAFETY: mapped for as long as `self` lives; every bit pattern is a value of every field, and between runs nobody else writes.
        unsafe { &mut *self.at }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody has a reference into it that outlives `self`.
        unsafe { libc::munmap(self.at.cast(), size_of::<Area>()) };
    }
}

/// A file that is in memory only.
pub fn memory_file(name: &std::ffi::CStr) -> io::Result<File> {
    // SAFETY: the name is NUL-terminated; the result is a descriptor of ours or -1.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just made, owned by nobody else.
    Ok(unsafe { File::from_raw_fd(fd) })
}
