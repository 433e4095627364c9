//! Copies between stack objects, and between a stack object and other memory.
//!
//! A copy between two promoted objects copies values, so both have the same slots in the range. A copy from memory
//! loads the slots; a copy to memory stores them. What has no slot is never read in its own object, but a copy carries
//! it on: so an object is not promoted if such bytes were written in bulk and are copied to memory.

use super::super::objects::{Access, Copy, Object, Objects, Place};
use super::{Layout, MOST_SLOTS, Slot};

/// More bytes without a slot than this are not copied to memory one by one.
const MOST_GAP: u64 = 64;

/// Gives both sides of each copy the accesses of the other.
pub fn share_accesses(objects: &mut Objects) {
    for object in &mut objects.list {
        let mut seen = std::collections::HashSet::new();
        object.accesses.retain(|a| seen.insert(*a));
        object.escaped |= object.accesses.len() > 4 * MOST_SLOTS;
    }
    let copies: Vec<(Place, Place, u64)> =
        objects.copies.iter().filter_map(|c| Some((c.dst?, c.src?, c.len))).collect();
    let mut by_object = vec![Vec::new(); objects.list.len()];
    for (n, (dst, src, _)) in copies.iter().enumerate() {
        by_object[dst.object.index()].push(n);
        by_object[src.object.index()].push(n);
    }
    let mut todo: Vec<usize> = (0..copies.len()).collect();
    while let Some(n) = todo.pop() {
        let (dst, src, len) = copies[n];
        if !objects.is_private(dst) || !objects.is_private(src) {
            continue;
        }
        for (from, to) in [(src, dst), (dst, src)] {
            if carry(objects, from, to, len) {
                todo.extend(&by_object[to.object.index()]);
            }
        }
    }
}

/// Adds the accesses of one range to another; says whether there were new ones.
fn carry(objects: &mut Objects, from: Place, to: Place, len: u64) -> bool {
    let (start, end) = (from.offset as u64, from.offset as u64 + len);
    let moved: Vec<Access> = objects.list[from.object.index()]
        .accesses
        .iter()
        .filter(|a| start <= a.offset && a.end() <= end)
        .map(|a| Access { offset: a.offset - start + to.offset as u64, ..*a })
        .collect();
    let target = &mut objects.list[to.object.index()];
    let before = target.accesses.len();
    for a in moved {
        if !target.accesses.contains(&a) {
            target.accesses.push(a);
        }
    }
    target.escaped |= target.accesses.len() > 4 * MOST_SLOTS;
    target.accesses.len() != before
}

/// Leaves objects in memory whose copies can't be expressed with their slots.
pub fn reject_unfit(objects: &mut Objects, layout: &mut Layout) {
    let copies = objects.copies.clone();
    loop {
        let mut again = false;
        for copy in &copies {
            let dst = copy.dst.filter(|&p| objects.is_private(p));
            let src = copy.src.filter(|&p| objects.is_private(p));
            for place in unfit(objects, layout, copy, dst, src) {
                objects.list[place.object.index()].escaped = true;
                layout.drop_object(place.object);
                again = true;
            }
        }
        if !again {
            return;
        }
    }
}

/// The sides of a copy that can't be promoted.
fn unfit(objects: &Objects, layout: &Layout, copy: &Copy, dst: Option<Place>, src: Option<Place>) -> Vec<Place> {
    let slots = |p: Place| layout.of(p.object).map_or(&[][..], |o| o.within(p.offset as u64, copy.len));
    match (dst, src) {
        (None, None) => Vec::new(),
        (Some(d), Some(s)) => {
            let same = slots(d).len() == slots(s).len()
                && slots(d).iter().zip(slots(s)).all(|(x, y)| {
                    let (at, from) = (x.offset - d.offset as u64, y.offset - s.offset as u64);
                    at == from && x.bits == y.bits && x.ty == y.ty && x.mixed == y.mixed
                });
            if same { Vec::new() } else { vec![d, s] }
        }
        (Some(d), None) => {
            if whole_bytes(slots(d)) {
                Vec::new()
            } else {
                vec![d]
            }
        }
        (None, Some(s)) => {
            let object = &objects.list[s.object.index()];
            let fine = whole_bytes(slots(s)) && gaps_are_empty(object, slots(s), s.offset as u64, copy.len);
            if fine { Vec::new() } else { vec![s] }
        }
    }
}

fn whole_bytes(slots: &[Slot]) -> bool {
    slots.iter().all(|s| s.bits.is_multiple_of(8))
}

/// The parts of a range that no slot covers, as (offset, length).
pub fn gaps(slots: &[Slot], offset: u64, len: u64) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    let mut at = offset;
    for (start, end) in slots.iter().map(|s| (s.offset, s.end())).chain([(offset + len, offset + len)]) {
        if start > at {
            out.push((at, start - at));
        }
        at = end;
    }
    out
}

fn gaps_are_empty(object: &Object, slots: &[Slot], offset: u64, len: u64) -> bool {
    let gaps = gaps(slots, offset, len);
    let untouched = gaps.iter().all(|&(at, n)| object.written.iter().all(|&(w, m)| w + m <= at || at + n <= w));
    untouched && gaps.iter().map(|g| g.1).sum::<u64>() <= MOST_GAP
}
