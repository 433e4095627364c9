//! Scans, mismatches, copies and fills with symbolic and huge bounds.

use blitz_base::{Budget, Bv};
use blitz_solver::{Outcome, Solver, SolverConfig, make};
use blitz_term::{Sort, Term, Terms};
use std::time::Duration;

const MEMORY: Sort = Sort::Array { index: 64, elem: 8 };

struct World {
    t: Terms,
    s: Box<dyn Solver>,
}

impl World {
    fn new() -> Self {
        Self { t: Terms::new(), s: make("cadical", &SolverConfig::default()).unwrap() }
    }

    fn word(&mut self, name: &str) -> Term {
        self.t.var(name, Sort::Bv(64))
    }

    fn num(&mut self, value: u64) -> Term {
        self.t.bv(64, value)
    }

    /// The length of the string at `p`, without a bound that matters.
    fn strlen(&mut self, memory: Term, p: Term) -> Term {
        let (zero, limit) = (self.t.bv(8, 0), self.num(1 << 40));
        self.t.scan(memory, p, zero, limit)
    }

    fn check(&mut self, assumptions: &[Term]) -> Outcome {
        let budget = Budget::new(Some(Duration::from_secs(120)), None);
        self.s.check(&mut self.t, assumptions, &budget)
    }

    fn value(&mut self, t: Term) -> u64 {
        self.s.value(&mut self.t, t).bv().to_u64().unwrap()
    }
}

#[test]
fn a_string_of_any_length_exists() {
    let mut w = World::new();
    let (m, p) = (w.t.var("m", MEMORY), w.word("p"));
    let n = w.strlen(m, p);
    for length in [0, 1, 5, 2048, 1 << 30, (1 << 40) - 1] {
        let k = w.num(length);
        let p = w.t.eq(n, k);
        assert_eq!(w.check(&[p]), Outcome::Sat, "length {length}");
        assert_eq!(w.value(n), length);
    }
    let k = w.num((1 << 40) + 1);
    let p = w.t.uge(n, k);
    assert_eq!(w.check(&[p]), Outcome::Unsat);
}

#[test]
fn no_zero_stands_before_the_end() {
    let mut w = World::new();
    let (m, p, i) = (w.t.var("m", MEMORY), w.word("p"), w.word("i"));
    let n = w.strlen(m, p);
    let at = w.t.add(p, i);
    let (cell, zero) = (w.t.select(m, at), w.t.bv(8, 0));
    let (is_zero, before) = (w.t.eq(cell, zero), w.t.ult(i, n));
    assert_eq!(w.check(&[is_zero, before]), Outcome::Unsat);
    assert_eq!(w.check(&[is_zero]), Outcome::Sat);
    assert_eq!(w.check(&[before]), Outcome::Sat);
}

#[test]
fn a_string_copy_overruns_its_buffer() {
    let mut w = World::new();
    let (m, dst, src) = (w.t.var("m", MEMORY), w.num(0x1000), w.num(0x10_0000));
    let n = w.strlen(m, src);
    let one = w.num(1);
    let size = w.t.add(n, one);
    let after = w.t.copy(m, dst, m, src, size);
    let (room, most) = (w.num(2048), w.num(100_000));
    let (overrun, bounded) = (w.t.ugt(size, room), w.t.ult(n, most));
    w.s.assert(&mut w.t, bounded);
    assert_eq!(w.check(&[overrun]), Outcome::Sat);
    assert!(w.value(n) >= 2048);
    // The copy has the length of the original.
    let copied = w.strlen(after, dst);
    let differ = w.t.ne(copied, n);
    assert_eq!(w.check(&[differ]), Outcome::Unsat);
    // The cell behind the copy is as before.
    let end = w.t.add(dst, size);
    let (x, y) = (w.t.select(m, end), w.t.select(after, end));
    let changed = w.t.ne(x, y);
    assert_eq!(w.check(&[changed]), Outcome::Unsat);
}

#[test]
fn a_fill_of_symbolic_length_ends_where_it_should() {
    let mut w = World::new();
    let (m, p, len) = (w.t.var("m", MEMORY), w.word("p"), w.word("len"));
    let (letter, zero) = (w.t.bv(8, u64::from(b'x')), w.t.bv(8, 0));
    let (least, most) = (w.num(1000), w.num(1 << 40));
    let (lower, upper) = (w.t.ugt(len, least), w.t.ult(len, most));
    w.s.assert(&mut w.t, lower);
    w.s.assert(&mut w.t, upper);
    let filled = w.t.fill(m, p, letter, len);
    let end = w.t.add(p, len);
    let text = w.t.store(filled, end, zero);
    let n = w.strlen(text, p);
    let differ = w.t.ne(n, len);
    assert_eq!(w.check(&[differ]), Outcome::Unsat);
    assert_eq!(w.check(&[]), Outcome::Sat);
    assert_eq!(w.value(n), w.value(len));
}

