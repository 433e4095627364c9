//! What contents are where two paths join.

use super::*;

impl Contents {
    /// What this is where `cond` is false and `other` where it is true.
    pub fn merge(
        &mut self,
        terms: &mut Terms,
        other: &Contents,
        cond: Term,
        size: Option<u64>,
        width: u16,
    ) -> Result<(), MixedWidths> {
        if self.same(other) {
            return Ok(());
        }
        let mut other = other.clone();
        if !self.base.same(&other.base) {
            self.align_bases(terms, &mut other, size, width)?;
        }
        self.align_lanes(terms, &mut other);
        if self.overlay.ptr_eq(&other.overlay) {
            self.merge_bases(terms, &other, cond);
            return Ok(());
        }
        let same_below = self.base.same(&other.base) && self.lanes == other.lanes;
        let mut merged = Vec::new();
        for (at, n) in self.differences(&other) {
            let (mine, theirs) = (self.read(terms, at, n), other.read(terms, at, n));
            // What lies below is about to become a choice of both: a value that only lies there has to be lifted out of it first.
            if mine != theirs || !(same_below || self.piece_at(at).is_some()) {
                merged.push((at, terms.ite(cond, theirs, mine)));
            }
        }
        self.merge_bases(terms, &other, cond);
        for (at, value) in merged {
            self.write(terms, at, value);
        }
        Ok(())
    }

    /// The ranges in which the overlays differ, cut at every boundary of either.
    fn differences(&self, other: &Contents) -> Vec<(u64, u64)> {
        let mut cuts = std::collections::BTreeSet::new();
        let mut ranges = std::collections::BTreeSet::new();
        for item in self.overlay.diff(&other.overlay) {
            let (at, n) = match item {
                imbl::ordmap::DiffItem::Add(&at, p) | imbl::ordmap::DiffItem::Remove(&at, p) => (at, p.bytes),
                imbl::ordmap::DiffItem::Update { old: (&at, p), new: (_, q) } => {
                    cuts.insert(at + q.bytes);
                    (at, p.bytes.max(q.bytes))
                }
            };
            cuts.insert(at);
            cuts.insert(at + n);
            ranges.insert((at, at + n));
        }
        let mut out = Vec::new();
        let mut done = 0;
        for (start, end) in ranges {
            let mut at = start.max(done);
            while at < end {
                let stop = cuts.range(at + 1..).next().copied().unwrap_or(end).min(end);
                out.push((at, stop - at));
                at = stop;
            }
            done = done.max(end);
        }
        out
    }

    fn align_bases(
        &mut self,
        terms: &mut Terms,
        other: &mut Contents,
        size: Option<u64>,
        width: u16,
    ) -> Result<(), MixedWidths> {
        if let Some(size) = size.filter(|s| *s <= MAX_PIECEWISE)
            && matches!(self.base, Base::Fill(_) | Base::Data(_))
            && matches!(other.base, Base::Fill(_) | Base::Data(_))
        {
            self.spread(terms, size);
            other.spread(terms, size);
            return Ok(());
        }
        for side in [&mut *self, &mut *other] {
            side.dissolve(terms);
        }
        let cell = match (&self.base, &other.base) {
            (Base::Cells { bytes: a, .. }, Base::Cells { bytes: b, .. }) if a == b => *a,
            (Base::Cells { .. }, Base::Cells { .. }) => 1,
            (Base::Input(_), _) | (_, Base::Input(_)) => 1,
            (Base::Cells { bytes, .. }, _) | (_, Base::Cells { bytes, .. }) => *bytes,
            _ => 1,
        };
        for side in [self, other] {
            match side.base {
                Base::Cells { bytes, .. } if bytes == cell => {}
                Base::Cells { .. } => side.make_bytes(terms, size, width)?,
                Base::Fill(_) | Base::Data(_) | Base::Input(_) => side.base = side.base.to_cells(terms, cell, width),
            }
        }
        Ok(())
    }

    /// Every byte becomes part of the overlay, or stays in a lane: the base is none of its own any more.
    fn spread(&mut self, terms: &mut Terms, size: u64) {
        for (at, n) in self.layout(0, size) {
            if self.piece_at(at).is_none() && !self.in_lane(at) {
                let value = self.base.read(terms, at, n);
                self.overlay.insert(at, Piece { value, bytes: n });
            }
        }
        self.base = Base::Fill(terms.bv(8, 0));
    }

    fn merge_bases(&mut self, terms: &mut Terms, other: &Contents, cond: Term) {
        self.merge_lanes(terms, other, cond);
        if let (Base::Cells { array: a, bytes }, Base::Cells { array: b, .. }) = (&self.base, &other.base)
            && a != b
        {
            self.base = Base::Cells { array: terms.ite(cond, *b, *a), bytes: *bytes };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_term::Sort;

    /// What both sides hold at a place survives the join, whether it lies in the overlay or below it.
    #[test]
    fn what_both_sides_hold_stays() {
        let terms = &mut Terms::new();
        let array = |terms: &mut Terms, name| terms.var(name, Sort::Array { index: 40, elem: 8 });
        let cond = terms.var("c", Sort::Bv(1));
        let plain = Contents::input(array(terms, "here"));
        let value = plain.read(terms, 8, 4);
        let zero = terms.bv(8, 0);
        for base in [Contents::input(array(terms, "copy")), Contents::filled(zero)] {
            let mut copied = base;
            copied.write(terms, 8, value);
            for (mut one, other) in [(plain.clone(), &copied), (copied.clone(), &plain)] {
                assert!(one.merge(terms, other, cond, Some(48), 40).is_ok());
                assert_eq!(one.read(terms, 8, 4), value);
            }
        }
    }
}
