//! Every simplification preserves the value: exhaustive over all assignments up to width 4, random above.

mod support;

use blitz_base::Bv;
use blitz_term::Terms;
use support::{BINARY, Build, Rng, Rows, Sample, UNARY};

/// All assignments to two words of `width` bits and a bit; a second bit is mixed from them.
fn exhaustive(terms: &mut Terms, width: u16) -> (Rows, Vec<Sample>) {
    let n = 1u64 << width;
    let rows: Vec<(u64, u64, u64)> =
        (0..n).flat_map(|x| (0..n).flat_map(move |y| (0..2).map(move |c| (x, y, c)))).collect();
    let mut out = Rows::new(rows.len());
    let column = |f: &dyn Fn(&(u64, u64, u64)) -> Bv| rows.iter().map(f).collect::<Vec<_>>();
    let vars = vec![
        out.var(terms, "x", column(&|r| Bv::from_u64(width, r.0))),
        out.var(terms, "y", column(&|r| Bv::from_u64(width, r.1))),
        out.var(terms, "c", column(&|r| Bv::from_u64(1, r.2))),
        out.var(terms, "d", column(&|r| Bv::bool((r.0 * 7 + r.1 * 5 + r.2 * 3).is_multiple_of(3)))),
    ];
    (out, vars)
}

/// Terms of one width with one operator each, or two: what rules look for.
fn shapes(terms: &mut Terms, rows: &mut Rows, vars: &[Sample], width: u16) -> Vec<Sample> {
    let [x, y, c, d] = vars else {
        panic!("four variables should be there");
    };
    let mut out = vec![x.clone(), y.clone()];
    let constants: Vec<Sample> = (0..1u64 << width).map(|k| rows.constant(terms, Bv::from_u64(width, k))).collect();
    out.extend(constants.iter().cloned());
    let some = [1, constants.len() / 2, constants.len() - 2].map(|i| constants[i.min(constants.len() - 1)].clone());
    for b in UNARY {
        if b != Build::SignBit {
            out.push(rows.sample(terms, b, &[x]));
        }
    }
    for b in [Build::And, Build::Or, Build::Xor, Build::Add, Build::Sub, Build::Mul] {
        out.push(rows.sample(terms, b, &[x, y]));
        for k in &some {
            out.push(rows.sample(terms, b, &[x, k]));
        }
    }
    out.push(rows.sample(terms, Build::Ite, &[c, x, y]));
    out.push(rows.sample(terms, Build::Ite, &[c, x, &some[1]]));
    out.push(rows.sample(terms, Build::Ite, &[c, &some[0], &some[1]]));
    out.push(rows.sample(terms, Build::Ite, &[d, &some[1], &some[2]]));
    if width > 1 {
        let low = rows.sample(terms, Build::Extract(width - 2, 0), &[x]);
        let high = rows.sample(terms, Build::Extract(width - 1, 1), &[y]);
        for narrow in [low, high] {
            out.push(rows.sample(terms, Build::Zext(width), &[&narrow]));
            out.push(rows.sample(terms, Build::Sext(width), &[&narrow]));
            out.push(rows.sample(terms, Build::Concat, &[&narrow, c]));
            out.push(rows.sample(terms, Build::Concat, &[d, &narrow]));
        }
        out.push(rows.sample(terms, Build::Sext(width), &[c]));
    }
    let mut seen = std::collections::HashSet::new();
    out.retain(|s| seen.insert(s.term));
    out
}

/// Constants meet variables all of them, other shapes only the special ones.
fn worth_trying(terms: &Terms, a: &Sample, b: &Sample) -> bool {
    let width = terms.width(a.term);
    let top = (1u64 << width) - 1;
    match terms.as_u64(a.term) {
        Some(k) => terms.is_var(b.term) || [0, 1, top / 2, top / 2 + 1, top].contains(&k),
        None => true,
    }
}

#[test]
fn every_pair_of_shapes_under_every_operator() {
    for width in 1..=4 {
        let mut terms = Terms::new();
        let (mut rows, vars) = exhaustive(&mut terms, width);
        let shapes = shapes(&mut terms, &mut rows, &vars, width);
        let mark = rows.mark();
        for a in &shapes {
            rows.forget(mark);
            for b in UNARY {
                rows.sample(&mut terms, b, &[a]);
            }
            for hi in 0..width {
                for lo in 0..=hi {
                    rows.sample(&mut terms, Build::Extract(hi, lo), &[a]);
                }
            }
            for wider in width..=width + 2 {
                rows.sample(&mut terms, Build::Zext(wider), &[a]);
                rows.sample(&mut terms, Build::Sext(wider), &[a]);
            }
            for b in &shapes {
                if !worth_trying(&terms, a, b) || !worth_trying(&terms, b, a) {
                    continue;
                }
                for op in BINARY {
                    rows.sample(&mut terms, op, &[a, b]);
                }
                rows.sample(&mut terms, Build::Concat, &[a, b]);
                rows.sample(&mut terms, Build::Ite, &[&vars[2], a, b]);
            }
        }
    }
}

