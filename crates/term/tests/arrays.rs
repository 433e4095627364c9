//! Arrays and bulk operations, held against plain tables; reads through long chains; merging at joins.

mod support;

use blitz_base::Bv;
use blitz_term::{ArrayValue, Assignment, Evaluator, Op, Sort, Term, Terms, Value, dag_size};
use support::Rng;

const ROWS: usize = 12;
const INDEX: u16 = 5;
const CELLS: u64 = 1 << INDEX;
const ELEM: u16 = 2;
const SORT: Sort = Sort::Array { index: INDEX, elem: ELEM };

type Table = [u64; 1 << INDEX];

/// A world of random array programs: pools of terms with the values they should have in each row.
struct World {
    terms: Terms,
    rows: Vec<Assignment>,
    arrays: Vec<(Term, [Table; ROWS])>,
    words: Vec<(Term, [u64; ROWS])>,
    values: Vec<(Term, [u64; ROWS])>,
    bits: Vec<(Term, [u64; ROWS])>,
}

fn word_var(world: &mut World, name: &str, width: u16, rng: &mut Rng) -> (Term, [u64; ROWS]) {
    let term = world.terms.var(name, Sort::Bv(width));
    let values = std::array::from_fn(|_| rng.next() >> 7 & ((1 << width) - 1));
    for (row, &value) in world.rows.iter_mut().zip(&values) {
        row.set_bv(term, Bv::from_u64(width, value));
    }
    (term, values)
}

fn array_var(world: &mut World, name: &str, rng: &mut Rng) {
    let term = world.terms.var(name, SORT);
    let tables: [Table; ROWS] = std::array::from_fn(|_| std::array::from_fn(|_| rng.next() >> 9 & 3));
    for (row, table) in world.rows.iter_mut().zip(&tables) {
        let mut value = ArrayValue::new(INDEX, Bv::zero(ELEM));
        for (i, &cell) in table.iter().enumerate() {
            value.set(Bv::from_u64(INDEX, i as u64), Bv::from_u64(ELEM, cell));
        }
        row.set(term, Value::Array(value));
    }
    world.arrays.push((term, tables));
}

fn world(rng: &mut Rng) -> World {
    let mut w = World {
        terms: Terms::new(),
        rows: vec![Assignment::new(); ROWS],
        arrays: Vec::new(),
        words: Vec::new(),
        values: Vec::new(),
        bits: Vec::new(),
    };
    array_var(&mut w, "a", rng);
    array_var(&mut w, "b", rng);
    for name in ["i", "j"] {
        let var = word_var(&mut w, name, INDEX, rng);
        w.words.push(var);
        for k in [1, 2, 19] {
            let k_term = w.terms.bv(INDEX, k);
            let sum = w.terms.add(var.0, k_term);
            w.words.push((sum, var.1.map(|v| (v + k) % CELLS)));
        }
    }
    for k in 0..CELLS {
        w.words.push((w.terms.bv(INDEX, k), [k; ROWS]));
    }
    let v = word_var(&mut w, "v", ELEM, rng);
    w.values.push(v);
    for k in 0..3 {
        w.values.push((w.terms.bv(ELEM, k), [k; ROWS]));
    }
    for name in ["c", "d"] {
        let bit = word_var(&mut w, name, 1, rng);
        w.bits.push(bit);
    }
    let zeros = w.terms.bv(ELEM, 0);
    let zero_array = w.terms.const_array(INDEX, zeros);
    w.arrays.push((zero_array, [[0; CELLS as usize]; ROWS]));
    w
}

/// One more array by a random operation.
fn more_arrays(w: &mut World, rng: &mut Rng) {
    let (a, ta) = *rng.pick(&w.arrays);
    let (b, tb) = *rng.pick(&w.arrays);
    let (i, vi) = *rng.pick(&w.words);
    let (j, vj) = *rng.pick(&w.words);
    let (n, vn) = *rng.pick(&w.words);
    let (x, vx) = *rng.pick(&w.values);
    let (c, vc) = *rng.pick(&w.bits);
    let made = match rng.below(6) {
        0..=2 => {
            let term = w.terms.store(a, i, x);
            (term, std::array::from_fn(|r| with(&ta[r], &[(vi[r], vx[r])])))
        }
        3 => {
            let term = w.terms.ite(c, a, b);
            (term, std::array::from_fn(|r| if vc[r] == 1 { ta[r] } else { tb[r] }))
        }
        4 => {
            let term = w.terms.copy(a, i, b, j, n);
            let cell = |r: usize, k| ((vi[r] + k) % CELLS, tb[r][((vj[r] + k) % CELLS) as usize]);
            (term, std::array::from_fn(|r| with(&ta[r], &(0..vn[r]).map(|k| cell(r, k)).collect::<Vec<_>>())))
        }
        _ => {
            let term = w.terms.fill(a, i, x, n);
            let cells = |r: usize| (0..vn[r]).map(|k| ((vi[r] + k) % CELLS, vx[r])).collect::<Vec<_>>();
            (term, std::array::from_fn(|r| with(&ta[r], &cells(r))))
        }
    };
    w.arrays.push(made);
}

