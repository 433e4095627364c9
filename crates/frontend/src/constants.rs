//! Constants: folded to bits or to an address, for instructions and initial bytes of globals alike.
//!
//! Absent: constants that depend on where objects lie (products of addresses and the like); they give `None`.

use crate::llvm::{Layout, Opcode, Ty, TypeKind, Val, ValueKind};
use blitz_base::Bv;
use blitz_ir::{FuncId, GlobalId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a scalar constant is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folded {
    /// Integers, floats and pointers without an object, by their bits.
    Bits(Bv),
    Address(Symbol, i64),
    Undef,
}

/// What a name stands for in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    Func(FuncId),
    /// A global, or a place in one (aliases).
    Global(GlobalId, i64),
}

/// What folding needs to know of the program.
pub struct Constants {
    pub layout: Layout,
    pub symbols: FxHashMap<Val, Symbol>,
    /// Weak symbols that nobody defines: their address is null.
    pub missing: FxHashSet<Val>,
}

impl Constants {
    /// The meaning of a scalar constant.
    pub fn fold(&self, v: Val) -> Option<Folded> {
        Some(match v.kind() {
            ValueKind::LLVMConstantIntValueKind => Folded::Bits(int_bits(v)?),
            ValueKind::LLVMConstantFPValueKind => Folded::Bits(float_bits(v)?),
            ValueKind::LLVMConstantPointerNullValueKind | ValueKind::LLVMConstantAggregateZeroValueKind => {
                Folded::Bits(Bv::zero(self.width(v.ty())?))
            }
            ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind => Folded::Undef,
            _ if self.missing.contains(&v) => Folded::Bits(Bv::zero(self.width(v.ty())?)),
            ValueKind::LLVMFunctionValueKind
            | ValueKind::LLVMGlobalVariableValueKind
            | ValueKind::LLVMGlobalAliasValueKind
            | ValueKind::LLVMGlobalIFuncValueKind => match *self.symbols.get(&v)? {
                Symbol::Global(g, offset) => Folded::Address(Symbol::Global(g, 0), offset),
                f @ Symbol::Func(_) => Folded::Address(f, 0),
            },
            ValueKind::LLVMBlockAddressValueKind => Folded::Bits(self.block_address(v)?),
            ValueKind::LLVMConstantExprValueKind => self.fold_expr(v)?,
            _ => return None,
        })
    }

    fn width(&self, ty: Ty) -> Option<u16> {
        u16::try_from(self.layout.bits(ty)).ok().filter(|&w| w > 0)
    }

    /// The address of a block: one more than its position in its function.
    fn block_address(&self, v: Val) -> Option<Bv> {
        let (func, block) = v.block_address();
        let index = func.blocks().iter().position(|&b| b == block)?;
        Some(Bv::from_u64(self.width(v.ty())?, index as u64 + 1))
    }

    fn fold_expr(&self, v: Val) -> Option<Folded> {
        let width = self.width(v.ty())?;
        let arg = |n| self.fold(v.operand(n));
        match v.const_opcode() {
            Opcode::LLVMGetElementPtr => {
                let offset = self.gep_offset(v)?;
                add_offset(arg(0)?, offset)
            }
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => arg(0),
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr | Opcode::LLVMZExt | Opcode::LLVMTrunc => {
                resize(arg(0)?, width, self.layout)
            }
            Opcode::LLVMSExt => match arg(0)? {
                Folded::Bits(b) => Some(Folded::Bits(b.sext(width))),
                Folded::Address(..) | Folded::Undef => None,
            },
            op => fold_binary(op, width, arg(0)?, arg(1)?),
        }
    }

    /// The bytes an address computation adds, if its indices are constant.
    pub fn gep_offset(&self, v: Val) -> Option<i64> {
        let mut ty = v.gep_element();
        let mut total = 0i64;
        for (n, index) in v.operands().skip(1).enumerate() {
            let step = self.index_step(&mut ty, n == 0, index)?;
            total = total.wrapping_add(step);
        }
        Some(total)
    }

    fn index_step(&self, ty: &mut Ty, first: bool, index: Val) -> Option<i64> {
        if index.kind() != ValueKind::LLVMConstantIntValueKind {
            return None;
        }
        let index = int_bits(index)?.to_i64()?;
        match (first, ty.kind()) {
            (false, TypeKind::LLVMStructTypeKind) => {
                let field = u32::try_from(index).ok()?;
                let offset = self.layout.field_offset(*ty, field);
                *ty = ty.field(field);
                i64::try_from(offset).ok()
            }
            _ => {
                if !first {
                    *ty = ty.element();
                }
                Some(index.wrapping_mul(self.layout.size(*ty) as i64))
            }
        }
    }
}

fn add_offset(base: Folded, offset: i64) -> Option<Folded> {
    Some(match base {
        Folded::Address(s, at) => Folded::Address(s, at.wrapping_add(offset)),
        Folded::Bits(b) => {
            let by = Bv::from_i64(b.width(), offset);
            Folded::Bits(b.add(&by))
        }
        Folded::Undef => Folded::Undef,
    })
}

fn resize(v: Folded, width: u16, layout: Layout) -> Option<Folded> {
    match v {
        Folded::Bits(b) if width >= b.width() => Some(Folded::Bits(b.zext(width))),
        Folded::Bits(b) => Some(Folded::Bits(b.extract(width - 1, 0))),
        Folded::Undef => Some(Folded::Undef),
        Folded::Address(..) if u32::from(width) == layout.pointer_bytes() * 8 => Some(v),
        Folded::Address(..) => None,
    }
}

