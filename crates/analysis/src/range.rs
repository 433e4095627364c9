//! How large an integer of a function can be at a place: the interval its shape and the conditions in front of the place allow.
//!
//! Conditions are those of checks and assumptions that were passed and of branches that were taken, where these dominate the place. A check that is switched off
//! is not in the program, and says nothing. In SSA form a value is the same at a check and at what the check dominates, loops or not.
//!
//! Direction: every value that an execution has at the place lies in the interval.
//!
//! Absent: values around loops, relations between values.

use blitz_ir::cfg::{Cfg, DomTree};
use blitz_ir::{BinOp, Block, CastOp, CmpOp, Const, Func, Inst, Terminator, Type, Value, ValueDef};
use std::collections::HashMap;

/// How far back a value is followed.
const MAX_DEPTH: u32 = 12;

/// From the least to the greatest, both in, as signed numbers.
pub type Interval = (i128, i128);

/// A condition that holds from a place on: the value lies in the interval.
struct Fact {
    block: Block,
    /// How many instructions of the block come before.
    position: usize,
    holds: Interval,
}

/// The intervals of one function's values.
pub struct Ranges<'a> {
    body: &'a Func,
    dom: DomTree,
    facts: HashMap<Value, Vec<Fact>>,
}

impl<'a> Ranges<'a> {
    pub fn new(body: &'a Func) -> Self {
        let cfg = Cfg::new(body);
        let dom = cfg.dominators();
        let mut ranges = Self { body, dom, facts: HashMap::new() };
        for block in body.block_ids() {
            let data = body.block(block);
            for (position, &i) in data.insts.iter().enumerate() {
                match &body.inst(i).inst {
                    // Executions may go on behind what is not checked.
                    Inst::Check { property, .. } if property.unasked_kind().is_some() => {}
                    Inst::Check { cond, .. } | Inst::Assume { cond } => ranges.note(*cond, true, block, position + 1),
                    _ => {}
                }
            }
            if let Terminator::Branch { cond, then: (then, _), other: (other, _) } = &data.term
                && then != other
            {
                for (to, taken) in [(*then, true), (*other, false)] {
                    if to != Func::ENTRY && cfg.predecessors(to).len() == 1 {
                        ranges.note(*cond, taken, to, 0);
                    }
                }
            }
        }
        ranges
    }

    /// The interval of a value in front of an instruction of a block.
    pub fn of(&self, v: Value, block: Block, position: usize) -> Interval {
        self.at_depth(v, block, position, MAX_DEPTH)
    }

