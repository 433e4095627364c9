//! Searchers: which of the ways that wait is followed next, and which way a path takes where several are possible.

use super::distance::{Distances, Map, Spot};
use super::kept::Kept;
use super::ranking::Ranking;
use super::tree::{NodeId, Tree};
use super::{ExploreOptions, Item};
use blitz_symex::fork::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How the search goes through the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Searcher {
    /// The way that began to wait last.
    Dfs,
    /// The way with the fewest decisions.
    Bfs,
    /// From the root, at each fork any of the sides where something waits (KLEE's random path).
    RandomPath,
    /// The way nearest to code that no path has been through; attempts in vain count as distance.
    NewCoverage,
    /// The way nearest to the target (`ExploreOptions::targets`).
    Nearest,
    /// By turns: nearest to the target if there is one, new coverage (three times as often without a target), random path.
    Mixed,
}

impl Searcher {
    pub const ALL: &[Searcher] = &[
        Searcher::Mixed,
        Searcher::Dfs,
        Searcher::Bfs,
        Searcher::RandomPath,
        Searcher::NewCoverage,
        Searcher::Nearest,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Searcher::Dfs => "dfs",
            Searcher::Bfs => "bfs",
            Searcher::RandomPath => "random-path",
            Searcher::NewCoverage => "new-coverage",
            Searcher::Nearest => "nearest",
            Searcher::Mixed => "mixed",
        }
    }

    pub fn from_name(name: &str) -> Option<Searcher> {
        Searcher::ALL.iter().copied().find(|s| s.name() == name)
    }
}

/// Whose turn it is without a target: new coverage by itself reaches more than random paths, which are there for what it can't see.
const MIXED: &[Searcher] = &[Searcher::NewCoverage, Searcher::NewCoverage, Searcher::NewCoverage, Searcher::RandomPath];

/// The ways that wait.
pub(crate) struct Frontier<'p> {
    searcher: Searcher,
    generator: u64,
    turn: u64,
    next: u64,
    /// By number of arrival.
    pub(super) items: BTreeMap<u64, Item<'p>>,
    /// Items with a snapshot, the number before which no item has one, and how many were dropped.
    pub(super) with_snapshot: usize,
    pub(super) oldest_kept: u64,
    pub(super) dropped: u64,
    by_node: BTreeMap<NodeId, u64>,
    /// How often each way of a fork was followed.
    followed: BTreeMap<(Place, usize), u64>,
    map: Map,
    covered: BTreeSet<Spot>,
    to_new: Ranking,
    to_target: Option<Distances>,
}

impl<'p> Frontier<'p> {
    pub fn new(options: &ExploreOptions, map: Map, root: Item<'p>) -> Self {
        let to_target = (!options.targets.is_empty()).then(|| map.distances(options.targets.iter().copied()));
        let mut out = Self {
            searcher: options.searcher,
            generator: options.seed,
            turn: 0,
            next: 0,
            items: BTreeMap::new(),
            with_snapshot: 0,
            oldest_kept: 0,
            dropped: 0,
            by_node: BTreeMap::new(),
            followed: BTreeMap::new(),
            map,
            covered: BTreeSet::new(),
            to_new: Ranking::default(),
            to_target,
        };
        out.push(root);
        out
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Blocks that paths have been through, and blocks there are.
    pub fn coverage(&self) -> (usize, usize) {
        (self.covered.intersection(&self.map.all).count(), self.map.all.len())
    }

    /// All blocks there are.
    pub fn blocks(&self) -> BTreeSet<Spot> {
        self.map.all.clone()
    }

    pub fn is_covered(&self, spot: Spot) -> bool {
        self.covered.contains(&spot)
    }

    /// A path has been through these.
    pub fn cover(&mut self, spots: &BTreeSet<Spot>) {
        let before = self.covered.len();
        self.covered.extend(spots);
        if self.covered.len() > before {
            self.to_new.forget();
        }
    }

    /// Gives the number of the item.
    pub fn push(&mut self, item: Item<'p>) -> u64 {
        let number = self.next;
        self.by_node.insert(item.node, number);
        self.with_snapshot += usize::from(item.from.is_some());
        self.to_new.add(number, &item);
        self.items.insert(number, item);
        self.next += 1;
        number
    }

    /// An item that waits goes on from a snapshot.
    pub fn goes_on_from(&mut self, number: u64, kept: &Rc<Kept<'p>>) {
        if let Some(item) = self.items.get_mut(&number) {
            self.with_snapshot += usize::from(item.from.replace(Rc::clone(kept)).is_none());
        }
    }

    /// The item to follow next.
    pub fn next(&mut self, tree: &mut Tree) -> Option<Item<'p>> {
        self.turn += 1;
        let key = match self.searcher_now() {
            Searcher::Dfs | Searcher::Mixed => *self.items.keys().next_back()?,
            Searcher::Bfs => *self.items.iter().min_by_key(|(number, item)| (item.depth, **number))?.0,
            Searcher::RandomPath => self.random_path(tree)?,
            Searcher::NewCoverage => self.nearest_to_new()?,
            Searcher::Nearest => nearest(&self.items, self.to_target.as_ref())?,
        };
        let item = self.items.remove(&key).expect("the item chosen should wait");
        self.by_node.remove(&item.node);
        self.to_new.remove(key);
        self.with_snapshot -= usize::from(item.from.is_some());
        tree.drop_waiting(item.node);
        Some(item)
    }

