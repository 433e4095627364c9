//! The path layer on programs in the IR's text form: SAGE's expansion of runs, and the explore engine's answers.

use blitz_base::{Budget, Bv};
use blitz_engines::paths::{Child, PathSession, with_stack};
use blitz_engines::{
    CheckConfig, Ending, Engine, ExploreOptions, Limit, Reason, Report, Searcher, Status, Verdict, check,
};
use blitz_interp::InputValue;
use blitz_ir::{Program, parse};
use std::collections::BTreeSet;

fn program(text: &str) -> Program {
    match parse::program(text) {
        Ok(p) => p,
        Err(e) => panic!("the test's program should parse: {e}\n{text}"),
    }
}

/// `top` of the SAGE paper: counts how many of four bytes are those of "bad!", and fails from three on.
fn top() -> Program {
    let mut text = String::from(
        "target 64\nfile0 = \"t.c\"\nprop0 = \"main.assertion.1\" assertion func0 \"fewer than three\"\nfunc0 = \"main\" () -> (i32) {\nblock0:\n  jump block1(0:i32)\n",
    );
    let mut next = 0;
    let mut value = || {
        next += 1;
        format!("v{}", next - 1)
    };
    for (i, letter) in b"bad!".iter().enumerate() {
        let (count, byte, hit, more) = (value(), value(), value(), value());
        text.push_str(&format!(
            "block{}({count}: i32):\n  {byte}: i8 = input \"input{i}\"\n  {hit}: i1 = eq {byte}, {letter}:i8\n  {more}: i32 = add {count}, 1:i32\n  branch {hit}, block{to}({more}), block{to}({count})\n",
            i + 1,
            to = i + 2
        ));
    }
    let (count, few) = (value(), value());
    text.push_str(&format!(
        "block5({count}: i32):\n  {few}: i1 = ult {count}, 3:i32\n  check {few}, prop0\n  return 0:i32\n}}\n"
    ));
    program(&text)
}

fn letters(text: &[u8]) -> Vec<InputValue> {
    text.iter().map(|b| InputValue::Value(Bv::from_u64(8, u64::from(*b)))).collect()
}

fn text(inputs: &[InputValue]) -> String {
    let byte = |v: &InputValue| match v {
        InputValue::Value(v) => v.to_u64().expect("a byte") as u8 as char,
        InputValue::Bytes(_) | InputValue::Bool(_) => '?',
    };
    inputs.iter().map(byte).collect()
}

/// The lecture's example: from "good" in generations of 1, 4, 6, 4 and 1 runs, each child differing from its parent in one letter.
#[test]
fn expansion_of_good_has_the_generations_of_the_paper() {
    let program = top();
    let generations = with_stack(|| {
        let mut session = PathSession::new(&program, &CheckConfig::default()).expect("a program to follow");
        let budget = Budget::unlimited();
        let mut generation = vec![(letters(b"good"), 0)];
        let mut out: Vec<Vec<String>> = Vec::new();
        while !generation.is_empty() {
            out.push(generation.iter().map(|(inputs, _)| text(inputs)).collect());
            let mut next = Vec::new();
            for (inputs, from) in &generation {
                let run = session.follow(inputs, &budget);
                assert_eq!(run.decisions().len(), 4);
                let expansion = session.expand(&run, *from, &budget);
                assert_eq!((expansion.infeasible, expansion.undecided), (0, 0));
                for Child { inputs: child, bound, decision } in expansion.children {
                    let changed = child.iter().zip(inputs).filter(|(a, b)| a != b).count();
                    assert_eq!(changed, 1, "only the byte that matters changes");
                    let again = session.follow(&child, &budget);
                    assert_eq!(again.decisions()[bound], decision, "a child should take the way it was made for");
                    assert_eq!(again.decisions()[..bound], run.decisions()[..bound]);
                    next.push((child, bound + 1));
                }
            }
            generation = next;
        }
        out
    });
    assert_eq!(generations.iter().map(Vec::len).collect::<Vec<_>>(), [1, 4, 6, 4, 1]);
    assert_eq!(generations[1], ["bood", "gaod", "godd", "goo!"]);
    assert_eq!(generations[4], ["bad!"]);
    let all: BTreeSet<&String> = generations.iter().flatten().collect();
    assert_eq!(all.len(), 16);
}

