//! Functions cut into fragments of a few statements, each a function of its own.
//!
//! A fragment takes what is alive where it begins, and ends by calling the next one, whose results it returns. What has to hold at a
//! statement for something to happen later is then a precondition like that of any function (`--granularity N`). Loops stay whole; so do
//! functions that set a jump, save the stack, take variable arguments or jump to computed places.

use crate::cfg::Cfg;
use crate::components::components;
use crate::func::{Block, Func, FuncBuilder, Value, ValueDef};
use crate::inst::{CallSite, Inst, InstId, Target, Terminator};
use crate::program::{BodySource, FuncDecl, FuncId, Program, Signature};
use crate::property::{Property, PropertyId};
use blitz_base::span::Loc;
use std::collections::{BTreeSet, HashMap};

/// A program whose functions are cut.
pub struct Fragments {
    pub program: Program,
    /// Functions from this number on are fragments; each of the others is the first part of a function, or all of it.
    pub first: usize,
    origins: Vec<FuncId>,
}

impl Fragments {
    /// Cuts the functions of a program into fragments of so many statements, but for those that are to stay whole.
    pub fn new(program: &Program, statements: u32, stays_whole: impl Fn(FuncId) -> bool) -> Self {
        let mut cutter =
            Cutter { decls: program.funcs.clone(), bodies: Vec::new(), origins: Vec::new(), homes: HashMap::new() };
        let first = program.funcs.len();
        for i in 0..first {
            let f = FuncId::new(i);
            cutter.function(program, f, statements, stays_whole(f));
        }
        let properties = program.properties().into_iter().map(|(id, p)| cutter.moved(id, p)).collect();
        let (globals, files) = (program.globals.clone(), program.files.clone());
        let mut cut = Program::new(program.target, cutter.decls, globals, files, Box::new(AllThere));
        cut.constructors.clone_from(&program.constructors);
        cut.destructors.clone_from(&program.destructors);
        cut.asking.clone_from(&program.asking);
        cut.threads = program.threads;
        cut.unmentioned = (0..first).map(FuncId::new).filter(|f| program.is_pruned(*f)).collect();
        cut.prune(|_| false);
        cut.set_properties(properties);
        for (f, body) in cutter.bodies {
            cut.set_body(f, body);
        }
        Self { program: cut, first, origins: cutter.origins }
    }

    /// The function that one of the cut program is part of.
    pub fn origin(&self, f: FuncId) -> FuncId {
        f.index().checked_sub(self.first).map_or(f, |i| self.origins[i])
    }
}

/// All bodies of a cut program are given.
struct AllThere;

impl BodySource for AllThere {
    fn body(&self, func: FuncId, _: &mut dyn FnMut(Property) -> PropertyId) -> Func {
        unreachable!("the body of {func} was given")
    }
}

struct Cutter {
    decls: Vec<FuncDecl>,
    bodies: Vec<(FuncId, Func)>,
    origins: Vec<FuncId>,
    /// The fragment a property is checked in.
    homes: HashMap<PropertyId, FuncId>,
}

impl Cutter {
    fn function(&mut self, program: &Program, f: FuncId, statements: u32, whole: bool) {
        let Some(body) = program.body(f) else { return };
        let decl = program.decl(f);
        let is_cut = !decl.model && !decl.signature.variadic && !whole && can_be_cut(body);
        match is_cut.then(|| Layout::new(body, statements)).flatten() {
            Some(layout) => self.cut(f, decl, &layout),
            None => self.bodies.push((f, body.clone())),
        }
    }

    fn cut(&mut self, f: FuncId, decl: &FuncDecl, layout: &Layout) {
        let ids: Vec<FuncId> =
            (0..layout.regions.len()).map(|r| if r == 0 { f } else { FuncId::new(self.decls.len() + r - 1) }).collect();
        let names = names(&layout.func, decl);
        for (r, region) in layout.regions.iter().enumerate() {
            if r > 0 {
                self.decls.push(fragment_decl(decl, layout, region, &names));
                self.origins.push(f);
            }
            let body = Copy::of(layout, r, &ids, decl);
            for data in &body.insts {
                for property in data.inst.properties() {
                    self.homes.insert(property, ids[r]);
                }
            }
            self.bodies.push((ids[r], body));
        }
    }

    fn moved(&self, id: PropertyId, property: Property) -> Property {
        let func = self.homes.get(&id).copied().unwrap_or(property.func);
        Property { func, ..property }
    }
}

