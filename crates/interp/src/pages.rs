//! Pages straight from the system, for objects so large that only what is touched may cost anything.
//!
//! Why: `calloc(1500000000, 8)` is a few pages to the program, and twelve gigabytes of bytes and shadow if they are written one by one. Fresh
//! pages read as zeros; pages of ones (the shadow of determinate bytes) are private mappings of one small file of ones, over and over.
//!
//! Invariants: ranges given to `free` come from `alloc` with the same size; `zero` and `ones` touch no byte outside of their range. Where the system
//! refuses a mapping they write, in steps of [`STEP`], between which the caller's limit is looked at.

use std::os::fd::RawFd;
use std::sync::OnceLock;

/// Objects of at least this many bytes are mapped; filling that many is worth a system call.
pub const LARGE: usize = 16 << 20;
/// Bytes that bulk operations move between two looks at the budget: some milliseconds.
pub const STEP: usize = 16 << 20;
/// Size of a page, or a divisor of it that is as good: the smallest that Linux has.
const PAGE: usize = 4096;

/// Zero pages for this many bytes, or null.
pub fn alloc(bytes: usize) -> *mut u8 {
    map(std::ptr::null_mut(), bytes, libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1).unwrap_or(std::ptr::null_mut())
}

/// Gives pages back.
///
/// # Safety
/// The pages are from `alloc` of as many bytes, and nobody uses them any more.
pub unsafe fn free(at: *mut u8, bytes: usize) {
    // SAFETY: as the caller promises.
    unsafe { libc::munmap(at.cast(), bytes) };
}

/// Makes bytes zero.
///
/// # Safety
/// The bytes are there, and those of whole pages are in mappings of ours.
pub unsafe fn zero<E>(at: *mut u8, bytes: usize, look: impl FnMut() -> Result<(), E>) -> Result<(), E> {
    let remap = |at, n| map(at, n, libc::MAP_FIXED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1).is_some();
    // SAFETY: as the caller promises.
    unsafe { fill(at, bytes, 0, remap, look) }
}

/// Makes all bits of bytes one.
///
/// # Safety
/// As for `zero`.
pub unsafe fn ones<E>(at: *mut u8, bytes: usize, look: impl FnMut() -> Result<(), E>) -> Result<(), E> {
    let remap = |at: *mut u8, n: usize| {
        let Some(file) = file_of_ones() else { return false };
        (0..n).step_by(STEP).all(|from| {
            let size = STEP.min(n - from);
            map(at.wrapping_add(from), size, libc::MAP_FIXED | libc::MAP_NORESERVE, file).is_some()
        })
    };
    // SAFETY: as the caller promises.
    unsafe { fill(at, bytes, 0xff, remap, look) }
}

/// Whole pages by `remap`, the rest (or all, where that fails) by writing.
unsafe fn fill<E>(
    at: *mut u8,
    bytes: usize,
    byte: u8,
    remap: impl FnOnce(*mut u8, usize) -> bool,
    mut look: impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    let before = (PAGE - at as usize % PAGE) % PAGE;
    let whole = bytes.saturating_sub(before) / PAGE * PAGE;
    let mut parts = [(0, bytes), (0, 0)];
    if bytes >= LARGE && remap(at.wrapping_add(before), whole) {
        parts = [(0, before), (before + whole, bytes - before - whole)];
    }
    for (from, n) in parts {
        for done in (0..n).step_by(STEP) {
            look()?;
            // SAFETY: inside of the range that the caller vouches for.
            unsafe { at.add(from + done).write_bytes(byte, STEP.min(n - done)) };
        }
    }
    Ok(())
}

fn map(at: *mut u8, bytes: usize, flags: i32, file: RawFd) -> Option<*mut u8> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: without MAP_FIXED the system chooses a free place; with it, the callers name pages of their own.
    let mapped = unsafe { libc::mmap(at.cast(), bytes, access, flags | libc::MAP_PRIVATE, file, 0) };
    (mapped != libc::MAP_FAILED).then_some(mapped.cast())
}

/// A file of `STEP` ones in memory, made once.
fn file_of_ones() -> Option<RawFd> {
    static FILE: OnceLock<Option<RawFd>> = OnceLock::new();
    *FILE.get_or_init(|| {
        // SAFETY: the name is a C string; the descriptor is new and stays ours.
        let file = unsafe { libc::memfd_create(c"ones".as_ptr(), libc::MFD_CLOEXEC) };
        let block = [0xffu8; 1 << 16];
        let whole = file >= 0
            && (0..STEP / block.len()).all(|i| {
                let at = (i * block.len()) as libc::off_t;
                // SAFETY: the block is there.
                let written = unsafe { libc::pwrite(file, block.as_ptr().cast(), block.len(), at) };
                written == block.len() as isize
            });
        whole.then_some(file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never() -> Result<(), ()> {
        Ok(())
    }

    #[test]
    fn large_ranges_are_filled_to_the_byte() {
        let bytes = 3 * LARGE;
        let p = alloc(bytes);
        assert!(!p.is_null());
        let at = |i: usize| -> u8 {
            // SAFETY: inside of the mapping.
            unsafe { p.add(i).read() }
        };
        for (from, to) in [(5, 5 + LARGE), (PAGE, PAGE + LARGE + 1), (1, bytes - 1)] {
            // SAFETY: inside of the mapping, which nobody else knows.
            unsafe {
                p.write_bytes(7, bytes);
                ones(p.add(from), to - from, never).unwrap();
            }
            assert_eq!((at(from - 1), at(from), at(to - 1), at(to)), (7, 0xff, 0xff, 7));
            // SAFETY: likewise.
            unsafe { zero(p.add(from), to - from, never).unwrap() };
            assert_eq!((at(from - 1), at(from), at(to - 1), at(to)), (7, 0, 0, 7));
        }
        // SAFETY: from `alloc`, and used no more.
        unsafe { free(p, bytes) };
    }

    #[test]
    fn gigabytes_of_ones_cost_next_to_nothing() {
        let bytes = 8 << 30;
        let p = alloc(bytes);
        assert!(!p.is_null());
        // SAFETY: inside of the mapping, which nobody else knows.
        unsafe {
            ones(p, bytes, never).unwrap();
            assert_eq!(p.add(bytes / 2 + 12_345).read(), 0xff);
            p.add(bytes / 2).write(3);
            assert_eq!((p.add(bytes / 2).read(), p.add(STEP / 2).read()), (3, 0xff));
            free(p, bytes);
        }
    }
}