fn with(table: &Table, cells: &[(u64, u64)]) -> Table {
    let mut out = *table;
    for &(i, v) in cells {
        out[i as usize] = v;
    }
    out
}

/// One more word by a random operation.
fn more_words(w: &mut World, rng: &mut Rng) {
    let (a, ta) = *rng.pick(&w.arrays);
    let (b, tb) = *rng.pick(&w.arrays);
    let (i, vi) = *rng.pick(&w.words);
    let (j, vj) = *rng.pick(&w.words);
    let (n, vn) = *rng.pick(&w.words);
    let (x, vx) = *rng.pick(&w.values);
    let at = |t: &Table, i: u64| t[(i % CELLS) as usize];
    match rng.below(5) {
        0 | 1 => {
            let term = w.terms.select(a, i);
            w.values.push((term, std::array::from_fn(|r| at(&ta[r], vi[r]))));
        }
        2 => {
            let term = w.terms.eq(a, b);
            w.bits.push((term, std::array::from_fn(|r| u64::from(ta[r] == tb[r]))));
        }
        3 => {
            let term = w.terms.scan(a, i, x, n);
            let found = |r: usize| (0..vn[r]).find(|k| at(&ta[r], vi[r] + k) == vx[r]).unwrap_or(vn[r]);
            w.words.push((term, std::array::from_fn(found)));
        }
        _ => {
            let term = w.terms.mismatch(a, i, b, j, n);
            let differ = |r: usize, k: u64| at(&ta[r], vi[r] + k) != at(&tb[r], vj[r] + k);
            let found = |r: usize| (0..vn[r]).find(|&k| differ(r, k)).unwrap_or(vn[r]);
            w.words.push((term, std::array::from_fn(found)));
        }
    }
}

fn check(w: &World) {
    for (r, row) in w.rows.iter().enumerate() {
        let mut evaluator = Evaluator::new(row);
        for pool in [&w.words, &w.values, &w.bits] {
            for (term, values) in pool {
                let value = evaluator.eval(&w.terms, *term);
                assert_eq!(value.bv().to_u64(), Some(values[r]), "{}", support::show(&w.terms, *term));
            }
        }
        for (term, tables) in &w.arrays {
            let value = evaluator.eval(&w.terms, *term);
            let table: Table =
                std::array::from_fn(|i| value.array().get(&Bv::from_u64(INDEX, i as u64)).to_u64().unwrap_or(99));
            assert_eq!(table, tables[r], "{}", support::show(&w.terms, *term));
        }
    }
}

#[test]
fn random_array_programs() {
    let mut rng = Rng(0xa88a);
    for _ in 0..300 {
        let mut w = world(&mut rng);
        for _ in 0..12 {
            more_arrays(&mut w, &mut rng);
            more_words(&mut w, &mut rng);
        }
        check(&w);
    }
}

fn byte_array(terms: &mut Terms) -> Term {
    terms.var("mem", Sort::Array { index: 64, elem: 8 })
}

#[test]
fn reads_find_their_write_in_a_long_chain() {
    let mut terms = Terms::new();
    let mem = byte_array(&mut terms);
    let base = terms.var("base", Sort::Bv(64));
    let mut array = mem;
    let at = |terms: &mut Terms, k: u64| {
        let k = terms.bv(64, 4 * k);
        terms.add(base, k)
    };
    for k in 0..20_000 {
        let (i, v) = (at(&mut terms, k), terms.bv(8, k % 251));
        array = terms.store(array, i, v);
    }
    for k in (0..20_000).step_by(7) {
        let i = at(&mut terms, k);
        let read = terms.select(array, i);
        assert_eq!(terms.as_u64(read), Some(k % 251));
    }
    let unwritten = terms.bv(64, 2);
    let i = terms.add(base, unwritten);
    let read = terms.select(array, i);
    assert_eq!(terms.op(read), Op::Select(mem, i));
}