fn can_be_cut(body: &Func) -> bool {
    let stays = |inst: &Inst| matches!(inst, Inst::SetJmp { .. } | Inst::StackSave | Inst::StackRestore { .. });
    let computed = |term: &Terminator| matches!(term, Terminator::IndirectJump { .. });
    !body.insts.iter().any(|data| stays(&data.inst)) && !body.blocks.iter().any(|b| computed(&b.term))
}

/// What the source calls the values. Where ways meet, a value is the variable that all that come in are.
fn names(body: &Func, decl: &FuncDecl) -> HashMap<Value, String> {
    let mut all: HashMap<Value, BTreeSet<String>> = HashMap::new();
    for data in &body.insts {
        if let Inst::Debug { var, value, indirect } = &data.inst {
            let name = &body.vars[var.index()].name;
            let name = if *indirect { format!("&{name}") } else { name.clone() };
            all.entry(*value).or_default().insert(name);
        }
    }
    let mut incoming: HashMap<Value, BTreeSet<String>> = HashMap::new();
    for block in &body.blocks {
        for (to, args) in block.term.successors() {
            for (param, arg) in body.block(to).params.iter().zip(args) {
                let names = all.get(arg).cloned().unwrap_or_default();
                let known = incoming.entry(*param).or_insert_with(|| names.clone());
                known.retain(|name| names.contains(name));
            }
        }
    }
    for (param, names) in incoming {
        all.entry(param).or_insert(names);
    }
    let mut names: HashMap<Value, String> =
        all.into_iter().filter_map(|(v, n)| Some((v, n.into_iter().next()?))).collect();
    names.extend(body.params().iter().copied().zip(decl.params.iter().cloned()));
    names
}

fn fragment_decl(decl: &FuncDecl, layout: &Layout, region: &Region, names: &HashMap<Value, String>) -> FuncDecl {
    let params = region.params(&layout.func);
    let loc = region.place(&layout.func).unwrap_or(decl.loc);
    FuncDecl {
        name: format!("{}:{}", decl.name, loc.line),
        signature: region.signature(&layout.func, decl),
        has_body: true,
        model: false,
        loc,
        params: params.iter().map(|v| names.get(v).cloned().unwrap_or_default()).collect(),
        internal: true,
        address_taken: false,
        shadow_params: 0,
        shadow_results: decl.shadow_results,
    }
}

/// Which blocks make a fragment.
struct Region {
    leader: Block,
    blocks: Vec<Block>,
    statements: u32,
    /// Values from outside that it or what follows it uses, but for the leader's parameters.
    alive: BTreeSet<Value>,
}

impl Region {
    /// What it takes.
    fn params(&self, func: &Func) -> Vec<Value> {
        func.block(self.leader).params.iter().chain(&self.alive).copied().collect()
    }

    fn signature(&self, func: &Func, decl: &FuncDecl) -> Signature {
        let params = self.params(func).into_iter().map(|v| func.ty(v)).collect();
        Signature { params, results: decl.signature.results.clone(), variadic: false }
    }

    /// Its first statement.
    fn place(&self, func: &Func) -> Option<Loc> {
        self.blocks.iter().find_map(|b| lines(func, *b).next())
    }
}

/// How a function is cut: its blocks cut at statements, and the regions they make. Regions have one way in.
struct Layout {
    func: Func,
    regions: Vec<Region>,
    /// By block.
    region_of: Vec<usize>,
}

impl Layout {
    /// `None`: it has to stay whole.
    fn new(body: &Func, statements: u32) -> Option<Self> {
        let (func, cuts) = cut_blocks(body, statements);
        let cfg = Cfg::new(&func);
        let units = units(&func);
        let mut layout = Self { region_of: vec![usize::MAX; func.blocks.len()], regions: Vec::new(), func };
        for &b in cfg.rpo() {
            if layout.region_of[b.index()] != usize::MAX {
                continue;
            }
            let unit = &units[b.index()];
            let others = unit.iter().filter(|o| **o != b).flat_map(|o| cfg.predecessors(*o));
            if others.into_iter().any(|p| !unit.contains(p) && cfg.is_reachable(*p)) {
                return None;
            }
            let r = layout.region_for(b, unit, &cfg, &cuts, statements);
            layout.regions[r].statements += unit.iter().map(|o| count(&layout.func, *o)).sum::<u32>();
            layout.regions[r].blocks.extend(unit);
            unit.iter().for_each(|o| layout.region_of[o.index()] = r);
        }
        layout.find_alive();
        (layout.regions.len() > 1).then_some(layout)
    }