    /// A condition that holds, or does not, from a place on.
    fn note(&mut self, cond: Value, holds: bool, block: Block, position: usize) {
        let mut work = vec![(cond, holds)];
        while let Some((cond, holds)) = work.pop() {
            let ValueDef::Inst(i, _) = &self.body.values[cond.index()].def else { continue };
            match &self.body.inst(*i).inst {
                Inst::Binary { op: BinOp::And, lhs, rhs } if holds => work.extend([(*lhs, true), (*rhs, true)]),
                Inst::Binary { op: BinOp::Or, lhs, rhs } if !holds => work.extend([(*lhs, false), (*rhs, false)]),
                Inst::Binary { op: BinOp::Xor, lhs, rhs } if self.constant(*rhs) == Some(-1) => {
                    work.push((*lhs, !holds));
                }
                Inst::Compare { op, lhs, rhs } => {
                    if let (Some(n), Some(bits)) = (self.constant(*rhs), self.bits(*lhs)) {
                        self.add_fact(*lhs, interval_where(*op, n, bits, holds), block, position);
                    }
                    if let (Some(n), Some(bits)) = (self.constant(*lhs), self.bits(*rhs)) {
                        let turned = turned(*op);
                        self.add_fact(*rhs, turned.and_then(|op| interval_where(op, n, bits, holds)), block, position);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_fact(&mut self, v: Value, holds: Option<Interval>, block: Block, position: usize) {
        if let Some(holds) = holds {
            self.facts.entry(v).or_default().push(Fact { block, position, holds });
        }
    }

    fn at_depth(&self, v: Value, block: Block, position: usize, depth: u32) -> Interval {
        let Some(bits) = self.bits(v) else { return (i128::MIN, i128::MAX) };
        let all = signed(bits);
        let (mut low, mut high) = match &self.body.values[v.index()].def {
            ValueDef::Const(_) => self.constant(v).map_or(all, |n| (n, n)),
            ValueDef::Inst(i, 0) if depth > 0 => {
                let inner = |v: Value| self.at_depth(v, block, position, depth - 1);
                self.of_inst(&self.body.inst(*i).inst, bits, &inner).unwrap_or(all)
            }
            ValueDef::Inst(..) | ValueDef::Param(..) => all,
        };
        for fact in self.facts.get(&v).into_iter().flatten() {
            let before =
                if fact.block == block { fact.position <= position } else { self.dom.dominates(fact.block, block) };
            if before {
                (low, high) = (low.max(fact.holds.0), high.min(fact.holds.1));
            }
        }
        // Nothing fits: the place is never reached, and any interval will do.
        if low > high { all } else { (low, high) }
    }

    fn of_inst(&self, inst: &Inst, bits: u16, inner: &dyn Fn(Value) -> Interval) -> Option<Interval> {
        match inst {
            Inst::Cast { op, arg } => {
                let from = self.bits(*arg)?;
                let (low, high) = inner(*arg);
                match op {
                    CastOp::SExt => Some((low, high)),
                    CastOp::ZExt if low >= 0 => Some((low, high)),
                    CastOp::ZExt => Some((0, unsigned_most(from))),
                    CastOp::Trunc => fitting((low, high), bits),
                    CastOp::FToF
                    | CastOp::FToSi
                    | CastOp::FToUi
                    | CastOp::SiToF
                    | CastOp::UiToF
                    | CastOp::PtrToInt
                    | CastOp::IntToPtr
                    | CastOp::Bitcast => None,
                }
            }
            Inst::Select { then, other, .. } => {
                let (a, b) = (inner(*then), inner(*other));
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Inst::Binary { op, lhs, rhs } => fitting(of_binary(*op, inner(*lhs), inner(*rhs))?, bits),
            _ => None,
        }
    }

    fn bits(&self, v: Value) -> Option<u16> {
        match self.body.ty(v) {
            Type::Int(w) if w <= 64 => Some(w),
            Type::Int(_) | Type::Float(_) | Type::Ptr => None,
        }
    }

    /// The value of a constant, as a signed number.
    fn constant(&self, v: Value) -> Option<i128> {
        match self.body.as_const(v) {
            Some(Const::Bits(n)) if self.bits(v).is_some() => n.to_i128(),
            _ => None,
        }
    }
}

fn of_binary(op: BinOp, (a, b): Interval, (c, d): Interval) -> Option<Interval> {
    match op {
        BinOp::Add => Some((a + c, b + d)),
        BinOp::Sub => Some((a - d, b - c)),
        BinOp::Mul => {
            let ends = [a * c, a * d, b * c, b * d];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        BinOp::Shl if c == d && (0..63).contains(&c) => Some((a << c, b << c)),
        BinOp::LShr | BinOp::AShr if c == d && (0..63).contains(&c) && a >= 0 => Some((a >> c, b >> c)),
        // No bit is set that is not set in both.
        BinOp::And if a >= 0 && c >= 0 => Some((0, b.min(d))),
        BinOp::And if a >= 0 => Some((0, b)),
        BinOp::And if c >= 0 => Some((0, d)),
        BinOp::URem if a >= 0 && c > 0 => Some((0, b.min(d - 1))),
        BinOp::URem if c > 0 => Some((0, d - 1)),
        BinOp::SRem if a >= 0 && c > 0 => Some((0, b.min(d - 1))),
        BinOp::UDiv | BinOp::SDiv if a >= 0 && c > 0 => Some((a / d, b / c)),
        BinOp::SMin => Some((a.min(c), b.min(d))),
        BinOp::SMax => Some((a.max(c), b.max(d))),
        BinOp::UMin if a >= 0 && c >= 0 => Some((a.min(c), b.min(d))),
        BinOp::UMax if a >= 0 && c >= 0 => Some((a.max(c), b.max(d))),
        _ => None,
    }
}

/// The interval, if no number in it is too large for so many bits.
fn fitting((low, high): Interval, bits: u16) -> Option<Interval> {
    let (least, most) = signed(bits);
    (least <= low && high <= most).then_some((low, high))
}

fn signed(bits: u16) -> Interval {
    (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
}

fn unsigned_most(bits: u16) -> i128 {
    (1 << bits) - 1
}

/// The comparison with its operands exchanged.
fn turned(op: CmpOp) -> Option<CmpOp> {
    match op {
        CmpOp::Eq => Some(CmpOp::Eq),
        CmpOp::Ult => Some(CmpOp::Ugt),
        CmpOp::Ule => Some(CmpOp::Uge),
        CmpOp::Ugt => Some(CmpOp::Ult),
        CmpOp::Uge => Some(CmpOp::Ule),
        CmpOp::Slt => Some(CmpOp::Sgt),
        CmpOp::Sle => Some(CmpOp::Sge),
        CmpOp::Sgt => Some(CmpOp::Slt),
        CmpOp::Sge => Some(CmpOp::Sle),
        _ => None,
    }
}

/// Where a value lies if its comparison with `n` holds, or does not.
fn interval_where(op: CmpOp, n: i128, bits: u16, holds: bool) -> Option<Interval> {
    let (least, most) = signed(bits);
    let op = match (op, holds) {
        (op, true) => op,
        (CmpOp::Ult, false) => CmpOp::Uge,
        (CmpOp::Ule, false) => CmpOp::Ugt,
        (CmpOp::Ugt, false) => CmpOp::Ule,
        (CmpOp::Uge, false) => CmpOp::Ult,
        (CmpOp::Slt, false) => CmpOp::Sge,
        (CmpOp::Sle, false) => CmpOp::Sgt,
        (CmpOp::Sgt, false) => CmpOp::Sle,
        (CmpOp::Sge, false) => CmpOp::Slt,
        (CmpOp::Ne, false) => CmpOp::Eq,
        _ => return None,
    };
    match op {
        CmpOp::Eq => Some((n, n)),
        CmpOp::Slt => Some((least, n - 1)),
        CmpOp::Sle => Some((least, n)),
        CmpOp::Sgt => Some((n + 1, most)),
        CmpOp::Sge => Some((n, most)),
        // Below a number that is not negative no value is negative either.
        CmpOp::Ult if n >= 0 => Some((0, n - 1)),
        CmpOp::Ule if n >= 0 => Some((0, n)),
        _ => None,
    }
}