#[test]
fn old_versions_of_an_array_keep_their_values() {
    let mut terms = Terms::new();
    let mut array = byte_array(&mut terms);
    let i = terms.bv(64, 7);
    let j = terms.bv(64, 8);
    let mut versions = Vec::new();
    for k in 0..50 {
        let v = terms.bv(8, k);
        array = terms.store(array, i, v);
        array = terms.store(array, j, v);
        versions.push(array);
    }
    for (k, &version) in versions.iter().enumerate() {
        let read = terms.select(version, i);
        assert_eq!(terms.as_u64(read), Some(k as u64));
        // A branch off an old version sees that version.
        let seven = terms.bv(8, 77);
        let branch = terms.store(version, j, seven);
        let (own, inherited) = (terms.select(branch, j), terms.select(branch, i));
        assert_eq!((terms.as_u64(own), terms.as_u64(inherited)), (Some(77), Some(k as u64)));
    }
}

#[test]
fn joins_merge_stores_of_both_sides() {
    let mut terms = Terms::new();
    let mem = byte_array(&mut terms);
    let c = terms.var("c", Sort::BOOL);
    let [i, j, k] = [1, 2, 3].map(|n| terms.bv(64, n));
    let [x, y, z] = ["x", "y", "z"].map(|n| terms.var(n, Sort::Bv(8)));
    let left = terms.store(mem, i, x);
    let left = terms.store(left, j, z);
    let right = terms.store(mem, i, y);
    let right = terms.store(right, j, z);
    let joined = terms.ite(c, left, right);
    assert!(matches!(terms.op(joined), Op::Store(..)));
    let (first, second, third) = (terms.select(joined, i), terms.select(joined, j), terms.select(joined, k));
    let choice = terms.ite(c, x, y);
    assert_eq!((first, second), (choice, z));
    assert_eq!(terms.op(third), Op::Select(mem, k));
}

#[test]
fn reads_pass_bulk_operations_they_do_not_meet() {
    let mut terms = Terms::new();
    let mem = byte_array(&mut terms);
    let other = terms.var("other", Sort::Array { index: 64, elem: 8 });
    let (off, len) = (terms.bv(64, 100), terms.bv(64, 1 << 20));
    let zero = terms.bv(8, 0);
    let filled = terms.fill(mem, off, zero, len);
    let [before, inside] = [99, 5000].map(|n| terms.bv(64, n));
    let (x, y) = (terms.select(filled, before), terms.select(filled, inside));
    assert_eq!((terms.op(x), y), (Op::Select(mem, before), zero));
    let src_off = terms.bv(64, 7);
    let copied = terms.copy(mem, off, other, src_off, len);
    let read = terms.select(copied, inside);
    let from = terms.bv(64, 4907);
    assert_eq!(terms.op(read), Op::Select(other, from));
}

#[test]
fn strings_have_their_length_without_a_solver() {
    let mut terms = Terms::new();
    let mut array = byte_array(&mut terms);
    for (k, byte) in b"a constant string\0".iter().enumerate() {
        let (i, v) = (terms.bv(64, k as u64), terms.bv(8, (*byte).into()));
        array = terms.store(array, i, v);
    }
    let (zero, nul) = (terms.bv(64, 0), terms.bv(8, 0));
    let limit = terms.bv(64, 100);
    let length = terms.scan(array, zero, nul, limit);
    assert_eq!(terms.as_u64(length), Some(17));
    let open = terms.var("limit", Sort::Bv(64));
    let capped = terms.scan(array, zero, nul, open);
    assert!(dag_size(&terms, &[capped]) <= 5, "{}", support::show(&terms, capped));
    let mem = byte_array(&mut terms);
    let unknown = terms.scan(mem, zero, nul, limit);
    assert!(matches!(terms.op(unknown), Op::Scan { .. }));
}

