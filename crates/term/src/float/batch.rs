//! Evaluation of one circuit under very many operands: the terms compiled to a flat program that works on `LANES` assignments at a time.
//!
//! Why: floats are held against the CPU on tens of millions of operands, and a walk over terms per operand would take hours.
//! Registers are reused as soon as their last reader has run, so that the working set of a large circuit stays in the cache. Values of at
//! most 64 bits have registers of their own, whose loops the compiler turns into vector instructions.
//! Absent: arrays, and bit-vectors of more than 128 bits.

use crate::{Op, Term, Terms};
use std::fmt;

/// Assignments evaluated together.
pub const LANES: usize = 64;

/// The values of one term under `LANES` assignments.
pub type Lanes = [u128; LANES];

/// A compiled set of terms.
#[derive(Clone, Debug)]
pub struct Program {
    code: Vec<Inst>,
    inputs: usize,
    outputs: Vec<Reg>,
    /// How many registers of each file.
    narrow: usize,
    wide: usize,
}

/// What `Program::run` works in; made once, used again and again.
#[derive(Clone, Debug)]
pub struct Registers {
    narrow: Vec<[u64; LANES]>,
    wide: Vec<Lanes>,
}

/// A register of one of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reg {
    Narrow(u32),
    Wide(u32),
}

/// Why terms cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A term of this many bits.
    TooWide(u16),
    /// An array term, or an operation on one.
    Array(Term),
    /// A variable that is not among the inputs.
    FreeVar(Term),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::TooWide(width) => write!(f, "a term of {width} bits; 128 is the most a batch takes"),
            Refused::Array(term) => write!(f, "{term} is about arrays, which a batch does not take"),
            Refused::FreeVar(term) => write!(f, "the variable {term} is not an input of the batch"),
        }
    }
}

impl std::error::Error for Refused {}

#[derive(Clone, Copy, Debug)]
struct Inst {
    code: Code,
    dst: Reg,
    a: Reg,
    b: Reg,
    c: Reg,
    /// Ones in the bits that the result has.
    mask: u128,
}

#[derive(Clone, Copy, Debug)]
enum Code {
    Const(u128),
    Input(u32),
    Not,
    And,
    Xor,
    Neg,
    Add,
    Mul,
    Udiv,
    Urem,
    Shl,
    Lshr,
    /// Of this many bits, as for the next ones.
    Ashr(u16),
    Slt(u16),
    Sext(u16),
    Sdiv(u16),
    Srem(u16),
    Eq,
    Ult,
    Ite,
    /// The lower part has this many bits.
    Concat(u16),
    /// From this bit on.
    Extract(u16),
}

impl Program {
    /// The program that computes `outputs` from `inputs`, which are variables.
    pub fn compile(t: &Terms, inputs: &[Term], outputs: &[Term]) -> Result<Program, Refused> {
        let needed = reachable(t, outputs);
        let last_use = last_uses(t, &needed, outputs);
        let mut regs = Allocator::default();
        let mut reg_of = vec![NO_REG; needed.len()];
        let mut code = Vec::new();
        for index in (0..needed.len()).filter(|&i| needed[i]) {
            let term = Term::from_index(index);
            let mut inst = translate(t, inputs, term)?;
            let children = t.children(term);
            let read = |k: usize| children.get(k).map_or(NO_REG, |c| reg_of[c.index()]);
            (inst.a, inst.b, inst.c) = (read(0), read(1), read(2));
            inst.dst = regs.take(t.width(term));
            reg_of[index] = inst.dst;
            code.push(inst);
            for (k, child) in children.iter().enumerate() {
                if last_use[child.index()] == index && !children[..k].contains(child) {
                    regs.give(reg_of[child.index()]);
                }
            }
        }
        Ok(Program {
            code,
            inputs: inputs.len(),
            outputs: outputs.iter().map(|o| reg_of[o.index()]).collect(),
            narrow: regs.narrow.count as usize,
            wide: regs.wide.count as usize,
        })
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Whether there is nothing to compute.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Registers for `run`.
    pub fn registers(&self) -> Registers {
        Registers { narrow: vec![[0; LANES]; self.narrow], wide: vec![[0; LANES]; self.wide] }
    }

    /// Evaluates all lanes; `results[k]` is the k-th output. Inputs should have no bits beyond their widths.
    pub fn run(&self, regs: &mut Registers, inputs: &[Lanes], results: &mut [Lanes]) {
        assert_eq!(inputs.len(), self.inputs, "every input should have values");
        assert_eq!(results.len(), self.outputs.len(), "every output should have a place");
        for inst in &self.code {
            step(inst, regs, inputs);
        }
        for (result, &reg) in results.iter_mut().zip(&self.outputs) {
            *result = regs.load(reg);
        }
    }
}

impl Registers {
    fn load(&self, reg: Reg) -> Lanes {
        match reg {
            Reg::Narrow(i) => self.narrow[i as usize].map(u128::from),
            Reg::Wide(i) => self.wide[i as usize],
        }
    }

