//! What a conjunction knows of its parts changes its form, never its meaning.

use blitz_base::Budget;
use blitz_base::Bv;
use blitz_term::{Assignment, Sort, Term, Terms, dag_size, eval};

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn word(terms: &mut Terms, rng: &mut Rng, vars: &[Term], depth: u32) -> Term {
    if depth == 0 || rng.below(4) == 0 {
        return if rng.below(3) == 0 { terms.bv(2, rng.below(4)) } else { vars[rng.below(3) as usize] };
    }
    let (a, b) = (word(terms, rng, vars, depth - 1), word(terms, rng, vars, depth - 1));
    match rng.below(3) {
        0 => terms.add(a, b),
        1 => terms.and(a, b),
        _ => {
            let c = condition(terms, rng, vars, depth - 1);
            terms.ite(c, a, b)
        }
    }
}

fn condition(terms: &mut Terms, rng: &mut Rng, vars: &[Term], depth: u32) -> Term {
    if depth > 0 && rng.below(2) == 0 {
        let (a, b) = (condition(terms, rng, vars, depth - 1), condition(terms, rng, vars, depth - 1));
        return match rng.below(3) {
            0 => terms.or(a, b),
            1 => terms.and(a, b),
            _ => terms.not(a),
        };
    }
    let (a, b) = (word(terms, rng, vars, depth), word(terms, rng, vars, depth));
    match rng.below(3) {
        0 => terms.eq(a, b),
        1 => terms.ult(a, b),
        _ => terms.slt(a, b),
    }
}

#[test]
fn it_means_the_same_under_every_assignment() {
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    for round in 0..3000 {
        let mut terms = Terms::new();
        let vars: Vec<Term> = ["x", "y", "z"].iter().map(|n| terms.var(n, Sort::Bv(2))).collect();
        let parts: Vec<Term> = (0..5).map(|_| condition(&mut terms, &mut rng, &vars, 3)).collect();
        let before = terms.and_all(&parts);
        let after = terms.propagate(before, &Budget::unlimited());
        for values in 0..64_u64 {
            let mut given = Assignment::new();
            for (i, &var) in vars.iter().enumerate() {
                given.set_bv(var, Bv::from_u64(2, values >> (2 * i) & 3));
            }
            let (one, other) = (eval(&terms, &given, before), eval(&terms, &given, after));
            assert_eq!(one.is_true(), other.is_true(), "round {round}, values {values}");
        }
    }
}

#[test]
fn a_truth_decides_the_choices_of_the_other_parts() {
    let mut terms = Terms::new();
    let [x, y, n] = ["x", "y", "n"].map(|name| terms.var(name, Sort::Bv(8)));
    let (one, two) = (terms.bv(8, 1), terms.bv(8, 2));
    let many = terms.ult(one, n);
    let choice = terms.ite(many, x, y);
    let small = terms.ult(choice, y);
    let few = terms.ult(n, two);
    let enough = terms.not(few);
    let both = terms.and(enough, small);
    let after = terms.propagate(both, &Budget::unlimited());
    let plain = terms.ult(x, y);
    let expected = terms.and(enough, plain);
    assert_eq!(after, expected);
    assert!(dag_size(&terms, &[after]) < dag_size(&terms, &[both]));
}