/// Behind what was written all cells are the same, and nobody looks at each of them.
#[test]
fn a_search_ends_where_all_cells_are_the_same() {
    let mut terms = Terms::new();
    let nul = terms.bv(8, 0);
    let mut array = terms.const_array(64, nul);
    for (k, byte) in b"text".iter().enumerate() {
        let (i, v) = (terms.bv(64, 10 + k as u64), terms.bv(8, (*byte).into()));
        array = terms.store(array, i, v);
    }
    let (start, newline, limit) = (terms.bv(64, 10), terms.bv(8, 10), terms.var("limit", Sort::Bv(64)));
    let before = terms.len();
    let none = terms.scan(array, start, newline, limit);
    assert_eq!(none, limit);
    assert!(terms.len() - before < 100, "{} terms", terms.len() - before);
    let end = terms.scan(array, start, nul, limit);
    let (four, most) = (terms.bv(64, 4), terms.bv(64, 50));
    let short = terms.ult(four, limit);
    assert_eq!(end, terms.ite(short, four, limit));
    let fixed = terms.scan(array, start, nul, most);
    assert_eq!(terms.as_u64(fixed), Some(4));
}

#[test]
fn long_concatenations_do_not_overflow_the_stack() {
    let mut terms = Terms::new();
    let mut parts = Vec::new();
    for _ in 0..8000 {
        parts.push(terms.fresh("byte", Sort::Bv(8)));
    }
    for left in [true, false] {
        let mut word = parts[0];
        for &part in &parts[1..] {
            word = if left { terms.concat(word, part) } else { terms.concat(part, word) };
        }
        let width = terms.width(word);
        let most = terms.extract(word, width - 5, 3);
        let again = terms.extract(most, 7, 0);
        let zero = terms.zero(width);
        let is_zero = terms.eq(word, zero);
        let ones = terms.ones(width);
        let (masked, flipped) = (terms.and(word, ones), {
            let wide = terms.zext(most, width);
            terms.xor(word, wide)
        });
        let c = terms.var("c", Sort::BOOL);
        let choice = terms.ite(c, word, zero);
        let empty = Assignment::new();
        let mut evaluator = Evaluator::new(&empty);
        assert!(evaluator.holds(&terms, is_zero));
        for t in [again, masked, flipped, choice] {
            assert!(evaluator.eval(&terms, t).bv().is_zero());
        }
    }
}

#[test]
fn long_conjunctions_do_not_overflow_the_stack() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Bv(32));
    let mut path = terms.tru();
    for k in 0..100_000 {
        let k = terms.bv(32, k);
        let other = terms.ne(x, k);
        path = terms.and(path, other);
    }
    let last = terms.bv(32, 1 << 20);
    let here = terms.eq(x, last);
    let taken = terms.and(path, here);
    let mut assignment = Assignment::new();
    assignment.set_bv(x, Bv::from_u64(32, 1 << 20));
    assert!(Evaluator::new(&assignment).holds(&terms, taken));
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut terms = Terms::new();
    let mut choice = terms.var("x", Sort::Bv(32));
    let mut memory = byte_array(&mut terms);
    for k in 0..100_000u64 {
        let c = terms.fresh("c", Sort::BOOL);
        let constant = terms.bv(32, k);
        choice = terms.ite(c, constant, choice);
        let other = terms.fresh("m", Sort::Array { index: 64, elem: 8 });
        memory = terms.ite(c, memory, other);
    }
    let five = terms.bv(32, 5);
    let equal = terms.eq(choice, five);
    let less = terms.ult(choice, five);
    let i = terms.var("i", Sort::Bv(64));
    let read = terms.select(memory, i);
    let empty = Assignment::new();
    let mut evaluator = Evaluator::new(&empty);
    assert!(evaluator.eval(&terms, equal).bv().is_zero());
    assert!(evaluator.holds(&terms, less));
    assert!(evaluator.eval(&terms, read).bv().is_zero());
    assert!(dag_size(&terms, &[equal, less, read]) > 100_000);
}

#[test]
fn reads_know_the_bits_that_all_elements_share() {
    let mut t = Terms::new();
    let mut table = {
        let zero = t.bv(32, 0);
        t.const_array(16, zero)
    };
    for i in 0..64 {
        let (index, value) = (t.bv(16, i), t.bv(32, 0x100 + i));
        table = t.store(table, index, value);
    }
    let at = t.fresh("at", Sort::Bv(16));
    let read = t.select(table, at);
    assert_eq!(t.known_bits(read).max(32), 0x13f);
    let limit = t.bv(32, 0x13f);
    let small = t.ule(read, limit);
    assert!(t.is_true(small));
    let free = t.fresh("free", Sort::Bv(32));
    let written = t.store(table, at, free);
    let other = t.fresh("other", Sort::Bv(16));
    let read = t.select(written, other);
    assert_eq!(t.known_bits(read).max(32), u64::from(u32::MAX));
}