#[test]
fn every_pair_of_comparisons_under_and() {
    let width = 3;
    let mut terms = Terms::new();
    let (mut rows, vars) = exhaustive(&mut terms, width);
    let [x, y, c, _] = vars.as_slice() else {
        panic!("four variables should be there");
    };
    let mut literals = Vec::new();
    for op in [Build::Eq, Build::Ult, Build::Slt] {
        for k in 0..1 << width {
            let k = rows.constant(&mut terms, Bv::from_u64(width, k));
            literals.push(rows.sample(&mut terms, op, &[x, &k]));
            literals.push(rows.sample(&mut terms, op, &[&k, x]));
        }
        literals.push(rows.sample(&mut terms, op, &[x, y]));
        literals.push(rows.sample(&mut terms, op, &[y, x]));
    }
    let negations: Vec<Sample> = literals.iter().map(|l| rows.sample(&mut terms, Build::Not, &[l])).collect();
    literals.extend(negations);
    for a in &literals {
        let guarded = rows.sample(&mut terms, Build::And, &[a, c]);
        for b in &literals {
            rows.sample(&mut terms, Build::And, &[a, b]);
            rows.sample(&mut terms, Build::And, &[&guarded, b]);
        }
    }
}

/// Grows a pool of samples by random builders on random members.
fn grow(terms: &mut Terms, rows: &mut Rows, pool: &mut Vec<Sample>, rng: &mut Rng, widest: u16) {
    let a = rng.pick(pool).clone();
    let width = a.values[0].width();
    let sample = match rng.below(10) {
        0 => {
            let op = *rng.pick(&UNARY);
            rows.sample(terms, op, &[&a])
        }
        1 => {
            let (x, y) = (rng.below(width.into()) as u16, rng.below(width.into()) as u16);
            rows.sample(terms, Build::Extract(x.max(y), x.min(y)), &[&a])
        }
        2 => {
            let wider = width + rng.below(usize::from(widest - width) + 1) as u16;
            let op = if rng.below(2) == 0 { Build::Zext(wider) } else { Build::Sext(wider) };
            rows.sample(terms, op, &[&a])
        }
        3 => {
            let b = rng.pick(pool).clone();
            if width + b.values[0].width() > widest {
                return;
            }
            rows.sample(terms, Build::Concat, &[&a, &b])
        }
        choice => {
            let same: Vec<Sample> = pool.iter().filter(|s| s.values[0].width() == width).cloned().collect();
            let b = match rng.below(4) {
                0 => rows.constant(terms, rng.bv(width)),
                _ => rng.pick(&same).clone(),
            };
            if choice == 4 {
                let bits: Vec<Sample> = pool.iter().filter(|s| s.values[0].width() == 1).cloned().collect();
                let c = rng.pick(&bits).clone();
                rows.sample(terms, Build::Ite, &[&c, &a, &b])
            } else {
                let op = *rng.pick(&BINARY);
                rows.sample(terms, op, &[&a, &b])
            }
        }
    };
    pool.push(sample);
    if pool.len() > 60 {
        let at = 4 + rng.below(pool.len() - 4);
        pool.swap_remove(at);
    }
}

#[test]
fn random_growth_over_all_assignments() {
    let mut rng = Rng(0x5eed);
    for round in 0..60 {
        let width = 1 + (round % 4) as u16;
        let mut terms = Terms::new();
        let (mut rows, mut pool) = exhaustive(&mut terms, width);
        for _ in 0..150 {
            grow(&mut terms, &mut rows, &mut pool, &mut rng, 8);
        }
    }
}

#[test]
fn random_growth_at_larger_widths() {
    let mut rng = Rng(0xfeed);
    for round in 0..60 {
        let width = [5, 8, 16, 31, 32, 33, 63, 64, 65, 100, 128, 130][round % 12];
        let mut terms = Terms::new();
        let mut rows = Rows::new(24);
        let column = |w: u16, rng: &mut Rng| (0..24).map(|_| rng.bv(w)).collect::<Vec<_>>();
        let mut pool = vec![];
        for (name, w) in [("x", width), ("y", width), ("c", 1), ("d", 1), ("z", 8)] {
            let values = column(w, &mut rng);
            pool.push(rows.var(&mut terms, name, values));
        }
        for _ in 0..250 {
            grow(&mut terms, &mut rows, &mut pool, &mut rng, 150);
        }
    }
}

#[test]
fn substitution_is_evaluation_under_another_assignment() {
    let mut rng = Rng(0xabc);
    for _ in 0..40 {
        let mut terms = Terms::new();
        let (mut rows, mut pool) = exhaustive(&mut terms, 3);
        let (x, y) = (pool[0].clone(), pool[1].clone());
        for _ in 0..25 {
            grow(&mut terms, &mut rows, &mut pool, &mut rng, 8);
        }
        let whole = rng.pick(&pool).clone();
        // Both at once: the new values of one are not seen by the other.
        let sum = terms.add(x.term, y.term);
        let replaced = terms.substitute(whole.term, &[(x.term, y.term), (y.term, sum)]);
        let actual = rows.values(&terms, replaced);
        for row in 0..rows.count {
            let (x, y) = (&x.values[row], &y.values[row]);
            let wanted = (0..rows.count).find(|&r| {
                pool[0].values[r] == *y
                    && pool[1].values[r] == x.add(y)
                    && pool[2].values[r] == pool[2].values[row]
                    && pool[3].values[r] == pool[3].values[row]
            });
            if let Some(wanted) = wanted {
                assert_eq!(actual[row], whole.values[wanted], "{}", support::show(&terms, whole.term));
            }
        }
    }
}