fn fold_binary(op: Opcode, width: u16, a: Folded, b: Folded) -> Option<Folded> {
    match (op, a, b) {
        (_, Folded::Undef, _) | (_, _, Folded::Undef) => Some(Folded::Undef),
        (_, Folded::Bits(a), Folded::Bits(b)) => fold_bits(op, &a, &b).map(Folded::Bits),
        (Opcode::LLVMAdd, at @ Folded::Address(..), Folded::Bits(b))
        | (Opcode::LLVMAdd, Folded::Bits(b), at @ Folded::Address(..)) => add_offset(at, b.to_i64()?),
        (Opcode::LLVMSub, at @ Folded::Address(..), Folded::Bits(b)) => add_offset(at, b.to_i64()?.wrapping_neg()),
        (Opcode::LLVMSub, Folded::Address(s, a), Folded::Address(t, b)) if s == t => {
            Some(Folded::Bits(Bv::from_i64(width, a.wrapping_sub(b))))
        }
        _ => None,
    }
}

fn fold_bits(op: Opcode, a: &Bv, b: &Bv) -> Option<Bv> {
    Some(match op {
        Opcode::LLVMAdd => a.add(b),
        Opcode::LLVMSub => a.sub(b),
        Opcode::LLVMMul => a.mul(b),
        Opcode::LLVMAnd => a.and(b),
        Opcode::LLVMOr => a.or(b),
        Opcode::LLVMXor => a.xor(b),
        Opcode::LLVMShl => a.shl(b),
        Opcode::LLVMLShr => a.lshr(b),
        Opcode::LLVMAShr => a.ashr(b),
        _ => return None,
    })
}

/// The bits of an integer constant of any width.
pub fn int_bits(v: Val) -> Option<Bv> {
    let width = u16::try_from(v.ty().int_width()).ok()?;
    if width <= 64 {
        return Some(Bv::from_u64(width, v.int_bits()));
    }
    // LLVM's C interface gives wide integers as text only: `i128 -5`.
    let text = v.print();
    let digits = text.split_whitespace().last()?;
    decimal(digits, width)
}

fn decimal(text: &str, width: u16) -> Option<Bv> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let ten = Bv::from_u64(width, 10);
    let mut value = Bv::zero(width);
    for c in digits.chars() {
        let digit = Bv::from_u64(width, u64::from(c.to_digit(10)?));
        value = value.mul(&ten).add(&digit);
    }
    Some(if negative { Bv::zero(width).sub(&value) } else { value })
}

/// The bits of a float constant.
fn float_bits(v: Val) -> Option<Bv> {
    let (value, lost) = v.as_double();
    match v.ty().kind() {
        TypeKind::LLVMDoubleTypeKind if !value.is_nan() => Some(Bv::from_u64(64, value.to_bits())),
        TypeKind::LLVMFloatTypeKind if !value.is_nan() && !lost => {
            Some(Bv::from_u64(32, u64::from((value as f32).to_bits())))
        }
        kind => printed_float(&v.print(), kind),
    }
}

/// The bits in LLVM's hexadecimal text of a float: `x86_fp80 0xK3FFF8000000000000000`, `half 0xH3C00`, ...
fn printed_float(text: &str, kind: TypeKind) -> Option<Bv> {
    let literal = text.split_whitespace().last()?.strip_prefix("0x")?;
    let digits = literal.trim_start_matches(['K', 'L', 'M', 'H', 'R']);
    let raw = u128::from_str_radix(digits, 16).ok()?;
    Some(match kind {
        TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => Bv::from_u128(16, raw),
        TypeKind::LLVMFloatTypeKind => Bv::from_u64(32, u64::from(narrow_nan(raw as u64))),
        TypeKind::LLVMDoubleTypeKind => Bv::from_u128(64, raw),
        TypeKind::LLVMX86_FP80TypeKind => Bv::from_u128(80, raw),
        // The low 64 bits are printed first.
        TypeKind::LLVMFP128TypeKind => Bv::from_u128(128, raw.rotate_left(64)),
        _ => return None,
    })
}

/// A single-precision NaN from its double-precision print: sign, exponent, top of the payload.
fn narrow_nan(bits: u64) -> u32 {
    ((bits >> 63) as u32) << 31 | 0x7f80_0000 | ((bits >> 29) as u32 & 0x7f_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_wide_decimals() {
        assert_eq!(decimal("-1", 128), Some(Bv::ones(128)));
        assert_eq!(decimal("340282366920938463463374607431768211455", 128), Some(Bv::ones(128)));
        assert_eq!(decimal("1x", 128), None);
    }

    #[test]
    fn reads_printed_floats() {
        let one = printed_float("x86_fp80 0xK3FFF8000000000000000", TypeKind::LLVMX86_FP80TypeKind);
        assert_eq!(one, Some(Bv::from_u128(80, 0x3FFF_8000_0000_0000_0000)));
        let quad = printed_float("fp128 0xL00000000000000003FFF000000000000", TypeKind::LLVMFP128TypeKind);
        assert_eq!(quad, Some(Bv::from_u128(128, 0x3FFF_u128 << 112)));
        assert_eq!(narrow_nan(0x7FF8_0000_0000_0000), 0x7fc0_0000);
    }
}
