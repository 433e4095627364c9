//! The loop that executes register code.
//!
//! Safety of the unchecked accesses: `translate` makes every slot index smaller than the frame and every jump
//! go to an operation; `open_frame` makes room for the whole frame in `regs`; only calls, returns and slow
//! operations change `frames` or `regs`, and after those the registers are looked up again.

use crate::code::{Op, Table};
use crate::machine::{End, Machine};
use std::convert::Infallible;

/// What comes after an operation outside of the fast path.
pub enum Next {
    /// The operation behind it.
    Continue,
    /// The innermost frame or its position has changed.
    Reload,
}

#[inline(always)]
fn cut(x: u64, sh: u8) -> u64 {
    x << sh >> sh
}

#[inline(always)]
fn signed(x: u64, sh: u8) -> i64 {
    (x << sh) as i64 >> sh
}

/// SMT-LIB's signed division: by zero it gives 1 or -1.
fn sdiv(a: i64, b: i64) -> i64 {
    match b {
        0 if a < 0 => 1,
        0 => -1,
        _ => a.wrapping_div(b),
    }
}

fn srem(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { a.wrapping_rem(b) }
}

fn shl(a: u64, b: u64) -> u64 {
    if b < 64 { a << b } else { 0 }
}

fn lshr(a: u64, b: u64) -> u64 {
    if b < 64 { a >> b } else { 0 }
}

/// Whether a signed operation leaves its width.
#[inline(always)]
fn overflows(sh: u8, a: u64, b: u64, op: impl Fn(i64, i64) -> Option<i64>) -> u64 {
    match op(signed(a, sh), signed(b, sh)) {
        Some(x) => u64::from(signed(x as u64, sh) != x),
        None => 1,
    }
}

/// Whether an unsigned result leaves its width.
#[inline(always)]
fn carries(sh: u8, result: Option<u64>) -> u64 {
    match result {
        Some(x) => u64::from(cut(x, sh) != x),
        None => 1,
    }
}

/// # Safety
/// `n` bytes (1, 2, 4 or 8) can be read at `p`.
#[inline(always)]
unsafe fn read_bytes(p: *const u8, n: u8) -> u64 {
    unsafe {
        match n {
            1 => u64::from(p.read()),
            2 => u64::from(p.cast::<u16>().read_unaligned()),
            4 => u64::from(p.cast::<u32>().read_unaligned()),
            _ => p.cast::<u64>().read_unaligned(),
        }
    }
}

/// # Safety
/// `n` bytes (1, 2, 4 or 8) can be written at `p`.
#[inline(always)]
unsafe fn write_bytes(p: *mut u8, n: u8, bits: u64) {
    unsafe {
        match n {
            1 => p.write(bits as u8),
            2 => p.cast::<u16>().write_unaligned(bits as u16),
            4 => p.cast::<u32>().write_unaligned(bits as u32),
            _ => p.cast::<u64>().write_unaligned(bits),
        }
    }
}

fn find(table: &Table, value: u64) -> Option<u32> {
    match table {
        Table::Dense { first, to, default } => {
            Some(to.get(value.wrapping_sub(*first) as usize).copied().unwrap_or(*default))
        }
        Table::Sparse { cases, default } => {
            Some(cases.binary_search_by_key(&value, |c| c.0).map_or(*default, |i| cases[i].1))
        }
        Table::Blocks { to } => to.get((value as usize).wrapping_sub(1)).copied(),
        Table::Wide { .. } => None,
    }
}

