//! What clang's sanitizers put in: a branch around a call of a handler becomes a check.
//!
//! `br ok, go_on, report` with a block `report` that only calls a handler is lowered as `check ok; jump go_on`,
//! with the place and the kind of the handler. Kinds that are switched off leave nothing behind. Handlers of
//! recoverable and of trapping sanitizers are understood as well.

use super::Lowering;
use crate::llvm::{Bb, IntPredicate, Module, Opcode, Session, TypeKind, Val, ValueKind};
use crate::names;
use blitz_ir::{CheckKind, CmpOp, Terminator, Value};

/// A branch that is a check.
pub struct Guard {
    pub go_on: Bb,
    /// Goes on where the condition is true.
    positive: bool,
    handler: Val,
}

/// How many instructions a reporting block has at most.
const LONGEST_REPORT: usize = 12;

const NO_BITS: &str = "zero passed to a bit-counting builtin";

/// What a handler reports.
enum Report {
    Kind(CheckKind, String),
    /// Division: by zero or out of range, told apart by the condition.
    Division(String),
    /// The bits of zero are counted.
    NoBits,
    /// Nothing that is an error of the contract.
    Nothing,
}

impl Lowering<'_> {
    /// The guard that a conditional branch is, if it is one.
    pub(super) fn guard_of(&self, term: Val) -> Option<Guard> {
        if term.opcode() != Opcode::LLVMBr || !term.is_conditional() {
            return None;
        }
        let (then, other) = term.branch_ways();
        if then == other {
            return None;
        }
        if let Some(handler) = report_in(other, then) {
            return Some(Guard { go_on: then, positive: true, handler });
        }
        let handler = report_in(then, other)?;
        Some(Guard { go_on: other, positive: false, handler })
    }

    /// The checks of a guard.
    pub(super) fn guarded(&mut self, cond: Val, guard: &Guard) {
        let outer = self.loc;
        let loc = self.place_of(guard.handler);
        if loc.is_known() {
            self.loc = loc;
        }
        match report_of(guard.handler) {
            Report::Nothing => {}
            Report::Kind(CheckKind::ArrayBounds, text) => self.check_index_guard(cond, guard, text),
            Report::Kind(kind, text) => self.check_guard(cond, guard.positive, kind, text),
            Report::Division(text) => self.check_division_guard(cond, guard, text),
            Report::NoBits => self.check_bits_guard(cond, guard.positive),
        }
        self.loc = outer;
    }

    fn check_guard(&mut self, cond: Val, positive: bool, kind: CheckKind, text: String) {
        // Without the check a shift is guarded where it stands: `1 << 31` is what the machine makes of it.
        if !self.asks(kind) && (!kind.ends_meaning() || kind == CheckKind::Shift) {
            return;
        }
        let cond = self.positive(cond, positive);
        self.check(cond, kind, text);
    }

    fn positive(&mut self, cond: Val, positive: bool) -> Value {
        let cond = self.used1(cond);
        if positive { cond } else { self.not(cond) }
    }

    /// Zero has no first bit.
    fn check_bits_guard(&mut self, cond: Val, positive: bool) {
        let cond = self.positive(cond, positive);
        self.check(cond, CheckKind::Shift, NO_BITS);
    }

    /// An index. clang guards `a[n]++` like `&a[n]`, which may be one past the last element; what is accessed at once may not.
    fn check_index_guard(&mut self, cond: Val, guard: &Guard, text: String) {
        let kind = CheckKind::ArrayBounds;
        let accessed = if guard.positive { accessed_element(guard.go_on) } else { None };
        let Some(element) = accessed.filter(|_| self.shared.checks.has(kind)) else {
            return self.check_guard(cond, guard.positive, kind, text);
        };
        let compares = cond.kind() == ValueKind::LLVMInstructionValueKind
            && cond.opcode() == Opcode::LLVMICmp
            && cond.int_predicate() == IntPredicate::LLVMIntULE;
        if compares {
            let (index, length) = (self.used1(cond.operand(0)), self.used1(cond.operand(1)));
            let inside = self.compare(CmpOp::Ult, index, length);
            return self.check(inside, kind, text);
        }
        if is_constant_end(element) {
            return self.violated(kind, text);
        }
        self.check_guard(cond, guard.positive, kind, text);
    }

    /// clang joins "not by zero" and "in range" with an `and`; they are two properties.
    fn check_division_guard(&mut self, cond: Val, guard: &Guard, text: String) {
        let both = cond.kind() == ValueKind::LLVMInstructionValueKind && cond.opcode() == Opcode::LLVMAnd;
        let conds = if both && guard.positive { vec![cond.operand(0), cond.operand(1)] } else { vec![cond] };
        for cond in conds {
            let kind = self.division_kind(cond, guard.handler);
            let text = match kind {
                CheckKind::DivByZero => "division by zero".to_string(),
                _ => format!("signed integer overflow in a division{text}"),
            };
            self.check_guard(cond, guard.positive, kind, text);
            if kind == CheckKind::SignedOverflow && !self.asks(kind) {
                // Machines stop at it.
                let fine = self.positive(cond, guard.positive);
                self.known_if(fine, kind);
            }
        }
    }

    fn division_kind(&self, cond: Val, handler: Val) -> CheckKind {
        let by_zero = match cond.kind() {
            ValueKind::LLVMInstructionValueKind => {
                cond.opcode() == Opcode::LLVMICmp
                    && cond.int_predicate() == IntPredicate::LLVMIntNE
                    && is_zero_constant(cond.operand(1))
            }
            // Folded: the divisor says which it is.
            _ => handler.args().get(2).is_none_or(|&divisor| is_zero_constant(divisor)),
        };
        if by_zero { CheckKind::DivByZero } else { CheckKind::SignedOverflow }
    }

    /// A handler called without a branch of its own in front.
    pub(super) fn sanitizer_call(&mut self, inst: Val) {
        let kind = match report_of(inst) {
            Report::Nothing => None,
            Report::Kind(kind, text) => Some((kind, text)),
            Report::Division(text) => Some((self.division_kind(inst, inst), format!("division{text}"))),
            Report::NoBits => Some((CheckKind::Shift, NO_BITS.to_owned())),
        };
        let ends = self.is_noreturn(inst);
        if let Some((kind, text)) = kind {
            self.violated(kind, text);
            if ends && !kind.ends_meaning() {
                // clang has left out what comes behind it.
                let never = self.b.int(1, 0);
                self.known_if(never, kind);
            }
        }
        if ends {
            self.end(Terminator::Unreachable);
        }
    }

    /// `llvm.ubsantrap` outside of a guard.
    pub(super) fn sanitizer_trap(&mut self, inst: Val) -> Vec<Value> {
        self.sanitizer_call(inst);
        Vec::new()
    }
}

