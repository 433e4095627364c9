//! The frames: per level the cubes that are excluded up to there and no further, and a solver each.

use super::cube::Cube;
use super::model::Model;
use super::query::{Answer, Negation, Query};
use blitz_base::{Budget, Stop};

/// Levels from the initial states on.
#[derive(Default)]
pub struct Frames {
    levels: Vec<Vec<Cube>>,
    solvers: Vec<Query>,
}

impl Frames {
    /// The number of the last frame.
    pub fn last(&self) -> usize {
        self.levels.len() - 1
    }

    /// Adds a frame: the first is the initial states, others exclude nothing yet.
    pub fn push(&mut self, model: &Model) {
        let mut solver = Query::new(model);
        if self.levels.is_empty() {
            solver.restrict_to_initial(model);
        }
        self.levels.push(Vec::new());
        self.solvers.push(solver);
    }

    pub fn solver(&mut self, level: usize) -> &mut Query {
        &mut self.solvers[level]
    }

    pub fn ticks(&self) -> u64 {
        self.solvers.iter().map(Query::ticks).sum()
    }

    pub fn conflicts(&self) -> u64 {
        self.solvers.iter().map(Query::conflicts).sum()
    }

    pub fn is_empty_at(&self, level: usize) -> bool {
        self.levels[level].is_empty()
    }

    /// The cubes that are excluded beyond a level.
    pub fn beyond(&self, level: usize) -> impl Iterator<Item = &Cube> {
        self.levels[level + 1..].iter().flatten()
    }

    /// The highest level up to which a clause there is excludes the cube, if it is at least `level`.
    pub fn blocked_at(&self, cube: &Cube, level: usize) -> Option<usize> {
        (level..self.levels.len()).rev().find(|&l| self.levels[l].iter().any(|c| c.subsumes(cube)))
    }

    /// Excludes a cube up to a level; what it subsumes up to there goes.
    pub fn add(&mut self, model: &Model, cube: Cube, level: usize) {
        for cubes in &mut self.levels[1..=level] {
            cubes.retain(|c| !cube.subsumes(c));
        }
        for solver in &mut self.solvers[1..=level] {
            solver.exclude(model, &cube);
        }
        self.levels[level].push(cube);
    }

    /// The highest level up to which the cube can be excluded, which it is known to be up to `level`.
    pub fn push_forward(&mut self, model: &Model, cube: &Cube, level: usize, budget: &Budget) -> Result<usize, Stop> {
        let mut level = level;
        while level < self.last() {
            match self.solvers[level].step(model, cube, Negation::Assumed, budget)? {
                Answer::Unreachable(_) => level += 1,
                Answer::Reached(_) => break,
            }
        }
        Ok(level)
    }

    /// Moves what holds one level further there.
    pub fn propagate(&mut self, model: &Model, level: usize, budget: &Budget) -> Result<(), Stop> {
        let mut cubes = self.levels[level].clone();
        cubes.sort_by_key(Cube::len);
        for cube in cubes {
            // It may be subsumed by one that moved before it.
            let Some(at) = self.levels[level].iter().position(|c| *c == cube) else { continue };
            if let Answer::Unreachable(core) = self.solvers[level].step(model, &cube, Negation::Left, budget)? {
                self.levels[level].swap_remove(at);
                let core = model.off_initial(core, &cube);
                if core.len() < cube.len() {
                    self.add(model, core, level + 1);
                } else {
                    self.move_up(model, cube, level + 1);
                }
            }
        }
        Ok(())
    }

    /// Adds a cube that the levels below exclude already.
    fn move_up(&mut self, model: &Model, cube: Cube, level: usize) {
        self.levels[level].retain(|c| !cube.subsumes(c));
        self.solvers[level].exclude(model, &cube);
        self.levels[level].push(cube);
    }
}
