//! Reads of tables of constants: as choices between intervals, with the value of the table everywhere.

mod support;

use blitz_base::Bv;
use blitz_term::{Assignment, Evaluator, Op, Sort, Term, Terms};
use support::Rng;

fn table(terms: &mut Terms, index: u16, elem: u16, values: &[u64], beyond: u64) -> Term {
    let beyond = terms.bv(elem, beyond);
    let mut array = terms.const_array(index, beyond);
    for (i, &value) in values.iter().enumerate() {
        let (i, value) = (terms.bv(index, i as u64), terms.bv(elem, value));
        array = terms.store(array, i, value);
    }
    array
}

fn eval(terms: &Terms, t: Term, var: Term, value: u64) -> u64 {
    let mut row = Assignment::new();
    row.set_bv(var, Bv::from_u64(terms.width(var), value));
    Evaluator::new(&row).eval(terms, t).bv().to_u64().expect("a small number")
}

/// Whether a term reads an array somewhere.
fn reads(terms: &Terms, t: Term) -> bool {
    let mut open = vec![t];
    while let Some(t) = open.pop() {
        if matches!(terms.op(t), Op::Select(..)) {
            return true;
        }
        open.extend(terms.children(t));
    }
    false
}

#[test]
fn a_bit_of_a_class_is_two_comparisons() {
    let mut terms = Terms::new();
    let classes: Vec<u64> = (0..128).map(|c| 0xc000 | u64::from((48..58).contains(&c)) << 11).collect();
    let array = table(&mut terms, 8, 16, &classes, 0);
    let c = terms.var("c", Sort::Bv(8));
    let read = terms.select(array, c);
    let digit = terms.extract(read, 11, 11);
    assert!(!reads(&terms, digit));
    for value in 0..256 {
        assert_eq!(eval(&terms, digit, c, value), u64::from((48..58).contains(&value)), "{value}");
    }
}

#[test]
fn a_table_of_sums_is_sums() {
    let mut terms = Terms::new();
    let lower: Vec<u64> = (0..128).map(|c| if (65..91).contains(&c) { c + 32 } else { c }).collect();
    let array = table(&mut terms, 7, 32, &lower, 0);
    let c = terms.var("c", Sort::Bv(7));
    let read = terms.select(array, c);
    assert!(!reads(&terms, read));
    for value in 0..128 {
        assert_eq!(eval(&terms, read, c, value), lower[value as usize], "{value}");
    }
}

#[test]
fn a_table_without_order_stays_an_array() {
    let mut terms = Terms::new();
    let mut rng = Rng(5);
    let noise: Vec<u64> = (0..256).map(|_| rng.next() >> 40).collect();
    let array = table(&mut terms, 8, 32, &noise, 0);
    let c = terms.var("c", Sort::Bv(8));
    let read = terms.select(array, c);
    assert!(matches!(terms.op(read), Op::Select(..)));
}

#[test]
fn random_tables_have_their_values_at_every_index() {
    let mut rng = Rng(1);
    for _ in 0..300 {
        let mut terms = Terms::new();
        let (index, elem) = (5 + (rng.next() >> 20) as u16 % 5, 1 + (rng.next() >> 20) as u16 % 12);
        let mask = (1u64 << elem) - 1;
        let (mut values, mut value) = (Vec::new(), 0);
        for i in 0..8 + (rng.next() >> 20) % 24 {
            value = match rng.next() >> 30 & 7 {
                0 => rng.next() >> 30,
                1 => i.wrapping_add(rng.next() >> 30),
                2..=4 => value + 1,
                _ => value,
            } & mask;
            values.push(value);
        }
        let beyond = (rng.next() >> 30) & mask;
        let array = table(&mut terms, index, elem, &values, beyond);
        let c = terms.var("c", Sort::Bv(index));
        // Sometimes the index has bits that are known.
        let fixed = terms.bv(index, if rng.next() >> 30 & 1 == 0 { 0 } else { 5 });
        let place = terms.or(c, fixed);
        let read = terms.select(array, place);
        let (hi, lo) = (elem - 1, (rng.next() >> 20) as u16 % elem);
        let slice = terms.extract(read, hi, lo);
        for i in 0..1u64 << index {
            let at = eval(&terms, place, c, i) as usize;
            let expected = values.get(at).copied().unwrap_or(beyond);
            assert_eq!(eval(&terms, read, c, i), expected, "{values:?} beyond {beyond} at {at}");
            assert_eq!(eval(&terms, slice, c, i), expected >> lo, "{values:?} beyond {beyond} at {at}, bits from {lo}");
        }
    }
}