/// The address of an element that a block computes first of all and then reads or writes.
fn accessed_element(bb: Bb) -> Option<Val> {
    let insts = bb.first_instructions(LONGEST_REPORT);
    let mut rest = insts.iter().skip_while(|i| matches!(i.opcode(), Opcode::LLVMSExt | Opcode::LLVMZExt));
    let element = *rest.next().filter(|i| i.opcode() == Opcode::LLVMGetElementPtr)?;
    let access = rest.next()?;
    let address = match access.opcode() {
        Opcode::LLVMLoad => access.operand(0),
        Opcode::LLVMStore => access.operand(1),
        _ => return None,
    };
    (address == element).then_some(element)
}

/// Whether it is the one past the last of an array, by constants.
fn is_constant_end(element: Val) -> bool {
    let array = element.gep_element();
    let Some(index) = element.operands().last() else { return false };
    array.kind() == TypeKind::LLVMArrayTypeKind
        && index.kind() == ValueKind::LLVMConstantIntValueKind
        && index.int_bits() == array.count()
}

fn is_zero_constant(v: Val) -> bool {
    v.kind() == ValueKind::LLVMConstantIntValueKind && crate::constants::int_bits(v).is_some_and(|b| b.is_zero())
}

/// The handler that a block calls, if that is all it does before it stops or goes on at `go_on`.
fn report_in(bb: Bb, go_on: Bb) -> Option<Val> {
    let term = bb.terminator()?;
    let ends = match term.opcode() {
        Opcode::LLVMUnreachable => true,
        Opcode::LLVMBr => !term.is_conditional() && term.successors()[0] == go_on,
        _ => false,
    };
    if !ends {
        return None;
    }
    let insts = bb.first_instructions(LONGEST_REPORT + 1);
    if insts.len() > LONGEST_REPORT || insts.last() != Some(&term) {
        return None;
    }
    let (handler, before) = insts[..insts.len() - 1].split_last()?;
    let calls_handler = handler.opcode() == Opcode::LLVMCall && is_handler(handler.callee());
    (calls_handler && before.iter().all(|&i| only_prepares(i))).then_some(*handler)
}

/// Lets no branch lead to a report on arithmetic.
pub fn silence_arithmetic(session: &Session, module: Module) {
    for f in session.functions(module).into_iter().filter(|f| !f.is_declaration()) {
        for term in f.blocks().into_iter().filter_map(Bb::terminator) {
            if term.opcode() == Opcode::LLVMBr && term.is_conditional() {
                let (yes, no) = (term.successors()[0], term.successors()[1]);
                if reports_arithmetic(no, yes) {
                    session.decide(term, true);
                } else if reports_arithmetic(yes, no) {
                    session.decide(term, false);
                }
            }
        }
    }
}

