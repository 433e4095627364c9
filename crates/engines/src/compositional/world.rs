//! What a segment knows of the rest of the program: classes of memory, effects of calls, which calls to inline.

use super::obligation::{Group, Site};
use super::tactics::answers::Answers;
use crate::tuning::{INLINE_DEPTH, INLINE_MODEL_INSTS, INLINE_USER_INSTS, MAX_DIRECT_FUNCS};
use blitz_analysis::{Analysis, Cell, Instance, Region};
use blitz_interp::{Runner, TraceLevel};
use blitz_ir::loops::LoopForest;
use blitz_ir::{Const, FuncId, GlobalId, Inst, InstData, InstId, Program, PropertyId, Target, Value};
use blitz_symex::memory::{Class, Place, World};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

type Classes = Rc<BTreeSet<Region>>;
type PlacesByRange = HashMap<(Class, Option<u64>), Rc<[Place]>>;

pub(crate) struct ProgramWorld<'p> {
    pub program: &'p Program,
    pub entry: FuncId,
    pub analysis: Analysis,
    /// How many calls lie between the program's entry and a function, at least.
    pub distances: HashMap<FuncId, u32>,
    /// The properties that are looked for: calls of models that can violate one of them are inlined.
    pub target: RefCell<Group>,
    /// What was answered in all searches so far.
    pub answers: Answers,
    cheap: RefCell<HashMap<FuncId, Option<usize>>>,
    /// What is done with calls for now.
    pub treatment: RefCell<Rc<Treatment>>,
    modified: RefCell<HashMap<(Instance, FuncId), Classes>>,
    places: RefCell<PlacesByRange>,
    /// Functions from this number on are fragments of others, which are never run in place.
    fragments: usize,
    /// Runs the inputs that were found.
    pub runner: Runner<'p>,
}

impl<'p> ProgramWorld<'p> {
    pub fn new(program: &'p Program, entry: FuncId, fragments: usize) -> Self {
        let analysis = Analysis::new(program, &[entry]);
        let distances = steps_from(entry, |f| callees(program, &analysis, f));
        Self {
            program,
            entry,
            analysis,
            distances,
            target: RefCell::new(Rc::from([])),
            answers: Answers::default(),
            cheap: RefCell::default(),
            treatment: RefCell::default(),
            modified: RefCell::default(),
            places: RefCell::default(),
            fragments,
            runner: Runner::new(program, TraceLevel::Calls),
        }
    }

    /// Whether a function is part of another one.
    pub fn is_fragment(&self, func: FuncId) -> bool {
        func.index() >= self.fragments
    }

    pub fn treatment(&self) -> Rc<Treatment> {
        Rc::clone(&self.treatment.borrow())
    }

    /// Whether the call site lends this property to the model it calls.
    fn lends(&self, caller: FuncId, call: InstId) -> bool {
        let target = self.target.borrow();
        let Some(body) = self.program.body(caller) else { return false };
        match &body.inst(call).inst {
            Inst::Call(site) => site.properties.iter().any(|(_, p)| target.contains(p)),
            _ => false,
        }
    }

    /// Instructions of a loop-free function and its callees, if they are few.
    fn cost(&self, f: FuncId, depth: u32) -> Option<usize> {
        if let Some(known) = self.cheap.borrow().get(&f) {
            return *known;
        }
        let cost = self.compute_cost(f, depth);
        self.cheap.borrow_mut().insert(f, cost);
        cost
    }

    fn compute_cost(&self, f: FuncId, depth: u32) -> Option<usize> {
        if depth > INLINE_DEPTH {
            return None;
        }
        let body = self.program.body(f)?;
        let mut total = body.insts.len();
        if total > INLINE_MODEL_INSTS || !LoopForest::new(body).loops.is_empty() {
            return None;
        }
        for data in &body.insts {
            if let Inst::Call(site) = &data.inst {
                match site.target {
                    Target::Func(g) => total += self.cost(g, depth + 1)?,
                    Target::Pointer(_) => return None,
                }
            }
        }
        (total <= INLINE_MODEL_INSTS).then_some(total)
    }
}

/// What is done with single calls of a segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Treatment {
    /// Run in place instead of left out.
    pub inline: BTreeSet<Site>,
    /// Left out, and taken to change nothing.
    pub idle: BTreeSet<Site>,
    /// Left out, and runs that make them as well.
    pub absent: BTreeSet<Site>,
}

/// How a segment of a function is run.
pub(crate) struct Root {
    /// The function it begins with.
    pub func: FuncId,
    /// The functions from there to the function itself, if that is another one.
    pub inner: Vec<FuncId>,
    /// It begins where the program does.
    pub at_start: bool,
}

impl ProgramWorld<'_> {
    /// `main` is run from the start code on: what memory and arguments are there is known. So is a function that does all the work of a
    /// tiny `main`.
    pub fn root(&self, func: FuncId) -> Root {
        let mut inner = vec![func];
        while let [(caller, _)] = self.analysis.callers(inner[0]) {
            if *caller == self.entry {
                return Root { func: self.entry, inner, at_start: true };
            }
            if self.is_fragment(inner[0]) || !self.only_calls(*caller) || inner.contains(caller) {
                break;
            }
            inner.insert(0, *caller);
        }
        Root { func, inner: Vec::new(), at_start: func == self.entry }
    }
}

