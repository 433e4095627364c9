//! The operands that matter for a failed check.

use crate::checks::Details;
use crate::code::Operand;
use crate::machine::Machine;
use crate::outcome::NamedValue;
use blitz_ir::{CheckKind, Func, Inst, Value, ValueDef, Var};

/// Definitions followed from the condition back to operands.
const DEPTH: usize = 4;
/// Values shown at most.
const SHOWN: usize = 4;

impl Machine<'_, '_> {
    /// What a condition was about: the operands of the comparison or overflow it comes from.
    pub fn describe(&self, cond: Value, kind: CheckKind) -> Details {
        let func = self.top().code.func;
        if kind == CheckKind::Uninitialised {
            let ptr = shadow_address(func, cond).map(|p| self.get(p));
            return Details { values: Vec::new(), ptr, size: None };
        }
        let values = operands(func, cond).into_iter().take(SHOWN).map(|v| self.named(v)).collect();
        Details { values, ptr: None, size: None }
    }

    /// A value with its name in the source.
    pub fn named(&self, v: Value) -> NamedValue {
        let code = self.top().code;
        let operand: Operand = code.operands[v.index()];
        let name = variable_of(code.func, v).map(|var| code.func.vars[var.index()].name.clone());
        NamedValue { name, ty: operand.ty, value: self.read_bv(operand) }
    }
}

/// The source variable a value is: marked as such, or loaded from its memory.
fn variable_of(func: &Func, v: Value) -> Option<Var> {
    let marked = func.insts.iter().find_map(|i| match i.inst {
        Inst::Debug { var, value, indirect: false } if value == v => Some(var),
        _ => None,
    });
    marked.or_else(|| {
        let ValueDef::Inst(inst, _) = func.values[v.index()].def else { return None };
        let Inst::Load { ptr } = func.inst(inst).inst else { return None };
        let ValueDef::Inst(base, _) = func.values[ptr.index()].def else { return None };
        match func.inst(base).inst {
            Inst::Alloca { var, .. } => var,
            _ => None,
        }
    })
}

fn defining(func: &Func, v: Value) -> Option<&Inst> {
    match func.values[v.index()].def {
        ValueDef::Inst(i, _) => Some(&func.inst(i).inst),
        ValueDef::Param(..) | ValueDef::Const(_) => None,
    }
}

/// The pointer whose shadow a condition tests.
fn shadow_address(func: &Func, cond: Value) -> Option<Value> {
    let mut work = vec![cond];
    for _ in 0..16 {
        let v = work.pop()?;
        match defining(func, v) {
            Some(Inst::LoadShadow { ptr }) => return Some(*ptr),
            Some(inst) => inst.for_each_operand(|o| work.push(o)),
            None => {}
        }
    }
    None
}

/// The leaves of the condition: operands of comparisons and overflow predicates, through their logic.
fn operands(func: &Func, cond: Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut work = vec![(cond, 0)];
    while let Some((v, depth)) = work.pop() {
        match defining(func, v) {
            Some(Inst::Overflow { lhs, rhs, .. }) => found.extend([*lhs, *rhs]),
            Some(Inst::Compare { lhs, rhs, .. }) if func.ty(*lhs) != blitz_ir::Type::BOOL => found.extend([*lhs, *rhs]),
            Some(inst @ (Inst::Binary { .. } | Inst::Compare { .. } | Inst::Cast { .. } | Inst::Unary { .. }))
                if depth < DEPTH =>
            {
                inst.for_each_operand(|o| work.push((o, depth + 1)));
            }
            Some(_) | None => {}
        }
    }
    found.retain(|v| func.as_const(*v).is_none() || found_is_short(func, *v));
    let mut seen = Vec::new();
    for v in found {
        if !seen.contains(&v) {
            seen.push(v);
        }
    }
    seen
}

/// Constants are worth showing only if they are plain numbers.
fn found_is_short(func: &Func, v: Value) -> bool {
    matches!(func.as_const(v), Some(blitz_ir::Const::Bits(_)))
}
