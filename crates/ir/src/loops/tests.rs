use super::*;
use crate::testing::{Rng, graph, random_edges};

fn check_order(n: usize, edges: &[(u32, u32)]) -> LoopForest {
    let func = graph(n, edges);
    let cfg = Cfg::new(&func);
    let forest = LoopForest::with_cfg(&func, &cfg);
    assert_eq!(forest.order.len(), cfg.rpo().len());
    for &(u, v) in edges {
        let (u, v) = (Block(u), Block(v));
        if let (Some(pu), Some(pv)) = (forest.pos[u.index()], forest.pos[v.index()]) {
            assert_eq!(pv <= pu, forest.back_edge(u, v).is_some(), "{u}->{v} in {edges:?}: {forest:?}");
        }
    }
    for l in forest.ids() {
        let info = forest.info(l);
        assert_eq!(forest.blocks(l)[0], info.head);
        if let Some(p) = info.parent {
            let outer = &forest.info(p).blocks;
            assert!(outer.start < info.blocks.start && info.blocks.end <= outer.end);
            assert_eq!(forest.info(p).depth + 1, info.depth);
        }
        for &b in forest.blocks(l) {
            assert!(forest.around(b).any(|x| x == l));
        }
    }
    forest
}

#[test]
fn back_edges_of_random_graphs_go_to_enclosing_heads() {
    let mut rng = Rng(7);
    for round in 0..500 {
        let n = 1 + round % 14;
        let edges = random_edges(&mut rng, n, 2 * n);
        check_order(n, &edges);
    }
}

#[test]
fn nested_loops_are_ranges() {
    // 0 -> 1 (outer head) -> 2 (inner head) -> 3 -> 2, 2 -> 4 -> 1, 1 -> 5
    let forest = check_order(6, &[(0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (3, 2), (4, 1)]);
    assert_eq!(forest.loops.len(), 2);
    let inner = forest.headed_by(Block(2)).unwrap();
    assert_eq!(forest.info(inner).depth, 2);
    assert_eq!(forest.blocks(inner), [Block(2), Block(3)]);
    assert_eq!(forest.order, [0, 1, 2, 3, 4, 5].map(Block));
    assert!(forest.loops.iter().all(|l| !l.irreducible));
    assert_eq!(forest.headed_by(Block(1)).unwrap().name("main"), "main.1");
}

#[test]
fn a_loop_with_two_entries_is_marked() {
    let forest = check_order(3, &[(0, 1), (0, 2), (1, 2), (2, 1)]);
    assert_eq!(forest.loops.len(), 1);
    assert!(forest.loops[0].irreducible);
}

#[test]
fn deep_nests_and_long_chains_do_not_overflow_the_stack() {
    let n = 2_000u32;
    let mut edges: Vec<_> = (0..n - 1).map(|b| (b, b + 1)).collect();
    edges.extend((1..n / 2).map(|b| (n - 1 - b, b)));
    check_order(n as usize, &edges);
    let long: Vec<_> = (0..99_999).map(|b| (b, b + 1)).chain([(99_999, 1)]).collect();
    let func = graph(100_000, &long);
    assert_eq!(LoopForest::new(&func).loops.len(), 1);
}