    fn region_for(&mut self, b: Block, unit: &[Block], cfg: &Cfg, cuts: &BTreeSet<Block>, statements: u32) -> usize {
        let before = cfg.predecessors(b).iter().filter(|p| !unit.contains(p) && cfg.is_reachable(**p));
        let before: BTreeSet<usize> = before.map(|p| self.region_of[p.index()]).collect();
        let size: u32 = unit.iter().map(|o| count(&self.func, *o)).sum();
        let mut only = before.into_iter();
        match (only.next(), only.next()) {
            (Some(r), None) if !cuts.contains(&b) && self.regions[r].statements + size <= statements => r,
            _ => {
                self.regions.push(Region { leader: b, blocks: Vec::new(), statements: 0, alive: BTreeSet::new() });
                self.regions.len() - 1
            }
        }
    }

    /// Later regions first: what they need, earlier ones have to have.
    fn find_alive(&mut self) {
        for r in (0..self.regions.len()).rev() {
            let region = &self.regions[r];
            let mut used: BTreeSet<Value> = BTreeSet::new();
            let mut defined: BTreeSet<Value> = BTreeSet::new();
            for &b in &region.blocks {
                let data = self.func.block(b);
                defined.extend(&data.params);
                for &i in &data.insts {
                    defined.extend(&self.func.inst(i).results);
                    self.func.inst(i).inst.for_each_operand(|v| _ = used.insert(v));
                }
                data.term.for_each_operand(|v| _ = used.insert(v));
                for (to, _) in data.term.successors() {
                    let next = self.region_of[to.index()];
                    if next != r {
                        used.extend(&self.regions[next].alive);
                    }
                }
            }
            let comes_from_outside = |v: &Value| !defined.contains(v) && self.func.as_const(*v).is_none();
            self.regions[r].alive = used.into_iter().filter(comes_from_outside).collect();
        }
    }
}

/// The places of a block's instructions and of its end, what has none left out.
fn lines(func: &Func, b: Block) -> impl Iterator<Item = Loc> + '_ {
    let data = func.block(b);
    let insts =
        data.insts.iter().map(|i| func.inst(*i)).filter(|d| !matches!(d.inst, Inst::Debug { .. })).map(|d| d.loc);
    insts.chain([data.loc]).filter(|l| l.line != 0)
}

/// Statements of a block, by the lines of its source.
fn count(func: &Func, b: Block) -> u32 {
    let mut last = None;
    lines(func, b).filter(|l| last.replace((l.file, l.line)) != Some((l.file, l.line))).count() as u32
}

/// The blocks outside loops cut where a statement begins and the one before has had its share. Also tells which blocks begin at a cut.
fn cut_blocks(body: &Func, statements: u32) -> (Func, BTreeSet<Block>) {
    let mut func = body.clone();
    let mut cuts = BTreeSet::new();
    let units = units(body);
    for b in body
        .block_ids()
        .filter(|b| units[b.index()].len() == 1 && !body.block(*b).term.successors().iter().any(|(to, _)| to == b))
    {
        let mut current = b;
        while let Some(at) = place_of_cut(&func, current, statements) {
            let next = Block::new(func.blocks.len());
            let data = &mut func.blocks[current.index()];
            let insts = data.insts.split_off(at);
            let term = std::mem::replace(&mut data.term, Terminator::Jump { to: next, args: Vec::new() });
            let loc = data.loc;
            func.blocks.push(crate::func::BlockData { params: Vec::new(), insts, term, loc });
            let last = func.blocks[current.index()].insts.last().map(|i| func.inst(*i).loc);
            func.blocks[current.index()].loc = last.unwrap_or(loc);
            cuts.insert(next);
            current = next;
        }
    }
    (func, cuts)
}

/// The instruction at which so many statements of the block are over and another begins.
fn place_of_cut(func: &Func, b: Block, statements: u32) -> Option<usize> {
    let (mut last, mut seen) = (None, 0);
    for (at, &i) in func.block(b).insts.iter().enumerate() {
        let data = func.inst(i);
        if matches!(data.inst, Inst::Debug { .. }) || data.loc.line == 0 {
            continue;
        }
        if last.replace((data.loc.file, data.loc.line)) != Some((data.loc.file, data.loc.line)) {
            seen += 1;
            if seen > statements {
                return Some(at);
            }
        }
    }
    None
}

/// By block, what it can't be parted from: the loop it is in, or itself.
fn units(func: &Func) -> Vec<Vec<Block>> {
    let successors: Vec<Vec<usize>> =
        func.blocks.iter().map(|b| b.term.successors().iter().map(|(to, _)| to.index()).collect()).collect();
    let mut out = vec![Vec::new(); func.blocks.len()];
    for component in components(&successors) {
        let mut blocks: Vec<Block> = component.iter().map(|i| Block::new(*i)).collect();
        blocks.sort();
        for &i in &component {
            out[i].clone_from(&blocks);
        }
    }
    out
}

