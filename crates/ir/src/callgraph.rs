//! Who calls whom.
//!
//! Why conservative: a call through a pointer may reach every function whose address is taken and which could be called in
//! this way (see [`may_be_called_as`]). An engine with a points-to analysis narrows that down; nothing here assumes one.
//!
//! Only functions reachable from the roots are lowered and listed, so that a million lines cost what is used of them.
//!
//! Invariants: `callees` and `callers` are sorted and without duplicates; components come callees first; two functions are in the
//! same component exactly if each reaches the other. See `components`.
//!
//! Absent: calls that a `longjmp` cuts short; whatever code outside the program calls back.

use crate::components::components;
use crate::func::Block;
use crate::inst::{Inst, InstId, Target};
use crate::program::{FuncDecl, FuncId, Program, Signature};
use crate::types::Type;
use std::collections::{BTreeMap, HashMap};

/// The calls of the functions that can be reached.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    /// The functions reached, by ascending id, those without a body included.
    funcs: Vec<FuncId>,
    /// Position in `funcs`.
    node: HashMap<FuncId, usize>,
    sites: Vec<Vec<Site>>,
    callees: Vec<Vec<FuncId>>,
    callers: Vec<Vec<FuncId>>,
    components: Vec<Vec<FuncId>>,
    component_of: Vec<usize>,
}

/// A call in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub block: Block,
    pub inst: InstId,
    pub callee: Callee,
}

/// Who a call can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    Direct(FuncId),
    /// Through a pointer; every function that it may be.
    Indirect(Vec<FuncId>),
}

impl Callee {
    pub fn targets(&self) -> &[FuncId] {
        match self {
            Callee::Direct(f) => std::slice::from_ref(f),
            Callee::Indirect(list) => list,
        }
    }
}

/// Whether a function can be called through a pointer as a function of type `site`. Old C calls functions without knowing their
/// parameters, so lists of parameters only have to agree as far as both go if one side leaves them open; results that
/// the call does not want are dropped.
pub fn may_be_called_as(decl: &Signature, site: &Signature) -> bool {
    let results = decl.results.starts_with(&site.results);
    let common = decl.params.iter().zip(&site.params).all(|(a, b)| a == b);
    let open = decl.variadic || site.variadic || decl.params.len() == site.params.len();
    results && common && open
}

/// Whether a call through a pointer of type `site` means something to a function. C leaves a call through another type than the
/// function's undefined; what real machines do with it is clear only where every parameter gets an argument of its sort that has
/// all its bits, and the result wanted is part of the one the function gives. Arguments that nobody asked for are dropped.
/// `site` is what the call passes and takes ([`CallSite::made_as`](crate::CallSite::made_as)). It may not take the shadows of a struct that travels in
/// one register, which it can't tell from a scalar.
pub fn makes_sense_as(callee: &FuncDecl, site: &Signature, word: u16) -> bool {
    let decl = &callee.signature;
    // A register, or a slot of the stack, holds the lower bits of what was put there.
    let narrowed = |wanted: &Type, given: &Type| match (wanted, given) {
        (Type::Int(w), Type::Int(g)) => w <= g && *g <= word,
        _ => false,
    };
    let alike = |wanted: &Type, given: &Type| {
        let number = |t: &Type| matches!(t, Type::Float(_));
        let same_size = !number(wanted) && !number(given) && wanted.bits(word) == given.bits(word);
        wanted == given || same_size || narrowed(wanted, given)
    };
    let params =
        decl.params.len() <= site.params.len() && decl.params.iter().zip(&site.params).all(|(p, a)| alike(p, a));
    let wanted = site.results.len();
    let plain = decl.results.len() - callee.shadow_results as usize;
    let results = wanted == 0
        || (wanted == decl.results.len() || wanted == 1 && plain == 1)
            && decl.results.iter().zip(&site.results).all(|(g, w)| alike(w, g));
    params && results
}

