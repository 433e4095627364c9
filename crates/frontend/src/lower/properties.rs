//! Names, ids and texts of properties, given to the checks that a finished body has, in their order.
//!
//! Why so late: most checks are gone by then, and what nobody will read costs time to write.

use super::{Lowering, Register};
use crate::llvm::Val;
use blitz_base::span::Loc;
use blitz_ir::{AccessKind, CheckKind, Inst, Property, PropertyId};
use rustc_hash::FxHashMap;

/// A property of a check that was put in; whether the check stays is not known yet.
pub(super) struct Found {
    pub kind: CheckKind,
    pub loc: Loc,
    pub text: Text,
}

/// How the text of a call that nobody answers begins.
pub(super) const NO_BODY: &str = "no body for callee ";

/// What a property says.
#[derive(Clone)]
pub(super) enum Text {
    Given(String),
    /// A value is used that may be indeterminate.
    Use(Val),
    /// What lies at an address is accessed, which may be wrong in the way of the property's kind.
    Access(AccessKind, Val),
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text::Given(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::Given(text.to_owned())
    }
}

impl Lowering<'_> {
    /// Registers the properties that the body mentions (their ids are positions in the list of those found) and puts their ids in.
    pub(super) fn number(&mut self, register: Register<'_>) {
        let mut insts = std::mem::take(&mut self.b.func.insts);
        let numbers = self.numbers_in_text();
        let mut numbering =
            Numbering { lowering: self, numbers, ids: FxHashMap::default(), counts: FxHashMap::default(), register };
        for id in self.b.func.blocks.iter().flat_map(|b| &b.insts) {
            match &mut insts[id.index()].inst {
                Inst::Check { property, .. } => numbering.renumber(property),
                Inst::CheckMem(check) => check.properties.iter_mut().for_each(|(_, p)| numbering.renumber(p)),
                Inst::Call(site) => site.properties.iter_mut().for_each(|(_, p)| numbering.renumber(p)),
                Inst::HeapAlloc { leak: Some(p), .. } | Inst::Await { property: Some(p), .. } => numbering.renumber(p),
                _ => {}
            }
        }
        self.b.func.insts = insts;
    }

    /// The number of each property among those of its kind, in the order of their places. Calls of functions without a body are a sort of their own.
    fn numbers_in_text(&self) -> Vec<u32> {
        let all = &self.properties;
        let no_body = |f: &Found| matches!(&f.text, Text::Given(text) if text.starts_with(NO_BODY));
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&i| (all[i].loc, i));
        let mut counts: FxHashMap<(CheckKind, bool), u32> = FxHashMap::default();
        let mut numbers = vec![0; all.len()];
        for i in order {
            let count = counts.entry((all[i].kind, no_body(&all[i]))).or_insert(0);
            *count += 1;
            numbers[i] = *count;
        }
        numbers
    }

    fn words(&self, found: &Found) -> String {
        match &found.text {
            Text::Given(text) => text.clone(),
            Text::Use(v) => match self.describe_value(*v) {
                Some(what) => format!("use of {what}: indeterminate value"),
                None => "use of an indeterminate value".to_owned(),
            },
            Text::Access(access, at) => {
                let place = self.describe_place(*at);
                super::access::words(*access, place.as_deref().unwrap_or("a pointer"), found.kind)
            }
        }
    }
}

struct Numbering<'a, 'l> {
    lowering: &'a Lowering<'l>,
    numbers: Vec<u32>,
    ids: FxHashMap<PropertyId, PropertyId>,
    counts: FxHashMap<CheckKind, u32>,
    register: Register<'a>,
}

impl Numbering<'_, '_> {
    fn renumber(&mut self, local: &mut PropertyId) {
        if local.unasked_kind().is_some() {
            return;
        }
        if let Some(&known) = self.ids.get(local) {
            *local = known;
            return;
        }
        let found = &self.lowering.properties[local.index()];
        let count = self.counts.entry(found.kind).or_insert(0);
        *count += 1;
        let id = (self.register)(Property {
            name: format!("{}.{}.{count}", self.lowering.name, found.kind.name()),
            number: self.numbers[local.index()],
            kind: found.kind,
            func: self.lowering.id,
            loc: found.loc,
            text: self.lowering.words(found),
        });
        self.ids.insert(*local, id);
        *local = id;
    }
}
