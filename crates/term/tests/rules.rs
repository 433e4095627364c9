//! What the simplifier does, from text to text.

use blitz_term::Terms;
use blitz_term::smtlib::{Command, parse_script, print_term};

const VARS: &str = "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))(declare-const z (_ BitVec 8))
    (declare-const w (_ BitVec 16))(declare-const c Bool)(declare-const d Bool)(declare-const e Bool)
    (declare-const p (_ BitVec 32))(declare-const a (Array (_ BitVec 8) (_ BitVec 8)))";

#[track_caller]
fn check(before: &str, after: &str) {
    let mut terms = Terms::new();
    let script = format!("{VARS}(get-value ({before}))");
    let commands = parse_script(&mut terms, &script).unwrap_or_else(|e| panic!("{e} in {before}"));
    let Some(Command::GetValue(items)) = commands.last() else {
        panic!("a term should be there");
    };
    assert_eq!(print_term(&terms, items[0].value.term), after, "{before}");
}

#[test]
fn sums_keep_their_constant_outside() {
    check("(bvadd (bvadd x #x01) #x02)", "(bvadd x #x03)");
    check("(bvadd (bvadd x #x01) (bvadd y #x02))", "(bvadd (bvadd x y) #x03)");
    check("(bvsub (bvadd x #x05) x)", "#x05");
    check("(bvsub (bvadd x y) x)", "y");
    check("(bvadd x x)", "(bvmul x #x02)");
    check("(bvadd (bvmul x #x03) x)", "(bvmul x #x04)");
    check("(bvmul (bvadd x #x01) #x04)", "(bvadd (bvmul x #x04) #x04)");
    check("(bvneg (bvsub x #x01))", "(bvadd (bvneg x) #x01)");
    check("(bvadd x (bvnot x))", "#xff");
    check("(bvadd (bvnot x) #x01)", "(bvneg x)");
}

#[test]
fn bits_fold() {
    check("(bvand x (bvnot x))", "#x00");
    check("(bvor x (bvnot x))", "#xff");
    check("(bvand x (bvor x y))", "x");
    check("(bvxor (bvxor x y) x)", "y");
    check("(bvand x #x0f)", "((_ zero_extend 4) ((_ extract 3 0) x))");
    check("(bvand x #xf0)", "(concat ((_ extract 7 4) x) #x0)");
    check("(bvand (bvand x #x5a) #x0a)", "(bvand x #x0a)");
    check("(and c (or c d))", "c");
    check("(and c (and d (not c)))", "false");
    check("(and (= x #x01) (= x #x02))", "false");
    check("(and (= x #x01) (not (= x #x02)))", "(= x #x01)");
    check("(or (and c d) (and c (not d)))", "c");
}

#[test]
fn a_bit_count_by_clearing_is_a_count() {
    // Two lowest bits cleared, and nothing left: the three bits of y hold at most two ones.
    let y = "((_ extract 2 0) x)";
    let once = format!("(bvand {y} (bvsub {y} #b001))");
    let twice = format!("(bvand {once} (bvsub {once} #b001))");
    let bit = |i: u32| format!("((_ zero_extend 1) ((_ extract {i} {i}) x))");
    let count = format!("(bvadd (bvadd {} {}) {})", bit(0), bit(1), bit(2));
    check(&format!("(= (= {twice} #b000) (bvule {count} #b10))"), "true");
    let thrice = format!("(bvand {twice} (bvsub {twice} #b001))");
    check(&format!("(= {thrice} #b000)"), "true");
}

#[test]
fn the_low_part_of_a_sum_with_a_constant_is_a_sum() {
    check("((_ extract 7 0) (bvadd ((_ zero_extend 8) x) #xffff))", "(bvadd x #xff)");
}

#[test]
fn comparisons_decide_each_other() {
    check("(and (bvult #x00 x) (bvult #x01 x) (bvult #x02 x))", "(bvule #x03 x)");
    check("(and (bvslt #x00 x) (bvslt #x01 x))", "(bvsle #x02 x)");
    check("(and (bvslt x #x05) (bvslt #x07 x))", "false");
    check("(and (= x #x03) (bvult x #x05))", "(= x #x03)");
    check("(and (= x #x07) (bvslt x #x05))", "false");
    check("(and (distinct x #x07) (bvult x #x05))", "(bvult x #x05)");
    check("(or (bvult x #x05) (bvult #x03 x))", "true");
    check("(and (bvult x y) (bvult y x))", "false");
    check("(and (bvult x y) (distinct x y))", "(bvult x y)");
    check("(and (bvult x y) (= x y))", "false");
    check("(and (bvule x y) (bvult x y))", "(bvult x y)");
    check("(and (bvult x y) (bvslt y x))", "(and (bvult x y) (bvslt y x))");
    check("(and (and c (bvult #x00 x)) (bvult #x01 x))", "(and c (bvule #x02 x))");
}

#[test]
fn the_largest_is_at_least_each() {
    let largest = "(ite (bvslt y x) x y)";
    check(&format!("(bvslt {largest} x)"), "false");
    check(&format!("(bvslt {largest} y)"), "false");
    let of_three = format!("(ite (bvslt {largest} z) z {largest})");
    check(&format!("(bvslt {of_three} x)"), "false");
    check(&format!("(bvslt {of_three} z)"), "false");
    check("(bvult x (ite (bvult x y) x y))", "false");
    check("(bvult (ite (bvult x y) x y) x)", "(bvult y x)");
    // Nothing is decided: it stays what it was. The order has to be the same one.
    check("(bvslt (ite (bvslt y x) x y) z)", "(bvslt (ite (bvslt y x) x y) z)");
    check("(bvult (ite (bvslt y x) x y) x)", "(bvult (ite (bvslt y x) x y) x)");
}

