//! From instructions to unifications.
//!
//! User functions have one instance each. A call of a model from user code makes a new instance of the model (and of
//! the models it calls), whose writes count for the user function.

use crate::Analysis;
use crate::cells::{Cell, Cells};
use crate::effects::Effects;
use crate::{returns, wrappers};
use blitz_ir::{
    BinOp, Builtin, Const, Func, FuncId, Inst, InstId, Program, RelocTarget, Target, Terminator, ThreadOp, Type, Value,
    ValueDef,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Models with more instructions than this, their callees included, are not analysed anew for each call.
const MAX_CLONE: u64 = 1000;
/// Instructions looked at to find out what a large model writes.
const MAX_SUMMARY: u64 = 30_000;

pub fn analyse(program: &Program, entries: &[FuncId]) -> Analysis {
    let mut work = Work::new(program);
    for &f in entries {
        work.reach(f);
    }
    work.run();
    work.finish()
}

/// An instance of a function: 0 is the shared one of its function.
pub type Instance = u32;
/// What has effects of its own: a function, or one instance of it.
pub type Activation = (Instance, FuncId);

struct Work<'p> {
    program: &'p Program,
    cells: Cells,
    values: HashMap<(Instance, FuncId, Value), Cell>,
    results: HashMap<(Instance, FuncId), Vec<Cell>>,
    globals: Vec<Cell>,
    func_cells: HashMap<FuncId, Cell>,
    wrappers: BTreeSet<FuncId>,
    stuck: BTreeSet<FuncId>,
    next_instance: Instance,
    reached: BTreeSet<FuncId>,
    todo: Vec<FuncId>,
    /// Copies to repeat until nothing changes: (dst, src, length).
    copies: Vec<(Cell, Cell, Option<u64>)>,
    indirect: Vec<IndirectCall>,
    own_writes: BTreeMap<Activation, Vec<Cell>>,
    calls: BTreeMap<Activation, BTreeSet<Activation>>,
    /// The instance of a callee that a call in an instance means, where it has one of its own.
    instances: HashMap<(Instance, FuncId, InstId, FuncId), Instance>,
    /// Instances made only to summarise large models: [from, to).
    scratch: Vec<(Instance, Instance)>,
    /// The functions whose instances are being made, outermost first: recursion gets no instance of its own.
    cloning: Vec<FuncId>,
    callers: HashMap<FuncId, Vec<(FuncId, InstId)>>,
    targets: HashMap<(FuncId, InstId), Vec<FuncId>>,
    sizes: HashMap<FuncId, u64>,
    /// Which parameters of a large model it writes through.
    summaries: HashMap<FuncId, Vec<bool>>,
    /// Instructions that may still be looked at for the summary in progress.
    fuel: u64,
}

/// Where constraints come from: which instance of which function.
#[derive(Clone, Copy)]
struct Scope {
    instance: Instance,
    func: FuncId,
}

struct IndirectCall {
    scope: Scope,
    call: InstId,
    pointer: Cell,
    args: Vec<Option<Cell>>,
    results: Vec<Option<Cell>>,
    done: BTreeSet<FuncId>,
}

impl<'p> Work<'p> {
    fn new(program: &'p Program) -> Self {
        let mut cells = Cells::default();
        let globals: Vec<Cell> = program.globals.iter().map(|_| cells.fresh()).collect();
        Self {
            program,
            cells,
            values: HashMap::new(),
            results: HashMap::new(),
            globals,
            func_cells: HashMap::new(),
            wrappers: BTreeSet::new(),
            stuck: BTreeSet::new(),
            next_instance: 1,
            reached: BTreeSet::new(),
            todo: Vec::new(),
            copies: Vec::new(),
            indirect: Vec::new(),
            own_writes: BTreeMap::new(),
            calls: BTreeMap::new(),
            instances: HashMap::new(),
            scratch: Vec::new(),
            cloning: Vec::new(),
            callers: HashMap::new(),
            targets: HashMap::new(),
            sizes: HashMap::new(),
            summaries: HashMap::new(),
            fuel: u64::MAX,
        }
    }

    fn reach(&mut self, f: FuncId) {
        if self.program.decl(f).has_body && self.reached.insert(f) {
            self.todo.push(f);
        }
    }

