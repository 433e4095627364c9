//! Which properties a waiting state can still reach, and how far the nearest is; which come behind a gap: facts of the control flow alone.
//!
//! A leak shows only when the program ends, so every waiting state reaches every property about leaks. A function that calls `setjmp` may
//! be run on from there whenever it is active.

use crate::tuning::INCREMENTAL_FAR;
use blitz_ir::callgraph::CallGraph;
use blitz_ir::{Block, CheckKind, Func, FuncId, Inst, InstId, Program, PropertyId};
use blitz_symex::Spot;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

pub(crate) struct Reach<'p> {
    program: &'p Program,
    calls: CallGraph,
    /// Properties of a function and of all it can call.
    below: HashMap<FuncId, Rc<BTreeSet<PropertyId>>>,
    /// Properties of a block and of all it can call.
    blocks: HashMap<(FuncId, Block), Rc<BTreeSet<PropertyId>>>,
    from: HashMap<(FuncId, Block), Rc<BTreeSet<PropertyId>>>,
    /// The blocks that call `setjmp`, in functions that do.
    points: HashMap<FuncId, Vec<Block>>,
    /// Properties that a signal's handler may check, once somebody asks.
    handlers: Option<Rc<BTreeSet<PropertyId>>>,
}

pub(crate) struct Reached {
    pub properties: Vec<PropertyId>,
    /// Blocks to the nearest one, if there is any.
    pub distance: Option<u32>,
}

impl<'p> Reach<'p> {
    pub fn new(program: &'p Program, entry: FuncId) -> Self {
        let calls = CallGraph::new(program, &[entry]);
        let mut out = Self {
            program,
            calls,
            below: HashMap::new(),
            blocks: HashMap::new(),
            from: HashMap::new(),
            points: HashMap::new(),
            handlers: None,
        };
        out.sum_up();
        out
    }

    /// Callees first; functions that call each other reach the same.
    fn sum_up(&mut self) {
        let components: Vec<Vec<FuncId>> = self.calls.components().to_vec();
        for component in components {
            let mut all = BTreeSet::new();
            for &f in &component {
                for callee in self.calls.callees(f) {
                    if let Some(set) = self.below.get(callee) {
                        all.extend(set.iter().copied());
                    }
                }
                all.extend(own_properties(self.program, f));
                self.note_points(f);
            }
            let all = Rc::new(all);
            for f in component {
                self.below.insert(f, Rc::clone(&all));
            }
        }
    }

    fn note_points(&mut self, f: FuncId) {
        let Some(body) = self.program.body(f) else { return };
        let points: Vec<Block> = body.block_ids().filter(|b| sets_jump(body, *b)).collect();
        if !points.is_empty() {
            self.points.insert(f, points);
        }
    }

    /// What of `open` can be reached where activations go on at these blocks.
    pub fn from(&mut self, points: &[(FuncId, Block)], open: &BTreeSet<PropertyId>) -> Reached {
        let mut properties = BTreeSet::new();
        let mut distance: Option<u32> = None;
        let mut before = 0;
        for &(func, block) in points.iter().rev() {
            let set = self.behind(func, block);
            properties.extend(set.intersection(open).copied());
            if distance.is_none() {
                distance = self.distance(func, block, open).map(|d| d + before);
                before += 1;
            }
        }
        let leaks = open.iter().filter(|p| self.program.property(**p).kind == CheckKind::MemoryLeak);
        properties.extend(leaks.copied());
        if distance.is_none() && !properties.is_empty() {
            distance = Some(INCREMENTAL_FAR);
        }
        Reached { properties: properties.into_iter().collect(), distance }
    }

    /// What of `open` may be checked when activations go on from these instructions, these included, or in a handler of a signal that
    /// comes at any time. With no activation known that is everything.
    pub fn after(&mut self, stood: &[Spot], open: &BTreeSet<PropertyId>) -> BTreeSet<PropertyId> {
        if stood.is_empty() {
            return open.clone();
        }
        let mut all = BTreeSet::new();
        let (last, callers) = stood.split_last().expect("an activation should be there");
        // What a caller has called is one of the others.
        for caller in callers {
            all.extend(self.behind_spot(caller, caller.index + 1).intersection(open));
        }
        all.extend(self.behind_spot(last, last.index).intersection(open));
        all.extend(self.in_handlers().intersection(open));
        all.extend(open.iter().filter(|p| self.program.property(**p).kind == CheckKind::MemoryLeak));
        all
    }

