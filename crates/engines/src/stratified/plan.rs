//! Which calls are left out now, and what stands for them.
//!
//! A call is known by its *chain*: the calls on the way to it, as instructions. Calls of one instruction in several iterations are one chain,
//! so inlining it inlines them all; every depth of a recursion is a chain of its own.

use crate::tuning::PLAN_LOOP_INSTS;
use blitz_analysis::{Footprint, Footprints};
use blitz_ir::loops::LoopForest;
use blitz_ir::{FuncId, InstId, Program};
use blitz_symex::havoc::{Calls, ChainId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// A chain that is the same in all strata.
pub(super) type Path = Vec<(InstId, FuncId)>;

/// What is known of the functions.
pub(super) struct Footing {
    footprints: Footprints,
    /// Functions with a body that can be reached, and how much running them takes.
    sizes: BTreeMap<FuncId, usize>,
    /// Functions in which something may happen of a kind that is switched off, after which nothing is known.
    losing: BTreeSet<FuncId>,
    /// Calls of functions with at most this many instructions are never left out.
    inline: usize,
}

impl Footing {
    pub fn new(program: &Program, entry: FuncId, inline: usize, assumed: &[String]) -> Self {
        let footprints = Footprints::new(program, entry, assumed);
        let own: BTreeMap<FuncId, usize> = footprints
            .reached_from(entry)
            .into_iter()
            .filter(|f| program.decl(*f).has_body)
            .map(|f| (f, own_size(program, &footprints, f)))
            .collect();
        let sizes = own.keys().map(|&f| (f, size(&own, &footprints, f))).collect();
        let unasked: BTreeSet<FuncId> = own.keys().copied().filter(|f| has_unasked(program, *f)).collect();
        let leads = |f: FuncId| footprints.reached_from(f).iter().any(|g| unasked.contains(g));
        let losing = own.keys().copied().filter(|f| !unasked.is_empty() && leads(*f)).collect();
        Self { footprints, sizes, losing, inline }
    }

    /// All functions with a body that can be reached.
    pub fn funcs(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.sizes.keys().copied()
    }

    /// How much running a function takes: its instructions and its callees'.
    pub fn size(&self, f: FuncId) -> usize {
        self.sizes.get(&f).copied().unwrap_or(usize::MAX)
    }

    /// The functions whose execution can lead into `f`.
    pub fn reaching(&self, f: FuncId) -> BTreeSet<FuncId> {
        self.footprints.reaching(f)
    }

    pub fn reached_from(&self, f: FuncId) -> BTreeSet<FuncId> {
        self.footprints.reached_from(f)
    }

    /// Whether a call may do what leaves nothing known.
    pub fn may_lose(&self, f: FuncId) -> bool {
        self.losing.contains(&f)
    }

    pub fn may_exit(&self, f: FuncId) -> bool {
        self.footprints.of(f).is_none_or(|p| p.exits)
    }
}

/// Instructions of a function. With a loop or a recursion of the user's nobody knows how many are run: a lot.
fn own_size(program: &Program, footprints: &Footprints, f: FuncId) -> usize {
    let Some(body) = program.body(f) else { return 0 };
    let repeats = !program.decl(f).model && (!LoopForest::new(body).loops.is_empty() || footprints.calls_itself(f));
    if repeats { PLAN_LOOP_INSTS } else { body.insts.len() }
}

fn has_unasked(program: &Program, f: FuncId) -> bool {
    program.body(f).is_some_and(|b| b.insts.iter().any(|data| !data.inst.unasked().is_empty()))
}

/// Those of a function and its callees.
fn size(own: &BTreeMap<FuncId, usize>, footprints: &Footprints, f: FuncId) -> usize {
    footprints.reached_from(f).iter().filter_map(|g| own.get(g)).fold(0, |sum, n| sum.saturating_add(*n))
}

struct Link {
    parent: ChainId,
    call: InstId,
    callee: FuncId,
    /// A function of the user's is running when the call is made.
    in_user_code: bool,
}

/// The partially inlined program.
pub(super) struct Plan<'a> {
    program: &'a Program,
    footing: &'a Footing,
    /// The outermost function is the user's.
    starts_in_user_code: bool,
    links: RefCell<Links>,
    inlined: BTreeSet<ChainId>,
    shared: RefCell<BTreeMap<FuncId, Rc<Footprint>>>,
}

#[derive(Default)]
struct Links {
    list: Vec<Link>,
    known: HashMap<(ChainId, InstId, FuncId), ChainId>,
}

impl Links {
    /// The last call of a chain; none for the outermost activation.
    fn of(&self, chain: ChainId) -> Option<&Link> {
        chain.index().checked_sub(1).map(|at| &self.list[at])
    }
}

impl<'a> Plan<'a> {
    pub fn new(program: &'a Program, footing: &'a Footing, entry: FuncId) -> Self {
        Self {
            program,
            footing,
            starts_in_user_code: !program.decl(entry).model,
            links: RefCell::default(),
            inlined: BTreeSet::new(),
            shared: RefCell::default(),
        }
    }

    pub fn inline(&mut self, chains: &BTreeSet<ChainId>) {
        self.inlined.extend(chains);
    }

    pub fn inlined(&self) -> BTreeSet<Path> {
        self.inlined.iter().map(|c| self.path(*c)).collect()
    }

    pub fn path(&self, chain: ChainId) -> Path {
        let links = self.links.borrow();
        let mut out = Vec::new();
        let mut at = chain;
        while let Some(link) = links.of(at) {
            out.push((link.call, link.callee));
            at = link.parent;
        }
        out.reverse();
        out
    }

    fn in_user_code(&self, chain: ChainId) -> bool {
        self.links.borrow().of(chain).map_or(self.starts_in_user_code, |link| link.in_user_code)
    }
}

impl Calls for Plan<'_> {
    fn chain(&self, parent: ChainId, call: InstId, callee: FuncId) -> ChainId {
        if let Some(&found) = self.links.borrow().known.get(&(parent, call, callee)) {
            return found;
        }
        let caller = match self.links.borrow().of(parent) {
            None => self.starts_in_user_code,
            Some(link) => link.in_user_code || !self.program.decl(link.callee).model,
        };
        let mut links = self.links.borrow_mut();
        links.list.push(Link { parent, call, callee, in_user_code: caller });
        let number = ChainId::new(links.list.len());
        links.known.insert((parent, call, callee), number);
        number
    }

    /// Calls by the start code (`main`, constructors) are run, and so are models: their checks count for the caller.
    fn stands_for(&self, chain: ChainId, callee: FuncId) -> Option<Rc<Footprint>> {
        if self.program.decl(callee).model || self.inlined.contains(&chain) || !self.in_user_code(chain) {
            return None;
        }
        if let Some(known) = self.shared.borrow().get(&callee) {
            return Some(Rc::clone(known));
        }
        let small = self.footing.size(callee) <= self.footing.inline;
        let footprint = self.footing.footprints.of(callee).filter(|f| !f.opaque && !small)?;
        let shared = Rc::new(footprint.clone());
        self.shared.borrow_mut().insert(callee, Rc::clone(&shared));
        Some(shared)
    }
}