    fn run(&mut self) {
        for g in 0..self.program.globals.len() {
            let relocs = self.program.globals[g].relocs.clone();
            for r in relocs {
                let place = self.cells.shifted(self.globals[g], r.offset as i64);
                let field = self.cells.field(place);
                let target = match r.target {
                    RelocTarget::Global(t) => self.cells.shifted(self.globals[t.index()], r.addend),
                    RelocTarget::Func(f) => self.func_cell(f),
                };
                self.cells.unify(field, target);
            }
        }
        self.find_wrappers();
        loop {
            while let Some(f) = self.todo.pop() {
                let scope = Scope { instance: 0, func: f };
                self.body(scope);
            }
            let before = self.cells.changes;
            self.repeat_copies();
            self.resolve_indirect();
            if self.todo.is_empty() && self.cells.changes == before {
                return;
            }
            self.cells.compress();
        }
    }

    /// Wrappers are looked for among everything direct calls can reach, before any constraint is made.
    fn find_wrappers(&mut self) {
        let mut seen: BTreeSet<FuncId> = self.reached.clone();
        let mut work: Vec<FuncId> = seen.iter().copied().collect();
        while let Some(f) = work.pop() {
            let Some(body) = self.program.body(f) else { continue };
            let mut note = |f: FuncId| {
                if self.program.decl(f).has_body && seen.insert(f) {
                    work.push(f);
                }
            };
            for data in &body.insts {
                if let Inst::Call(site) = &data.inst
                    && let Target::Func(callee) = site.target
                {
                    note(callee);
                }
            }
            for v in &body.values {
                if let ValueDef::Const(Const::Func(callee)) = &v.def {
                    note(*callee);
                }
            }
        }
        let returning = returns::may_return(self.program, &seen);
        self.stuck = seen.difference(&returning).copied().collect();
        let all: Vec<FuncId> = seen.into_iter().collect();
        let mut found = wrappers::find(self.program, &all);
        found.retain(|f| !self.program.decl(*f).model && self.size(*f) <= MAX_CLONE);
        self.wrappers = found;
    }

    fn func_cell(&mut self, f: FuncId) -> Cell {
        if let Some(&c) = self.func_cells.get(&f) {
            return c;
        }
        let cell = self.cells.fresh();
        self.cells.add_func(cell, f);
        self.func_cells.insert(f, cell);
        cell
    }

    fn repeat_copies(&mut self) {
        let copies = self.copies.clone();
        for (dst, src, len) in copies {
            self.cells.copy(dst, src, len);
            self.cells.copy(src, dst, len);
        }
    }

    fn resolve_indirect(&mut self) {
        let mut calls = std::mem::take(&mut self.indirect);
        for call in &mut calls {
            for f in self.cells.funcs(call.pointer) {
                if call.done.insert(f) && self.fits(f, call) {
                    self.bind(call.scope, call.call, f, &call.args.clone(), &call.results.clone());
                    self.targets.entry((call.scope.func, call.call)).or_default().push(f);
                }
            }
        }
        calls.append(&mut self.indirect);
        self.indirect = calls;
    }

    /// A call with fewer arguments than parameters can't be meant.
    fn fits(&self, f: FuncId, call: &IndirectCall) -> bool {
        self.program.decl(f).signature.params.len() <= call.args.len() || self.program.decl(f).signature.variadic
    }

    fn body(&mut self, scope: Scope) {
        let program = self.program;
        let Some(body) = program.body(scope.func) else { return };
        for b in body.block_ids() {
            let data = body.block(b);
            for &i in &data.insts {
                self.inst(scope, body, i);
            }
            for (to, args) in data.term.successors() {
                for (&p, &a) in body.block(to).params.iter().zip(args) {
                    self.same(scope, body, p, a);
                }
            }
            if let Terminator::Return { values } = &data.term {
                let results = self.result_cells(scope.instance, scope.func);
                for (&v, cell) in values.iter().zip(results) {
                    if let Some(c) = self.cell(scope, body, v) {
                        self.cells.unify(c, cell);
                    }
                }
            }
        }
    }