#[test]
fn slices_meet() {
    check("(concat ((_ extract 7 4) x) ((_ extract 3 0) x))", "x");
    check("((_ extract 7 0) (concat x y))", "y");
    check("((_ extract 11 4) (concat x y))", "(concat ((_ extract 3 0) x) ((_ extract 7 4) y))");
    check("(bvshl x #x04)", "(concat ((_ extract 3 0) x) #x0)");
    check("(bvlshr x #x04)", "((_ zero_extend 4) ((_ extract 7 4) x))");
    check("(bvashr x #x04)", "((_ sign_extend 4) ((_ extract 7 4) x))");
    check("(bvor (bvshl ((_ zero_extend 8) x) #x0008) ((_ zero_extend 8) y))", "(concat x y)");
    check("((_ extract 7 0) (bvadd ((_ zero_extend 8) x) ((_ zero_extend 8) y)))", "(bvadd x y)");
    check("((_ zero_extend 4) ((_ zero_extend 4) x))", "((_ zero_extend 8) x)");
    check("((_ sign_extend 4) ((_ zero_extend 4) x))", "((_ zero_extend 8) x)");
    check("(bvudiv w #x0010)", "((_ zero_extend 4) ((_ extract 15 4) w))");
    check("(bvurem w #x0010)", "((_ zero_extend 12) ((_ extract 3 0) w))");
    check("((_ extract 31 16) (ite c (concat #x0001 w) (concat #x0002 (bvadd w w))))", "(ite c #x0001 #x0002)");
}

#[test]
fn comparisons_are_decided() {
    check("(= (bvadd x #x01) (bvadd x #x02))", "false");
    check("(= (bvadd x #x01) #x05)", "(= x #x04)");
    check("(= (bvadd x y) (bvadd x z))", "(= y z)");
    check("(= (bvmul x #x03) #x09)", "(= x #x03)");
    check("(= (bvsub x y) #x00)", "(= x y)");
    check("(= (concat x #x01) #x0501)", "(= x #x05)");
    check("(= ((_ zero_extend 8) x) #x0100)", "false");
    check("(= ((_ sign_extend 8) x) #xff80)", "(= x #x80)");
    check("(bvult ((_ zero_extend 8) x) #x0100)", "true");
    check("(bvult ((_ zero_extend 8) x) ((_ zero_extend 8) y))", "(bvult x y)");
    check("(bvslt ((_ zero_extend 8) x) #x0010)", "(bvult x #x10)");
    check("(bvult x #x01)", "(= x #x00)");
    check("(bvslt x #x00)", "(= ((_ extract 7 7) x) #b1)");
    check("(bvslt ((_ sign_extend 8) x) #x0100)", "true");
    check("(bvule x #xff)", "true");
    check("(= (bvand x #x01) #x02)", "false");
    check("(= (bvmul x #x02) #x03)", "false");
    check("(= (ite c #x01 #x02) #x02)", "(not c)");
    check("(= (ite c #x01 x) #x02)", "(and (= x #x02) (not c))");
    check("(= (ite c x y) x)", "(not (and (not c) (not (= x y))))");
    check("(bvult (ite c #x01 #x09) #x05)", "c");
    check("(bvuaddo x #x01)", "(= x #xff)");
    check("(bvsaddo x #x01)", "(= x #x7f)");
    check("(bvsmulo ((_ sign_extend 8) x) ((_ sign_extend 8) y))", "false");
}

#[test]
fn choices_fold() {
    check("(ite c x x)", "x");
    check("(ite (not c) x y)", "(ite c y x)");
    check("(ite c true d)", "(not (and (not c) (not d)))");
    check("(ite c (ite c x y) z)", "(ite c x z)");
    check("(ite c x (ite d x y))", "(ite (and (not c) (not d)) y x)");
    check("(ite (= x y) x y)", "y");
    check("(ite c (bvadd x #x01) (bvadd x #x02))", "(bvadd x (ite c #x01 #x02))");
    check("(bvadd (ite c #x01 #x02) #x01)", "(ite c #x02 #x03)");
    check("(ite c (concat #x07 x) (concat #x07 y))", "(concat #x07 (ite c x y))");
}

#[test]
fn arrays_are_read_through() {
    check("(select (store a x #x07) x)", "#x07");
    check("(select (store a (bvadd x #x01) #x07) x)", "(select a x)");
    check("(select (store a y #x07) x)", "(select (store a y #x07) x)");
    check("(select (store (store a y #x07) (bvadd x #x01) #x08) x)", "(select (store a y #x07) x)");
    check("(store (store a x #x01) x #x02)", "(store a x #x02)");
    check("(store a x (select a x))", "a");
    check("(select (ite c (store a x #x01) a) x)", "(ite c #x01 (select a x))");
    check("(= a (store a x #x01))", "(= (select a x) #x01)");
    check("(select (blitz.fill a #x10 #x00 #x80) #x20)", "#x00");
    check("(select (blitz.fill a #x10 #x00 y) x)", "(ite (bvult (bvadd x #xf0) y) #x00 (select a x))");
    check("(select (blitz.copy a x a y z) x)", "(ite (= z #x00) (select a x) (select a y))");
    check("(blitz.scan (store a x #x00) x #x00 #x40)", "#x00");
    check("(blitz.mismatch a x a x y)", "y");
    check("(blitz.scan (store a x #x07) x #x00 #x40)", "(bvadd (blitz.scan a (bvadd x #x01) #x00 #x3f) #x01)");
}
