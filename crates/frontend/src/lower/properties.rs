//! Names and ids of properties, given to the checks that a finished body has, in their order.

use super::Register;
use blitz_ir::{CheckKind, Func, Inst, Property, PropertyId};
use std::collections::HashMap;

/// Registers the properties that the body mentions (their ids are positions in `found`) and puts their ids in.
pub fn number(body: &mut Func, found: Vec<Property>, register: Register<'_>) {
    let mut numbering = Numbering { found, ids: HashMap::new(), counts: HashMap::new(), register };
    let order: Vec<_> = body.blocks.iter().flat_map(|b| b.insts.iter().copied()).collect();
    for id in order {
        match &mut body.insts[id.index()].inst {
            Inst::Check { property, .. } => numbering.renumber(property),
            Inst::CheckMem(check) => check.properties.iter_mut().for_each(|(_, p)| numbering.renumber(p)),
            Inst::Call(site) => site.properties.iter_mut().for_each(|(_, p)| numbering.renumber(p)),
            Inst::HeapAlloc { leak: Some(p), .. } => numbering.renumber(p),
            _ => {}
        }
    }
}

struct Numbering<'a> {
    found: Vec<Property>,
    ids: HashMap<PropertyId, PropertyId>,
    counts: HashMap<CheckKind, u32>,
    register: Register<'a>,
}

impl Numbering<'_> {
    fn renumber(&mut self, local: &mut PropertyId) {
        if let Some(&known) = self.ids.get(local) {
            *local = known;
            return;
        }
        let mut property = self.found[local.index()].clone();
        let count = self.counts.entry(property.kind).or_insert(0);
        *count += 1;
        property.name = format!("{}.{}.{count}", property.name, property.kind.name());
        let id = (self.register)(property);
        self.ids.insert(*local, id);
        *local = id;
    }
}