    fn inst(&mut self, scope: Scope, body: &'p Func, id: InstId) {
        let data = body.inst(id);
        match &data.inst {
            Inst::Cast { arg, .. } => self.same(scope, body, data.results[0], *arg),
            Inst::Select { then, other, .. } => {
                self.same(scope, body, data.results[0], *then);
                self.same(scope, body, data.results[0], *other);
            }
            Inst::Binary { op: BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or, lhs, rhs } => {
                for side in [*lhs, *rhs] {
                    if self.values.contains_key(&(scope.instance, scope.func, side)) {
                        self.same(scope, body, data.results[0], side);
                    }
                }
            }
            Inst::PtrAdd { base, offset } => self.ptr_add(scope, body, data.results[0], *base, *offset),
            Inst::Alloca { .. } | Inst::HeapAlloc { .. } => {
                if let Some(c) = self.cell(scope, body, data.results[0]) {
                    self.write(scope, c);
                }
            }
            Inst::Load { ptr } => {
                if let (Some(p), Some(v)) = (self.cell(scope, body, *ptr), self.cell(scope, body, data.results[0])) {
                    let field = self.cells.field(p);
                    self.cells.unify(field, v);
                }
            }
            Inst::Store { ptr, value } => {
                let Some(p) = self.cell(scope, body, *ptr) else { return };
                self.write(scope, p);
                if let Some(v) = self.cell(scope, body, *value) {
                    let field = self.cells.field(p);
                    self.cells.unify(field, v);
                }
            }
            Inst::MemCopy { dst, src, len } => {
                let (Some(d), Some(s)) = (self.cell(scope, body, *dst), self.cell(scope, body, *src)) else { return };
                self.write(scope, d);
                let len = match body.as_const(*len) {
                    Some(Const::Bits(n)) => n.to_u64(),
                    _ => None,
                };
                self.copies.push((d, s, len));
            }
            Inst::StoreShadow { ptr, .. }
            | Inst::MemSet { dst: ptr, .. }
            | Inst::InputBytes { ptr, .. }
            | Inst::HeapFree { ptr }
            | Inst::LifetimeStart { ptr }
            | Inst::LifetimeEnd { ptr } => {
                if let Some(p) = self.cell(scope, body, *ptr) {
                    self.write(scope, p);
                }
            }
            Inst::Call(site) => {
                let args: Vec<Option<Cell>> = site.args.iter().map(|&a| self.cell(scope, body, a)).collect();
                let results: Vec<Option<Cell>> = data.results.iter().map(|&r| self.cell(scope, body, r)).collect();
                match site.target {
                    Target::Func(f) => self.bind(scope, id, f, &args, &results),
                    Target::Pointer(p) => {
                        let Some(pointer) = self.cell(scope, body, p) else { return };
                        self.indirect.push(IndirectCall {
                            scope,
                            call: id,
                            pointer,
                            args,
                            results,
                            done: BTreeSet::new(),
                        });
                    }
                }
            }
            // A thread calls the function with the argument.
            Inst::Builtin { op: Builtin::Thread(ThreadOp::Start), args } => {
                let Some(pointer) = self.cell(scope, body, args[0]) else { return };
                let args = vec![self.cell(scope, body, args[1])];
                let (results, done) = (Vec::new(), BTreeSet::new());
                self.indirect.push(IndirectCall { scope, call: id, pointer, args, results, done });
            }
            Inst::Builtin { op: Builtin::Thread(ThreadOp::Local), args } => {
                self.same(scope, body, data.results[0], args[0]);
            }
            Inst::Unary { .. }
            | Inst::Binary { .. }
            | Inst::Compare { .. }
            | Inst::Overflow { .. }
            | Inst::FusedMulAdd { .. }
            | Inst::StackSave
            | Inst::StackRestore { .. }
            | Inst::LoadShadow { .. }
            | Inst::Scan { .. }
            | Inst::Mismatch { .. }
            | Inst::Check { .. }
            | Inst::CheckMem(_)
            | Inst::Assume { .. }
            | Inst::Await { .. }
            | Inst::Input { .. }
            | Inst::Builtin { .. }
            | Inst::SetJmp { .. }
            | Inst::Debug { .. }
            | Inst::Unsupported { .. }
            | Inst::Approximates { .. } => {}
        }
    }

    fn ptr_add(&mut self, scope: Scope, body: &'p Func, result: Value, base: Value, offset: Value) {
        let (Some(p), Some(q)) = (self.cell(scope, body, base), self.cell(scope, body, result)) else { return };
        match body.as_const(offset) {
            Some(Const::Bits(n)) => {
                let to = self.cells.shifted(p, n.to_i64().unwrap_or(0));
                self.cells.unify(to, q);
            }
            _ => {
                let step = step_of(body, offset);
                if step > 1 {
                    self.cells.stride(p, step);
                }
                self.cells.unify(p, q);
            }
        }
    }

