//! What a segment knows of the rest of the program: classes of memory, effects of calls, which calls to inline.

use blitz_analysis::{Analysis, Region};
use blitz_ir::loops::LoopForest;
use blitz_ir::{CheckKind, FuncId, GlobalId, Inst, InstId, Program, PropertyId, Target, Value};
use blitz_symex::memory::World;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Models with at most this many instructions, their callees included, are part of the segment that calls them.
const CHEAP: usize = 160;

pub(crate) struct ProgramWorld<'p> {
    pub program: &'p Program,
    pub analysis: Analysis,
    /// The property that is looked for: the call of a model that can violate it is inlined.
    pub target: Cell<Option<PropertyId>>,
    cheap: RefCell<HashMap<FuncId, Option<usize>>>,
}

impl<'p> ProgramWorld<'p> {
    pub fn new(program: &'p Program, entry: FuncId) -> Self {
        let analysis = Analysis::new(program, &[entry]);
        Self { program, analysis, target: Cell::new(None), cheap: RefCell::new(HashMap::new()) }
    }

    /// Whether the call site lends this property to the model it calls.
    fn lends(&self, caller: FuncId, call: InstId) -> bool {
        let Some(target) = self.target.get() else { return false };
        let Some(body) = self.program.body(caller) else { return false };
        match &body.inst(call).inst {
            Inst::Call(site) => site.properties.iter().any(|(_, p)| *p == target),
            _ => false,
        }
    }

    /// Instructions of a loop-free model and its callees, if they are few.
    fn cost(&self, f: FuncId, depth: u32) -> Option<usize> {
        if let Some(known) = self.cheap.borrow().get(&f) {
            return *known;
        }
        let cost = self.compute_cost(f, depth);
        self.cheap.borrow_mut().insert(f, cost);
        cost
    }

    fn compute_cost(&self, f: FuncId, depth: u32) -> Option<usize> {
        let decl = self.program.decl(f);
        if !decl.model || depth > 8 {
            return None;
        }
        let body = self.program.body(f)?;
        let mut total = body.insts.len();
        if total > CHEAP || !LoopForest::new(body).loops.is_empty() {
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
        (total <= CHEAP).then_some(total)
    }
}

impl World for ProgramWorld<'_> {
    fn global_region(&self, g: GlobalId) -> u32 {
        self.analysis.global_region(g).0
    }

    fn region(&self, func: FuncId, value: Value) -> Option<u32> {
        self.analysis.region(func, value).map(|r| r.0)
    }

    fn modified(&self, func: FuncId) -> Vec<u32> {
        self.analysis.modified(func).into_iter().map(|Region(r)| r).collect()
    }

    fn targets(&self, func: FuncId, call: InstId) -> Vec<FuncId> {
        self.analysis.targets(func, call).to_vec()
    }

    fn leave_out(&self, caller: FuncId, call: InstId, callee: FuncId) -> bool {
        let model = self.program.decl(callee).model;
        if !model {
            return true;
        }
        let from_model = self.program.decl(caller).model;
        !(from_model || self.lends(caller, call) || self.cost(callee, 0).is_some())
    }
}

/// Where a property is checked: the instructions of its function that can violate it.
pub(crate) fn sites(program: &Program, func: FuncId, property: PropertyId) -> Vec<InstId> {
    let Some(body) = program.body(func) else { return Vec::new() };
    let lists = |list: &[(CheckKind, PropertyId)]| list.iter().any(|(_, p)| *p == property);
    (0..body.insts.len())
        .map(InstId::new)
        .filter(|&i| match &body.inst(i).inst {
            Inst::Check { property: p, .. } => *p == property,
            Inst::CheckMem(check) => lists(&check.properties),
            Inst::Call(site) => lists(&site.properties),
            _ => false,
        })
        .collect()
}