    fn searcher_now(&self) -> Searcher {
        let turns: &[Searcher] = match (self.searcher, &self.to_target) {
            (Searcher::Mixed, None) => MIXED,
            (Searcher::Mixed, Some(_)) => &[Searcher::Nearest, Searcher::NewCoverage, Searcher::RandomPath],
            (one, _) => return one,
        };
        turns[(self.turn % turns.len() as u64) as usize]
    }

    /// Which of the possible ways a path follows itself. Where the search goes deep first, the first of them. Else the one that leads to code that no
    /// path has been through, or the one that was followed least: so a path leaves the loops it is in.
    pub fn prefer(&mut self, place: Place, ways: &[usize], targets: &[Spot]) -> usize {
        let count = |way: usize| self.followed.get(&(place, way)).copied().unwrap_or(0);
        let chosen = match self.searcher {
            Searcher::Dfs => 0,
            Searcher::Bfs | Searcher::RandomPath | Searcher::NewCoverage | Searcher::Nearest | Searcher::Mixed => (0
                ..ways.len())
                .min_by_key(|&i| (self.far(targets[i]), self.covered.contains(&targets[i]), count(ways[i])))
                .expect("several ways should be possible"),
        };
        *self.followed.entry((place, ways[chosen])).or_default() += 1;
        chosen
    }

    /// How far it is to the target, where only that counts.
    fn far(&self, spot: Spot) -> u32 {
        match (self.searcher, &self.to_target) {
            (Searcher::Nearest, Some(distances)) => distances.from(spot, &[]).unwrap_or(u32::MAX),
            (_, _) => 0,
        }
    }

    fn random_path(&mut self, tree: &Tree) -> Option<u64> {
        let mut at = Tree::root();
        loop {
            if let Some(&number) = self.by_node.get(&at) {
                return Some(number);
            }
            let waits = |c: &NodeId| tree.node(*c).waiting > 0;
            let sides: Vec<NodeId> = tree.node(at).children.iter().copied().filter(waits).collect();
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

    fn nearest_to_new(&mut self) -> Option<u64> {
        let (map, covered) = (&self.map, &self.covered);
        self.to_new.first(&self.items, || map.distances(map.all.difference(covered).copied()))
    }
}

/// The item with the shortest way to a goal, the oldest of several; the oldest of all if none leads there.
fn nearest(items: &BTreeMap<u64, Item<'_>>, distances: Option<&Distances>) -> Option<u64> {
    let far = |item: &Item<'_>| distances.and_then(|d| d.from(item.target, &item.stack)).unwrap_or(u32::MAX);
    items.iter().min_by_key(|(number, item)| (far(item), **number)).map(|(number, _)| *number)
}