    /// A call of `f`: arguments meet parameters, results meet results.
    fn bind(&mut self, scope: Scope, call: InstId, f: FuncId, args: &[Option<Cell>], results: &[Option<Cell>]) {
        let decl = self.program.decl(f);
        self.callers.entry(f).or_default().push((scope.func, call));
        if !decl.has_body {
            return;
        }
        let size = self.size(f);
        let summarising = self.fuel != u64::MAX;
        let wraps = self.wrappers.contains(&f) && !self.cloning.contains(&f);
        let clone = wraps || decl.model && (size <= MAX_CLONE || summarising);
        if decl.model && !clone {
            self.bind_summary(scope, call, f, args);
            return;
        }
        if clone && summarising {
            if self.fuel < size.min(MAX_CLONE) || scope.func == f {
                return;
            }
            self.fuel -= (self.program.body(f).map_or(0, |b| b.insts.len()) as u64).min(self.fuel);
        }
        let instance = if clone { self.new_instance(scope, call, f) } else { 0 };
        self.calls.entry((scope.instance, scope.func)).or_default().insert((instance, f));
        if !decl.model {
            self.reach(f);
        }
        let Some(body) = self.program.body(f) else { return };
        let inner = Scope { instance, func: f };
        for (i, &p) in body.params().iter().enumerate() {
            let packed = decl.signature.variadic && i + 1 == body.params().len();
            let Some(param) = self.cell(inner, body, p) else { continue };
            if packed {
                let slot = i64::from(self.program.target.ptr_bits / 8);
                for (k, arg) in args.iter().skip(i).enumerate() {
                    if let Some(a) = arg {
                        let place = self.cells.shifted(param, k as i64 * slot);
                        let field = self.cells.field(place);
                        self.cells.unify(field, *a);
                    }
                }
            } else if let Some(Some(a)) = args.get(i) {
                self.cells.unify(param, *a);
            }
        }
        if clone {
            self.cloning.push(f);
            self.body(inner);
            self.cloning.pop();
        }
        let outputs = self.result_cells(instance, f);
        for (r, out) in results.iter().zip(outputs) {
            if let Some(r) = r {
                self.cells.unify(*r, out);
            }
        }
    }

    fn new_instance(&mut self, scope: Scope, call: InstId, f: FuncId) -> Instance {
        self.next_instance += 1;
        self.instances.insert((scope.instance, scope.func, call, f), self.next_instance);
        self.next_instance
    }

    /// A call of a large model: it writes through the parameters its summary says, and keeps no pointer.
    fn bind_summary(&mut self, scope: Scope, call: InstId, f: FuncId, args: &[Option<Cell>]) {
        let writes = self.summary(f);
        let instance = self.new_instance(scope, call, f);
        self.calls.entry((scope.instance, scope.func)).or_default().insert((instance, f));
        for (i, arg) in args.iter().enumerate() {
            let written = writes.get(i).or(writes.last()).copied().unwrap_or(false);
            if let (true, Some(cell)) = (written, arg) {
                self.write(Scope { instance, func: f }, *cell);
            }
        }
    }

    /// Which parameters a model writes through; the last entry of a variadic one stands for its variable arguments.
    fn summary(&mut self, f: FuncId) -> Vec<bool> {
        if let Some(known) = self.summaries.get(&f) {
            return known.clone();
        }
        let Some(body) = self.program.body(f) else { return Vec::new() };
        self.summaries.insert(f, vec![true; body.params().len()]);
        self.next_instance += 1;
        let first = self.next_instance;
        let scope = Scope { instance: first, func: f };
        self.fuel = MAX_SUMMARY;
        self.body(scope);
        self.fuel = u64::MAX;
        self.scratch.push((first, self.next_instance + 1));
        let made = self.own_writes.split_off(&(first, FuncId::new(0)));
        let written: Vec<Cell> = made.into_values().flatten().collect();
        self.calls.split_off(&(first, FuncId::new(0)));
        let regions: BTreeSet<_> = written.iter().map(|c| self.cells.region(*c)).collect();
        let variadic = self.program.decl(f).signature.variadic;
        let count = body.params().len();
        let mut out = Vec::new();
        for (i, &p) in body.params().iter().enumerate() {
            let hit = match self.cell(scope, body, p) {
                Some(c) if variadic && i + 1 == count => (0..8).any(|k| {
                    let place = self.cells.shifted(c, k * 8);
                    let field = self.cells.field(place);
                    regions.contains(&self.cells.region(field))
                }),
                Some(c) => regions.contains(&self.cells.region(c)),
                None => false,
            };
            out.push(hit);
        }
        self.summaries.insert(f, out.clone());
        out
    }

