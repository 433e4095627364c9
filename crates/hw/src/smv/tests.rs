//! Models in, verdicts of the explicit-state oracle out; and what is wrong with a text, in one sentence.

use super::read;
use crate::explicit::Explicit;
use crate::ts::Goal;

/// The names of the specifications that the oracle finds violated.
fn violated(text: &str) -> Vec<String> {
    let model = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    model.ts.validate().expect("a model should be valid");
    let explicit = Explicit::new(&model.ts).expect("a model of a test should be small");
    let mut found = Vec::new();
    for property in &model.ts.properties {
        let violated = match &property.goal {
            Goal::Bad(bad) => explicit.distance(*bad).is_some(),
            Goal::Justice(conditions) => explicit.justice(conditions),
            Goal::Ltl(formula) => explicit.violates(formula).expect("a formula of the future"),
        };
        if violated {
            found.push(property.name.clone());
        }
    }
    found
}

fn distance(text: &str) -> Option<usize> {
    let model = read(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let Goal::Bad(bad) = model.ts.properties[0].goal else { panic!("an invariant should come first") };
    Explicit::new(&model.ts).expect("small").distance(bad)
}

#[test]
fn the_shift_register_of_the_lecture_fails_after_two_steps_from_101() {
    let model = "MODULE main VAR x : boolean; y : boolean; z : boolean;
        INIT !x | !y | !z
        TRANS next(x) = y & next(y) = z & next(z) = TRUE
        INVARSPEC !x | !y | !z";
    // 011 leads to 111 in one step: it is an initial state too.
    assert_eq!(distance(model), Some(1));
    let from_101 = model.replace("INIT !x | !y | !z", "INIT x & !y & z");
    assert_eq!(distance(&from_101), Some(2));
}

#[test]
fn assignments_cases_and_sets() {
    let text = "MODULE main
        VAR request : boolean; state : {ready, busy};
        ASSIGN
          init(state) := ready;
          next(state) := case state = ready & request : busy; TRUE : {ready, busy}; esac;
        LTLSPEC NAME answered := G (request -> F state = busy)
        LTLSPEC NAME leaves := G (state = busy -> F state = ready)
        SPEC AG (request -> AF state = busy)
        INVARSPEC NAME never := state = ready;
        CTLSPEC AG (state in {ready, busy})";
    assert_eq!(violated(text), ["leaves", "never"]);
    let fair = text.replace("SPEC AG (request", "JUSTICE state = ready SPEC AG (request");
    assert_eq!(violated(&fair), ["never"]);
}

#[test]
fn integers_are_exact_and_ranges_wrap_where_they_are_told_to() {
    let text = "MODULE main VAR n : -3..6;
        ASSIGN init(n) := -3; next(n) := case n < 6 : n + 1; TRUE : -3; esac;
        DEFINE twice := n * 2; rest := n mod 4; half := n / 2;
        INVARSPEC twice = 12 -> n = 6
        INVARSPEC rest >= -3 & rest <= 3 & half * 2 + n mod 2 = n
        INVARSPEC NAME low := twice > -6
        INVARSPEC abs(n) + max(n, 0) - min(n, 1) >= 0 & count(n > 0, n > 1) <= 2
        INVARSPEC n in -3..6 & n in {1, 2} union -3..0 | n > 2";
    assert_eq!(violated(text), ["low"]);
}

#[test]
fn words_wrap_and_keep_their_sign() {
    let text = "MODULE main VAR u : word[3]; s : signed word[3];
        ASSIGN init(u) := 0ud3_0; next(u) := u + 0ud3_1; init(s) := 0sd3_0; next(s) := s - 0sd3_1;
        INVARSPEC u + unsigned(s) = 0ud3_0
        INVARSPEC NAME small := u < 7
        INVARSPEC NAME positive := s >= 0
        INVARSPEC u[2:1] :: u[0:0] = u
        INVARSPEC toint(u) = 5 -> word1(TRUE) :: 0ub2_01 = u & u >> 2 = 0ub3_001 & u << 1 = 0ub3_010
        INVARSPEC extend(s, 2) = resize(s, 5) & signed(u) = -s
        INVARSPEC (u & 0ud3_3) = u mod 0ud3_4 & (u xor u) = 0 & !u = 0ud3_7 - u";
    assert_eq!(violated(text), ["small", "positive"]);
}

#[test]
fn modules_parameters_arrays_and_frozen_variables() {
    let text = "MODULE cell(left, start)
        VAR on : boolean;
        ASSIGN init(on) := start; next(on) := left.on;
        DEFINE off := !on;
        INVARSPEC NAME same := on <-> !off;
        MODULE main
        VAR a : cell(c, TRUE); b : cell(a, FALSE); c : cell(b, FALSE);
            at : 0..2; mem : array 0..2 of boolean;
        FROZENVAR f : boolean;
        ASSIGN at := case a.on : 0; b.on : 1; TRUE : 2; esac;
          init(mem[0]) := f; next(mem[0]) := mem[at];
        INVARSPEC count(a.on, b.on, c.on) = 1
        INVARSPEC NAME stays := at = 0
        INVARSPEC mem[at] <-> case at = 0 : mem[0]; at = 1 : mem[1]; TRUE : mem[2]; esac
        LTLSPEC G F at = 2
        LTLSPEC NAME frozen := f -> G f";
    assert_eq!(violated(text), ["stays"]);
}

#[test]
fn inputs_and_next_values_in_relations() {
    let text = "MODULE main IVAR go : boolean; VAR n : 0..3; twin : 0..3;
        INIT n = 0 & twin = 0
        TRANS go -> next(n) = (n + 1) mod 4
        TRANS !go -> next(n) = n
        ASSIGN next(twin) := next(n);
        INVARSPEC twin = n
        INVARSPEC NAME three := n < 3
        LTLSPEC NAME moves := F n = 1
        LTLSPEC (G go) -> F n = 3
        LTLSPEC G (go -> next(n) != n)";
    assert_eq!(violated(text), ["three", "moves"]);
}

#[test]
fn a_path_that_ends_violates_no_formula_but_every_state_on_it_counts() {
    let text = "MODULE main VAR n : 0..3;
        INIT n = 0
        TRANS n < 2 & next(n) = n + 1
        INVARSPEC NAME reached := n < 2
        LTLSPEC G n < 2
        LTLSPEC F FALSE
        SPEC AF n = 3
        SPEC NAME below := AG n < 2";
    assert_eq!(violated(text), ["reached", "below"]);
}

#[test]
fn symbols_and_numbers_mix_in_enumerations() {
    let text = "MODULE main CONSTANTS none; VAR v : {none, 1, 2}; w : {1, 2, 5};
        ASSIGN init(v) := none; next(v) := case v = none : 1; TRUE : {none, 2}; esac;
          next(w) := w = 5 ? 1 : 5;
        INVARSPEC NAME two := v != 2
        INVARSPEC w + 1 <= 6 & (v = none | v in {1, 2})";
    assert_eq!(violated(text), ["two"]);
}

#[test]
fn mistakes_are_told_with_line_and_column() {
    let main = |rest: &str| format!("MODULE main\nVAR x : boolean; n : 0..5; w : word[4];\n{rest}");
    for (text, says) in [
        (main("INIT y"), "line 3, column 6: `y` is not declared"),
        (main("INIT n"), "line 3, column 6: a boolean should be here, not an integer"),
        (main("INIT next(x)"), "line 3, column 6: `next` is not allowed here"),
        (main("INIT n + w = 3"), "`+` does not go with an integer and an unsigned word of 4 bits"),
        (main("ASSIGN next(n) := n + 1;"), "column 19: `n` has the type 0..5, and this can be another value"),
        (main("ASSIGN next(n) := {1, 9};"), "`n` has the type 0..5, and this can be another value"),
        (main("ASSIGN next(n) := 3..9;"), "`n` has the type 0..5, and this can be another value"),
        (main("ASSIGN next(x) := case n = 1 : TRUE; esac;"), "has no branch for some values"),
        (main("ASSIGN next(x) := 3 / n = 1;"), "this can divide by zero"),
        (main("ASSIGN next(x) := w;"), "`x` has the type boolean: an unsigned word of 4 bits can't be assigned"),
        (main("ASSIGN init(x) := TRUE; init(x) := TRUE;"), "`x` is assigned twice"),
        (main("ASSIGN x := TRUE; next(x) := TRUE;"), "`x` is assigned twice"),
        (main("DEFINE a := b; b := !a; INVARSPEC a"), "depends on itself"),
        (main("DEFINE a := a.x; INVARSPEC a"), "`a.x` is not declared"),
        (main("VAR m : array 0..3 of boolean; INVARSPEC m[n]"), "the index can leave the array's bounds 0..3"),
        (main("COMPASSION (x, x)"), "COMPASSION is not supported"),
        (main("SPEC EF x"), "EF is not supported"),
        (main("SPEC AF AG x"), "path quantifiers inside AF"),
        (main("LTLSPEC AG x"), "AG belongs to CTL"),
        (main("SPEC F x"), "needs LTLSPEC"),
        (main("VAR x : boolean;"), "`x` is declared twice"),
        (main("VAR i : integer;"), "the type integer is not supported"),
        (main("VAR p : process foo();"), "process is not supported"),
        (main("VAR p : foo();"), "there is no module or type `foo`"),
        (main("VAR e : 5..2;"), "the range 5..2 is empty"),
        (main("VAR e : {a, a};"), "listed twice"),
        (main("INVARSPEC NAME q := x INVARSPEC NAME q := x"), "two specifications have the name `q`"),
        (main("IVAR i : boolean; TRANS next(i)"), "`i` is an input: it has no next value"),
        (main("INVARSPEC {x}"), "a set can stand only"),
        (main("INIT x NONSENSE x"), "a section such as VAR or ASSIGN should begin here"),
        ("MODULE other".to_owned(), "there is no MODULE main"),
        ("MODULE main VAR m : main;".to_owned(), "contains itself"),
        (String::new(), "this file has no MODULE"),
    ] {
        let message = match read(&text) {
            Ok(_) => panic!("this should be wrong: {text}"),
            Err(e) => e.to_string(),
        };
        assert!(message.contains(says), "{text}\n{message}");
        assert!(message.starts_with("line "), "{message}");
    }
}

#[test]
fn a_definition_that_divides_is_looked_at_where_it_is_used() {
    let text = "MODULE main VAR n : 0..5; DEFINE d := 4 / n;
        INVARSPEC case n = 0 : TRUE; TRUE : d <= 4; esac";
    assert!(violated(text).is_empty());
    assert!(read(&text.replace("n = 0 : TRUE; ", "")).is_err());
}

#[test]
fn formulas_over_a_models_own_names() {
    let mut model =
        read("MODULE main VAR s : {red, green}; ASSIGN next(s) := s = red ? green : red;").expect("a model");
    let formula = model.names.formula(&mut model.ts, "G (s = red -> X s = green)").expect("a formula");
    assert_eq!(Explicit::new(&model.ts).expect("small").violates(&formula), Some(false));
    assert!(model.names.formula(&mut model.ts, "G (t = red)").is_err());
}

#[test]
fn no_text_makes_it_panic() {
    use crate::explicit::random::Rng;
    let text = "MODULE m(p) VAR a : boolean; ASSIGN next(a) := !p; MODULE main VAR x : {on, off}; n : 0..5; w : word[4]; i : m(x = on);
        ASSIGN init(n) := 0; next(n) := case n = 5 : {0, 1}; TRUE : n + 1; esac; DEFINE d := w[2:1] :: 0ub2_10;
        INVAR x in {on, off} TRANS next(w) = w + 0ud4_1 INVARSPEC n <= 5; LTLSPEC G (i.a -> F d = 0ud4_6) SPEC AG AF x = on";
    let words: Vec<&str> = text.split_inclusive([' ', ';', '(', ')', '.', '[', ']']).collect();
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        let mut changed: Vec<&str> = words.clone();
        for _ in 0..1 + rng.below(3) {
            let (at, other) = (rng.below(changed.len()), words[rng.below(words.len())]);
            match rng.below(3) {
                0 => changed[at] = other,
                1 => changed.insert(at, other),
                _ => {
                    changed.remove(at);
                }
            }
        }
        if let Err(e) = read(&changed.concat()) {
            assert!(!e.message.contains('\n') && !e.message.is_empty(), "{e}");
        }
    }
}