#[test]
fn comparing_finds_the_first_difference() {
    let mut w = World::new();
    let (a, b) = (w.t.var("a", MEMORY), w.t.var("b", MEMORY));
    let (p, q, i) = (w.word("p"), w.word("q"), w.word("i"));
    let limit = w.num(1 << 20);
    let n = w.t.mismatch(a, p, b, q, limit);
    let (x, y) = (w.t.add(p, i), w.t.add(q, i));
    let (u, v) = (w.t.select(a, x), w.t.select(b, y));
    let (differ, before) = (w.t.ne(u, v), w.t.ult(i, n));
    assert_eq!(w.check(&[differ, before]), Outcome::Unsat);
    let k = w.num(5000);
    let far = w.t.eq(n, k);
    assert_eq!(w.check(&[far, differ]), Outcome::Sat);
    assert!(w.value(i) >= 5000);
    let equal = w.t.eq(n, limit);
    assert_eq!(w.check(&[equal]), Outcome::Sat);
    // Equal up to the limit and a zero in both: the same length.
    let (m, l) = (w.strlen(a, p), w.strlen(b, q));
    let short = w.t.ult(m, limit);
    let lengths_differ = w.t.ne(m, l);
    assert_eq!(w.check(&[equal, short, lengths_differ]), Outcome::Unsat);
}

#[test]
fn zeros_are_compared_without_a_round_each() {
    let mut w = World::new();
    let (a, zero) = (w.t.var("a", MEMORY), w.t.bv(8, 0));
    let zeros = w.t.const_array(64, zero);
    let (p, len) = (w.word("p"), w.num(1000));
    let n = w.t.mismatch(a, p, zeros, p, len);
    let all = w.t.eq(n, len);
    assert_eq!(w.check(&[all]), Outcome::Sat);
    assert!(w.s.stats().lemmas < 3000);
}

#[test]
fn merged_memories_are_followed() {
    // A chain of array variables, each equal to the one before with one write, as merge points of a program make it.
    let mut w = World::new();
    let mut memory = w.t.var("m0", MEMORY);
    let first = memory;
    for k in 0..100_u64 {
        let (at, value) = (w.word(&format!("i{k}")), w.t.bv(8, k + 1));
        let written = w.t.store(memory, at, value);
        let next = w.t.var(&format!("m{}", k + 1), MEMORY);
        let equal = w.t.eq(next, written);
        w.s.assert(&mut w.t, equal);
        memory = next;
    }
    let i = w.word("i");
    let (x, y, k) = (w.t.select(first, i), w.t.select(memory, i), w.t.bv(8, 200));
    let (last, seven) = (w.t.eq(y, k), w.t.bv(8, 7));
    let other = w.t.eq(x, seven);
    assert_eq!(w.check(&[last, other]), Outcome::Unsat);
    assert_eq!(w.check(&[last]), Outcome::Sat);
    assert_eq!(w.s.value(&mut w.t, x).bv(), &Bv::from_u64(8, 200));
}

/// Searches that start next to each other are told what follows for them from one another: that must be what the cells say.
#[test]
fn neighbouring_searches_agree_with_the_cells() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    for round in 0..200 {
        let mut t = Terms::new();
        let mut s = make("cadical", &SolverConfig::default()).unwrap();
        let array = t.var("cells", Sort::Array { index: 4, elem: 2 });
        let base = t.var("base", Sort::Bv(4));
        let (cells, from) = ([(); 16].map(|()| random(2)), random(16));
        let start = t.bv(4, from);
        let mut given = vec![t.eq(base, start)];
        for (i, &cell) in cells.iter().enumerate() {
            let (i, cell) = (t.bv(4, i as u64), t.bv(2, cell));
            let read = t.select(array, i);
            given.push(t.eq(read, cell));
        }
        let sought = t.bv(2, 1);
        let (mut right, mut wrong) = (Vec::new(), Vec::new());
        for k in 0..6 {
            let (step, limit_value) = (random(4), random(16));
            let limit = t.var(&format!("limit{k}"), Sort::Bv(4));
            let (known, shift) = (t.bv(4, limit_value), t.bv(4, step));
            given.push(t.eq(limit, known));
            let off = t.add(base, shift);
            let found = t.scan(array, off, sought, limit);
            let hit = |n: &u64| cells[((from + step + n) % 16) as usize] == 1;
            let expected = t.bv(4, (0..limit_value).find(hit).unwrap_or(limit_value));
            right.push(t.eq(found, expected));
            wrong.push(t.ne(found, expected));
        }
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        let all = [given.clone(), right].concat();
        assert_eq!(s.check(&mut t, &all, &budget), Outcome::Sat, "round {round}");
        let some = t.or_all(&wrong);
        given.push(some);
        assert_eq!(s.check(&mut t, &given, &budget), Outcome::Unsat, "round {round}");
    }
}