    /// Instructions of a function and of the models it calls.
    fn size(&mut self, f: FuncId) -> u64 {
        if let Some(&known) = self.sizes.get(&f) {
            return known;
        }
        self.sizes.insert(f, MAX_CLONE);
        let Some(body) = self.program.body(f) else { return 0 };
        let mut total = body.insts.len() as u64;
        for data in &body.insts {
            if let Inst::Call(site) = &data.inst
                && let Target::Func(g) = site.target
                && self.program.decl(g).model
            {
                let inner = self.size(g);
                // Larger ones are summarised where they are called.
                total = total.saturating_add(if inner > MAX_CLONE { 1 } else { inner });
            }
        }
        self.sizes.insert(f, total);
        total
    }

    fn write(&mut self, scope: Scope, cell: Cell) {
        self.own_writes.entry((scope.instance, scope.func)).or_default().push(cell);
    }

    fn same(&mut self, scope: Scope, body: &'p Func, a: Value, b: Value) {
        if let (Some(a), Some(b)) = (self.cell(scope, body, a), self.cell(scope, body, b)) {
            self.cells.unify(a, b);
        }
    }

    fn result_cells(&mut self, instance: Instance, func: FuncId) -> Vec<Cell> {
        if let Some(found) = self.results.get(&(instance, func)) {
            return found.clone();
        }
        let count = self.program.decl(func).signature.results.len();
        let made: Vec<Cell> = (0..count).map(|_| self.cells.fresh()).collect();
        self.results.insert((instance, func), made.clone());
        made
    }

    /// The cell of a value that can hold a pointer.
    fn cell(&mut self, scope: Scope, body: &Func, v: Value) -> Option<Cell> {
        let data = &body.values[v.index()];
        let holds = match data.ty {
            Type::Ptr => true,
            Type::Int(w) => w == self.program.target.ptr_bits,
            Type::Float(_) => false,
        };
        if !holds {
            return None;
        }
        match &data.def {
            ValueDef::Const(c) => match c {
                Const::Global(g, off) => Some(self.cells.shifted(self.globals[g.index()], *off)),
                Const::Func(f) => Some(self.func_cell(*f)),
                Const::Bits(_) | Const::Null | Const::Undef => None,
            },
            ValueDef::Param(..) | ValueDef::Inst(..) => {
                let key = (scope.instance, scope.func, v);
                if let Some(&c) = self.values.get(&key) {
                    return Some(c);
                }
                let c = self.cells.fresh();
                self.values.insert(key, c);
                Some(c)
            }
        }
    }

    fn finish(mut self) -> Analysis {
        self.cells.compress();
        let effects = Effects::new(&self.cells, &self.own_writes, &self.calls);
        let scratch = std::mem::take(&mut self.scratch);
        let kept = |i: Instance| !scratch.iter().any(|(from, to)| (*from..*to).contains(&i));
        self.values.retain(|(instance, ..), _| kept(*instance));
        self.instances.retain(|(instance, ..), made| kept(*instance) && kept(*made));
        for list in self.targets.values_mut() {
            list.sort();
            list.dedup();
        }
        for list in self.callers.values_mut() {
            list.sort();
            list.dedup();
        }
        Analysis {
            cells: self.cells,
            values: self.values,
            instances: self.instances,
            globals: self.globals,
            effects,
            indirect: self.targets,
            callers: self.callers,
            wrappers: self.wrappers,
            stuck: self.stuck,
        }
    }
}

/// The constant factor of an index.
fn step_of(body: &Func, offset: Value) -> u64 {
    let ValueDef::Inst(i, _) = &body.values[offset.index()].def else { return 1 };
    let constant = |v: Value| match body.as_const(v) {
        Some(Const::Bits(n)) => n.to_u64(),
        _ => None,
    };
    match &body.inst(*i).inst {
        Inst::Binary { op: BinOp::Mul, lhs, rhs } => constant(*rhs).or_else(|| constant(*lhs)).unwrap_or(1),
        Inst::Binary { op: BinOp::Shl, rhs, .. } => constant(*rhs).filter(|k| *k < 32).map_or(1, |k| 1 << k),
        _ => 1,
    }
}