impl Machine<'_, '_> {
    /// Executes until the end.
    #[allow(clippy::too_many_lines)]
    pub fn execute(&mut self) -> Result<Infallible, End> {
        'frame: loop {
            let top = self.frames.last_mut().expect("a running program should have a frame");
            let code = top.code;
            let mut pc = top.pc as usize;
            // SAFETY: the frame lies inside of `regs`.
            let r = unsafe { self.regs.as_mut_ptr().add(top.base) };
            macro_rules! get {
                ($s:expr) => {
                    // SAFETY: see the module's comment.
                    unsafe { *r.add($s as usize) }
                };
            }
            macro_rules! set {
                ($s:expr, $v:expr) => {{
                    let value: u64 = $v;
                    // SAFETY: see the module's comment.
                    unsafe { *r.add($s as usize) = value }
                }};
            }
            macro_rules! double {
                ($s:expr) => {
                    f64::from_bits(get!($s))
                };
            }
            // Leaves the fast path: whoever is called may look at the frame's position.
            macro_rules! slow {
                ($e:expr) => {{
                    self.top_mut().pc = pc as u32;
                    $e?
                }};
            }
            macro_rules! load {
                ($ty:ty, $sh:expr, $d:expr, $p:expr) => {{
                    match self.memory.readable(get!($p), size_of::<$ty>() as u64) {
                        // SAFETY: `readable` made sure that the bytes are there.
                        Some(at) => set!($d, cut(u64::from(unsafe { at.cast::<$ty>().read_unaligned() }), $sh)),
                        None => slow!(self.bad_load($d, get!($p), size_of::<$ty>() as u64, $sh)),
                    }
                }};
            }
            macro_rules! store {
                ($ty:ty, $p:expr, $s:expr) => {{
                    match self.memory.writable(get!($p), size_of::<$ty>() as u64) {
                        Some((at, shadow)) => {
                            let value = get!($s) as $ty;
                            // SAFETY: `writable` made sure that bytes and shadow are there.
                            unsafe {
                                at.cast::<$ty>().write_unaligned(value);
                                shadow.cast::<$ty>().write_unaligned(<$ty>::MAX);
                            }
                        }
                        None => slow!(self.bad_access(get!($p), size_of::<$ty>() as u64)),
                    }
                }};
            }
            loop {
                // SAFETY: control never leaves `ops`: blocks end in a jump, a return or a stop.
                let op = unsafe { *code.ops.get_unchecked(pc) };
                match op {
                    Op::Steps(n) => {
                        self.fuel -= i64::from(n);
                        if self.fuel < 0 {
                            slow!(self.refuel());
                        }
                    }
                    Op::Mov { d, s } => set!(d, get!(s)),
                    Op::Add { sh, d, a, b } => set!(d, cut(get!(a).wrapping_add(get!(b)), sh)),
                    Op::Sub { sh, d, a, b } => set!(d, cut(get!(a).wrapping_sub(get!(b)), sh)),
                    Op::Mul { sh, d, a, b } => set!(d, cut(get!(a).wrapping_mul(get!(b)), sh)),
                    Op::UDiv { sh, d, a, b } => set!(d, get!(a).checked_div(get!(b)).unwrap_or(u64::MAX >> sh)),
                    Op::SDiv { sh, d, a, b } => {
                        set!(d, cut(sdiv(signed(get!(a), sh), signed(get!(b), sh)) as u64, sh));
                    }
                    Op::URem { d, a, b } => set!(d, get!(a).checked_rem(get!(b)).unwrap_or(get!(a))),
                    Op::SRem { sh, d, a, b } => {
                        set!(d, cut(srem(signed(get!(a), sh), signed(get!(b), sh)) as u64, sh));
                    }
                    Op::Shl { sh, d, a, b } => set!(d, cut(shl(get!(a), get!(b)), sh)),
                    Op::LShr { d, a, b } => set!(d, lshr(get!(a), get!(b))),
                    Op::AShr { sh, d, a, b } => set!(d, cut((signed(get!(a), sh) >> get!(b).min(63)) as u64, sh)),
                    Op::And { d, a, b } => set!(d, get!(a) & get!(b)),
                    Op::Or { d, a, b } => set!(d, get!(a) | get!(b)),
                    Op::Xor { d, a, b } => set!(d, get!(a) ^ get!(b)),
                    Op::UMin { d, a, b } => set!(d, get!(a).min(get!(b))),
                    Op::UMax { d, a, b } => set!(d, get!(a).max(get!(b))),
                    Op::SMin { sh, d, a, b } => set!(d, cut(signed(get!(a), sh).min(signed(get!(b), sh)) as u64, sh)),
                    Op::SMax { sh, d, a, b } => set!(d, cut(signed(get!(a), sh).max(signed(get!(b), sh)) as u64, sh)),
                    Op::Eq { d, a, b } => set!(d, u64::from(get!(a) == get!(b))),
                    Op::Ne { d, a, b } => set!(d, u64::from(get!(a) != get!(b))),
                    Op::Ult { d, a, b } => set!(d, u64::from(get!(a) < get!(b))),
                    Op::Ule { d, a, b } => set!(d, u64::from(get!(a) <= get!(b))),
                    Op::Slt { sh, d, a, b } => set!(d, u64::from(signed(get!(a), sh) < signed(get!(b), sh))),
                    Op::Sle { sh, d, a, b } => set!(d, u64::from(signed(get!(a), sh) <= signed(get!(b), sh))),
                    Op::SAddO { sh, d, a, b } => set!(d, overflows(sh, get!(a), get!(b), i64::checked_add)),
                    Op::SSubO { sh, d, a, b } => set!(d, overflows(sh, get!(a), get!(b), i64::checked_sub)),
                    Op::SMulO { sh, d, a, b } => set!(d, overflows(sh, get!(a), get!(b), i64::checked_mul)),
                    Op::UAddO { sh, d, a, b } => set!(d, carries(sh, get!(a).checked_add(get!(b)))),
                    Op::UMulO { sh, d, a, b } => set!(d, carries(sh, get!(a).checked_mul(get!(b)))),
                    Op::USubO { d, a, b } => set!(d, u64::from(get!(a) < get!(b))),
                    Op::Trunc { sh, d, a } => set!(d, cut(get!(a), sh)),
                    Op::SExt { sh, from, d, a } => set!(d, cut(signed(get!(a), from) as u64, sh)),
                    Op::Select { d, c, a, b } => set!(d, if get!(c) != 0 { get!(a) } else { get!(b) }),
                    Op::FAdd { d, a, b } => set!(d, (double!(a) + double!(b)).to_bits()),
                    Op::FSub { d, a, b } => set!(d, (double!(a) - double!(b)).to_bits()),
                    Op::FMul { d, a, b } => set!(d, (double!(a) * double!(b)).to_bits()),
                    Op::FDiv { d, a, b } => set!(d, (double!(a) / double!(b)).to_bits()),
                    Op::FLt { d, a, b } => set!(d, u64::from(double!(a) < double!(b))),
                    Op::FLe { d, a, b } => set!(d, u64::from(double!(a) <= double!(b))),
                    Op::FEq { d, a, b } => set!(d, u64::from(double!(a) == double!(b))),
                    Op::PtrAdd { sh, d, a, b } => set!(d, self.memory.ptr_add(get!(a), signed(get!(b), sh))),
                    Op::Alloca { d, size } => {
                        let p = slow!(self.alloca(get!(size)));
                        set!(d, p);
                    }
                    Op::Load8 { sh, d, p } => load!(u8, sh, d, p),
                    Op::Load16 { sh, d, p } => load!(u16, sh, d, p),
                    Op::Load32 { sh, d, p } => load!(u32, sh, d, p),
                    Op::Load64 { d, p } => load!(u64, 0, d, p),
                    Op::Store8 { p, s } => store!(u8, p, s),
                    Op::Store16 { p, s } => store!(u16, p, s),
                    Op::Store32 { p, s } => store!(u32, p, s),
                    Op::Store64 { p, s } => store!(u64, p, s),
                    Op::LoadShadow { bytes, sh, d, p } => match self.memory.shadow(get!(p), u64::from(bytes)) {
                        // SAFETY: the shadow of that many bytes is there.
                        Some(at) => set!(d, cut(!unsafe { read_bytes(at, bytes) }, sh)),
                        None => {
                            slow!(self.bad_access(get!(p), u64::from(bytes)));
                            set!(d, 0);
                        }
                    },
                    Op::StoreShadow { bytes, p, s } => match self.memory.writable(get!(p), u64::from(bytes)) {
                        Some((_, at)) => {
                            let bits = !get!(s);
                            // SAFETY: the shadow of that many bytes is there.
                            unsafe { write_bytes(at, bytes, bits) }
                        }
                        None => slow!(self.bad_access(get!(p), u64::from(bytes))),
                    },
                    Op::CheckShadow { bytes, sh, p } => match self.memory.shadow(get!(p), u64::from(bytes)) {
                        // SAFETY: the shadow of that many bytes is there.
                        Some(at) => {
                            if cut(!unsafe { read_bytes(at, bytes) }, sh) != 0 {
                                slow!(self.failed_check());
                            }
                        }
                        None => slow!(self.bad_access(get!(p), u64::from(bytes))),
                    },
                    Op::Check { c } => {
                        if get!(c) == 0 {
                            slow!(self.failed_check());
                        }
                    }
                    Op::CheckRead { p, size } => {
                        if self.memory.readable(get!(p), get!(size)).is_none() {
                            slow!(self.check_mem());
                        }
                    }
                    Op::CheckWrite { p, size } => {
                        if self.memory.writable(get!(p), get!(size)).is_none() {
                            slow!(self.check_mem());
                        }
                    }
                    Op::Jump { to } => {
                        pc = to as usize;
                        continue;
                    }
                    Op::Branch { c, then, other } => {
                        pc = if get!(c) != 0 { then } else { other } as usize;
                        continue;
                    }
                    Op::BranchEq { a, b, then, other } => {
                        pc = if get!(a) == get!(b) { then } else { other } as usize;
                        continue;
                    }
                    Op::BranchUlt { a, b, then, other } => {
                        pc = if get!(a) < get!(b) { then } else { other } as usize;
                        continue;
                    }
                    Op::BranchSlt { sh, a, b, then, other } => {
                        pc = if signed(get!(a), sh) < signed(get!(b), sh) { then } else { other } as usize;
                        continue;
                    }
                    Op::Switch { value, table } => {
                        pc = match find(&code.tables[table as usize], get!(value)) {
                            Some(to) => to as usize,
                            None => slow!(self.wide_switch(table)) as usize,
                        };
                        continue;
                    }
                    Op::Call { info } => {
                        slow!(self.call(info));
                        continue 'frame;
                    }
                    Op::Return { info } => {
                        slow!(self.ret(info));
                        continue 'frame;
                    }
                    Op::Slow => match slow!(self.slow()) {
                        Next::Continue => {}
                        Next::Reload => continue 'frame,
                    },
                    Op::Trace => slow!(self.trace_inst()),
                    Op::TraceBranch { c } => slow!(self.trace_branch(get!(c))),
                    Op::Reach => slow!(self.note_check()),
                    Op::Touch => slow!(self.note_touch()),
                    Op::NeedsSet { s } => slow!(self.needs_set(s)),
                    Op::Unset { bytes, p, s } => slow!(self.stores_unset(get!(p), bytes, get!(s))),
                    Op::Watch { bytes, p } => slow!(self.watch(get!(p), u64::from(bytes))),
                }
                pc += 1;
            }
        }
    }
}