    /// Stores what `f` gives for each lane.
    fn store(&mut self, reg: Reg, mut f: impl FnMut(usize) -> u128) {
        match reg {
            Reg::Narrow(i) => {
                for (lane, dst) in self.narrow[i as usize].iter_mut().enumerate() {
                    *dst = f(lane) as u64;
                }
            }
            Reg::Wide(i) => {
                for (lane, dst) in self.wide[i as usize].iter_mut().enumerate() {
                    *dst = f(lane);
                }
            }
        }
    }
}

/// Where a register is not read.
const NO_REG: Reg = Reg::Narrow(u32::MAX);

#[derive(Default)]
struct Allocator {
    narrow: File,
    wide: File,
}

#[derive(Default)]
struct File {
    free: Vec<u32>,
    count: u32,
}

impl File {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }
}

impl Allocator {
    fn take(&mut self, width: u16) -> Reg {
        if width <= 64 { Reg::Narrow(self.narrow.take()) } else { Reg::Wide(self.wide.take()) }
    }

    fn give(&mut self, reg: Reg) {
        match reg {
            Reg::Narrow(i) => self.narrow.free.push(i),
            Reg::Wide(i) => self.wide.free.push(i),
        }
    }
}

/// Which terms the outputs need. Children have smaller ids, so one sweep downwards sees all.
fn reachable(t: &Terms, outputs: &[Term]) -> Vec<bool> {
    let len = outputs.iter().map(|o| o.index() + 1).max().unwrap_or(0);
    let mut needed = vec![false; len];
    for output in outputs {
        needed[output.index()] = true;
    }
    for index in (0..len).rev() {
        if needed[index] {
            for child in t.children(Term::from_index(index)) {
                needed[child.index()] = true;
            }
        }
    }
    needed
}

/// The last reader of each term; outputs are read after the end.
fn last_uses(t: &Terms, needed: &[bool], outputs: &[Term]) -> Vec<usize> {
    let mut last = vec![usize::MAX; needed.len()];
    for index in (0..needed.len()).filter(|&i| needed[i]) {
        for child in t.children(Term::from_index(index)) {
            last[child.index()] = index;
        }
    }
    for output in outputs {
        last[output.index()] = usize::MAX;
    }
    last
}

fn mask(width: u16) -> u128 {
    u128::MAX >> (128 - width)
}

/// The instruction of a term, without its registers.
fn translate(t: &Terms, inputs: &[Term], term: Term) -> Result<Inst, Refused> {
    if t.is_array(term) {
        return Err(Refused::Array(term));
    }
    let width = t.width(term);
    if width > 128 {
        return Err(Refused::TooWide(width));
    }
    let code = code_of(t, inputs, term)?;
    Ok(Inst { code, dst: NO_REG, a: NO_REG, b: NO_REG, c: NO_REG, mask: mask(width) })
}

