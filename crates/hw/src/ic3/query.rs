//! The solver of one frame: its clauses, and the gates that questions have asked for so far.
//!
//! Gates are loaded when a question first needs them and written in full (both directions), so that the model of a question gives every gate of its
//! cone the value that its inputs compute. The domain of a question is the cone of what it asks about, the constraints, and the latches of the frame's clauses.

use super::cube::{Cube, LatchLit};
use super::lift::Lifter;
use super::model::Model;
use crate::bits::BitGoal;
use blitz_base::{Budget, Stop};
use blitz_solver::aig::{Edge, Gate};
use blitz_solver::sat::light::{Light, LightLit};
use rustc_hash::FxHashMap;

/// States that step into a cube, or are bad, with the inputs they do it on.
pub struct Predecessor {
    pub cube: Cube,
    /// A value per input of the system.
    pub inputs: Vec<bool>,
}

/// Whether a state of the frame leads into a cube.
pub enum Answer {
    Reached(Predecessor),
    /// None does; not even into this part of the cube's literals.
    Unreachable(Cube),
}

/// Whether the state that steps has to be outside of the cube itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Negation {
    Assumed,
    /// The frame's clauses say so already, or it does not matter.
    Left,
}

/// The solver of one frame.
pub struct Query {
    sat: Light,
    /// Per node of the graph its variable plus one, or 0.
    vars: Vec<u32>,
    lifter: Lifter,
}

impl Query {
    /// The frame of all states that satisfy the constraints.
    pub fn new(model: &Model) -> Self {
        let nodes = model.bits.g.len();
        let mut query = Self { sat: Light::default(), vars: vec![0; nodes], lifter: Lifter::new(nodes) };
        for &e in &model.bits.constraints {
            let lit = query.load(model, e);
            query.always(model, e);
            query.sat.add_clause(&[lit]);
        }
        query
    }

    /// Leaves only the initial states.
    pub fn restrict_to_initial(&mut self, model: &Model) {
        for latch in 0..model.bits.latches.len() {
            if let Some(value) = model.initial(latch) {
                let lit = self.load(model, model.now(LatchLit::new(latch, value)));
                self.sat.add_clause(&[lit]);
            }
        }
    }

    /// Excludes a cube.
    pub fn exclude(&mut self, model: &Model, cube: &Cube) {
        let clause: Vec<LightLit> = cube.lits().iter().map(|&l| !self.load(model, model.now(l))).collect();
        for lit in &clause {
            self.sat.always_in_domain(lit.var());
        }
        self.sat.add_clause(&clause);
    }

    pub fn ticks(&self) -> u64 {
        self.sat.ticks()
    }

    pub fn conflicts(&self) -> u64 {
        self.sat.conflicts()
    }

    /// States of the frame that are bad.
    pub fn bad(&mut self, model: &Model, budget: &Budget) -> Result<Option<Predecessor>, Stop> {
        let &BitGoal::Bad(bad) = model.bits.goal(0) else { panic!("a bad-state property should be here") };
        self.sat.clear_domain();
        let lit = self.load(model, bad);
        self.enter(model, bad);
        if !self.sat.solve(&[lit], budget)? {
            return Ok(None);
        }
        Ok(Some(self.lifted(model, [bad].into_iter())))
    }

    /// Whether a state of the frame leads into the cube.
    pub fn step(&mut self, model: &Model, cube: &Cube, negation: Negation, budget: &Budget) -> Result<Answer, Stop> {
        self.sat.clear_domain();
        let mut assumptions = Vec::with_capacity(cube.len() + 1);
        let act = (negation == Negation::Assumed).then(|| self.negation(model, cube));
        assumptions.extend(act.map(LightLit::positive));
        for &e in &model.bits.trans {
            assumptions.push(self.load(model, e));
            self.enter(model, e);
        }
        let mut origin: FxHashMap<LightLit, LatchLit> = FxHashMap::default();
        for &lit in cube.lits() {
            let e = model.next(lit);
            let assumed = self.load(model, e);
            self.enter(model, e);
            assumptions.push(assumed);
            origin.entry(assumed).or_insert(lit);
        }
        let answer = match self.sat.solve(&assumptions, budget) {
            Ok(true) => {
                let targets = cube.lits().iter().map(|&l| model.next(l)).chain(model.bits.trans.iter().copied());
                Ok(Answer::Reached(self.lifted(model, targets)))
            }
            Ok(false) => {
                let core = self.sat.core().iter().filter_map(|l| origin.get(l).copied());
                Ok(Answer::Unreachable(Cube::new(core.collect())))
            }
            Err(stop) => Err(stop),
        };
        if let Some(act) = act {
            self.sat.release(act);
        }
        answer
    }

