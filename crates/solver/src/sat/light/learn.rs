//! What the solver learns from a conflict: the first-UIP clause, the activities, and the core of a no.

use super::{ACTIVITY_DECAY, CLAUSE_DECAY, Cref, LEARNT, Light, LightLit, NO_CLAUSE};

impl Light {
    pub(super) fn learn(&mut self, conflict: Cref) {
        let learnt = self.analyze(conflict);
        let back = learnt.get(1).map_or(0, |l| self.level[l.var() as usize]);
        self.backtrack(back as usize);
        if learnt.len() == 1 {
            self.assign(learnt[0], NO_CLAUSE);
        } else {
            let clause = self.allocate(&learnt, LEARNT);
            self.learnts.push(clause);
            self.assign(learnt[0], clause);
        }
        self.decay();
    }

    /// The first-UIP clause: the asserting literal first, then one of the highest level below.
    fn analyze(&mut self, conflict: Cref) -> Vec<LightLit> {
        let current = self.limits.len() as u32;
        let mut learnt = vec![LightLit(0)];
        let (mut clause, mut open, mut at) = (conflict, 0, self.trail.len());
        let mut implied = None;
        loop {
            self.bump_clause(clause);
            for i in 0..self.len(clause) {
                let lit = self.lit(clause, i);
                let var = lit.var() as usize;
                if self.seen[var] || self.level[var] == 0 || implied == Some(lit) {
                    continue;
                }
                self.seen[var] = true;
                self.bump_var(lit.var());
                if self.level[var] == current {
                    open += 1;
                } else {
                    learnt.push(lit);
                }
            }
            let lit = loop {
                at -= 1;
                let lit = self.trail[at];
                if self.seen[lit.var() as usize] {
                    break lit;
                }
            };
            self.seen[lit.var() as usize] = false;
            open -= 1;
            if open == 0 {
                learnt[0] = !lit;
                break;
            }
            clause = self.reason[lit.var() as usize];
            implied = Some(lit);
        }
        self.finish(learnt)
    }

    /// Drops literals that the others imply, and puts the highest level second.
    fn finish(&mut self, mut learnt: Vec<LightLit>) -> Vec<LightLit> {
        let marked: Vec<u32> = learnt[1..].iter().map(|l| l.var()).collect();
        let redundant = |s: &Self, lit: LightLit| {
            let reason = s.reason[lit.var() as usize];
            reason != NO_CLAUSE
                && (0..s.len(reason)).all(|i| {
                    let var = s.lit(reason, i).var() as usize;
                    s.seen[var] || s.level[var] == 0
                })
        };
        let mut kept = vec![learnt[0]];
        kept.extend(learnt.drain(1..).filter(|&l| !redundant(self, l)));
        for var in marked {
            self.seen[var as usize] = false;
        }
        if let Some(highest) = (1..kept.len()).max_by_key(|&i| self.level[kept[i].var() as usize]) {
            kept.swap(1, highest);
        }
        kept
    }

    /// The assumptions that imply the negation of this one, and it.
    pub(super) fn final_core(&mut self, failed: LightLit) {
        self.core.push(failed);
        if self.limits.is_empty() || self.level[failed.var() as usize] == 0 {
            return;
        }
        self.seen[failed.var() as usize] = true;
        for i in (self.limits[0].trail..self.trail.len()).rev() {
            let lit = self.trail[i];
            let var = lit.var() as usize;
            if !std::mem::replace(&mut self.seen[var], false) {
                continue;
            }
            let reason = self.reason[var];
            if reason == NO_CLAUSE {
                // An assumption; with the failed one's own negation among them the core is both.
                self.core.push(lit);
                continue;
            }
            for j in 0..self.len(reason) {
                let below = self.lit(reason, j).var() as usize;
                if self.level[below] > 0 && below != var {
                    self.seen[below] = true;
                }
            }
        }
    }

    fn bump_var(&mut self, var: u32) {
        if self.heap.bump(var, self.bump) {
            self.bump *= 1e-100;
        }
    }

    fn bump_clause(&mut self, clause: Cref) {
        // Only learnt clauses are ever compared, and scaled down.
        if self.arena[clause as usize] & LEARNT == 0 {
            return;
        }
        let slot = clause as usize + 1;
        let activity = f32::from_bits(self.arena[slot]) + self.clause_bump;
        self.arena[slot] = activity.to_bits();
        if activity > 1e20 {
            for &c in &self.learnts {
                let slot = c as usize + 1;
                self.arena[slot] = (f32::from_bits(self.arena[slot]) * 1e-20).to_bits();
            }
            self.clause_bump *= 1e-20;
        }
    }

    fn decay(&mut self) {
        self.bump /= ACTIVITY_DECAY;
        self.clause_bump /= CLAUSE_DECAY;
    }
}
