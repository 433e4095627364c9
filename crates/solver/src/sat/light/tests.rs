use super::{Light, LightLit, luby};
use blitz_base::Budget;

fn random(seed: &mut u64, below: u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 20) % below
}

fn holds(clause: &[LightLit], model: u32) -> bool {
    clause.iter().any(|l| (model >> l.var() & 1 == 1) != l.negated())
}

/// Random clauses over few variables, more of them after each question, against all assignments.
#[test]
fn answers_models_and_cores_are_right() {
    const VARS: u32 = 8;
    let mut seed = 0x1234_5678_9abc_def1;
    let budget = Budget::unlimited();
    for _ in 0..300 {
        let mut solver = Light::default();
        for _ in 0..VARS {
            let var = solver.new_var();
            solver.always_in_domain(var);
        }
        let mut clauses: Vec<Vec<LightLit>> = Vec::new();
        for _ in 0..12 {
            let mut lit =
                || LightLit::positive(random(&mut seed, VARS.into()) as u32).flip_if(random(&mut seed, 2) == 1);
            for _ in 0..4 {
                let clause: Vec<LightLit> = (0..3).map(|_| lit()).collect();
                solver.add_clause(&clause);
                clauses.push(clause);
            }
            let assumptions: Vec<LightLit> = (0..3).map(|_| lit()).collect();
            // A clause for this question only, behind a variable that is released after it.
            let act = LightLit::positive(solver.new_var());
            let mut guarded = vec![!act];
            let temporary: Vec<LightLit> = (0..2).map(|_| lit()).collect();
            guarded.extend(&temporary);
            solver.add_clause(&guarded);
            let models = |assumed: &[LightLit], temporary: Option<&[LightLit]>| {
                (0..1u32 << VARS).any(|m| {
                    clauses.iter().map(Vec::as_slice).chain(temporary).all(|c| holds(c, m))
                        && assumed.iter().all(|&l| holds(&[l], m))
                })
            };
            let expected = models(&assumptions, Some(&temporary));
            let mut all = vec![act];
            all.extend(&assumptions);
            assert_eq!(solver.solve(&all, &budget), Ok(expected));
            if expected {
                let value = |v: u32| u32::from(solver.value(LightLit::positive(v)).expect("all are in the domain"));
                let model = (0..VARS).fold(0, |m, v| m | value(v) << v);
                assert!(clauses.iter().all(|c| holds(c, model)));
                assert!(assumptions.iter().all(|&l| holds(&[l], model)));
            } else {
                let core: Vec<LightLit> = solver.core().to_vec();
                assert!(core.iter().all(|l| all.contains(l)));
                let rest: Vec<LightLit> = core.iter().copied().filter(|&l| l != act).collect();
                let with = core.contains(&act).then_some(&temporary[..]);
                assert!(!models(&rest, with), "the core should be enough");
            }
            solver.release(act.var());
        }
    }
}