fn explore(program: &Program, options: ExploreOptions, unwind: Option<u32>) -> Report {
    let config = CheckConfig { engine: Engine::Explore, explore: options, unwind, ..CheckConfig::default() };
    check(program, &config, &Budget::unlimited()).expect("a program to explore")
}

fn keeping() -> ExploreOptions {
    ExploreOptions { keeps_paths: true, ..ExploreOptions::default() }
}

#[test]
fn every_searcher_finds_all_paths() {
    let program = top();
    for &searcher in Searcher::ALL {
        let report = explore(&program, ExploreOptions { searcher, ..keeping() }, None);
        let paths = report.exploration.expect("paths should be kept").paths;
        assert_eq!(paths.len(), 16, "{}", searcher.name());
        assert_eq!(paths.iter().filter(|p| p.end == Ending::Violation).count(), 5);
        assert!(paths.iter().all(|p| p.as_predicted));
        assert_eq!(report.verdict, Verdict::Violation);
    }
}

/// Goes round as long as an input is not zero; the counter is checked behind the loop.
fn rounds(limit: &str) -> Program {
    program(&format!(
        "target 64\nfile0 = \"t.c\"\nprop0 = \"main.assertion.1\" assertion func0 \"behind\"\nfunc0 = \"main\" () -> (i32) {{\nblock0:\n  v0: i32 = input \"n\"\n  v1: i32 = {limit}\n  jump block1(0:i32)\nblock1(v2: i32):\n  v3: i1 = ult v2, v1\n  branch v3, block2, block3\nblock2:\n  v4: i32 = add v2, 1:i32\n  jump block1(v4)\nblock3:\n  v5: i1 = eq v2, v1\n  check v5, prop0\n  return 0:i32\n}}\n"
    ))
}

#[test]
fn a_whole_tree_is_a_proof() {
    let report = explore(&rounds("and v0, 7:i32"), ExploreOptions::default(), None);
    assert_eq!((report.verdict, report.stats.rounds), (Verdict::Safe, 8));
    assert!(report.properties.iter().all(|p| p.status == Status::Proved));
}

#[test]
fn a_part_of_the_tree_is_none() {
    let whole = rounds("and v0, 255:i32");
    let few = explore(&whole, ExploreOptions { max_forks: Some(3), ..ExploreOptions::default() }, None);
    assert_eq!(few.verdict, Verdict::Unknown);
    let some = explore(&whole, ExploreOptions { max_paths: Some(3), ..ExploreOptions::default() }, None);
    assert_eq!(some.verdict, Verdict::Unknown);
    let bounded = explore(&whole, ExploreOptions::default(), Some(3));
    assert_eq!(bounded.verdict, Verdict::Bounded);
    assert!(bounded.properties.iter().all(|p| p.status == Status::HoldsUpTo(3)));
}

/// A limit that is no bound: what ends the path after a million steps is no proof either.
#[test]
fn a_path_without_an_end_is_no_proof() {
    let endless = "target 64\nfile0 = \"t.c\"\nprop0 = \"main.assertion.1\" assertion func0 \"behind\"\nfunc0 = \"main\" () -> (i32) {\nblock0:\n  jump block1(0:i64)\nblock1(v0: i64):\n  v1: i64 = add v0, 1:i64\n  v2: i1 = ne v1, 0:i64\n  branch v2, block1(v1), block2\nblock2:\n  check 0:i1, prop0\n  return 0:i32\n}\n";
    let report = explore(&program(endless), ExploreOptions::default(), None);
    assert_eq!(report.verdict, Verdict::Unknown);
    assert!(report.stats.stopped.is_some_and(|why| matches!(why, Reason::Limit(Limit::PathSteps(_)))));
}

