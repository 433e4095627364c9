//! Slots: how the bytes of an object fall apart into values.

mod copies;

pub use copies::gaps;

use super::objects::{Access, Object, Objects, StackObject};
use crate::types::Type;

/// More slots than this in one object, and it stays in memory.
const MOST_SLOTS: usize = 128;
/// The widest range that is accessed in several ways and still promoted, in bytes.
const WIDEST_MIX: u64 = 16;

/// A variable of the SSA construction: a slot's value, a slot's shadow, or whether an object is in scope.
pub type VarId = u32;

/// A range of an object that becomes a value.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub offset: u64,
    pub bits: u16,
    pub ty: Type,
    /// Accessed in several ways; it is an integer then.
    pub mixed: bool,
    pub value: VarId,
    pub shadow: VarId,
}

/// The slots of an object, by ascending offset.
#[derive(Clone, Debug)]
pub struct ObjectSlots {
    pub slots: Vec<Slot>,
    pub live: VarId,
}

/// The slots of every object that is promoted, and the types of all variables.
#[derive(Default)]
pub struct Layout {
    objects: Vec<Option<ObjectSlots>>,
    pub types: Vec<Type>,
}

impl Slot {
    pub fn bytes(&self) -> u64 {
        u64::from(self.bits).div_ceil(8)
    }

    pub fn end(&self) -> u64 {
        self.offset + self.bytes()
    }
}

impl Layout {
    pub fn is_empty(&self) -> bool {
        self.objects.iter().all(Option::is_none)
    }

    fn drop_object(&mut self, object: StackObject) {
        self.objects[object.index()] = None;
    }

    pub fn of(&self, object: StackObject) -> Option<&ObjectSlots> {
        self.objects[object.index()].as_ref()
    }

    fn variable(&mut self, ty: Type) -> VarId {
        self.types.push(ty);
        self.types.len() as VarId - 1
    }
}

impl ObjectSlots {
    /// The slot that an access falls into.
    pub fn at(&self, offset: u64) -> &Slot {
        let after = self.slots.partition_point(|s| s.offset <= offset);
        &self.slots[after - 1]
    }

    /// The slots inside a range.
    pub fn within(&self, offset: u64, len: u64) -> &[Slot] {
        let from = self.slots.partition_point(|s| s.offset < offset);
        let to = self.slots.partition_point(|s| s.end() <= offset + len);
        &self.slots[from..to.max(from)]
    }
}

/// Gives every object that can be promoted its slots; marks the others as escaped.
pub fn lay_out(objects: &mut Objects) -> Layout {
    let mut layout = Layout::default();
    copies::share_accesses(objects);
    for object in &mut objects.list {
        let slots = if object.escaped { None } else { slots_of(object) };
        object.escaped = slots.is_none();
        let entry = slots.map(|mut slots| {
            for slot in &mut slots {
                slot.value = layout.variable(slot.ty);
                slot.shadow = layout.variable(Type::Int(slot.bits));
            }
            ObjectSlots { slots, live: layout.variable(Type::BOOL) }
        });
        layout.objects.push(entry);
    }
    copies::reject_unfit(objects, &mut layout);
    layout
}

fn slots_of(object: &mut Object) -> Option<Vec<Slot>> {
    // Typed accesses first, pointers before all, so that they decide the type.
    object.accesses.sort_by_key(|a| (a.offset, a.bits, a.ty.is_none(), a.ty != Some(Type::Ptr)));
    let mut slots: Vec<Slot> = Vec::new();
    let mut rest = object.accesses.as_slice();
    while let Some(first) = rest.first() {
        let mut end = first.end();
        let mut count = 0;
        while let Some(a) = rest.get(count).filter(|a| a.offset < end) {
            end = end.max(a.end());
            count += 1;
        }
        slots.push(slot(&rest[..count], end)?);
        rest = &rest[count..];
    }
    (slots.len() <= MOST_SLOTS && ranges_fit(object, &slots)).then_some(slots)
}

/// The slot of a group of accesses that overlap.
fn slot(group: &[Access], end: u64) -> Option<Slot> {
    let first = group[0];
    let same = group.iter().all(|a| a.offset == first.offset && a.bits == first.bits);
    if same {
        let ty = group.iter().find_map(|a| a.ty).unwrap_or(Type::Int(first.bits));
        return Some(Slot { offset: first.offset, bits: first.bits, ty, mixed: false, value: 0, shadow: 0 });
    }
    let bytes = end - first.offset;
    // A pointer in a mix would hide where it points from every analysis.
    let whole = group.iter().all(|a| a.bits.is_multiple_of(8) && a.ty != Some(Type::Ptr));
    (whole && bytes <= WIDEST_MIX).then(|| {
        let bits = bytes as u16 * 8;
        Slot { offset: first.offset, bits, ty: Type::Int(bits), mixed: true, value: 0, shadow: 0 }
    })
}

/// Whether bulk operations take slots as a whole, and checks of definedness ask for slots only.
fn ranges_fit(object: &Object, slots: &[Slot]) -> bool {
    let bulk = object.bulk.iter().all(|&(offset, len)| {
        let (start, end) = (offset, offset + len);
        slots.iter().all(|s| s.end() <= start || end <= s.offset || start <= s.offset && s.end() <= end)
    });
    let defined = object.defined.iter().all(|&(offset, len)| {
        let mut at = offset;
        for s in slots.iter().filter(|s| s.offset >= offset) {
            if s.offset != at || at >= offset + len {
                break;
            }
            at = s.end();
        }
        at == offset + len
    });
    bulk && defined
}
