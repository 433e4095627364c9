//! Services of the machine below, for programs that run in the real world. The numbers are those of
//! `libc/include/blitz.h`; a result is negative, `-errno`, on failure.
//!
//! File descriptors of the program are not ours: 1 and 2 go to the sink, the others to files it opened.

mod files;
mod float;

pub use float::is_result;

use crate::machine::{End, Machine};
use crate::outcome::Outcome;
use std::collections::BTreeMap;
use std::ffi::CString;

/// The most bytes one service moves.
const MAX_BYTES: u64 = 1 << 30;

/// What a descriptor of the program stands for.
#[derive(Clone, Copy, Debug)]
pub enum Descriptor {
    /// Goes to the sink under this number.
    Sink(i32),
    /// A descriptor of our process.
    Real(i32),
}

/// The state of the services.
pub struct Host {
    descriptors: BTreeMap<i32, Descriptor>,
}

impl Default for Host {
    fn default() -> Self {
        let standard = [(0, Descriptor::Real(0)), (1, Descriptor::Sink(1)), (2, Descriptor::Sink(2))];
        Self { descriptors: standard.into_iter().collect() }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        for d in self.descriptors.values() {
            close_real(*d);
        }
    }
}

impl Host {
    /// Gives a descriptor the lowest free number from `least` on.
    fn insert(&mut self, d: Descriptor, least: i32) -> i32 {
        let number = (least.max(0)..).find(|n| !self.descriptors.contains_key(n)).expect("numbers should not run out");
        self.descriptors.insert(number, d);
        number
    }
}

fn close_real(d: Descriptor) {
    match d {
        Descriptor::Real(fd) if fd > 2 => {
            // SAFETY: the descriptor was opened for the program and is known to nobody else.
            unsafe { libc::close(fd) };
        }
        Descriptor::Real(_) | Descriptor::Sink(_) => {}
    }
}

/// A result of libc: its errno if it is negative.
fn checked(result: i64) -> i64 {
    if result < 0 { -i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)) } else { result }
}

fn error(errno: i32) -> i64 {
    -i64::from(errno)
}

impl Machine<'_, '_> {
    /// Executes service `args[0]` with the other arguments.
    pub fn host_service(&mut self, args: &[u64]) -> Result<u64, End> {
        let number = args.first().copied().unwrap_or(0) as u32;
        if self.inputs.recorded() && !(22..=25).contains(&number) {
            return self.unsupported(format!("service {number} of the host in a replay"));
        }
        let bits = self.program.target.ptr_bits;
        let extended = |i: usize| {
            let x = args.get(i).copied().unwrap_or(0);
            if bits == 32 { i64::from(x as u32 as i32) } else { x as i64 }
        };
        let raw = |i: usize| args.get(i).copied().unwrap_or(0);
        let result = match number {
            1 => self.host_read(extended(1) as i32, raw(2), raw(3)),
            2 => self.host_write(extended(1) as i32, raw(2), raw(3)),
            3 => self.host_open(raw(1), extended(2) as i32, extended(3) as u32),
            4 => self.host_close(extended(1) as i32),
            5 => self.host_seek(extended(1) as i32, extended(2), extended(3) as i32),
            6 => self.host_fstat(extended(1) as i32, raw(2)),
            7 => self.host_stat(raw(1), raw(2), raw(3) != 0),
            // SAFETY: these take NUL-terminated paths, which `with_path` makes.
            8 => self.with_path(raw(1), |p| unsafe { libc::unlink(p) }),
            9 => self.host_rename(raw(1), raw(2)),
            10 => self.with_path(raw(1), |p| unsafe { libc::mkdir(p, extended(2) as u32) }),
            11 => self.with_path(raw(1), |p| unsafe { libc::rmdir(p) }),
            12 => self.host_getcwd(raw(1), raw(2)),
            13 => self.with_path(raw(1), |p| unsafe { libc::chdir(p) }),
            14 => self.host_isatty(extended(1) as i32),
            15 => self.host_clock(extended(1) as i32, raw(2)),
            16 => i64::from(std::process::id()),
            17 => self.with_path(raw(1), |p| unsafe { libc::access(p, extended(2) as i32) }),
            18 => self.host_dup(extended(1) as i32, 0),
            19 => self.host_dup2(extended(1) as i32, extended(2) as i32),
            20 => self.host_fcntl(extended(1) as i32, extended(2) as i32, extended(3)),
            21 => self.host_list(raw(1), raw(2), raw(3)),
            22 => self.format_float(raw(1), raw(2), raw(3), raw(4), raw(5)),
            23 => self.parse_float(raw(1), raw(2), raw(3)),
            24 => self.math1(raw(1), raw(2), raw(3)),
            25 => self.math2(raw(1), raw(2), raw(3), raw(4)),
            26 => host_id(raw(1)),
            27 => {
                std::thread::sleep(std::time::Duration::from_nanos(extended(1).max(0) as u64));
                0
            }
            28 => 0,
            29 => self.host_strings(&self.config.env, raw(1), raw(2)),
            30 => self.host_random(raw(1), raw(2)),
            31 => self.host_localtime(raw(1), raw(2)),
            32 => self.host_readlink(raw(1), raw(2), raw(3)),
            33 => self.host_truncate(extended(1) as i32, extended(2)),
            34 => return Err(Box::new(Outcome::Halt(128 + extended(1) as i32))),
            35 => self.host_strings(&self.config.args, raw(1), raw(2)),
            36 => self.config.args.len() as i64,
            _ => return self.unsupported(format!("service {number} of the host")),
        };
        Ok(result as u64)
    }

