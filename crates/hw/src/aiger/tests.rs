use super::read;
use crate::ts::Goal;

const TOGGLE: &str = "aag 1 0 1 2 0\n2 3\n2\n3\nl0 flip\nc\nanything\n";

#[test]
fn the_formats_own_toggle_is_read() {
    let ts = read(TOGGLE.as_bytes()).expect("it should be read");
    assert_eq!(ts.states.len(), 1);
    assert_eq!(ts.states[0].name, "flip");
    assert_eq!(ts.properties.len(), 2);
    assert_eq!(ts.validate(), Ok(()));
}

#[test]
fn the_binary_form_says_the_same() {
    // A half adder: two inputs, three ands.
    let ascii = "aag 5 2 0 2 3\n2\n4\n10\n6\n6 2 4\n8 3 5\n10 7 9\n";
    let mut binary = b"aig 5 2 0 2 3\n10\n6\n".to_vec();
    // 6 = 4 and 2, 8 = 5 and 3, 10 = 9 and 7.
    binary.extend([2, 2, 3, 2, 1, 2]);
    let (a, b) = (read(ascii.as_bytes()).unwrap(), read(&binary).unwrap());
    let goals = |ts: &crate::Ts| ts.properties.iter().map(|p| p.goal.clone()).collect::<Vec<Goal>>();
    assert_eq!(goals(&a).len(), 2);
    let print = |ts: &crate::Ts| {
        ts.properties
            .iter()
            .map(|p| match p.goal {
                Goal::Bad(t) => blitz_term::dag_size(&ts.terms, &[t]),
                Goal::Justice(_) | Goal::Ltl(_) => 0,
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(print(&a), print(&b));
}

#[test]
fn properties_of_1_9_are_read() {
    let text = "aag 2 1 1 0 0 1 1 1 1\n2\n4 2 4\n4\n3\n2\n4\n5\n2\n";
    let ts = read(text.as_bytes()).unwrap();
    assert_eq!(ts.properties.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["b0", "j0"]);
    assert_eq!((ts.constraints.len(), ts.fair.len()), (1, 1));
    assert_eq!(ts.states[0].init, None);
    assert!(matches!(&ts.properties[1].goal, Goal::Justice(j) if j.len() == 2));
}

#[test]
fn mistakes_are_one_sentence_with_the_line() {
    for (text, line) in [
        ("", Some(1)),
        ("agg 0 0 0 0 0\n", Some(1)),
        ("aag 1 1 0 0\n", Some(1)),
        ("aag 0 1 0 0 0\n", Some(1)),
        ("aag 99999999999 1 0 0 0\n2\n", Some(1)),
        ("aig 1000 1000 0 999999999 0\n", Some(2)),
        ("aig 2000000000 2000000000 0 0 0\n", Some(1)),
        ("aag 1 1 0 0 0\n3\n", Some(2)),
        ("aag 1 1 0 0 0\n", Some(2)),
        ("aag 1 0 1 0 0\n2 2 3\n", Some(2)),
        ("aag 2 1 0 1 0\n2\n4\n", None),
        ("aag 2 1 0 1 1\n2\n4\n4 4 2\n", Some(4)),
        ("aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", Some(4)),
        ("aag 1 1 0 0 0\n2\nx0 a\n", Some(3)),
        ("aag 1 1 0 0 0\n2\ni1 a\n", Some(3)),
        ("aag 1 1 0 0 0\n2\ni0 a\ni0 b\n", Some(4)),
        ("aig 1 0 0 1 1\n2\n", Some(3)),
        ("aig 1 0 0 1 1\n2\n\u{0}\u{0}", Some(3)),
    ] {
        let error = read(text.as_bytes()).err().unwrap_or_else(|| panic!("{text:?} should not be read"));
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert!(!error.message.contains('\n'));
    }
}