/// A path that goes on from the state before a fork is the path that runs there from the start: all searchers find the same tree with
/// and without snapshots, and with one for the newest way alone.
#[test]
fn snapshots_change_nothing_but_the_steps() {
    let whole = top();
    for searcher in [Searcher::Dfs, Searcher::Bfs, Searcher::RandomPath, Searcher::Mixed] {
        let [kept, one, none] = [usize::MAX, 1, 0].map(|snapshots| {
            let report = explore(&whole, ExploreOptions { searcher, snapshots, ..keeping() }, None);
            let exploration = report.exploration.expect("paths should be kept");
            let paths: Vec<String> =
                exploration.paths.iter().map(|p| format!("{} {:?} {:?}", p.node, p.end, p.ways)).collect();
            let nodes: Vec<Option<String>> = exploration.nodes.into_iter().map(|n| n.condition).collect();
            (paths, nodes, report.stats.steps)
        });
        assert_eq!((&kept.0, &kept.1), (&none.0, &none.1), "{searcher:?}");
        assert_eq!((&kept.0, &kept.1), (&one.0, &one.1), "{searcher:?}");
        assert!(kept.2 < one.2 && one.2 < none.2, "snapshots should save steps: {} {} {}", kept.2, one.2, none.2);
    }
}

/// The ways at each letter meet before the next: together they are one path, which says of the check what the sixteen say.
#[test]
fn ways_that_meet_are_one_path() {
    let report = explore(&top(), ExploreOptions { merges: true, ..keeping() }, None);
    assert_eq!((report.verdict, report.stats.rounds), (Verdict::Violation, 1));
    let paths = report.exploration.expect("paths should be kept").paths;
    assert!(paths.iter().all(|p| p.end == Ending::Exit && p.as_predicted), "{paths:?}");
}

/// Checks on ways that are followed together are those of their way alone, and each way gets a test.
#[test]
fn checks_on_ways_that_meet_know_their_way() {
    let whole = program(
        "target 64\nfile0 = \"t.c\"\nprop0 = \"main.assertion.1\" assertion func0 \"small\"\nprop1 = \"main.assertion.2\" assertion func0 \"not three\"\nprop2 = \"main.assertion.3\" assertion func0 \"large\"\nprop3 = \"main.assertion.4\" assertion func0 \"met\"\nfunc0 = \"main\" () -> (i32) {\nblock0:\n  v0: i32 = input \"n\"\n  v1: i1 = ult v0, 10:i32\n  branch v1, block1, block2\nblock1:\n  v2: i32 = mul v0, v0\n  v3: i1 = ult v2, 90:i32\n  check v3, prop0\n  v4: i1 = ne v0, 3:i32\n  check v4, prop1\n  jump block3(1:i32)\nblock2:\n  v5: i32 = lshr v0, 1:i32\n  v6: i1 = ult 4:i32, v5\n  check v6, prop2\n  jump block3(2:i32)\nblock3(v7: i32):\n  v8: i32 = xor v7, v0\n  v9: i1 = ne v8, 2:i32\n  check v9, prop3\n  return v7\n}\n",
    );
    for merges in [false, true] {
        let report = explore(&whole, ExploreOptions { merges, ..keeping() }, None);
        let violated: Vec<bool> = report.properties.iter().map(|p| p.status == Status::Violated).collect();
        // 1 ^ 3 is 2, but three is no more behind the second check; 2 ^ 0 would be 2, but zero is small.
        assert_eq!(violated, [false, true, false, false], "{:?}", report.properties);
        let proved = report.properties.iter().filter(|p| p.status == Status::Proved).count();
        assert_eq!(proved, 3, "{:?}", report.properties);
        assert_eq!(report.stats.rounds, if merges { 1 } else { 2 });
        let paths = report.exploration.expect("paths should be kept").paths;
        assert_eq!(paths.len(), 2, "a test for each way");
        assert!(paths.iter().all(|p| p.as_predicted));
    }
}