    /// The C string at `ptr`.
    pub fn c_string(&self, ptr: u64) -> Option<CString> {
        let bytes = self.memory.bytes(ptr, self.memory.readable_from(ptr))?;
        let end = bytes.iter().position(|&b| b == 0)?;
        CString::new(&bytes[..end]).ok()
    }

    fn with_path(&self, path: u64, call: impl FnOnce(*const libc::c_char) -> i32) -> i64 {
        match self.c_string(path) {
            Some(path) => checked(i64::from(call(path.as_ptr()))),
            None => error(libc::EFAULT),
        }
    }

    /// Writes bytes into the program's memory; the result is `result` if that is possible.
    fn put(&mut self, ptr: u64, bytes: &[u8], result: i64) -> i64 {
        if self.memory.write(ptr, bytes) { result } else { error(libc::EFAULT) }
    }

    /// Strings, each with its NUL, into a buffer.
    fn host_strings(&mut self, strings: &[Vec<u8>], ptr: u64, n: u64) -> i64 {
        let all: Vec<u8> = strings.iter().flat_map(|s| s.iter().copied().chain([0])).collect();
        if all.len() as u64 > n { error(libc::ERANGE) } else { self.put(ptr, &all, all.len() as i64) }
    }

    fn host_clock(&mut self, clock: i32, ptr: u64) -> i64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is ours.
        let result = checked(i64::from(unsafe { libc::clock_gettime(clock, &raw mut time) }));
        if result < 0 {
            return result;
        }
        let bytes: Vec<u8> = [time.tv_sec, time.tv_nsec].iter().flat_map(|x| x.to_le_bytes()).collect();
        self.put(ptr, &bytes, 0)
    }

    fn host_localtime(&mut self, seconds: u64, out: u64) -> i64 {
        let Some(bytes) = self.memory.bytes(seconds, 8) else { return error(libc::EFAULT) };
        let seconds = i64::from_le_bytes(bytes.try_into().expect("eight bytes were asked for"));
        // SAFETY: a `tm` of zeros is valid, and both pointers are ours.
        let tm = unsafe {
            let mut tm: libc::tm = std::mem::zeroed();
            if libc::localtime_r(&raw const seconds, &raw mut tm).is_null() {
                return error(libc::EOVERFLOW);
            }
            tm
        };
        let fields = [
            tm.tm_sec,
            tm.tm_min,
            tm.tm_hour,
            tm.tm_mday,
            tm.tm_mon,
            tm.tm_year,
            tm.tm_wday,
            tm.tm_yday,
            tm.tm_isdst,
            0,
        ];
        let mut bytes: Vec<u8> = fields.iter().flat_map(|x| x.to_le_bytes()).collect();
        bytes.extend(tm.tm_gmtoff.to_le_bytes());
        bytes.extend([0; 8]);
        self.put(out, &bytes, 0)
    }

    fn host_random(&mut self, ptr: u64, n: u64) -> i64 {
        let mut bytes = vec![0; n.min(MAX_BYTES) as usize];
        // SAFETY: the buffer is ours and as long as we say.
        let got = checked(unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) } as i64);
        if got < 0 { got } else { self.put(ptr, &bytes[..got as usize], got) }
    }
}

fn host_id(which: u64) -> i64 {
    // SAFETY: these have no preconditions.
    unsafe {
        match which {
            0 => i64::from(libc::getuid()),
            1 => i64::from(libc::geteuid()),
            2 => i64::from(libc::getgid()),
            3 => i64::from(libc::getegid()),
            4 => i64::from(libc::getppid()),
            _ => error(libc::EINVAL),
        }
    }
}