    /// A variable that implies that the state is outside of the cube.
    fn negation(&mut self, model: &Model, cube: &Cube) -> u32 {
        let act = self.sat.new_var();
        let mut clause = vec![!LightLit::positive(act)];
        for &lit in cube.lits() {
            let e = model.now(lit);
            clause.push(!self.load(model, e));
            self.enter(model, e);
        }
        self.sat.add_clause(&clause);
        act
    }

    /// The cube of the states that do what the model's state does, on its inputs.
    fn lifted(&mut self, model: &Model, targets: impl Iterator<Item = Edge>) -> Predecessor {
        let (sat, vars) = (&self.sat, &self.vars);
        let value = |node: u32| match vars[node as usize] {
            0 => false,
            var => sat.value(LightLit::positive(var - 1)).unwrap_or(false),
        };
        let targets = targets.chain(model.bits.constraints.iter().copied());
        let cube = self.lifter.lift(model, targets, &value);
        let inputs = model.bits.inputs.iter().map(|(e, _)| value(e.node())).collect();
        Predecessor { cube, inputs }
    }
}

/// Gates.
impl Query {
    fn existing(&self, e: Edge) -> LightLit {
        let var = self.vars[e.node() as usize];
        debug_assert_ne!(var, 0, "children should be loaded before their parents");
        LightLit::positive(var - 1).flip_if(e.inverted())
    }

    /// The literal of an edge, with the gates below it.
    fn load(&mut self, model: &Model, e: Edge) -> LightLit {
        if self.vars[e.node() as usize] != 0 {
            return self.existing(e);
        }
        let mut stack = vec![e.node()];
        while let Some(&node) = stack.last() {
            if self.vars[node as usize] != 0 {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = model.cells.inputs(node).iter().map(|e| e.node());
            stack.extend(missing.filter(|&n| self.vars[n as usize] == 0));
            if stack.len() == before {
                stack.pop();
                self.write(model, node);
            }
        }
        self.existing(e)
    }

    fn write(&mut self, model: &Model, node: u32) {
        let gate = model.bits.g.gate(node);
        let var = if gate == Gate::Input { self.sat.new_var() } else { self.sat.new_gate() };
        self.vars[node as usize] = var + 1;
        let out = LightLit::positive(var);
        match gate {
            Gate::Const => self.sat.add_clause(&[!out]),
            Gate::Input => {}
            Gate::And(..) => {
                let inputs = model.cells.inputs(node);
                let mut all = vec![out];
                for &e in inputs {
                    let input = self.existing(e);
                    self.sat.add_clause(&[!out, input]);
                    all.push(!input);
                }
                self.sat.add_clause(&all);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.existing(a), self.existing(b));
                self.clauses(&[&[!out, a, b], &[!out, !a, !b], &[out, !a, b], &[out, a, !b]]);
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (self.existing(c), self.existing(t), self.existing(e));
                self.clauses(&[&[!out, !c, t], &[!out, c, e], &[out, !c, !t], &[out, c, !e]]);
                self.clauses(&[&[!out, t, e], &[out, !t, !e]]);
            }
            Gate::Maj(a, b, c) => {
                let (a, b, c) = (self.existing(a), self.existing(b), self.existing(c));
                self.clauses(&[&[!out, a, b], &[!out, a, c], &[!out, b, c]]);
                self.clauses(&[&[out, !a, !b], &[out, !a, !c], &[out, !b, !c]]);
            }
        }
    }

    fn clauses(&mut self, clauses: &[&[LightLit]]) {
        for clause in clauses {
            self.sat.add_clause(clause);
        }
    }

    /// Puts an edge's cone into the domain of the next question.
    fn enter(&mut self, model: &Model, e: Edge) {
        let mut stack = vec![e.node()];
        while let Some(node) = stack.pop() {
            if self.sat.enter_domain(self.vars[node as usize] - 1) {
                stack.extend(model.cells.inputs(node).iter().map(|e| e.node()));
            }
        }
    }

    /// Puts an edge's cone into the domain of every question.
    fn always(&mut self, model: &Model, e: Edge) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![e.node()];
        while let Some(node) = stack.pop() {
            if seen.insert(node) {
                self.sat.always_in_domain(self.vars[node as usize] - 1);
                stack.extend(model.cells.inputs(node).iter().map(|e| e.node()));
            }
        }
    }
}
