//! Several properties of one system: they are proved together where none can be alone, and one violation does not hide another.

use blitz_base::{Budget, Work};
use blitz_hw::{Engine, Options, Outcome, Proof, Status, check};

/// `y` is three times `x` as long as `z` is `u + 1`, and that is certain only as long as `y` is three times `x`.
fn lean(broken: &str) -> String {
    format!(
        "MODULE main\n\
         IVAR i : word[6]; slip : boolean;\n\
         VAR x : word[6]; y : word[6]; u : word[6]; z : word[6];\n\
         DEFINE thrice := y = x + x + x;\n\
         ASSIGN\n\
         init(x) := 0ud6_0; next(x) := x + u;\n\
         init(y) := 0ud6_0; next(y) := y + z + z + z - {broken};\n\
         init(u) := 0ud6_0; next(u) := i;\n\
         init(z) := 0ud6_1; next(z) := slip & !thrice ? i : i + 0ud6_1;\n\
         INVARSPEC NAME one_more := z = u + 0ud6_1\n\
         INVARSPEC NAME thrice_as_much := thrice\n"
    )
}

fn decide(text: &str, engine: Engine, properties: Option<Vec<usize>>, budget: &Budget) -> Outcome {
    let loaded = blitz_hw::Language::Smv.read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check(&loaded.ts, &Options { engine, properties, ..Options::default() }, budget)
}

#[test]
fn assertions_lean_on_each_other() {
    let text = lean("0ud6_3");
    let outcome = decide(&text, Engine::Kind, None, &Budget::unlimited());
    let proofs: Vec<bool> = outcome
        .results
        .iter()
        .map(|r| match &r.status {
            Status::Proved(Proof::Induction { others, .. }) => *others == 1,
            other => panic!("both should be proved by induction, not {other:?}"),
        })
        .collect();
    assert!(proofs.contains(&true), "one of them should need the other");
    let alone = Budget::unlimited().worth(Work::about_millis(500));
    let outcome = decide(&text, Engine::Kind, Some(vec![0]), &alone);
    assert!(matches!(outcome.results[0].status, Status::Unknown { .. }), "alone it should not be inductive");
}

#[test]
fn both_are_violated_where_both_are() {
    let outcome = decide(&lean("0ud6_2"), Engine::Auto, None, &Budget::unlimited());
    let bounds: Vec<usize> = outcome
        .results
        .iter()
        .map(|r| match &r.status {
            Status::Violated(violation) => violation.trace().bound(),
            other => panic!("both should be violated, not {other:?}"),
        })
        .collect();
    assert_eq!(bounds, [2, 1]);
}
