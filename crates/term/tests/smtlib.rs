//! Reading and printing SMT-LIB: commands, operators by their values, mistakes by their places, and round trips.

mod support;

use blitz_base::Bv;
use blitz_term::smtlib::{Command, Scalar, SmtSort, parse_script, print_query, print_script, print_term, print_value};
use blitz_term::{Assignment, Evaluator, Sort, Term, Terms, Value, eval};
use support::{BINARY, Build, Rng, UNARY, build};

fn script(text: &str) -> (Terms, Vec<Command>) {
    let mut terms = Terms::new();
    let commands = parse_script(&mut terms, text).unwrap_or_else(|e| panic!("{e} in {text}"));
    (terms, commands)
}

/// The value of a closed expression as SMT-LIB prints it.
fn value_of(expression: &str) -> String {
    let (terms, commands) = script(&format!("(get-value ({expression}))"));
    let [Command::GetValue(items)] = commands.as_slice() else {
        panic!("one command should be there");
    };
    let value = eval(&terms, &Assignment::new(), items[0].value.term);
    print_value(items[0].sort(), &value)
}

#[track_caller]
fn check(expression: &str, expected: &str) {
    assert_eq!(value_of(expression), expected, "{expression}");
}

#[test]
fn operators_mean_what_the_standard_says() {
    check("(bvadd #xf0 #x20)", "#x10");
    check("(bvsub #x01 #x02)", "#xff");
    check("(bvudiv #x07 #x00)", "#xff");
    check("(bvurem #x07 #x00)", "#x07");
    check("(bvsdiv #xf9 #x02)", "#xfd");
    check("(bvsrem #xf9 #x02)", "#xff");
    check("(bvsmod #xf9 #x02)", "#x01");
    check("(bvnand #b1100 #b1010)", "#x7");
    check("(bvnor #b1100 #b1010)", "#x1");
    check("(bvxnor #b1100 #b1010)", "#x9");
    check("(bvcomp #b1100 #b1100)", "#b1");
    check("((_ repeat 3) #b10)", "#b101010");
    check("((_ rotate_left 1) #b1001)", "#x3");
    check("((_ rotate_right 5) #b1001)", "#xc");
    check("((_ zero_extend 4) #xf)", "#x0f");
    check("((_ sign_extend 4) #x8)", "#xf8");
    check("((_ extract 6 4) #xa5)", "#b010");
    check("(concat #xa #x5 #b1)", "#b101001011");
    check("(_ bv10 8)", "#x0a");
    check("(bvashr #x80 #x03)", "#xf0");
    check("(bvslt #xff #x00)", "true");
    check("(bvuaddo #xff #x01)", "true");
    check("(bvsdivo #x80 #xff)", "true");
    check("(bvnego #x80)", "true");
    check("(xor true true true)", "true");
    check("(=> true false true)", "true");
    check("(distinct #b00 #b01 #b00)", "false");
    check("(= #b01 #b01 #b01)", "true");
    check("(let ((x #x1) (y #x2)) (let ((x y) (y x)) (bvsub x y)))", "#x1");
    check("(select (store ((as const (Array (_ BitVec 4) (_ BitVec 8))) #x07) #x1 #x09) #x1)", "#x09");
    check(
        "(store ((as const (Array (_ BitVec 4) (_ BitVec 8))) #x07) #x1 #x09)",
        "(store ((as const (Array (_ BitVec 4) (_ BitVec 8))) #x07) #x1 #x09)",
    );
}

