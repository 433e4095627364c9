//! Files and directories.

use super::{Descriptor, MAX_BYTES, checked, close_real, error};
use crate::machine::Machine;

impl Machine<'_, '_> {
    fn real(&self, fd: i32) -> Result<i32, i64> {
        match self.host.descriptors.get(&fd) {
            Some(Descriptor::Real(real) | Descriptor::Sink(real)) => Ok(*real),
            None => Err(error(libc::EBADF)),
        }
    }

    pub(super) fn host_read(&mut self, fd: i32, ptr: u64, n: u64) -> i64 {
        let real = match self.real(fd) {
            Ok(real) => real,
            Err(e) => return e,
        };
        let mut bytes = vec![0; n.min(MAX_BYTES) as usize];
        // SAFETY: the buffer is ours and as long as we say.
        let got = checked(unsafe { libc::read(real, bytes.as_mut_ptr().cast(), bytes.len()) } as i64);
        if got < 0 { got } else { self.put(ptr, &bytes[..got as usize], got) }
    }

    pub(super) fn host_write(&mut self, fd: i32, ptr: u64, n: u64) -> i64 {
        let Some(bytes) = self.memory.bytes(ptr, n) else { return error(libc::EFAULT) };
        match self.host.descriptors.get(&fd) {
            // SAFETY: the bytes are there and nobody changes them meanwhile.
            Some(Descriptor::Real(real)) => {
                checked(unsafe { libc::write(*real, bytes.as_ptr().cast(), bytes.len()) } as i64)
            }
            Some(Descriptor::Sink(number)) => {
                let (number, bytes) = (*number, bytes.to_vec());
                self.emit(number, &bytes);
                n as i64
            }
            None => error(libc::EBADF),
        }
    }

