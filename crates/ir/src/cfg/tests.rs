use super::*;
use crate::testing::{Rng, graph, random_edges};

/// Reachability without `without`: the definition of dominance.
fn reaches(n: usize, edges: &[(u32, u32)], without: Option<u32>, to: u32) -> bool {
    let mut seen = vec![false; n];
    let mut todo = vec![0];
    while let Some(b) = todo.pop() {
        if Some(b) == without || std::mem::replace(&mut seen[b as usize], true) {
            continue;
        }
        todo.extend(edges.iter().filter(|e| e.0 == b).map(|e| e.1));
    }
    seen[to as usize]
}

#[test]
fn dominators_agree_with_the_definition() {
    let mut rng = Rng(1);
    for round in 0..300 {
        let n = 1 + round % 12;
        let edges = random_edges(&mut rng, n, 2 * n);
        let cfg = Cfg::new(&graph(n, &edges));
        let dom = cfg.dominators();
        for a in 0..n as u32 {
            for b in 0..n as u32 {
                let both = cfg.is_reachable(Block(a)) && cfg.is_reachable(Block(b));
                let expected = a == b || both && !reaches(n, &edges, Some(a), b);
                assert_eq!(dom.dominates(Block(a), Block(b)), expected, "{a} dom {b} in {edges:?}");
            }
        }
    }
}

#[test]
fn the_order_starts_at_the_entry_and_follows_the_branches() {
    let cfg = Cfg::new(&graph(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (4, 3)]));
    assert_eq!(cfg.rpo(), [Block(0), Block(1), Block(2), Block(3)]);
    assert_eq!(cfg.predecessors(Block(3)), [Block(1), Block(2), Block(4)]);
    assert!(!cfg.is_reachable(Block(4)));
}

#[test]
fn a_long_chain_with_a_common_exit_is_no_trouble() {
    let n = 200_000u32;
    let edges: Vec<_> = (0..n - 1).flat_map(|b| [(b, b + 1), (b, n)]).chain([(n - 1, n)]).collect();
    let cfg = Cfg::new(&graph(n as usize + 1, &edges));
    let dom = cfg.dominators();
    assert_eq!(dom.idom(Block(n)), Some(Block(0)));
    assert_eq!(dom.level(Block(n - 1)), n - 1);
}
