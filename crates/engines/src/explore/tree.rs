//! The execution tree: forks with more than one possible way, and how the paths ended.

use super::Item;
use blitz_base::span::Loc;
use blitz_ir::{Block, Func, FuncId};
use blitz_symex::fork::Place;
use blitz_term::{Assignment, Term};
use std::rc::Rc;

/// A node of the tree, in the order in which nodes were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(pub u32);

pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    /// Decisions as a tree of their own, forced ones included: the one before, and the way that was taken.
    trails: Vec<(u32, u32)>,
}

pub(crate) struct Node {
    pub parent: Option<NodeId>,
    /// The condition of the way from the parent to here, and the way's number.
    pub condition: Option<(Term, usize)>,
    pub fork: Option<(Place, Loc)>,
    pub children: Vec<NodeId>,
    /// Items that wait here or below.
    pub waiting: u32,
}

/// No decisions.
const START: u32 = 0;

impl Tree {
    pub fn new() -> Self {
        let root = Node { parent: None, condition: None, fork: None, children: Vec::new(), waiting: 0 };
        Self { nodes: vec![root], trails: vec![(START, 0)] }
    }

    pub fn root() -> NodeId {
        NodeId(0)
    }

    /// The first thing to follow: everything.
    pub fn root_item<'p>(&mut self) -> Item<'p> {
        self.add_waiting(Self::root());
        Item {
            node: Self::root(),
            trail: START,
            depth: 0,
            model: Rc::new(Assignment::new()),
            target: (FuncId(0), Func::ENTRY),
            stack: Vec::<(FuncId, Block)>::new(),
            from: None,
        }
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// A node becomes a fork; gives its children, one for each condition.
    pub fn fork(&mut self, at: NodeId, place: Place, loc: Loc, conditions: &[(Term, usize)]) -> Vec<NodeId> {
        let first = self.nodes.len() as u32;
        for &condition in conditions {
            let node =
                Node { parent: Some(at), condition: Some(condition), fork: None, children: Vec::new(), waiting: 0 };
            self.nodes.push(node);
        }
        let children: Vec<NodeId> = (first..self.nodes.len() as u32).map(NodeId).collect();
        let node = &mut self.nodes[at.0 as usize];
        node.fork = Some((place, loc));
        node.children.clone_from(&children);
        children
    }

    pub fn add_waiting(&mut self, at: NodeId) {
        self.each_above(at, |node| node.waiting += 1);
    }

    pub fn drop_waiting(&mut self, at: NodeId) {
        self.each_above(at, |node| node.waiting -= 1);
    }

    fn each_above(&mut self, at: NodeId, mut change: impl FnMut(&mut Node)) {
        let mut next = Some(at);
        while let Some(id) = next {
            let node = &mut self.nodes[id.0 as usize];
            change(node);
            next = node.parent;
        }
    }

    /// A trail with one more decision.
    pub fn extend(&mut self, trail: u32, taken: usize) -> u32 {
        self.trails.push((trail, taken as u32));
        self.trails.len() as u32 - 1
    }

    /// The ways taken on a trail, in order.
    pub fn trail(&self, mut trail: u32) -> Vec<usize> {
        let mut out = Vec::new();
        while trail != START {
            let (before, taken) = self.trails[trail as usize];
            out.push(taken as usize);
            trail = before;
        }
        out.reverse();
        out
    }
}
