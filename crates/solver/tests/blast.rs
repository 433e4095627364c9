//! Words and their circuits against evaluation: every operator exhaustively up to width 4, at random above.

use blitz_base::Bv;
use blitz_solver::aig::Edge;
use blitz_solver::blast::Circuit;
use blitz_term::{Assignment, Evaluator, Sort, Term, Terms};

type Binary = fn(&mut Terms, Term, Term) -> Term;

const OPERATORS: [(&str, Binary); 35] = [
    ("add", Terms::add),
    ("sub", Terms::sub),
    ("mul", Terms::mul),
    ("udiv", Terms::udiv),
    ("urem", Terms::urem),
    ("sdiv", Terms::sdiv),
    ("srem", Terms::srem),
    ("shl", Terms::shl),
    ("lshr", Terms::lshr),
    ("ashr", Terms::ashr),
    ("and", Terms::and),
    ("or", Terms::or),
    ("xor", Terms::xor),
    ("eq", Terms::eq),
    ("ne", Terms::ne),
    ("ult", Terms::ult),
    ("ule", Terms::ule),
    ("slt", Terms::slt),
    ("sle", Terms::sle),
    ("concat", Terms::concat),
    ("rotl", Terms::rotl),
    ("rotr", Terms::rotr),
    ("uaddo", Terms::uaddo),
    ("saddo", Terms::saddo),
    ("usubo", Terms::usubo),
    ("ssubo", Terms::ssubo),
    ("umulo", Terms::umulo),
    ("smulo", Terms::smulo),
    ("not", |t, a, _| t.not(a)),
    ("neg", |t, a, _| t.neg(a)),
    ("ctpop", |t, a, _| t.ctpop(a)),
    ("ctlz", |t, a, _| t.ctlz(a)),
    ("sext", |t, a, _| t.sext(a, t.width(a) + 3)),
    ("zext", |t, a, _| t.zext(a, t.width(a) + 3)),
    ("extract", |t, a, _| t.extract(a, t.width(a) - 1, t.width(a) / 2)),
];

struct Bench {
    terms: Terms,
    a: Term,
    b: Term,
}

impl Bench {
    fn new(width: u16) -> Self {
        let mut terms = Terms::new();
        let (a, b) = (terms.var("a", Sort::Bv(width)), terms.var("b", Sort::Bv(width)));
        Self { terms, a, b }
    }

    fn circuit_value(&self, c: &Circuit, bits: &[Edge], x: &Bv, y: &Bv) -> Bv {
        let set = |var: Term, value: &Bv, node: u32| {
            let word = c.existing(var)?;
            word.iter().position(|e| e.node() == node).map(|i| value.bit(i as u16))
        };
        let mut values = Vec::new();
        c.g.evaluate(&mut values, |node| set(self.a, x, node).or_else(|| set(self.b, y, node)).unwrap_or(false));
        Bv::from_bits(bits.len() as u16, |i| {
            let e = bits[usize::from(i)];
            values[e.node() as usize] ^ e.inverted()
        })
    }

    fn compare(&mut self, name: &str, op: Binary, inputs: &[(Bv, Bv)]) {
        let t = op(&mut self.terms, self.a, self.b);
        let mut circuit = Circuit::default();
        let word = circuit.word(&self.terms, t);
        for (x, y) in inputs {
            let mut assignment = Assignment::new();
            assignment.set_bv(self.a, x.clone());
            assignment.set_bv(self.b, y.clone());
            let want = Evaluator::new(&assignment).eval(&self.terms, t);
            let got = self.circuit_value(&circuit, &word, x, y);
            assert_eq!(&got, want.bv(), "{name} of {x} and {y}");
        }
    }
}

#[test]
fn all_inputs_up_to_width_four() {
    for width in 1..=4_u16 {
        let all: Vec<Bv> = (0..1_u64 << width).map(|v| Bv::from_u64(width, v)).collect();
        let pairs: Vec<(Bv, Bv)> = all.iter().flat_map(|x| all.iter().map(move |y| (x.clone(), y.clone()))).collect();
        let mut bench = Bench::new(width);
        for (name, op) in OPERATORS {
            bench.compare(name, op, &pairs);
        }
    }
}

#[test]
fn random_inputs_above() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut bit = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 40 & 1 == 1
    };
    for width in [5_u16, 8, 13, 16, 24, 33, 64, 65] {
        // Values of random length, so that small ones are common.
        let mut value = |long: u16| Bv::from_bits(width, |i| i < long && bit());
        let pairs: Vec<(Bv, Bv)> = (0..12).map(|k| (value(width), value(1 + k * width / 12))).collect();
        let mut bench = Bench::new(width);
        for (name, op) in OPERATORS {
            bench.compare(name, op, &pairs);
        }
    }
}
