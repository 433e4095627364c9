use super::read;
use crate::ts::Goal;
use blitz_term::{Assignment, Sort, eval};

const COUNTER: &str = "\
; a counter
1 sort bitvec 3
2 zero 1
3 state 1 count ; of three bits
4 init 1 3 2
5 one 1
6 add 1 3 5
7 next 1 3 6
8 ones 1
9 sort bitvec 1
10 eq 9 3 8
11 bad 10 overflow
";

#[test]
fn a_counter_is_read() {
    let ts = read(COUNTER.as_bytes()).expect("it should be read");
    assert_eq!(ts.states[0].name, "count");
    assert_eq!((ts.properties[0].name.as_str(), ts.properties[0].text.as_deref()), ("b0", Some("overflow")));
    assert_eq!(ts.validate(), Ok(()));
}

/// Operators on constants, against values worked out by hand (the format's semantics is SMT-LIB's).
#[test]
fn operators_mean_what_the_format_says() {
    for (line, width, value) in [
        ("20 inc 1 10", 4, 0b1011),
        ("20 dec 1 10", 4, 0b1001),
        ("20 neg 1 10", 4, 0b0110),
        ("20 not 1 10", 4, 0b0101),
        ("20 redand 2 10", 1, 0),
        ("20 redor 2 10", 1, 1),
        ("20 redxor 2 11", 1, 1),
        ("20 nand 1 10 11", 4, 0b1101),
        ("20 nor 1 10 11", 4, 0b0000),
        ("20 xnor 1 10 11", 4, 0b0010),
        ("20 rol 1 10 12", 4, 0b0101),
        ("20 ror 1 11 12", 4, 0b1011),
        ("20 sra 1 10 12", 4, 0b1101),
        ("20 srl 1 10 12", 4, 0b0101),
        ("20 sll 1 11 12", 4, 0b1110),
        ("20 sdiv 1 10 12", 4, 0b1010),
        ("20 smod 1 10 11", 4, 0b0001),
        ("20 srem 1 10 11", 4, 0b1010),
        ("20 udiv 1 10 13", 4, 0b1111),
        ("20 sdivo 2 14 15", 1, 1),
        ("20 umulo 2 10 11", 1, 1),
        ("20 smulo 2 12 12", 1, 0),
        ("20 saddo 2 11 11", 1, 1),
        ("20 usubo 2 11 10", 1, 1),
        ("20 slice 3 10 3 2", 2, 0b10),
        ("20 sext 4 10 2", 6, 0b111010),
        ("20 uext 4 10 2", 6, 0b001010),
        ("20 concat 5 10 11", 8, 0b1010_0111),
        ("20 implies 2 16 -16", 1, 0),
        ("20 sub 1 -10 12", 4, 0b0100),
    ] {
        let text = format!(
            "1 sort bitvec 4\n2 sort bitvec 1\n3 sort bitvec 2\n4 sort bitvec 6\n5 sort bitvec 8\n10 const 1 1010\n\
             11 constd 1 7\n12 consth 1 1\n13 zero 1\n14 constd 1 -8\n15 ones 1\n16 one 2\n{line} result\n"
        );
        let ts = read(text.as_bytes()).unwrap_or_else(|e| panic!("{line}: {e}"));
        let found = eval(&ts.terms, &Assignment::new(), ts.symbols["result"]);
        assert_eq!(found.bv(), &blitz_base::Bv::from_u64(width, value), "{line}");
    }
}

#[test]
fn memories_and_justice_are_read() {
    let text = "1 sort bitvec 2\n2 sort bitvec 8\n3 sort array 1 2\n4 state 3 mem\n5 zero 2\n6 init 3 4 5\n7 input 1 at\n\
                8 ones 2\n9 write 3 4 7 8\n10 next 3 4 9\n11 read 2 4 7\n12 sort bitvec 1\n13 redand 12 11\n14 justice 2 13 -13 both\n15 fair 13\n";
    let ts = read(text.as_bytes()).unwrap();
    assert_eq!(ts.terms.sort(ts.states[0].var), Sort::Array { index: 2, elem: 8 });
    assert!(matches!(&ts.properties[0].goal, Goal::Justice(j) if j.len() == 2));
    assert_eq!(ts.validate(), Ok(()));
}

#[test]
fn mistakes_are_one_sentence_with_the_line() {
    let head = "1 sort bitvec 4\n2 sort bitvec 1\n3 sort array 1 2\n4 input 1\n5 state 3\n";
    for line in [
        "x sort bitvec 1",
        "0 sort bitvec 1",
        "5 sort bitvec 1",
        "6",
        "6 sort",
        "6 sort bitvec 0",
        "6 sort bitvec 70000",
        "6 sort bitvec 99999999999999999999999",
        "6 sort array 3 1",
        "6 sort tree 1",
        "6 frob 1 4",
        "6 add 1 4",
        "6 add 1 4 9",
        "6 add 1 4 1",
        "6 add 2 4 4",
        "6 add 1 4 5",
        "6 not 1 -5",
        "6 slice 1 4 4 0",
        "6 slice 1 4 0 1",
        "6 uext 1 4 99999999",
        "6 sext 1 4 1",
        "6 const 1 10",
        "6 const 1 1020",
        "6 constd 1 16",
        "6 constd 1 -9",
        "6 constd 1 x",
        "6 consth 1 1f",
        "6 one 3",
        "6 bad 4",
        "6 constraint 5",
        "6 init 1 4 4",
        "6 init 3 5 4",
        "6 next 1 5 4",
        "6 justice 2 -4",
        "6 justice 99999999999999 4",
        "6 read 2 4 4",
        "6 write 3 5 4 4",
        "6 ite 1 4 4 4",
        "6 input 1 a b",
    ] {
        let error =
            read(format!("{head}{line}\n").as_bytes()).err().unwrap_or_else(|| panic!("`{line}` should not be read"));
        assert_eq!(error.line, Some(6), "{line}: {error}");
        assert!(!error.message.contains('\n'));
    }
}

#[test]
fn a_register_that_is_an_output_goes_by_its_name() {
    let text = "\
1 sort bitvec 1
2 state 1
3 output 2 gnt
4 state 1
5 state 1 seen
6 output 5 alias
7 not 1 5
8 output 7 free
9 bad 2
";
    let ts = read(text.as_bytes()).expect("it should be read");
    let shown: Vec<&str> = ts.signals.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(shown, ["gnt", "seen", "free"]);
    assert_eq!(ts.states[0].name, "gnt");
}
