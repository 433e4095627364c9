//! Control flow: the order of blocks, and phis as parameters of blocks.

use super::Lowering;
use crate::llvm::{Bb, Opcode, Val, ValueKind};
use crate::types;
use blitz_ir::{Block, CheckKind, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

impl Lowering<'_> {
    /// Blocks that can be reached, each after all that dominate it. Blocks that only report what a sanitizer
    /// found are left out: the branch to them becomes a check.
    pub(super) fn reverse_post_order(&self, func: Val) -> Vec<Bb> {
        let mut post = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(Bb, Vec<Bb>)> = Vec::new();
        if let Some(&entry) = func.blocks().first() {
            seen.insert(entry);
            stack.push((entry, self.next_blocks(entry)));
        }
        while let Some((bb, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) if seen.insert(next) => {
                    let after = self.next_blocks(next);
                    stack.push((next, after));
                }
                Some(_) => {}
                None => {
                    post.push(*bb);
                    stack.pop();
                }
            }
        }
        post.reverse();
        post
    }

    /// Successors, last first (so that popping takes them in order and the first ends up right behind).
    fn next_blocks(&self, bb: Bb) -> Vec<Bb> {
        let Some(term) = bb.terminator() else { return Vec::new() };
        if let Some(guard) = self.guard_of(term) {
            return vec![guard.go_on];
        }
        let mut out = term.successors();
        out.dedup();
        out
    }

    /// Parameters for the phis of all blocks.
    pub(super) fn make_phis(&mut self, order: &[Bb]) {
        let phis: Vec<(Block, Val)> = order
            .iter()
            .flat_map(|&bb| phis_of(bb).into_iter().map(move |phi| (bb, phi)))
            .map(|(bb, phi)| (self.blocks[&bb], phi))
            .collect();
        let vague = self.vague_phis(phis.iter().map(|p| p.1));
        for (block, phi) in phis {
            let Some(parts) = types::parts(phi.ty(), self.layout()) else { continue };
            let values: Vec<Value> = parts.iter().map(|p| self.b.block_param(block, p.ty)).collect();
            self.values.insert(phi, values.into());
            if vague.contains(&phi) {
                let bits = self.word_bits();
                let shadows =
                    parts.iter().map(|p| Some(self.b.block_param(block, Type::Int(p.ty.bits(bits))))).collect();
                self.shadows.insert(phi, shadows);
            }
        }
    }

    /// Phis that an indeterminate value may come through: those that get shadows.
    fn vague_phis(&self, phis: impl Iterator<Item = Val>) -> FxHashSet<Val> {
        if !self.shared.checks.has(CheckKind::Uninitialised) {
            return FxHashSet::default();
        }
        let mut memo = FxHashMap::default();
        phis.filter(|&phi| may_be_vague(phi, &mut memo)).collect()
    }

    /// What an edge passes to the parameters of its target.
    pub(super) fn edge(&mut self, from: Bb, to: Bb) -> (Block, Vec<Value>) {
        let mut args = Vec::new();
        for phi in phis_of(to) {
            let incoming = phi.phi_incoming().into_iter().find(|(_, bb)| *bb == from).map(|(v, _)| v);
            let Some(v) = incoming else { continue };
            let parts = self.get(v);
            args.extend_from_slice(&parts);
            if self.shadows.contains_key(&phi) {
                let shadows = self.full_shadows(v, &parts);
                args.extend(shadows);
            }
        }
        (self.blocks[&to], args)
    }
}

/// The phis a block begins with.
pub fn phis_of(bb: Bb) -> Vec<Val> {
    bb.phis()
}

/// Whether the value is, through copying alone, something indeterminate.
fn may_be_vague(v: Val, memo: &mut FxHashMap<Val, bool>) -> bool {
    if let Some(&known) = memo.get(&v) {
        return known;
    }
    let mut seen = FxHashSet::default();
    let mut stack = vec![v];
    let mut found = false;
    while let Some(v) = stack.pop() {
        if !seen.insert(v) {
            continue;
        }
        match v.kind() {
            ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind => found = true,
            ValueKind::LLVMArgumentValueKind => found = true,
            ValueKind::LLVMInstructionValueKind => match v.opcode() {
                Opcode::LLVMLoad | Opcode::LLVMCall => found = true,
                op if super::shadow::only_copies(op) => stack.extend(v.operands()),
                _ => {}
            },
            _ => {}
        }
        if found {
            break;
        }
    }
    memo.insert(v, found);
    found
}
