//! Generalisation: from a cube that is not reached to fewer literals that are not reached either.
//!
//! Literals are dropped one by one, those that clauses need least first. A state that stands in the way of dropping one is a *counterexample to
//! generalisation*: it is excluded itself if that is easy, else the cube is joined with it ("Better Generalization in IC3", Hassan, Bradley, Somenzi,
//! FMCAD 2013).

use super::cube::Cube;
use super::frames::Frames;
use super::model::Model;
use super::query::{Answer, Negation};
use blitz_base::{Budget, Stop};

/// How many counterexamples to generalisation are excluded while one literal is dropped, and how deep that goes. As in the paper.
const MAX_CTGS: usize = 3;
const MAX_DEPTH: usize = 1;

/// A subset of the cube's literals that no state of the frame before `level` reaches from outside of it.
pub fn generalize(
    model: &mut Model,
    frames: &mut Frames,
    cube: Cube,
    level: usize,
    budget: &Budget,
) -> Result<Cube, Stop> {
    mic(model, frames, cube, level, 0, budget)
}

fn mic(
    model: &mut Model,
    frames: &mut Frames,
    cube: Cube,
    level: usize,
    depth: usize,
    budget: &Budget,
) -> Result<Cube, Stop> {
    let mut cube = cube;
    for lit in model.dropping_order(&cube) {
        if !cube.contains(lit) || cube.len() == 1 {
            continue;
        }
        let candidate = cube.without(lit);
        if model.meets_initial(&candidate) {
            continue;
        }
        if let Some(smaller) = down(model, frames, candidate, level, depth, budget)? {
            cube = smaller;
        }
    }
    Ok(cube)
}

/// The candidate, or a part of it, if it can be excluded at the level.
fn down(
    model: &mut Model,
    frames: &mut Frames,
    candidate: Cube,
    level: usize,
    depth: usize,
    budget: &Budget,
) -> Result<Option<Cube>, Stop> {
    let mut candidate = candidate;
    let mut ctgs = 0;
    loop {
        if model.meets_initial(&candidate) {
            return Ok(None);
        }
        let state = match frames.solver(level - 1).step(model, &candidate, Negation::Assumed, budget)? {
            Answer::Unreachable(core) => return Ok(Some(model.off_initial(core, &candidate))),
            Answer::Reached(predecessor) => predecessor.cube,
        };
        if depth >= MAX_DEPTH {
            return Ok(None);
        }
        if ctgs < MAX_CTGS && level > 1 && exclude_ctg(model, frames, &state, level, depth, budget)? {
            ctgs += 1;
            continue;
        }
        ctgs = 0;
        let joined = candidate.common(&state);
        if joined.len() == candidate.len() || joined.len() == 0 {
            return Ok(None);
        }
        candidate = joined;
    }
}

/// Excludes a counterexample to generalisation from the frame before the level, if it is not reached there.
fn exclude_ctg(
    model: &mut Model,
    frames: &mut Frames,
    state: &Cube,
    level: usize,
    depth: usize,
    budget: &Budget,
) -> Result<bool, Stop> {
    if model.meets_initial(state) {
        return Ok(false);
    }
    let core = match frames.solver(level - 2).step(model, state, Negation::Assumed, budget)? {
        Answer::Reached(_) => return Ok(false),
        Answer::Unreachable(core) => model.off_initial(core, state),
    };
    let reached = frames.push_forward(model, &core, level - 1, budget)?;
    let lemma = mic(model, frames, core, reached, depth + 1, budget)?;
    model.bump(&lemma);
    frames.add(model, lemma, reached);
    Ok(true)
}
