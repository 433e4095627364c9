//! Contracts in force: every write is held against the assigns clauses, every object gets the time it was made at.
//!
//! Only in programs that put a contract in force (`driver/dialect/contracts`); what is asked is in `libc/src/contract.c`. Library models are asked as
//! well: what `memcpy` writes is written by its caller, at whose line it counts.
//!
//! Not asked: direct stores to variables of this function, and writes to those whose address only serves to access them, unless it has a loop with a
//! contract; writes of models to variables of their own, and writes to static variables of the function itself, as CBMC has it.

use super::Lowering;
use crate::constants::Symbol;
use crate::llvm::{Bb, Opcode, Session, Val, ValueKind};
use crate::symbols::{Origin, Symbols, is_local};
use blitz_ir::{Approximation, CallSite, CheckKind, Direction, FuncId, Inst, Target, Type, Value};

/// What is called, in programs with contracts in force.
#[derive(Clone, Copy)]
pub struct Contract {
    may_write: FuncId,
    may_free: FuncId,
    made: FuncId,
    model_writes: FuncId,
}

impl Contract {
    /// Nothing in programs that put none in force.
    pub fn of(symbols: &Symbols) -> Option<Contract> {
        let find = |name: &str| {
            let found = symbols.funcs.iter().position(|f| f.model && f.name == name);
            found.map(FuncId::new)
        };
        Some(Contract {
            may_write: find("__blitz_contract_may_write")?,
            may_free: find("__blitz_contract_may_free")?,
            made: find("__blitz_contract_new")?,
            model_writes: find("__blitz_contract_model_writes")?,
        })
    }

    /// The functions of our libc that are needed if the user's code mentions the first.
    pub const BEGIN: &str = "__blitz_contract_begin";
    pub const NEEDED: &[&str] = &[
        "__blitz_contract_may_write",
        "__blitz_contract_may_free",
        "__blitz_contract_new",
        "__blitz_contract_model_writes",
    ];
}

impl Lowering<'_> {
    /// What is called here: nothing inside of the contracts' own functions.
    pub(super) fn contract(&self) -> Option<Contract> {
        self.shared.contract.filter(|_| !self.name.starts_with("__blitz_contract"))
    }

    /// A store to an address.
    pub(super) fn may_store(&mut self, at: Val, ptr: Value, bytes: u64) {
        let Some(contract) = self.contract() else { return };
        let root = root(at);
        if is(root, Opcode::LLVMAlloca) && !self.is_watched(root) || self.is_own(root) {
            return;
        }
        let size = self.word(bytes);
        if self.model {
            self.call_contract(contract.model_writes, vec![ptr, size]);
            return;
        }
        self.ask_write(contract, Some(at), ptr, size);
    }

    /// A write of many bytes, or one that a model does for its caller.
    pub(super) fn may_write(&mut self, at: Option<Val>, ptr: Value, size: Value) {
        let Some(contract) = self.contract() else { return };
        let root = at.map(root);
        let private = |r: Val| is(r, Opcode::LLVMAlloca) && self.private.contains(&r) && !self.is_watched(r);
        let private = root.is_some_and(private);
        if private || root.is_some_and(|r| self.is_own(r)) {
            return;
        }
        self.ask_write(contract, at, ptr, size);
    }

    /// Whether a direct store to a variable matters: one of the user's, in a function that has a loop with a contract.
    fn is_watched(&self, slot: Val) -> bool {
        let name = |v: &blitz_ir::Var| !self.b.func.vars[v.index()].name.starts_with("__blitz_");
        self.has_loop_contract && self.slot_vars.get(&slot).is_some_and(name)
    }

    /// Whether a body has a loop with a contract.
    pub(super) fn find_loop_contract(&mut self, order: &[Bb]) {
        let leaves = |inst: Val| {
            is(inst, Opcode::LLVMCall)
                && inst.callee().kind() == ValueKind::LLVMFunctionValueKind
                && inst.callee().with_name(|n| n == "__blitz_contract_leave")
        };
        self.has_loop_contract = self.contract().is_some() && order.iter().flat_map(|bb| bb.instructions()).any(leaves);
    }

    fn ask_write(&mut self, contract: Contract, at: Option<Val>, ptr: Value, size: Value) {
        let place = at.and_then(|v| self.describe_place(v)).unwrap_or_else(|| "a pointer".into());
        // The wrapper of a contract that stands for its function.
        let place = if place.contains("__blitz_") { "what a contract assigns".to_owned() } else { place };
        let allowed = self.ask(contract.may_write, vec![ptr, size]);
        self.check(allowed, CheckKind::Assertion, format!("write to {place}: no assigns clause names it"));
    }

    /// The end of a heap object.
    pub(super) fn may_free(&mut self, ptr: Value) {
        let Some(contract) = self.contract() else { return };
        let allowed = self.ask(contract.may_free, vec![ptr]);
        self.check(allowed, CheckKind::Assertion, "free: no frees clause names the object");
    }

    /// A new object; of a variable only where somebody else can have its address.
    pub(super) fn note_made(&mut self, slot: Option<Val>, ptr: Value) {
        let Some(contract) = self.contract() else { return };
        if slot.is_none_or(|slot| self.has_loop_contract || !self.private.contains(&slot)) {
            self.call_contract(contract.made, vec![ptr]);
        }
    }

    /// A call of a function without a body: whether its writes are allowed is not known.
    pub(super) fn may_do_anything(&mut self, callees: &[FuncId]) {
        let (Some(_), Some(first)) = (self.contract(), callees.first()) else { return };
        let function = self.shared.symbols.funcs[first.index()].name.clone();
        let what = "what it writes is not held against contracts".to_owned();
        self.emit0(Inst::Approximates {
            direction: Direction::Fewer,
            what: Approximation { function, what, at_once: false },
        });
    }

    /// The functions without a body that a pointer can mean.
    pub(super) fn strangers(&self) -> Vec<FuncId> {
        let funcs = self.shared.symbols.funcs.iter().enumerate();
        funcs.filter(|(_, f)| f.address_taken && !f.has_body).map(|(i, _)| FuncId::new(i)).collect()
    }

    fn ask(&mut self, func: FuncId, args: Vec<Value>) -> Value {
        let answer = self.call_contract(func, args).expect("the model should answer");
        self.is_nonzero(answer)
    }

    fn call_contract(&mut self, func: FuncId, args: Vec<Value>) -> Option<Value> {
        let signature = self.shared.symbols.funcs[func.index()].signature.clone();
        let results: Vec<Type> = signature.results.clone();
        let site = CallSite { target: Target::Func(func), args, signature, properties: Vec::new() };
        let id = self.b.push(self.cur, Inst::Call(Box::new(site)), &results, self.loc);
        self.b.func.inst(id).results.first().copied()
    }

    /// Memory that belongs to the function itself: what its caller made for its result, a static variable, a model's variable.
    fn is_own(&self, root: Val) -> bool {
        match root.kind() {
            ValueKind::LLVMArgumentValueKind => self.is_result_slot(root),
            ValueKind::LLVMGlobalVariableValueKind => {
                let model = match self.shared.symbols.constants.symbols.get(&root) {
                    Some(&Symbol::Global(g, _)) => self.shared.symbols.globals[g.index()].model,
                    Some(Symbol::Func(_)) | None => false,
                };
                let symbol = match self.shared.symbols.origins[self.id.index()] {
                    Origin::Defined(func) => func.name(),
                    Origin::Meaning(..) | Origin::Nowhere => self.name.clone(),
                };
                model || is_local(root) && root.name().starts_with(&format!("{symbol}."))
            }
            _ => false,
        }
    }

    fn is_result_slot(&self, argument: Val) -> bool {
        let Origin::Defined(func) = self.shared.symbols.origins[self.id.index()] else { return false };
        let position = func.params().iter().position(|&p| p == argument);
        let attributes = self.shared.attributes;
        let has = |n: usize, which| func.type_attribute(n as u32 + 1, which).is_some();
        position.is_some_and(|n| has(n, attributes.sret) || has(n, attributes.byval))
    }
}