fn code_of(t: &Terms, inputs: &[Term], term: Term) -> Result<Code, Refused> {
    let width = t.width(term);
    Ok(match t.op(term) {
        Op::Const => {
            let value = t.as_const(term).and_then(|value| value.to_u128());
            Code::Const(value.ok_or(Refused::TooWide(width))?)
        }
        Op::Var(_) => {
            let position = inputs.iter().position(|&input| input == term);
            Code::Input(position.ok_or(Refused::FreeVar(term))? as u32)
        }
        Op::Not(_) => Code::Not,
        Op::And(..) => Code::And,
        Op::Xor(..) => Code::Xor,
        Op::Neg(_) => Code::Neg,
        Op::Add(..) => Code::Add,
        Op::Mul(..) => Code::Mul,
        Op::Udiv(..) => Code::Udiv,
        Op::Urem(..) => Code::Urem,
        Op::Sdiv(..) => Code::Sdiv(width),
        Op::Srem(..) => Code::Srem(width),
        Op::Shl(..) => Code::Shl,
        Op::Lshr(..) => Code::Lshr,
        Op::Ashr(..) => Code::Ashr(width),
        Op::Eq(a, _) if t.is_array(a) => return Err(Refused::Array(term)),
        Op::Eq(..) => Code::Eq,
        Op::Ult(..) => Code::Ult,
        Op::Slt(a, _) => Code::Slt(t.width(a)),
        Op::Ite(..) => Code::Ite,
        Op::Concat(_, low) => Code::Concat(t.width(low)),
        Op::Extract { lo, .. } => Code::Extract(lo),
        Op::Sext(a) => Code::Sext(t.width(a)),
        Op::ConstArray(_)
        | Op::Store(..)
        | Op::Select(..)
        | Op::Copy { .. }
        | Op::Fill { .. }
        | Op::Scan { .. }
        | Op::Mismatch { .. } => return Err(Refused::Array(term)),
    })
}

/// The signed value of the lower `width` bits.
fn signed(x: u128, width: u16) -> i128 {
    let shift = 128 - u32::from(width);
    (x << shift) as i128 >> shift
}

/// The same for a value that fits 64 bits.
fn signed_narrow(x: u64, width: u16) -> i64 {
    let shift = 64 - u32::from(width);
    (x << shift) as i64 >> shift
}

fn shift_left(x: u128, by: u128) -> u128 {
    if by < 128 { x << by } else { 0 }
}

fn shift_right(x: u128, by: u128) -> u128 {
    if by < 128 { x >> by } else { 0 }
}

fn shift_right_signed(x: u128, by: u128, width: u16) -> u128 {
    (signed(x, width) >> by.min(127)) as u128
}

fn divide(a: u128, b: u128) -> u128 {
    a.checked_div(b).unwrap_or(u128::MAX)
}

fn divide_signed(a: u128, b: u128, width: u16) -> u128 {
    let (a, b) = (signed(a, width), signed(b, width));
    if b == 0 {
        return if a < 0 { 1 } else { u128::MAX };
    }
    a.wrapping_div(b) as u128
}

fn rest_signed(a: u128, b: u128, width: u16) -> u128 {
    let (x, y) = (signed(a, width), signed(b, width));
    if y == 0 { a } else { x.wrapping_rem(y) as u128 }
}

/// One operand; `narrow` is the same function for values that fit 64 bits.
fn unary(regs: &mut Registers, inst: &Inst, narrow: impl Fn(u64) -> u64, f: impl Fn(u128) -> u128) {
    if let (Reg::Narrow(dst), Reg::Narrow(a)) = (inst.dst, inst.a) {
        let a = regs.narrow[a as usize];
        let mask = inst.mask as u64;
        for (dst, a) in regs.narrow[dst as usize].iter_mut().zip(a) {
            *dst = narrow(a) & mask;
        }
        return;
    }
    let a = regs.load(inst.a);
    regs.store(inst.dst, |lane| f(a[lane]) & inst.mask);
}

