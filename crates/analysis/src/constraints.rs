//! From instructions to unifications.
//!
//! User functions have one instance each. A call of a model from user code makes a new instance of the model (and of
//! the models it calls), whose writes count for the user function.

use crate::Analysis;
use crate::cells::{Cell, Cells, Region};
use crate::effects::Effects;
use crate::layout::Layout;
use crate::{returns, wrappers};
use blitz_ir::{
    BinOp, Builtin, Const, Extent, Func, FuncId, Inst, InstId, Program, RelocTarget, Target, Terminator, ThreadOp,
    Type, Value, ValueDef,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Models with more instructions than this, their callees included, are not analysed anew for each call.
const MAX_CLONE: u64 = 1000;
/// Rounds of copies and calls through pointers after which classes get no more members.
const MAX_ROUNDS: u32 = 20;
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

blitz_base::ids::id_type!(
    /// An instance of a function.
    Instance,
    ""
);

impl Instance {
    /// The one that calls share which have none of their own.
    pub const SHARED: Instance = Instance(0);
}

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
    own_writes: BTreeMap<Activation, Vec<(Cell, Touch)>>,
    /// Single accesses, with their bytes.
    accesses: Vec<(Cell, u64)>,
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

/// What is done to a place.
#[derive(Clone, Copy)]
enum Touch {
    /// So many bytes from there on are written; it is not known how many.
    Bytes(Option<u64>),
    /// The object begins or ends.
    Life,
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
            next_instance: Instance(1),
            reached: BTreeSet::new(),
            todo: Vec::new(),
            copies: Vec::new(),
            indirect: Vec::new(),
            own_writes: BTreeMap::new(),
            accesses: Vec::new(),
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
        for round in 0.. {
            self.cells.complete = round > MAX_ROUNDS;
            while let Some(f) = self.todo.pop() {
                let scope = Scope { instance: Instance::SHARED, func: f };
                self.body(scope);
            }
            let before = self.cells.changes;
            self.repeat_copies();
            self.cells.dissolve_left();
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
            Inst::PtrAdd { base, offset, extent } => {
                self.ptr_add(scope, body, data.results[0], (*base, *offset, *extent));
            }
            Inst::Alloca { size, .. } | Inst::HeapAlloc { size, .. } => {
                if let Some(c) = self.cell(scope, body, data.results[0]) {
                    if let Some(size) = constant(body, *size) {
                        self.cells.sized(c, size);
                    }
                    self.touch(scope, c, Touch::Life);
                }
            }
            Inst::Load { ptr } => {
                let Some(p) = self.access(scope, body, *ptr, data.results[0]) else { return };
                if let Some(v) = self.cell(scope, body, data.results[0]) {
                    let field = self.cells.field(p);
                    self.cells.unify(field, v);
                }
            }
            Inst::LoadShadow { ptr } => {
                self.access(scope, body, *ptr, data.results[0]);
            }
            Inst::StoreShadow { ptr, shadow: value } => {
                let Some(p) = self.access(scope, body, *ptr, *value) else { return };
                let bytes = self.bytes(body, *value);
                self.touch(scope, p, Touch::Bytes(Some(bytes)));
            }
            Inst::Store { ptr, value } => {
                let Some(p) = self.access(scope, body, *ptr, *value) else { return };
                let bytes = self.bytes(body, *value);
                self.touch(scope, p, Touch::Bytes(Some(bytes)));
                if let Some(v) = self.cell(scope, body, *value) {
                    let field = self.cells.field(p);
                    self.cells.unify(field, v);
                }
            }
            Inst::MemCopy { dst, src, len } => {
                let (Some(d), Some(s)) = (self.cell(scope, body, *dst), self.cell(scope, body, *src)) else { return };
                let len = constant(body, *len);
                self.touch(scope, d, Touch::Bytes(len));
                self.copies.push((d, s, len));
            }
            Inst::MemSet { dst: ptr, len, .. } | Inst::InputBytes { ptr, len, .. } => {
                if let Some(p) = self.cell(scope, body, *ptr) {
                    self.touch(scope, p, Touch::Bytes(constant(body, *len)));
                }
            }
            Inst::HeapFree { ptr } | Inst::LifetimeStart { ptr } | Inst::LifetimeEnd { ptr } => {
                if let Some(p) = self.cell(scope, body, *ptr) {
                    self.touch(scope, p, Touch::Life);
                }
            }
            // What is looked at byte by byte is in parts, as if it were loaded.
            Inst::Scan { ptr, .. } => self.look_over(scope, body, *ptr),
            Inst::Mismatch { lhs, rhs, .. } => {
                self.look_over(scope, body, *lhs);
                self.look_over(scope, body, *rhs);
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

    fn ptr_add(
        &mut self,
        scope: Scope,
        body: &'p Func,
        result: Value,
        (base, offset, extent): (Value, Value, Option<Extent>),
    ) {
        let (Some(p), Some(q)) = (self.cell(scope, body, base), self.cell(scope, body, result)) else { return };
        let (p, start) = match extent {
            Some(e) => {
                let place = self.cells.shifted(p, i64::from(e.start));
                (self.cells.member(place, u64::from(e.size)), i64::from(e.start))
            }
            None => (p, 0),
        };
        match body.as_const(offset) {
            Some(Const::Bits(n)) => {
                let by = n.to_i64().unwrap_or(0).wrapping_sub(start);
                if extent.is_none() {
                    self.cells.leave(p, by);
                }
                let to = self.cells.shifted(p, by);
                self.cells.unify(to, q);
            }
            _ => {
                let step = step_of(body, offset);
                if step > 1 || extent.is_some() {
                    self.cells.stride(p, step);
                }
                self.cells.unify(p, q);
            }
        }
    }

    /// The place of a load or store of a value.
    fn access(&mut self, scope: Scope, body: &Func, ptr: Value, value: Value) -> Option<Cell> {
        let place = self.cell(scope, body, ptr)?;
        let bytes = self.bytes(body, value);
        if bytes == 1 && is_indexed(body, ptr) {
            self.cells.stride(place, 1);
        }
        self.accesses.push((place, bytes));
        Some(place)
    }

    fn bytes(&self, body: &Func, value: Value) -> u64 {
        u64::from(body.ty(value).bits(self.program.target.ptr_bits)).div_ceil(8)
    }

    /// Bytes are looked at one after the other.
    fn look_over(&mut self, scope: Scope, body: &Func, ptr: Value) {
        if let Some(place) = self.cell(scope, body, ptr) {
            self.cells.collapse(place);
            self.accesses.push((place, 1));
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
        let instance = if clone { self.new_instance(scope, call, f) } else { Instance::SHARED };
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
        self.next_instance.0 += 1;
        self.instances.insert((scope.instance, scope.func, call, f), self.next_instance);
        self.next_instance
    }

    /// A call of a large model: it writes through the parameters its summary says, and keeps no pointer.
    fn bind_summary(&mut self, scope: Scope, call: InstId, f: FuncId, args: &[Option<Cell>]) {
        let writes = self.summary(f);
        let instance = self.new_instance(scope, call, f);
        self.calls.entry((scope.instance, scope.func)).or_default().insert((instance, f));
        let given: Vec<Cell> = args.iter().flatten().copied().collect();
        for (i, &cell) in given.iter().enumerate() {
            self.cells.collapse(cell);
            self.accesses.push((cell, 1));
            // Inside of it, a place is known by its object only: members of one object that it is given are one.
            if let Some(&other) = given[..i].iter().find(|c| self.cells.life(**c) == self.cells.life(cell)) {
                self.cells.unify(other, cell);
            }
        }
        for (i, arg) in args.iter().enumerate() {
            let written = writes.get(i).or(writes.last()).copied().unwrap_or(false);
            if let (true, Some(cell)) = (written, arg) {
                self.touch(Scope { instance, func: f }, *cell, Touch::Bytes(None));
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
        self.next_instance.0 += 1;
        let first = self.next_instance;
        let scope = Scope { instance: first, func: f };
        self.fuel = MAX_SUMMARY;
        self.body(scope);
        self.fuel = u64::MAX;
        self.scratch.push((first, Instance(self.next_instance.0 + 1)));
        let made = self.own_writes.split_off(&(first, FuncId::new(0)));
        let written: Vec<(Cell, Touch)> = made.into_values().flatten().collect();
        self.calls.split_off(&(first, FuncId::new(0)));
        let lives: BTreeSet<Region> = written.iter().map(|(c, _)| self.cells.life(*c)).collect();
        let variadic = self.program.decl(f).signature.variadic;
        let count = body.params().len();
        let mut out = Vec::new();
        for (i, &p) in body.params().iter().enumerate() {
            let hit = match self.cell(scope, body, p) {
                Some(c) if variadic && i + 1 == count => (0..8).any(|k| {
                    let place = self.cells.shifted(c, k * 8);
                    let field = self.cells.field(place);
                    lives.contains(&self.cells.life(field))
                }),
                Some(c) => lives.contains(&self.cells.life(c)),
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

    fn touch(&mut self, scope: Scope, cell: Cell, touch: Touch) {
        self.own_writes.entry((scope.instance, scope.func)).or_default().push((cell, touch));
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

    /// Parts and lives that functions write, callees included.
    fn effects(&self, layout: &Layout) -> Effects {
        let own = self.own_writes.iter().map(|(&activation, touched)| {
            let mut ids: Vec<Region> = Vec::new();
            for &(cell, touch) in touched {
                match touch {
                    Touch::Bytes(len) => ids.extend(layout.places(&self.cells, cell, len).iter().map(|p| p.part)),
                    Touch::Life => ids.push(self.cells.life(cell)),
                }
            }
            ids.sort_unstable();
            ids.dedup();
            (activation, ids)
        });
        Effects::new(&own.collect(), &self.calls)
    }

    fn finish(mut self) -> Analysis {
        let layout = Layout::new(&mut self.cells, &self.accesses);
        let effects = self.effects(&layout);
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
            layout,
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

/// The value of a constant.
fn constant(body: &Func, v: Value) -> Option<u64> {
    match body.as_const(v) {
        Some(Const::Bits(n)) => n.to_u64(),
        _ => None,
    }
}

/// Whether a pointer is another one and an index of bytes that no declared array bounds. A byte there may be any byte
/// of the object; something larger is rather what an allocator of the program's own hands out of a block of bytes.
fn is_indexed(body: &Func, ptr: Value) -> bool {
    let ValueDef::Inst(i, _) = &body.values[ptr.index()].def else { return false };
    matches!(&body.inst(*i).inst, Inst::PtrAdd { offset, extent: None, .. } if body.as_const(*offset).is_none())
}

/// The constant factor of an index.
fn step_of(body: &Func, offset: Value) -> u64 {
    let ValueDef::Inst(i, _) = &body.values[offset.index()].def else { return 1 };
    match &body.inst(*i).inst {
        Inst::Binary { op: BinOp::Mul, lhs, rhs } => constant(body, *rhs).or_else(|| constant(body, *lhs)).unwrap_or(1),
        Inst::Binary { op: BinOp::Shl, rhs, .. } => constant(body, *rhs).filter(|k| *k < 32).map_or(1, |k| 1 << k),
        _ => 1,
    }
}