impl ProgramWorld<'_> {
    /// The start of the program, with the fewest calls from there to the function in place. `None`: that is how it is run anyway, or
    /// there are too many.
    pub fn direct_root(&self, func: FuncId) -> Option<Root> {
        let mut inner = vec![func];
        let at = |f: FuncId| self.distances.get(&f).copied();
        while at(inner[0])? > 1 {
            let nearer = |c: &&(FuncId, InstId)| at(c.0).is_some_and(|d| at(inner[0]) == Some(d + 1));
            let caller = self.analysis.callers(inner[0]).iter().filter(nearer).map(|c| c.0).min()?;
            inner.insert(0, caller);
        }
        let usual = self.root(func);
        let in_fragments = self.fragments < self.program.funcs.len();
        (!in_fragments && !usual.at_start && inner.len() <= MAX_DIRECT_FUNCS).then_some(Root {
            func: self.entry,
            inner,
            at_start: true,
        })
    }

    /// Whether a function is tiny and makes one call.
    fn only_calls(&self, func: FuncId) -> bool {
        let Some(body) = self.program.body(func) else { return false };
        let calls = body.insts.iter().filter(|data| matches!(data.inst, Inst::Call(_))).count();
        calls == 1 && body.insts.len() <= INLINE_USER_INSTS
    }
}

impl World for ProgramWorld<'_> {
    fn global_class(&self, g: GlobalId) -> Class {
        class(self.analysis.global(g, 0))
    }

    fn class(&self, instance: Instance, func: FuncId, value: Value) -> Option<Class> {
        match self.program.body(func)?.as_const(value) {
            Some(Const::Global(g, offset)) => Some(class(self.analysis.global(*g, *offset))),
            Some(_) => None,
            None => self.analysis.cell(instance, func, value).map(class),
        }
    }

    fn life(&self, class: Class) -> Region {
        self.analysis.life(cell(class))
    }

    fn places(&self, class: Class, len: Option<u64>) -> Rc<[Place]> {
        let mut known = self.places.borrow_mut();
        let places = known.entry((class, len)).or_insert_with(|| {
            let places = self.analysis.places(cell(class), len);
            places.iter().map(|p| Place { part: p.part, spans: p.spans.clone() }).collect()
        });
        Rc::clone(places)
    }

    fn instance(&self, instance: Instance, func: FuncId, call: InstId, callee: FuncId) -> Instance {
        self.analysis.instance(instance, func, call, callee)
    }

    fn pointee(&self, of: Class) -> Option<Class> {
        self.analysis.pointee(cell(of)).map(class)
    }

    fn modified(&self, instance: Instance, func: FuncId) -> Rc<BTreeSet<Region>> {
        let mut known = self.modified.borrow_mut();
        let set = known
            .entry((instance, func))
            .or_insert_with(|| Rc::new(self.analysis.modified(instance, func).into_iter().collect()));
        Rc::clone(set)
    }

    fn targets(&self, func: FuncId, call: InstId) -> Vec<FuncId> {
        self.analysis.targets(func, call).to_vec()
    }

    fn ends(&self, caller: FuncId, call: InstId, callee: FuncId) -> bool {
        self.analysis.never_returns(callee) || self.treatment.borrow().absent.contains(&(caller, call, callee))
    }

    fn is_idle(&self, caller: FuncId, call: InstId, callee: FuncId) -> bool {
        self.treatment.borrow().idle.contains(&(caller, call, callee))
    }

    fn leave_out(&self, caller: FuncId, call: InstId, callee: FuncId) -> bool {
        if self.treatment.borrow().inline.contains(&(caller, call, callee)) {
            return false;
        }
        if self.is_fragment(callee) {
            return true;
        }
        let model = self.program.decl(callee).model;
        if !model {
            return !(self.analysis.is_wrapper(callee) || self.cost(callee, 0).is_some_and(|c| c <= INLINE_USER_INSTS));
        }
        let from_model = self.program.decl(caller).model;
        !(from_model || self.lends(caller, call) || self.cost(callee, 0).is_some())
    }
}

fn class(cell: Cell) -> Class {
    Class { node: cell.node, offset: cell.offset }
}

fn cell(class: Class) -> Cell {
    Cell { node: class.node, offset: class.offset }
}

/// How many steps lie between a function and those that can be reached from it, at least.
pub(super) fn steps_from(start: FuncId, next: impl Fn(FuncId) -> Vec<FuncId>) -> HashMap<FuncId, u32> {
    let mut out = HashMap::from([(start, 0)]);
    let mut layer = vec![start];
    let mut depth = 0;
    while !layer.is_empty() {
        depth += 1;
        let reached: BTreeSet<FuncId> = layer.into_iter().flat_map(&next).collect();
        layer = reached.into_iter().filter(|f| !out.contains_key(f)).collect();
        out.extend(layer.iter().map(|&f| (f, depth)));
    }
    out
}

fn callees(program: &Program, analysis: &Analysis, f: FuncId) -> Vec<FuncId> {
    let Some(body) = program.body(f) else { return Vec::new() };
    let of = |(i, data): (usize, &InstData)| match &data.inst {
        Inst::Call(site) => match site.target {
            Target::Func(g) => vec![g],
            Target::Pointer(_) => analysis.targets(f, InstId::new(i)).to_vec(),
        },
        _ => Vec::new(),
    };
    body.insts.iter().enumerate().flat_map(of).collect()
}

/// Where a property is checked: the instructions of its function that can violate it.
pub(crate) fn sites(program: &Program, func: FuncId, property: PropertyId) -> Vec<InstId> {
    let Some(body) = program.body(func) else { return Vec::new() };
    (0..body.insts.len()).map(InstId::new).filter(|&i| body.inst(i).inst.properties().contains(&property)).collect()
}