    pub(super) fn host_open(&mut self, path: u64, flags: i32, mode: u32) -> i64 {
        let Some(path) = self.c_string(path) else { return error(libc::EFAULT) };
        // SAFETY: the path is NUL-terminated.
        let fd = checked(i64::from(unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, mode) }));
        if fd < 0 { fd } else { i64::from(self.host.insert(Descriptor::Real(fd as i32), 0)) }
    }

    pub(super) fn host_close(&mut self, fd: i32) -> i64 {
        match self.host.descriptors.remove(&fd) {
            Some(d) => {
                close_real(d);
                0
            }
            None => error(libc::EBADF),
        }
    }

    pub(super) fn host_seek(&mut self, fd: i32, offset: i64, whence: i32) -> i64 {
        match self.real(fd) {
            // SAFETY: no memory is involved.
            Ok(real) => checked(unsafe { libc::lseek(real, offset, whence) }),
            Err(e) => e,
        }
    }

    pub(super) fn host_truncate(&mut self, fd: i32, length: i64) -> i64 {
        match self.real(fd) {
            // SAFETY: no memory is involved.
            Ok(real) => checked(i64::from(unsafe { libc::ftruncate(real, length) })),
            Err(e) => e,
        }
    }

    pub(super) fn host_fstat(&mut self, fd: i32, out: u64) -> i64 {
        let real = match self.real(fd) {
            Ok(real) => real,
            Err(e) => return e,
        };
        // SAFETY: a `stat` of zeros is valid, and it is ours.
        let (result, stat) = unsafe {
            let mut stat: libc::stat = std::mem::zeroed();
            (checked(i64::from(libc::fstat(real, &raw mut stat))), stat)
        };
        if result < 0 { result } else { self.put(out, &stat_bytes(&stat), 0) }
    }

    pub(super) fn host_stat(&mut self, path: u64, out: u64, follow: bool) -> i64 {
        let Some(path) = self.c_string(path) else { return error(libc::EFAULT) };
        // SAFETY: the path is NUL-terminated, a `stat` of zeros is valid, and it is ours.
        let (result, stat) = unsafe {
            let mut stat: libc::stat = std::mem::zeroed();
            let call = if follow { libc::stat } else { libc::lstat };
            (checked(i64::from(call(path.as_ptr(), &raw mut stat))), stat)
        };
        if result < 0 { result } else { self.put(out, &stat_bytes(&stat), 0) }
    }

    pub(super) fn host_rename(&mut self, old: u64, new: u64) -> i64 {
        let Some(new) = self.c_string(new) else { return error(libc::EFAULT) };
        // SAFETY: both paths are NUL-terminated.
        self.with_path(old, |old| unsafe { libc::rename(old, new.as_ptr()) })
    }

    pub(super) fn host_getcwd(&mut self, ptr: u64, n: u64) -> i64 {
        use std::os::unix::ffi::OsStrExt;
        let Ok(dir) = std::env::current_dir() else { return error(libc::ENOENT) };
        let mut bytes = dir.as_os_str().as_bytes().to_vec();
        let length = bytes.len() as i64;
        bytes.push(0);
        if bytes.len() as u64 > n { error(libc::ERANGE) } else { self.put(ptr, &bytes, length) }
    }

    pub(super) fn host_isatty(&mut self, fd: i32) -> i64 {
        match self.real(fd) {
            // SAFETY: no memory is involved.
            Ok(real) => i64::from(unsafe { libc::isatty(real) }),
            Err(_) => 0,
        }
    }

    /// A copy of a descriptor under the lowest number from `least` on.
    pub(super) fn host_dup(&mut self, fd: i32, least: i32) -> i64 {
        match self.copied(fd) {
            Ok(d) => i64::from(self.host.insert(d, least)),
            Err(e) => e,
        }
    }

    pub(super) fn host_dup2(&mut self, fd: i32, number: i32) -> i64 {
        if fd == number {
            return self.real(fd).map_or_else(|e| e, |_| i64::from(number));
        }
        match self.copied(fd) {
            Ok(d) => {
                if let Some(old) = self.host.descriptors.insert(number, d) {
                    close_real(old);
                }
                i64::from(number)
            }
            Err(e) => e,
        }
    }

    fn copied(&self, fd: i32) -> Result<Descriptor, i64> {
        match self.host.descriptors.get(&fd) {
            Some(Descriptor::Sink(n)) => Ok(Descriptor::Sink(*n)),
            Some(Descriptor::Real(real)) => {
                // SAFETY: no memory is involved.
                let copy = checked(i64::from(unsafe { libc::fcntl(*real, libc::F_DUPFD_CLOEXEC, 3) }));
                if copy < 0 { Err(copy) } else { Ok(Descriptor::Real(copy as i32)) }
            }
            None => Err(error(libc::EBADF)),
        }
    }

    pub(super) fn host_fcntl(&mut self, fd: i32, cmd: i32, arg: i64) -> i64 {
        let real = match self.real(fd) {
            Ok(real) => real,
            Err(e) => return e,
        };
        match cmd {
            libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => self.host_dup(fd, arg as i32),
            libc::F_SETFD => 0,
            // SAFETY: these commands take an integer or nothing.
            libc::F_GETFD | libc::F_GETFL | libc::F_SETFL => {
                checked(i64::from(unsafe { libc::fcntl(real, cmd, arg as i32) }))
            }
            _ => error(libc::EINVAL),
        }
    }

    /// Names in a directory, each with its NUL, sorted.
    pub(super) fn host_list(&mut self, path: u64, ptr: u64, n: u64) -> i64 {
        use std::os::unix::ffi::OsStrExt;
        let Some(path) = self.c_string(path) else { return error(libc::EFAULT) };
        let entries = match std::fs::read_dir(std::ffi::OsStr::from_bytes(path.as_bytes())) {
            Ok(entries) => entries,
            Err(e) => return error(e.raw_os_error().unwrap_or(libc::EIO)),
        };
        let mut names: Vec<Vec<u8>> = vec![b".".to_vec(), b"..".to_vec()];
        names.extend(entries.filter_map(|e| Some(e.ok()?.file_name().as_bytes().to_vec())));
        names.sort();
        self.host_strings(&names, ptr, n)
    }

    pub(super) fn host_readlink(&mut self, path: u64, ptr: u64, n: u64) -> i64 {
        let mut bytes = vec![0u8; n.min(1 << 16) as usize];
        // SAFETY: the path is NUL-terminated, the buffer ours and as long as we say.
        let got = match self.c_string(path) {
            Some(path) => {
                checked(unsafe { libc::readlink(path.as_ptr(), bytes.as_mut_ptr().cast(), bytes.len()) } as i64)
            }
            None => error(libc::EFAULT),
        };
        if got < 0 { got } else { self.put(ptr, &bytes[..got as usize], got) }
    }
}

/// `struct blitz_stat`: the layout of x86-64's `struct stat`, field by field.
fn stat_bytes(s: &libc::stat) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(144);
    for x in [s.st_dev, s.st_ino, s.st_nlink] {
        bytes.extend(x.to_le_bytes());
    }
    for x in [s.st_mode, s.st_uid, s.st_gid, 0] {
        bytes.extend(x.to_le_bytes());
    }
    bytes.extend(s.st_rdev.to_le_bytes());
    let times = [s.st_atime, s.st_atime_nsec, s.st_mtime, s.st_mtime_nsec, s.st_ctime, s.st_ctime_nsec];
    for x in [s.st_size, s.st_blksize, s.st_blocks].into_iter().chain(times).chain([0; 3]) {
        bytes.extend(x.to_le_bytes());
    }
    bytes
}