    /// The instruction's own properties, what it and those behind it check, those from number `called` on with what they call.
    fn behind_spot(&mut self, spot: &Spot, called: usize) -> BTreeSet<PropertyId> {
        let Some(body) = self.program.body(spot.func) else { return BTreeSet::new() };
        let block = body.block(spot.block);
        let checked = block.insts.iter().skip(spot.index);
        let mut all: BTreeSet<PropertyId> = checked.flat_map(|i| body.inst(*i).inst.properties()).collect();
        let rest: BTreeSet<InstId> = block.insts.iter().skip(called).copied().collect();
        let calls = self.calls.sites(spot.func).iter().filter(|s| rest.contains(&s.inst));
        for set in calls.flat_map(|s| s.callee.targets()).filter_map(|t| self.below.get(t)) {
            all.extend(set.iter().copied());
        }
        let next: Vec<Block> = block.term.successors().into_iter().map(|(to, _)| to).collect();
        let jumped = self.points.get(&spot.func).cloned().unwrap_or_default();
        for b in next.into_iter().chain(jumped) {
            all.extend(self.behind(spot.func, b).iter().copied());
        }
        all
    }

    /// The properties of functions whose address is taken and of all they call: what a signal may run is among them, at any time.
    fn in_handlers(&mut self) -> Rc<BTreeSet<PropertyId>> {
        if let Some(set) = &self.handlers {
            return Rc::clone(set);
        }
        let funcs = (0..self.program.funcs.len()).map(FuncId::new);
        let decl = |f: &FuncId| self.program.decl(*f);
        let roots: Vec<FuncId> =
            funcs.filter(|f| decl(f).address_taken && decl(f).has_body && !decl(f).model).collect();
        let graph = CallGraph::new(self.program, &roots);
        let set: BTreeSet<PropertyId> = graph.funcs().iter().flat_map(|f| own_properties(self.program, *f)).collect();
        let set = Rc::new(set);
        self.handlers = Some(Rc::clone(&set));
        set
    }

    fn behind(&mut self, func: FuncId, block: Block) -> Rc<BTreeSet<PropertyId>> {
        if let Some(set) = self.from.get(&(func, block)) {
            return Rc::clone(set);
        }
        let mut all = BTreeSet::new();
        for (b, _) in self.walk(func, block) {
            all.extend(self.here(func, b).iter().copied());
        }
        let all = Rc::new(all);
        self.from.insert((func, block), Rc::clone(&all));
        all
    }

    fn distance(&mut self, func: FuncId, block: Block, open: &BTreeSet<PropertyId>) -> Option<u32> {
        let blocks = self.walk(func, block);
        blocks
            .into_iter()
            .find(|(b, _)| self.here(func, *b).intersection(open).next().is_some())
            .map(|(_, distance)| distance)
    }

    /// The blocks that can be reached from one, or by a jump to this activation; nearest first.
    fn walk(&self, func: FuncId, from: Block) -> Vec<(Block, u32)> {
        let Some(body) = self.program.body(func) else { return Vec::new() };
        let mut seen = vec![false; body.blocks.len()];
        let mut queue = VecDeque::from([(from, 0)]);
        let points = self.points.get(&func).into_iter().flatten();
        queue.extend(points.filter(|b| **b != from).map(|b| (*b, 0)));
        let mut out = Vec::new();
        for (b, _) in &queue {
            seen[b.index()] = true;
        }
        while let Some((b, distance)) = queue.pop_front() {
            out.push((b, distance));
            for (to, _) in body.block(b).term.successors() {
                if !std::mem::replace(&mut seen[to.index()], true) {
                    queue.push_back((to, distance + 1));
                }
            }
        }
        out
    }

    fn here(&mut self, func: FuncId, block: Block) -> Rc<BTreeSet<PropertyId>> {
        if let Some(here) = self.blocks.get(&(func, block)) {
            return Rc::clone(here);
        }
        let mut properties = BTreeSet::new();
        if let Some(body) = self.program.body(func) {
            for &i in &body.block(block).insts {
                properties.extend(body.inst(i).inst.properties());
            }
        }
        for site in self.calls.sites(func).iter().filter(|s| s.block == block) {
            for target in site.callee.targets() {
                if let Some(set) = self.below.get(target) {
                    properties.extend(set.iter().copied());
                }
            }
        }
        let here = Rc::new(properties);
        self.blocks.insert((func, block), Rc::clone(&here));
        here
    }
}

fn sets_jump(body: &Func, block: Block) -> bool {
    body.block(block).insts.iter().any(|i| matches!(body.inst(*i).inst, Inst::SetJmp { .. }))
}

fn own_properties(program: &Program, f: FuncId) -> Vec<PropertyId> {
    let Some(body) = program.body(f) else { return Vec::new() };
    let insts = body.block_ids().flat_map(|b| body.block(b).insts.clone());
    insts.flat_map(|i| body.inst(i).inst.properties()).collect()
}