/// Random circuits of wide conjunctions: each question is about the cone of one gate or of two, and its model's inputs give those gates the values asked for.
#[test]
fn questions_about_cones_are_answered_on_their_domain() {
    const INPUTS: u32 = 7;
    const GATES: u32 = 14;
    let mut seed = 0x0f1e_2d3c_4b5a_6978;
    let budget = Budget::unlimited();
    let mut answers = [0, 0];
    for _ in 0..200 {
        let mut solver = Light::default();
        let mut gates: Vec<Vec<LightLit>> = (0..INPUTS).map(|_| Vec::new()).collect();
        for _ in 0..INPUTS {
            solver.new_var();
        }
        for gate in INPUTS..INPUTS + GATES {
            let out = LightLit::positive(solver.new_gate());
            let width = 2 + random(&mut seed, 4);
            let mut lit =
                || LightLit::positive(random(&mut seed, gate.into()) as u32).flip_if(random(&mut seed, 2) == 1);
            let inputs: Vec<LightLit> = (0..width).map(|_| lit()).collect();
            inputs.iter().for_each(|&l| solver.add_clause(&[!out, l]));
            let all: Vec<LightLit> = inputs.iter().map(|&l| !l).chain([out]).collect();
            solver.add_clause(&all);
            gates.push(inputs);
        }
        let values = |model: u32| {
            let mut values: Vec<bool> = (0..INPUTS).map(|v| model >> v & 1 == 1).collect();
            for inputs in &gates[INPUTS as usize..] {
                values.push(inputs.iter().all(|l| values[l.var() as usize] != l.negated()));
            }
            values
        };
        let holds = |asked: &[LightLit], model: u32| {
            let values = values(model);
            asked.iter().all(|l| values[l.var() as usize] != l.negated())
        };
        for _ in 0..20 {
            let mut lit = || {
                let gate = INPUTS + random(&mut seed, GATES.into()) as u32;
                LightLit::positive(gate).flip_if(random(&mut seed, 2) == 1)
            };
            let pair = [lit(), lit()];
            let asked = &pair[..1 + random(&mut seed, 2) as usize];
            solver.clear_domain();
            let mut stack: Vec<u32> = asked.iter().map(|l| l.var()).collect();
            while let Some(var) = stack.pop() {
                if solver.enter_domain(var) {
                    stack.extend(gates[var as usize].iter().map(|l| l.var()));
                }
            }
            let expected = (0..1 << INPUTS).any(|m| holds(asked, m));
            assert_eq!(solver.solve(asked, &budget), Ok(expected));
            answers[usize::from(expected)] += 1;
            if expected {
                let input = |v| u32::from(solver.value(LightLit::positive(v)) == Some(true)) << v;
                assert!(holds(asked, (0..INPUTS).map(input).sum()));
            }
        }
    }
    assert!(answers.iter().all(|&n| n > 100), "both answers should be seen: {answers:?}");
}

/// One pigeon more than there are holes.
#[test]
fn pigeons_do_not_fit() {
    let (pigeons, holes) = (7u32, 6u32);
    let mut solver = Light::default();
    for _ in 0..pigeons * holes {
        let var = solver.new_var();
        solver.always_in_domain(var);
    }
    let at = |p: u32, h: u32| LightLit::positive(p * holes + h);
    for p in 0..pigeons {
        let clause: Vec<LightLit> = (0..holes).map(|h| at(p, h)).collect();
        solver.add_clause(&clause);
        for q in 0..p {
            for h in 0..holes {
                solver.add_clause(&[!at(p, h), !at(q, h)]);
            }
        }
    }
    assert_eq!(solver.solve(&[], &Budget::unlimited()), Ok(false));
}

#[test]
fn restarts_follow_luby() {
    assert_eq!((0..15).map(luby).collect::<Vec<_>>(), [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
}

/// Learnt clauses change places when they are reduced: every reason has to be the clause that implied its literal afterwards too. Once, one was taken for
/// another that had moved to where it had been.
#[test]
fn reasons_move_with_their_clauses() {
    const VARS: u32 = 120;
    let mut seed = 0x9876_5432_1fed_cba9;
    let budget = Budget::unlimited();
    for _ in 0..20 {
        let mut solver = Light::default();
        for _ in 0..VARS {
            let var = solver.new_var();
            solver.always_in_domain(var);
        }
        for _ in 0..VARS * 43 / 10 {
            let lit =
                |seed: &mut u64| LightLit::positive(random(seed, VARS.into()) as u32).flip_if(random(seed, 2) == 1);
            let clause: Vec<LightLit> = (0..3).map(|_| lit(&mut seed)).collect();
            solver.add_clause(&clause);
        }
        for _ in 0..100 {
            if solver.search(&[], 25, &budget) != Ok(None) {
                break;
            }
            solver.reduce();
            for &lit in &solver.trail {
                let reason = solver.reason[lit.var() as usize];
                if reason != super::NO_CLAUSE {
                    assert_eq!(solver.implied(reason), Some(lit));
                    let others = (0..solver.len(reason)).map(|i| solver.lit(reason, i)).filter(|&l| l != lit);
                    assert!(others.into_iter().all(|l| solver.values[l.index()] < 0));
                }
            }
        }
    }
}
