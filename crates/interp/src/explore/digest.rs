//! States of a run as two words: what decides everything that may follow.
//!
//! Left out is what does not: values that nobody reads any more (`live`), constants, threads that have ended, and of the history of accesses all but what it means for
//! races to come (`clocks`). A thread that has not tried yet whether it has to wait is as able as one that waited before others made a step.

use crate::clocks::Clock;
use crate::machine::{Activation, JumpPoint, Machine};
use crate::outcome::ObjectKind;
use crate::threads::State;

impl Machine<'_, '_> {
    /// All that decides what follows, and how many words that was.
    pub(super) fn digest(&self) -> ((u64, u64), u64) {
        let mut digest = Digest::default();
        let threads = &self.threads;
        for (i, thread) in threads.list.iter().enumerate() {
            match thread.state {
                State::Able => digest.take(0),
                State::Waits { progress, .. } => digest.take(2 * u64::from(progress == threads.progress)),
                State::Done => {
                    digest.take(3);
                    continue;
                }
            }
            let (frames, regs, jumps) = match i == threads.current {
                true => (&self.frames, &self.regs, &self.jumps),
                false => (&thread.frames, &thread.regs, &thread.jumps),
            };
            // Whether others have made a step since is only asked by models that say so.
            let asks = frames.last().is_some_and(|f| f.code.needs().asks_resumed());
            let left = asks && thread.was_left(threads.progress);
            digest.take(u64::from(thread.at_point) | u64::from(left) << 1);
            digest.take(u64::from(thread.atomic));
            digest.take(frames.len() as u64);
            digest.activations(frames, regs, jumps);
        }
        digest.take(self.next_token);
        self.digest_memory(&mut digest);
        if self.follows_accesses() {
            let clocks: Vec<Option<&Clock>> =
                threads.list.iter().map(|t| (t.state != State::Done).then_some(&t.clock)).collect();
            threads.history.digest(&clocks, |n| digest.take(n));
        }
        ((digest.0, digest.1), digest.2)
    }

    fn digest_memory(&self, digest: &mut Digest) {
        digest.take(self.memory.cold.len() as u64);
        for (number, (hot, cold)) in self.memory.hot.iter().zip(&self.memory.cold).enumerate() {
            if cold.constant || !cold.live {
                continue;
            }
            digest.take((number as u64) << 2 | u64::from(cold.kind == ObjectKind::Heap) << 1 | u64::from(cold.kept));
            digest.take(hot.read);
            let at = self.memory.pointer(number as u64);
            digest.bytes(self.memory.bytes(at, hot.read).unwrap_or(&[]));
            if let Some(shadow) = self.memory.shadow(at, hot.read) {
                // SAFETY: the shadow of that many bytes is there.
                digest.bytes(unsafe { std::slice::from_raw_parts(shadow, hot.read as usize) });
            }
        }
    }
}

/// Two words that depend on everything taken, and how many words that was.
#[derive(Default)]
struct Digest(u64, u64, u64);

impl Digest {
    fn take(&mut self, x: u64) {
        self.2 += 1;
        self.0 = (self.0 ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        self.1 = (self.1.rotate_left(31) ^ x).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }

    /// What open calls hold. Where a jump may come back, all of it counts.
    fn activations(&mut self, frames: &[Activation], regs: &[u64], jumps: &[JumpPoint]) {
        for (i, frame) in frames.iter().enumerate() {
            self.take(u64::from(frame.code.id.0) << 32 | u64::from(frame.pc));
            let called = i + 1 < frames.len();
            let slots = &regs[frame.base.min(regs.len())..];
            if jumps.is_empty() {
                let needed = frame.code.needs().at(frame.code, frame.pc, called);
                needed.iter().for_each(|&slot| self.take(slots.get(slot as usize).copied().unwrap_or(0)));
            } else {
                slots.iter().take(frame.code.frame_slots as usize).for_each(|&r| self.take(r));
            }
        }
        for jump in jumps {
            self.take(jump.token);
            self.take((jump.depth as u64) << 32 | u64::from(jump.pc));
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.take(u64::from_le_bytes(word));
        }
    }
}
