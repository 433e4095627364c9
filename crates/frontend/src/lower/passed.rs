//! Shadows through calls: what may be indeterminate and travels in registers.
//!
//! C wants scalar arguments and results determinate, and clang marks them `noundef`: they are checked where they are passed.
//! The words of a struct carry no mark, since some of its members or its padding may be unset. Each such part is passed
//! with its shadow: parameters after all others, results likewise. A call through a pointer does the same by its own
//! marks; where caller and callee disagree (C without prototypes), what is missing counts as determinate. Results are
//! never marked: a function's own `return` tells a scalar from a struct in one register, a call through a
//! pointer can't tell and takes it as determinate.
//!
//! Absent: variable arguments, whose shadows are lost.

use super::flow::must_be_defined;
use super::{Attributes, Lowering};
use crate::llvm::{Bb, Layout, Opcode, Ty, Val};
use crate::types;
use blitz_ir::{FuncId, Signature, Type, Value};

/// The parameters, by LLVM's position, and whether the result comes with shadows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    pub params: Vec<u32>,
    pub result: bool,
}

impl Passed {
    /// By the marks of a definition.
    pub fn of_function(func: Val, attributes: Attributes) -> Self {
        let marked = |n| func.has_attribute(n, attributes.noundef);
        let address =
            |n| func.type_attribute(n, attributes.byval).is_some() || func.type_attribute(n, attributes.sret).is_some();
        let mut passed = Self::new(func.value_type(), marked, address);
        passed.result |= !func.value_type().is_variadic() && func.blocks().into_iter().any(returns_struct);
        passed
    }

    /// By the marks of a call.
    pub fn of_call(call: Val, attributes: Attributes) -> Self {
        let marked = |n| call.call_has_attribute(n, attributes.noundef);
        let address = |n| {
            call.call_type_attribute(n, attributes.byval).is_some()
                || call.call_type_attribute(n, attributes.sret).is_some()
        };
        Self::new(call.callee_type(), marked, address)
    }

    fn new(ty: Ty, marked: impl Fn(u32) -> bool, address: impl Fn(u32) -> bool) -> Self {
        if ty.is_variadic() {
            return Self::default();
        }
        let count = ty.params().len() as u32;
        Self {
            params: (0..count).filter(|n| !marked(n + 1) && !address(n + 1)).collect(),
            result: types::scalar(ty.result()).is_none(),
        }
    }

    /// The signature with the shadows; also how many there are of parameters and of results.
    pub fn extend(&self, mut plain: Signature, ty: Ty, layout: Layout) -> (Signature, (u32, u32)) {
        let before = (plain.params.len(), plain.results.len());
        let params = ty.params();
        for &n in &self.params {
            plain.params.extend(shadow_types(params[n as usize], layout));
        }
        if self.result {
            plain.results.extend(shadow_types(ty.result(), layout));
        }
        let more = (plain.params.len() - before.0, plain.results.len() - before.1);
        (plain, (more.0 as u32, more.1 as u32))
    }
}

/// Whether a block ends by returning something that may be a struct.
fn returns_struct(block: Bb) -> bool {
    let end = block.terminator().filter(|i| i.opcode() == Opcode::LLVMRet);
    end.and_then(|ret| ret.operands().next()).is_some_and(|v| !must_be_defined(v))
}

fn shadow_types(ty: Ty, layout: Layout) -> Vec<Type> {
    let bits = (layout.pointer_bytes() * 8) as u16;
    let parts = types::parts(ty, layout).unwrap_or_default();
    parts.into_iter().map(|p| Type::Int(p.ty.bits(bits))).collect()
}

impl Lowering<'_> {
    /// How the function being lowered passes things.
    fn own_passing(&self, func: Val) -> Passed {
        if self.shadow_counts(self.id) == (0, 0) {
            return Passed::default();
        }
        Passed::of_function(func, self.shared.attributes)
    }

    pub(super) fn shadow_counts(&self, f: FuncId) -> (u32, u32) {
        let decl = &self.shared.symbols.funcs[f.index()];
        (decl.shadow_params, decl.shadow_results)
    }

    /// Parameters for the shadows of parameters.
    pub(super) fn make_shadow_params(&mut self, func: Val) {
        let params = func.params();
        for n in self.own_passing(func).params {
            let param = params[n as usize];
            let types = shadow_types(param.ty(), self.layout());
            let shadows = types.into_iter().map(|ty| Some(self.b.block_param(blitz_ir::Func::ENTRY, ty))).collect();
            self.set_shadows(param, shadows);
        }
    }

    /// The shadows that go with a returned value; all determinate where it was checked.
    pub(super) fn returned_shadows(&mut self, value: Option<Val>, parts: &[Value], checked: bool) -> Vec<Value> {
        if self.shadow_counts(self.id).1 == 0 {
            return Vec::new();
        }
        match value {
            Some(v) if !checked => self.full_shadows(v, parts),
            _ => parts.iter().map(|&p| self.clean(p)).collect(),
        }
    }

    fn clean(&mut self, part: Value) -> Value {
        let width = self.bits_of(part);
        self.b.int(width, 0)
    }

    /// The shadows of a call's arguments, in the order of the callee's parameters for them.
    pub(super) fn argument_shadows(&mut self, call: Val, passed: &Passed) -> Vec<Value> {
        let args = call.args();
        let mut out = Vec::new();
        for &n in &passed.params {
            if let Some(&arg) = args.get(n as usize) {
                let parts = self.get(arg);
                out.extend(self.full_shadows(arg, &parts));
            }
        }
        out
    }

    /// How a function called by name wants its arguments.
    pub(super) fn callee_passing(&self, f: FuncId) -> Passed {
        match self.shared.symbols.origins[f.index()] {
            crate::symbols::Origin::Defined(func) if self.shadow_counts(f) != (0, 0) => {
                Passed::of_function(func, self.shared.attributes)
            }
            _ => Passed::default(),
        }
    }
}