fn reports_arithmetic(bb: Bb, go_on: Bb) -> bool {
    let Some(handler) = report_in(bb, go_on) else { return false };
    let name = handler.callee().name();
    ["_overflow", "shift_out_of_bounds", "invalid_builtin"].iter().any(|part| name.contains(part))
}

fn is_handler(callee: Val) -> bool {
    callee.kind() == ValueKind::LLVMFunctionValueKind
        && callee.with_name(|name| names::is_sanitizer_handler(name) || name == "llvm.ubsantrap")
}

/// Instructions that pack the operands of a handler.
fn only_prepares(inst: Val) -> bool {
    match inst.opcode() {
        Opcode::LLVMZExt
        | Opcode::LLVMSExt
        | Opcode::LLVMTrunc
        | Opcode::LLVMPtrToInt
        | Opcode::LLVMBitCast
        | Opcode::LLVMAlloca
        | Opcode::LLVMStore => true,
        Opcode::LLVMCall => {
            let callee = inst.callee();
            callee.kind() == ValueKind::LLVMFunctionValueKind
                && callee.with_name(|name| name.starts_with("llvm.lifetime."))
        }
        _ => false,
    }
}

fn report_of(call: Val) -> Report {
    let name = call.callee().name();
    if name == "llvm.ubsantrap" {
        let number = call.args().first().map_or(u64::MAX, |a| a.int_bits());
        return report_named(TRAPS.get(number as usize).copied().unwrap_or(""), None);
    }
    let handler = name.trim_start_matches("__ubsan_handle_").trim_end_matches("_abort");
    report_named(handler, call.args().first().copied())
}

/// Handlers by the number a trap carries.
const TRAPS: &[&str] = &[
    "add_overflow",
    "builtin_unreachable",
    "cfi_check_fail",
    "divrem_overflow",
    "dynamic_type_cache_miss",
    "float_cast_overflow",
    "function_type_mismatch",
    "implicit_conversion",
    "invalid_builtin",
    "invalid_objc_cast",
    "load_invalid_value",
    "missing_return",
    "mul_overflow",
    "negate_overflow",
    "nullability_arg",
    "nullability_return",
    "nonnull_arg",
    "nonnull_return",
    "out_of_bounds",
    "pointer_overflow",
    "shift_out_of_bounds",
    "sub_overflow",
    "type_mismatch",
    "alignment_assumption",
    "vla_bound_not_positive",
];

fn report_named(handler: &str, data: Option<Val>) -> Report {
    let ty = data.and_then(described_type);
    let of_type = ty.as_ref().map(|t| format!(" in type {}", t.name)).unwrap_or_default();
    let kind = |kind, text: &str| Report::Kind(kind, format!("{text}{of_type}"));
    match handler {
        "add_overflow" | "sub_overflow" | "mul_overflow" | "negate_overflow" => {
            if ty.as_ref().is_none_or(|t| t.signed) {
                kind(CheckKind::SignedOverflow, "signed integer overflow")
            } else {
                kind(CheckKind::UnsignedOverflow, "unsigned integer overflow")
            }
        }
        "divrem_overflow" => Report::Division(of_type),
        "shift_out_of_bounds" => kind(CheckKind::Shift, "shift out of range"),
        "out_of_bounds" => kind(CheckKind::ArrayBounds, "array index out of bounds"),
        "vla_bound_not_positive" => kind(CheckKind::ArrayBounds, "length of a variable-length array is not positive"),
        "load_invalid_value" => kind(CheckKind::Uninitialised, "load of a value that is not valid"),
        "builtin_unreachable" => Report::Kind(CheckKind::Unreachable, "unreachable code is reached".into()),
        "missing_return" => Report::Kind(CheckKind::Unreachable, "end of a function without a return value".into()),
        "pointer_overflow" => Report::Kind(CheckKind::PointerOverflow, "pointer arithmetic overflows".into()),
        "nonnull_arg"
        | "nonnull_return"
        | "nonnull_return_v1"
        | "nullability_arg"
        | "nullability_return"
        | "nullability_return_v1" => Report::Kind(CheckKind::NullDeref, "null where it is not allowed".into()),
        "invalid_builtin" => Report::NoBits,
        _ => Report::Nothing,
    }
}

struct DescribedType {
    name: String,
    signed: bool,
}

/// The first type descriptor in a handler's data: `{ i16 kind, i16 info, name }`.
fn described_type(data: Val) -> Option<DescribedType> {
    if data.kind() != ValueKind::LLVMGlobalVariableValueKind {
        return None;
    }
    let descriptor = data.initializer()?.element(1)?;
    if descriptor.kind() != ValueKind::LLVMGlobalVariableValueKind {
        return None;
    }
    let fields = descriptor.initializer()?;
    let info = fields.element(1)?.int_bits();
    let name = String::from_utf8_lossy(&fields.element(2)?.data_bytes()).trim_matches(['\0', '\'']).to_string();
    Some(DescribedType { name, signed: info & 1 == 1 })
}
