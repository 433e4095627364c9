//! Memory as it is when the program starts, by part and life.

use super::*;
use blitz_ir::Global;

impl Space<'_> {
    /// The bytes of a part, or the sizes and liveness of a life, when the program starts.
    pub(super) fn region_at_start(&mut self, terms: &mut Terms, region: Region) -> Option<RegionPort> {
        let world = self.segment.as_ref()?.world;
        let program = self.program;
        let bits = self.ptr_bits();
        let number_bits = bits - self.off_bits();
        let zero = terms.bv(8, 0);
        let mut data = terms.const_array(bits, zero);
        let shadow = self.track_shadow.then_some(data);
        let none = terms.zero(self.off_bits());
        let mut size = terms.const_array(number_bits, none);
        let dead = terms.fls();
        let mut live = terms.const_array(number_bits, dead);
        for (i, global) in program.globals.iter().enumerate() {
            let id = GlobalId(i as u32);
            let class = world.global_class(id);
            let number = program.global_object(id);
            if world.life(class) == region {
                let index = terms.bv(number_bits, number);
                let bytes = terms.bv(self.off_bits(), global.size);
                size = terms.store(size, index, bytes);
                let yes = terms.tru();
                live = terms.store(live, index, yes);
            } else if let Some(place) = world.places(class, Some(global.size)).iter().find(|p| p.part == region) {
                data = self.with_global(terms, data, number, global, place.spans.as_ref());
            }
        }
        Some(RegionPort { data, shadow, size, live })
    }

    fn with_global(
        &self,
        terms: &mut Terms,
        mut data: Term,
        number: u64,
        global: &Global,
        spans: Option<&Spans>,
    ) -> Term {
        let mut put = |terms: &mut Terms, at: u64, value: Term| {
            let here = |(from, to): &(i64, i64)| (*from..*to).contains(&(at as i64));
            if !spans.is_none_or(|s| s.iter().any(here)) {
                return;
            }
            let address = self.pointer(terms, number, at as i64);
            data = terms.store(data, address, value);
        };
        for (at, &byte) in global.init.iter().flatten().enumerate() {
            if byte != 0 {
                let value = terms.bv(8, u64::from(byte));
                put(terms, at as u64, value);
            }
        }
        for reloc in &global.relocs {
            let target = match reloc.target {
                RelocTarget::Global(g) => self.program.global_object(g),
                RelocTarget::Func(f) => self.program.func_object(f),
            };
            let pointer = self.pointer(terms, target, reloc.addend);
            for k in 0..self.ptr_bits() / 8 {
                let value = terms.extract(pointer, k * 8 + 7, k * 8);
                put(terms, reloc.offset + u64::from(k), value);
            }
        }
        data
    }
}
