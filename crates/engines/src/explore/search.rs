//! Searchers: which of the ways that wait is followed next, and which way a path takes where several are possible.

use super::tree::{NodeId, Tree};
use super::{ExploreOptions, Item};
use blitz_ir::{Block, FuncId, Program};
use blitz_symex::path::Place;
use std::collections::{BTreeMap, BTreeSet};

/// How the search goes through the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Searcher {
    /// The way that began to wait last.
    Dfs,
    /// The way with the fewest decisions.
    Bfs,
    /// From the root, at each fork any of the sides where something waits (KLEE's random path).
    RandomPath,
    /// The way nearest to code that no path has been through.
    NewCoverage,
    /// New coverage and random paths by turns.
    Mixed,
}

impl Searcher {
    pub const ALL: &[Searcher] =
        &[Searcher::Mixed, Searcher::Dfs, Searcher::Bfs, Searcher::RandomPath, Searcher::NewCoverage];

    pub fn name(self) -> &'static str {
        match self {
            Searcher::Dfs => "dfs",
            Searcher::Bfs => "bfs",
            Searcher::RandomPath => "random-path",
            Searcher::NewCoverage => "new-coverage",
            Searcher::Mixed => "mixed",
        }
    }

    pub fn from_name(name: &str) -> Option<Searcher> {
        Searcher::ALL.iter().copied().find(|s| s.name() == name)
    }
}

/// The ways that wait.
pub(crate) struct Frontier {
    searcher: Searcher,
    generator: u64,
    turn: u64,
    next: u64,
    /// By number of arrival.
    items: BTreeMap<u64, Item>,
    by_node: BTreeMap<NodeId, u64>,
    /// How often each way of a fork was followed.
    followed: BTreeMap<(Place, usize), u64>,
}

impl Frontier {
    pub fn new(options: &ExploreOptions, root: Item) -> Self {
        let mut out = Self {
            searcher: options.searcher,
            generator: options.seed,
            turn: 0,
            next: 0,
            items: BTreeMap::new(),
            by_node: BTreeMap::new(),
            followed: BTreeMap::new(),
        };
        out.push(root);
        out
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn push(&mut self, item: Item) {
        self.by_node.insert(item.node, self.next);
        self.items.insert(self.next, item);
        self.next += 1;
    }

    /// The item to follow next.
    pub fn next(&mut self, program: &Program, tree: &mut Tree, covered: &BTreeSet<(FuncId, Block)>) -> Option<Item> {
        self.turn += 1;
        let searcher = match self.searcher {
            Searcher::Mixed if self.turn.is_multiple_of(2) => Searcher::RandomPath,
            Searcher::Mixed => Searcher::NewCoverage,
            other => other,
        };
        let key = match searcher {
            Searcher::Dfs | Searcher::Mixed => *self.items.keys().next_back()?,
            Searcher::Bfs => *self.items.iter().min_by_key(|(number, item)| (item.depth, **number))?.0,
            Searcher::RandomPath => self.random_path(tree)?,
            Searcher::NewCoverage => self.nearest(program, covered)?,
        };
        let item = self.items.remove(&key).expect("the item chosen should wait");
        self.by_node.remove(&item.node);
        tree.drop_waiting(item.node);
        Some(item)
    }

    /// Which of the possible ways a path follows itself: where the search goes deep first the first of them, else one that was followed least.
    pub fn prefer(&mut self, place: Place, ways: &[usize], _targets: &[(FuncId, Block)]) -> usize {
        let count = |way: usize| self.followed.get(&(place, way)).copied().unwrap_or(0);
        let chosen = match self.searcher {
            Searcher::Dfs => 0,
            Searcher::Bfs | Searcher::RandomPath | Searcher::NewCoverage | Searcher::Mixed => {
                (0..ways.len()).min_by_key(|&i| count(ways[i])).expect("several ways should be possible")
            }
        };
        *self.followed.entry((place, ways[chosen])).or_default() += 1;
        chosen
    }

    fn random_path(&mut self, tree: &Tree) -> Option<u64> {
        let mut at = Tree::root();
        loop {
            if let Some(&number) = self.by_node.get(&at) {
                return Some(number);
            }
            let sides: Vec<NodeId> =
                tree.node(at).children.iter().copied().filter(|c| tree.node(*c).waiting > 0).collect();
            if sides.is_empty() {
                return None;
            }
            at = sides[(self.draw() % sides.len() as u64) as usize];
        }
    }

    /// SplitMix64.
    fn draw(&mut self) -> u64 {
        self.generator = self.generator.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.generator;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// The item that leads to a block that no path has been through, the oldest of several; the oldest of all if none does.
    fn nearest(&mut self, _program: &Program, covered: &BTreeSet<(FuncId, Block)>) -> Option<u64> {
        let new = self.items.iter().find(|(_, item)| !covered.contains(&item.target));
        new.or_else(|| self.items.iter().next()).map(|(number, _)| *number)
    }
}