/// Two operands; `narrow` is the same function for values that fit 64 bits.
fn binary(regs: &mut Registers, inst: &Inst, narrow: impl Fn(u64, u64) -> u64, f: impl Fn(u128, u128) -> u128) {
    if let (Reg::Narrow(dst), Reg::Narrow(a), Reg::Narrow(b)) = (inst.dst, inst.a, inst.b) {
        let (a, b) = (regs.narrow[a as usize], regs.narrow[b as usize]);
        let mask = inst.mask as u64;
        for ((dst, a), b) in regs.narrow[dst as usize].iter_mut().zip(a).zip(b) {
            *dst = narrow(a, b) & mask;
        }
        return;
    }
    let (a, b) = (regs.load(inst.a), regs.load(inst.b));
    regs.store(inst.dst, |lane| f(a[lane], b[lane]) & inst.mask);
}

/// Two operands, for operations that are rare enough to go through 128 bits.
fn rare(regs: &mut Registers, inst: &Inst, f: impl Fn(u128, u128) -> u128) {
    let (a, b) = (regs.load(inst.a), regs.load(inst.b));
    regs.store(inst.dst, |lane| f(a[lane], b[lane]) & inst.mask);
}

fn ite(regs: &mut Registers, inst: &Inst) {
    if let (Reg::Narrow(dst), Reg::Narrow(c), Reg::Narrow(a), Reg::Narrow(b)) = (inst.dst, inst.a, inst.b, inst.c) {
        let (c, a, b) = (regs.narrow[c as usize], regs.narrow[a as usize], regs.narrow[b as usize]);
        for (lane, dst) in regs.narrow[dst as usize].iter_mut().enumerate() {
            *dst = b[lane] ^ (a[lane] ^ b[lane]) & c[lane].wrapping_neg();
        }
        return;
    }
    let (c, a, b) = (regs.load(inst.a), regs.load(inst.b), regs.load(inst.c));
    regs.store(inst.dst, |lane| if c[lane] != 0 { a[lane] } else { b[lane] });
}

fn step(inst: &Inst, regs: &mut Registers, inputs: &[Lanes]) {
    match inst.code {
        Code::Const(value) => regs.store(inst.dst, |_| value),
        Code::Input(k) => regs.store(inst.dst, |lane| inputs[k as usize][lane]),
        Code::Not => unary(regs, inst, |a| !a, |a| !a),
        Code::Neg => unary(regs, inst, u64::wrapping_neg, u128::wrapping_neg),
        Code::Extract(lo) => unary(regs, inst, |a| a >> lo, |a| a >> lo),
        Code::Sext(width) => {
            unary(regs, inst, |a| signed_narrow(a, width) as u64, |a| signed(a, width) as u128);
        }
        Code::And => binary(regs, inst, |a, b| a & b, |a, b| a & b),
        Code::Xor => binary(regs, inst, |a, b| a ^ b, |a, b| a ^ b),
        Code::Add => binary(regs, inst, u64::wrapping_add, u128::wrapping_add),
        Code::Mul => binary(regs, inst, u64::wrapping_mul, u128::wrapping_mul),
        Code::Udiv => rare(regs, inst, divide),
        Code::Urem => rare(regs, inst, |a, b| a.checked_rem(b).unwrap_or(a)),
        Code::Sdiv(width) => rare(regs, inst, |a, b| divide_signed(a, b, width)),
        Code::Srem(width) => rare(regs, inst, |a, b| rest_signed(a, b, width)),
        Code::Shl => rare(regs, inst, shift_left),
        Code::Lshr => rare(regs, inst, shift_right),
        Code::Ashr(width) => rare(regs, inst, |a, b| shift_right_signed(a, b, width)),
        Code::Eq => binary(regs, inst, |a, b| u64::from(a == b), |a, b| u128::from(a == b)),
        Code::Ult => binary(regs, inst, |a, b| u64::from(a < b), |a, b| u128::from(a < b)),
        Code::Slt(width) => binary(
            regs,
            inst,
            |a, b| u64::from(signed_narrow(a, width) < signed_narrow(b, width)),
            |a, b| u128::from(signed(a, width) < signed(b, width)),
        ),
        Code::Concat(low) => binary(regs, inst, |a, b| a << low | b, |a, b| a << low | b),
        Code::Ite => ite(regs, inst),
    }
}