/// What an address is computed from.
fn root(at: Val) -> Val {
    let mut v = at;
    loop {
        let op = match v.kind() {
            ValueKind::LLVMInstructionValueKind => v.opcode(),
            ValueKind::LLVMConstantExprValueKind => v.const_opcode(),
            _ => return v,
        };
        match op {
            Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => v = v.operand(0),
            _ => return v,
        }
    }
}

fn is(v: Val, op: Opcode) -> bool {
    v.kind() == ValueKind::LLVMInstructionValueKind && v.opcode() == op
}

/// What people call a function: a wrapper is its contract, or what is assumed of it.
pub fn shown_name(symbol: &str) -> String {
    use crate::driver::{ASSUMED, ENFORCED, REPLACED};
    let by = |prefix: &str, part: &str| Some(format!("{}.{part}", symbol.strip_prefix(prefix)?));
    let shown = by(ENFORCED, "contract").or_else(|| by(REPLACED, "contract")).or_else(|| by(ASSUMED, "assumption"));
    shown.unwrap_or_else(|| symbol.to_owned())
}

/// Lets callers of functions with wrappers call these (`driver/dialect/contracts` says which there are).
pub fn redirect(session: &Session, functions: &[Val]) {
    use crate::driver::{ENFORCED, REPLACED};
    let is_wrapper = |f: &&Val| f.with_name(|n| n.starts_with(ENFORCED) || n.starts_with(REPLACED));
    let wrappers: Vec<(String, Val)> = functions.iter().filter(is_wrapper).map(|f| (f.name(), *f)).collect();
    if wrappers.is_empty() {
        return;
    }
    let named = |name: &str| wrappers.iter().find(|(n, _)| n == name).map(|(_, f)| *f);
    for &function in functions {
        let name = function.name();
        let (enforced, replaced) = (named(&format!("{ENFORCED}{name}")), named(&format!("{REPLACED}{name}")));
        let Some(wrapper) = enforced.or(replaced) else { continue };
        session.call_instead(function, wrapper);
        // The function itself is what wrappers call; what it calls by its own name is its contract, if there is one to take.
        for caller in [enforced, replaced].into_iter().flatten() {
            session.mention_instead(caller, wrapper, function);
        }
        if let (Some(enforced), Some(replaced)) = (enforced, replaced) {
            session.mention_instead(function, enforced, replaced);
        }
    }
}