impl CallGraph {
    /// The graph of what the roots reach.
    pub fn new(program: &Program, roots: &[FuncId]) -> Self {
        let mut found: BTreeMap<FuncId, Vec<Site>> = BTreeMap::new();
        let mut indirect: HashMap<(Signature, Signature), Vec<FuncId>> = HashMap::new();
        let mut todo: Vec<FuncId> = roots.to_vec();
        while let Some(f) = todo.pop() {
            if found.contains_key(&f) {
                continue;
            }
            let sites = sites(program, f, &mut indirect);
            todo.extend(sites.iter().flat_map(|s| s.callee.targets()).filter(|t| !found.contains_key(t)));
            found.insert(f, sites);
        }
        let mut graph = Self {
            funcs: found.keys().copied().collect(),
            node: found.keys().copied().zip(0..).collect(),
            sites: found.into_values().collect(),
            ..Self::default()
        };
        graph.link();
        graph.find_components();
        graph
    }

    fn link(&mut self) {
        self.callers = vec![Vec::new(); self.funcs.len()];
        for (f, sites) in self.funcs.iter().zip(&self.sites) {
            let mut callees: Vec<FuncId> = sites.iter().flat_map(|s| s.callee.targets()).copied().collect();
            callees.sort_unstable();
            callees.dedup();
            for callee in &callees {
                self.callers[self.node[callee]].push(*f);
            }
            self.callees.push(callees);
        }
    }

    /// All functions that can be reached, by ascending id.
    pub fn funcs(&self) -> &[FuncId] {
        &self.funcs
    }

    pub fn contains(&self, f: FuncId) -> bool {
        self.node.contains_key(&f)
    }

    /// The calls of a function, in the order of its body.
    pub fn sites(&self, f: FuncId) -> &[Site] {
        self.node.get(&f).map_or(&[], |&n| &self.sites[n])
    }

    /// The functions that a function can call.
    pub fn callees(&self, f: FuncId) -> &[FuncId] {
        self.node.get(&f).map_or(&[], |&n| &self.callees[n])
    }

    /// The reached functions that can call a function.
    pub fn callers(&self, f: FuncId) -> &[FuncId] {
        self.node.get(&f).map_or(&[], |&n| &self.callers[n])
    }

    /// Strongly connected components, callees before callers.
    pub fn components(&self) -> &[Vec<FuncId>] {
        &self.components
    }

    /// The number of a function's component.
    pub fn component_of(&self, f: FuncId) -> Option<usize> {
        self.node.get(&f).map(|&n| self.component_of[n])
    }

    /// Whether a function can call itself, directly or not.
    pub fn is_recursive(&self, f: FuncId) -> bool {
        let component = self.component_of(f).map(|c| self.components[c].len());
        component.is_some_and(|n| n > 1) || self.callees(f).binary_search(&f).is_ok()
    }

    fn find_components(&mut self) {
        let callees: Vec<Vec<usize>> =
            self.callees.iter().map(|all| all.iter().map(|f| self.node[f]).collect()).collect();
        self.component_of = vec![0; self.funcs.len()];
        for members in components(&callees) {
            for &m in &members {
                self.component_of[m] = self.components.len();
            }
            let mut component: Vec<FuncId> = members.iter().map(|&m| self.funcs[m]).collect();
            component.sort_unstable();
            self.components.push(component);
        }
    }
}

/// The calls in a function's body.
fn sites(program: &Program, f: FuncId, indirect: &mut HashMap<(Signature, Signature), Vec<FuncId>>) -> Vec<Site> {
    let Some(body) = program.body(f) else {
        return Vec::new();
    };
    let mut sites = Vec::new();
    for block in body.block_ids() {
        for &inst in &body.block(block).insts {
            let data = body.inst(inst);
            let Inst::Call(call) = &data.inst else {
                continue;
            };
            let types = || (call.signature.clone(), call.made_as(body, &data.results));
            let callee = match call.target {
                Target::Func(id) => Callee::Direct(id),
                Target::Pointer(_) => Callee::Indirect(
                    indirect
                        .entry(types())
                        .or_insert_with_key(|(ty, made)| possible_targets(program, ty, made))
                        .clone(),
                ),
            };
            sites.push(Site { block, inst, callee });
        }
    }
    sites
}

/// The functions that a pointer of this type, called as `made`, may point to, by ascending id.
fn possible_targets(program: &Program, ty: &Signature, made: &Signature) -> Vec<FuncId> {
    (0..program.funcs.len())
        .map(FuncId::new)
        .filter(|&f| {
            let decl = program.decl(f);
            let word = program.target.ptr_bits;
            let may = may_be_called_as(&decl.signature, ty) || makes_sense_as(decl, made, word);
            decl.address_taken && may
        })
        .collect()
}

#[cfg(test)]
mod tests;