#[test]
fn floats_are_read() {
    check(
        "(fp.add RNE ((_ to_fp 8 24) RNE 1.5) ((_ to_fp 8 24) RNE 2))",
        "(fp #b0 #b10000000 #b11000000000000000000000)",
    );
    check("((_ to_fp 8 24) RNE 0.1)", "(fp #b0 #b01111011 #b10011001100110011001101)");
    check("((_ to_fp 8 24) RTZ (/ 1 10))", "(fp #b0 #b01111011 #b10011001100110011001100)");
    check("((_ to_fp 8 24) RNE (- 0.1))", "(fp #b1 #b01111011 #b10011001100110011001101)");
    check("((_ to_fp 5 11) RNE 0.00000006)", "(fp #b0 #b00000 #b0000000001)");
    check("((_ to_fp 5 11) RNE 65520)", "(fp #b0 #b11111 #b0000000000)");
    check("((_ to_fp 5 11) RTZ 65520)", "(fp #b0 #b11110 #b1111111111)");
    check("(fp.div RNE (_ +zero 5 11) (_ -zero 5 11))", "(_ NaN 5 11)");
    check("(= (fp #b1 #b11111 #b1000000001) (_ NaN 5 11))", "true");
    check("(fp.eq (_ NaN 5 11) (_ NaN 5 11))", "false");
    check("(fp.eq (_ +zero 5 11) (_ -zero 5 11))", "true");
    check("(fp.isNegative (fp.neg (_ NaN 5 11)))", "false");
    check("((_ fp.to_sbv 8) RTZ ((_ to_fp 5 11) RNE (- 3.7)))", "#xfd");
    check("((_ to_fp_unsigned 5 11) RNE #xff)", "(fp #b0 #b10110 #b1111111000)");
    check("((_ to_fp 5 11) RNE #xff)", "(fp #b1 #b01111 #b0000000000)");
    check("((_ to_fp 5 11) RNE ((_ to_fp 8 24) RNE 0.1))", "(fp #b0 #b01011 #b1001100110)");
    check("(fp.lt ((_ to_fp 5 11) #x3c00) ((_ to_fp 5 11) #x4000) (_ +oo 5 11))", "true");
    check("RTP", "RTP");
}

#[test]
fn doubles_are_rounded_like_the_machine() {
    for text in ["0.1", "3.14159265358979", "1234567.891", "0.000001", "100000000000000000000.5", "4.9"] {
        let bits = text.parse::<f64>().expect("a number").to_bits();
        check(&format!("(fp.to_ieee_bv ((_ to_fp 11 53) RNE {text}))"), &format!("#x{bits:016x}"));
    }
}