/// The body of one fragment.
struct Copy<'a> {
    layout: &'a Layout,
    region: usize,
    ids: &'a [FuncId],
    decl: &'a FuncDecl,
    new: FuncBuilder,
    blocks: HashMap<Block, Block>,
    values: HashMap<Value, Value>,
    insts: Vec<InstId>,
}

impl<'a> Copy<'a> {
    fn of(layout: &'a Layout, region: usize, ids: &'a [FuncId], decl: &'a FuncDecl) -> Func {
        let mut copy = Self {
            layout,
            region,
            ids,
            decl,
            new: FuncBuilder::new(),
            blocks: HashMap::new(),
            values: HashMap::new(),
            insts: Vec::new(),
        };
        copy.new.func.vars.clone_from(&layout.func.vars);
        let entry = (region > 0).then(|| copy.new.block());
        copy.define();
        if let Some(entry) = entry {
            copy.enter(entry);
        }
        copy.rename();
        copy.end();
        copy.new.func
    }

    fn old(&self) -> &'a Func {
        &self.layout.func
    }

    fn region(&self) -> &'a Region {
        &self.layout.regions[self.region]
    }

    /// Blocks, their parameters and instructions, with the operands they had.
    fn define(&mut self) {
        for &b in &self.region().blocks {
            let to = self.new.block();
            self.blocks.insert(b, to);
            for &v in &self.old().block(b).params {
                let param = self.new.block_param(to, self.old().ty(v));
                self.values.insert(v, param);
            }
            for &i in &self.old().block(b).insts {
                let data = self.old().inst(i);
                let types: Vec<_> = data.results.iter().map(|v| self.old().ty(*v)).collect();
                let id = self.new.push(to, data.inst.clone(), &types, data.loc);
                let results = self.new.func.insts[id.index()].results.clone();
                self.values.extend(data.results.iter().copied().zip(results));
                self.insts.push(id);
            }
        }
    }

    /// The way in: the leader may be the head of a loop, so it is another block.
    fn enter(&mut self, entry: Block) {
        let leader = self.region().leader;
        let count = self.old().block(leader).params.len();
        let params = self.region().params(self.old());
        let args: Vec<Value> = params.iter().map(|v| self.new.block_param(entry, self.old().ty(*v))).collect();
        self.values.extend(params[count..].iter().copied().zip(args[count..].iter().copied()));
        let to = self.blocks[&leader];
        let loc = self.region().place(self.old()).unwrap_or(self.decl.loc);
        self.new.terminate(entry, Terminator::Jump { to, args: args[..count].to_vec() }, loc);
    }

    fn rename(&mut self) {
        for id in std::mem::take(&mut self.insts) {
            let mut inst = self.new.func.insts[id.index()].inst.clone();
            inst.for_each_operand_mut(|v| *v = self.renamed(*v));
            self.new.func.insts[id.index()].inst = inst;
        }
    }

    fn renamed(&mut self, v: Value) -> Value {
        match (&self.old().values[v.index()].def, self.values.get(&v)) {
            (_, Some(&new)) => new,
            (ValueDef::Const(c), None) => self.new.constant(self.old().ty(v), c.clone()),
            (ValueDef::Param(..) | ValueDef::Inst(..), None) => unreachable!("{v} should be alive in the fragment"),
        }
    }

    /// The ends of blocks: an edge that leaves becomes a call.
    fn end(&mut self) {
        for &b in &self.region().blocks {
            let data = self.old().block(b);
            let mut term = data.term.clone();
            term.for_each_operand_mut(|v| *v = self.renamed(*v));
            term.for_each_edge_mut(|to, args| match self.blocks.get(to) {
                Some(&inside) => *to = inside,
                None => *to = self.leave(*to, std::mem::take(args), data.loc),
            });
            let to = self.blocks[&b];
            self.new.terminate(to, term, data.loc);
        }
    }

    /// A block that calls the fragment which begins with `to`, and returns what it does.
    fn leave(&mut self, to: Block, mut args: Vec<Value>, loc: Loc) -> Block {
        let next = self.layout.region_of[to.index()];
        let region = &self.layout.regions[next];
        args.extend(region.alive.iter().map(|v| self.renamed(*v)).collect::<Vec<_>>());
        let block = self.new.block();
        let signature = region.signature(self.old(), self.decl);
        let results = signature.results.clone();
        let site = CallSite { target: Target::Func(self.ids[next]), args, signature, properties: Vec::new() };
        let call = self.new.push(block, Inst::Call(Box::new(site)), &results, loc);
        let values = self.new.func.insts[call.index()].results.to_vec();
        self.new.terminate(block, Terminator::Return { values }, loc);
        block
    }
}