#[test]
fn commands_are_read() {
    let (terms, commands) = script(
        "; a comment\n(set-logic QF_ABV)(set-option :produce-models true)(set-info :status sat)
        (define-sort Word () (_ BitVec 32))
        (declare-fun |a b| () Word)(declare-const m (Array Word (_ BitVec 8)))
        (define-fun twice ((x Word)) Word (bvadd x x))
        (push 2)(declare-const local Bool)
        (assert (! (= (twice |a b|) #x00000004) :named doubled))
        (assert (or doubled local))
        (check-sat-assuming (local (not local)))(get-value (|a b| (select m |a b|)))
        (pop 2)(declare-const local Word)
        (echo \"say \"\"hi\"\"\")(check-sat)(get-unsat-core)(get-unsat-assumptions)(get-model)(reset)(exit)",
    );
    let [
        Command::SetLogic(logic),
        Command::SetOption(option, on),
        Command::SetInfo(..),
        Command::DefineSort(_),
        Command::Declare(first),
        Command::Declare(memory),
        Command::DefineFun(twice),
        Command::Push(2),
        Command::Declare(_),
        Command::Assert(sum, Some(name)),
        Command::Assert(_, None),
        Command::CheckSatAssuming(assumptions),
        Command::GetValue(values),
        Command::Pop(2),
        Command::Declare(again),
        Command::Echo(echo),
        Command::CheckSat,
        Command::GetUnsatCore,
        Command::GetUnsatAssumptions,
        Command::GetModel,
        Command::Reset,
        Command::Exit,
    ] = commands.as_slice()
    else {
        panic!("{commands:?}");
    };
    assert_eq!((logic.as_str(), option.as_str(), on.as_str()), ("QF_ABV", ":produce-models", "true"));
    assert_eq!((twice.as_str(), name.as_str(), echo.as_str()), ("twice", "doubled", "say \"hi\""));
    assert_eq!(terms.var_name(first.value.term), Some("a b"));
    assert_eq!(memory.value.sort.to_string(), "(Array (_ BitVec 32) (_ BitVec 8))");
    assert_eq!(again.value.sort, SmtSort::Scalar(Scalar::BitVec(32)));
    assert_eq!(assumptions[1].text, "(not local)");
    assert_eq!(values[0].text, "|a b|");
    assert_eq!(terms.sort(*sum), Sort::BOOL);
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    let error = parse_script(&mut Terms::new(), text).expect_err(text);
    assert_eq!(error.to_string(), expected);
}

#[test]
fn mistakes_are_named_with_their_place() {
    refused("(assert true", "1:1: this parenthesis is never closed");
    refused("(check-sat))", "1:12: this parenthesis was never opened");
    refused("\n (assert x)", "2:10: `x` is not declared");
    refused("(assert #b1)", "1:9: a Bool should be here, not (_ BitVec 1)");
    refused("(assert (= #b1 #b11))", "1:9: arguments have sorts (_ BitVec 1) and (_ BitVec 2)");
    refused("(assert (bvult #b1 #b11))", "1:9: arguments have sorts (_ BitVec 1) and (_ BitVec 2)");
    refused("(assert (forall ((x Bool)) x))", "1:10: `forall` is not supported");
    refused("(declare-fun f (Bool) Bool)", "1:16: uninterpreted functions with parameters are not supported");
    refused("(declare-const x Int)", "1:18: the sort `Int` is not supported");
    refused("(declare-const x Bool)(declare-const x Bool)", "1:38: `x` is declared already");
    refused("(declare-const a (Array Bool (Array Bool Bool)))", "1:30: arrays of arrays are not supported");
    refused("(pop)", "1:1: there are fewer levels than are popped here");
    refused("(frobnicate)", "1:2: the command `frobnicate` is not supported");
    refused("(assert (not true false))", "1:9: 1 arguments should be here, not 2");
    refused("(assert (bvfoo #b1))", "1:9: the function `bvfoo` is not declared or not supported");
    refused("(assert ((_ extract 4 0) #xf))", "1:9: bits 4 to 0 do not lie in 4 bits");
    refused("(assert (= (_ bv16 4) #x0))", "1:12: `(_ bv16 4)`: the bit-vector's width or value is out of range");
    refused("(declare-const x (_ BitVec 0))", "1:28: a bit-vector should have at least one bit");
    refused("(declare-const x (_ BitVec 65536))", "1:28: a number in range should be here, not `65536`");
    refused("(echo \"open)", "1:7: this string never ends");
    refused("(assert |open)", "1:9: this quoted symbol never ends");
    refused("(assert 5)", "1:9: integers and reals are not supported here");
    refused("(assert (select true true))", "1:9: an array should be here, not Bool");
    refused("(assert ())", "1:9: a term should be here, not an empty list");
    refused("(assert (not))", "1:9: a function should be applied to something");
    refused("()", "1:1: a command should be here");
    refused("(assert é)", "1:9: `é` is no symbol");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let good = "(declare-const x (_ BitVec 8))(declare-const f Float16)(define-fun g ((y Bool)) Bool (not y))\
        (assert (! (let ((z ((_ extract 3 0) x))) (g (= (concat z #x1) x))) :named n))\
        (assert (fp.leq f ((_ to_fp 5 11) RNE 0.5)))(check-sat-assuming (n))";
    parse_script(&mut Terms::new(), good).expect("the original should be fine");
    let mut rng = Rng(77);
    let words = ["(", ")", "let", "_", "!", "8", "x", "#b", "|", "\"", ":named", "to_fp", "as", "const", "0.5"];
    for _ in 0..3000 {
        let mut text = good.to_string();
        for _ in 0..=rng.below(3) {
            let at = rng.below(text.len());
            let end = (at + rng.below(6)).min(text.len());
            let word = *rng.pick(&words);
            text.replace_range(at..end, word);
        }
        let _ = parse_script(&mut Terms::new(), &text);
    }
}

#[test]
fn deep_text_does_not_overflow_the_stack() {
    let depth = 100_000;
    let mut text = String::from("(declare-const x (_ BitVec 8))(assert ");
    for i in 0..depth {
        text.push_str(&format!("(let ((y{i} (bvmul {} x))) ", if i == 0 { "x".into() } else { format!("y{}", i - 1) }));
    }
    text.push_str(&format!("(= y{} x)", depth - 1));
    text.push_str(&")".repeat(depth + 1));
    let (_, commands) = script(&text);
    assert_eq!(commands.len(), 2);
    let nots =
        format!("(declare-const x (_ BitVec 8))(assert (= x {}x{}))", "(bvmul x ".repeat(depth), ")".repeat(depth));
    let (terms, commands) = script(&nots);
    let Command::Assert(t, _) = commands[1] else { panic!("an assertion should be there") };
    let (again, _) = script(&print_query(&terms, &[t]));
    assert!(again.len() >= depth);
    assert!(print_term(&terms, t).len() > depth);
}

/// A random term with arrays and bulk terms in it.
fn random_term(terms: &mut Terms, rng: &mut Rng) -> Term {
    let mut words: Vec<Term> = ["x", "y z"].iter().map(|n| terms.var(n, Sort::Bv(4))).collect();
    let mut bits: Vec<Term> = ["c", "let"].iter().map(|n| terms.var(n, Sort::BOOL)).collect();
    let sort = Sort::Array { index: 4, elem: 4 };
    let mut arrays: Vec<Term> = ["a", "b"].iter().map(|n| terms.var(n, sort)).collect();
    for _ in 0..14 {
        let (x, y, z) = (*rng.pick(&words), *rng.pick(&words), *rng.pick(&words));
        let (a, b, c) = (*rng.pick(&arrays), *rng.pick(&arrays), *rng.pick(&bits));
        match rng.below(12) {
            0 => arrays.push(terms.store(a, x, y)),
            1 => arrays.push(terms.ite(c, a, b)),
            2 => arrays.push(terms.copy(a, x, b, y, z)),
            3 => arrays.push(terms.fill(a, x, y, z)),
            4 => words.push(terms.select(a, x)),
            5 => words.push(terms.scan(a, x, y, z)),
            6 => words.push(terms.mismatch(a, x, b, y, z)),
            7 => words.push(terms.ite(c, x, y)),
            8 => bits.push(terms.eq(a, b)),
            9 => {
                let k = terms.bv_const(rng.bv(4));
                words.push(k);
            }
            10 => {
                let op = *rng.pick(&UNARY);
                let made = build(terms, op, &[x]);
                if terms.width(made) == 4 { words.push(made) } else { bits.push(made) }
            }
            _ => {
                let op = *rng.pick(&BINARY);
                let made = build(terms, op, &[x, y]);
                if terms.width(made) == 4 { words.push(made) } else { bits.push(made) }
            }
        }
    }
    let (x, y) = (words[words.len() - 1], words[words.len() - 2]);
    let (last, array) = (bits[bits.len() - 1], arrays[arrays.len() - 1]);
    let equal = terms.eq(x, y);
    let cell = terms.select(array, x);
    let wide = build(terms, Build::Ult, &[cell, y]);
    let either = terms.or(equal, last);
    terms.xor(either, wide)
}

fn random_assignment(terms: &Terms, rng: &mut Rng) -> Assignment {
    let mut assignment = Assignment::new();
    for var in terms.vars() {
        let value = match terms.sort(var) {
            Sort::Bv(width) => Value::Bv(rng.bv(width)),
            sort @ Sort::Array { index, elem } => {
                let Value::Array(mut array) = Value::zero(sort) else { panic!("an array should be there") };
                for _ in 0..6 {
                    array.set(rng.bv(index), rng.bv(elem));
                }
                Value::Array(array)
            }
        };
        assignment.set(var, value);
    }
    assignment
}

#[test]
fn what_is_printed_reads_back_with_the_same_value() {
    let mut rng = Rng(0x9a7);
    for _ in 0..300 {
        let mut terms = Terms::new();
        let t = random_term(&mut terms, &mut rng);
        let declarations: String = terms
            .vars()
            .map(|v| {
                let name = blitz_term::smtlib::quote_symbol(terms.var_name(v).expect("a variable has a name"));
                format!("(declare-const {name} {})", terms.sort(v))
            })
            .collect();
        let whole = format!("{declarations}(assert {})", print_term(&terms, t));
        let assignment = random_assignment(&terms, &mut rng);
        let expected = eval(&terms, &assignment, t);
        for text in [whole, print_query(&terms, &[t])] {
            if text.contains("forall") {
                continue;
            }
            let commands = parse_script(&mut terms, &text).unwrap_or_else(|e| panic!("{e} in {text}"));
            let read = commands.iter().find_map(|c| match c {
                Command::Assert(t, _) => Some(*t),
                _ => None,
            });
            let mut evaluator = Evaluator::new(&assignment);
            assert_eq!(evaluator.eval(&terms, read.expect("an assertion")), expected, "{text}");
        }
    }
}

#[test]
fn scripts_print_as_scripts() {
    let text = "(set-logic QF_BV)(declare-const x (_ BitVec 8))(push 1)(declare-const y (_ BitVec 8))
        (assert (! (bvult x y) :named less))(check-sat)(get-value (x))(pop 1)
        (assert (= (bvmul x x) #x04))(check-sat-assuming ((bvult x #x10)))(echo \"a \"\"b\"\"\")(exit)";
    let (terms, commands) = script(text);
    let printed = print_script(&terms, &commands);
    assert_eq!(
        printed,
        "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n(push 1)\n(declare-const y (_ BitVec 8))\n\
         (define-fun ?4 () Bool (bvult x y))\n(assert (! ?4 :named less))\n(check-sat)\n(get-value (x))\n(pop 1)\n\
         (define-fun ?5 () (_ BitVec 8) (bvmul x x))\n(define-fun ?7 () Bool (= ?5 #x04))\n(assert ?7)\n\
         (define-fun ?9 () Bool (bvult x #x10))\n(check-sat-assuming (?9))\n(echo \"a \"\"b\"\"\")\n(exit)\n"
    );
    let (again, reread) = script(&printed);
    let macros = |c: &&Command| !matches!(c, Command::DefineFun(_));
    assert_eq!(reread.iter().filter(macros).count(), commands.len());
    assert_eq!(again.vars().count(), 2);
}

#[test]
fn printing_is_pinned() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var("x", Sort::Bv(8)), terms.var("an odd name", Sort::Bv(8)));
    let sum = terms.add(x, y);
    let (less, same) = (terms.ule(sum, x), terms.eq(sum, y));
    let either = terms.or(less, same);
    assert_eq!(print_term(&terms, either), "(not (and (bvult x (bvadd x |an odd name|)) (not (= x #x00))))");
    assert_eq!(
        print_query(&terms, &[less]),
        "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n(declare-const |an odd name| (_ BitVec 8))\n\
         (define-fun ?4 () (_ BitVec 8) (bvadd x |an odd name|))\n(define-fun ?5 () Bool (bvult x ?4))\n\
         (define-fun ?6 () Bool (not ?5))\n(assert ?6)\n(check-sat)\n"
    );
    let memory = terms.var("m", Sort::Array { index: 8, elem: 8 });
    let (zero, limit) = (terms.bv(8, 0), terms.bv(8, 200));
    let length = terms.scan(memory, x, zero, limit);
    let equal = terms.eq(length, y);
    assert_eq!(print_term(&terms, equal), "(= |an odd name| (blitz.scan m x #x00 #xc8))");
    assert!(print_query(&terms, &[equal]).starts_with("(set-logic ALL)"));
    assert_eq!(print_value(SmtSort::Scalar(Scalar::Bool), &Value::Bv(Bv::bool(true))), "true");
}
