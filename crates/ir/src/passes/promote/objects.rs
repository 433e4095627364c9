//! Stack objects and every use of their addresses.

use crate::cfg::Cfg;
use crate::channel::Channel;
use crate::func::{Func, Value, Var};
use crate::inst::{AccessKind, Inst, InstId, MemCheck};
use crate::passes::util::{const_i64, const_u64};
use crate::program::TargetInfo;
use crate::types::Type;

/// A stack object of constant size.
pub struct Object {
    pub size: u64,
    pub lives: bool,
    pub var: Option<Var>,
    /// Its address is used in a way that needs it in memory.
    pub escaped: bool,
    /// Whole scalars read or written.
    pub accesses: Vec<Access>,
    /// Ranges (offset, length) that bulk operations touch: each covers a slot or leaves it alone.
    pub bulk: Vec<(u64, u64)>,
    /// Those of them that are written.
    pub written: Vec<(u64, u64)>,
    /// Ranges (offset, length) whose definedness is asked for: they consist of slots.
    pub defined: Vec<(u64, u64)>,
}

/// One scalar access.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Access {
    pub offset: u64,
    pub bits: u16,
    /// `None` for an access of the shadow only.
    pub ty: Option<Type>,
}

blitz_base::ids::id_type!(
    /// A stack object of the function, by its place in `Objects::list`.
    StackObject,
    "object"
);

/// Where a pointer points: an object and an offset that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub object: StackObject,
    pub offset: i64,
}

/// A copy of constant length that has to do with a stack object.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    pub dst: Option<Place>,
    pub src: Option<Place>,
    pub len: u64,
}

/// All stack objects of a function and the values that point into them.
pub struct Objects {
    pub list: Vec<Object>,
    pub copies: Vec<Copy>,
    /// By value.
    place: Vec<Option<Place>>,
}

impl Access {
    pub fn bytes(self) -> u64 {
        u64::from(self.bits).div_ceil(8)
    }

    pub fn end(self) -> u64 {
        self.offset + self.bytes()
    }
}

impl Objects {
    /// Where a value points, if it is the address of a stack object at a known offset.
    pub fn place(&self, v: Value) -> Option<Place> {
        self.place.get(v.index()).copied().flatten()
    }

    pub fn is_private(&self, p: Place) -> bool {
        !self.list[p.object.index()].escaped
    }

    /// The same, for an object that is not escaped.
    pub fn private(&self, v: Value) -> Option<Place> {
        self.place(v).filter(|p| !self.list[p.object.index()].escaped)
    }
}

/// Finds the objects of a function; nothing if there are none or if the function can't be treated.
pub fn find(func: &Func, cfg: &Cfg, target: TargetInfo) -> Option<Objects> {
    let insts = || func.blocks.iter().flat_map(|b| &b.insts).map(|&i| &func.inst(i).inst);
    if insts().any(|i| matches!(i, Inst::SetJmp { .. })) {
        return None;
    }
    let restores = insts().any(|i| matches!(i, Inst::StackRestore { .. }));
    let mut finder = Finder {
        func,
        target,
        objects: Objects { list: Vec::new(), copies: Vec::new(), place: vec![None; func.values.len()] },
    };
    // A `stack.restore` ends only what was made after the first `stack.save`.
    let mut may_end = false;
    for &b in cfg.rpo() {
        may_end |= restores && b != Func::ENTRY;
        for &i in &func.block(b).insts {
            may_end |= restores && matches!(func.inst(i).inst, Inst::StackSave);
            finder.inst(i, may_end);
        }
        func.block(b).term.for_each_operand(|v| finder.escape(v));
    }
    let objects = finder.objects;
    objects.list.iter().any(|o| !o.escaped).then_some(objects)
}

struct Finder<'a> {
    func: &'a Func,
    target: TargetInfo,
    objects: Objects,
}

impl Finder<'_> {
    fn escape(&mut self, v: Value) {
        if let Some(p) = self.objects.place(v) {
            self.objects.list[p.object.index()].escaped = true;
        }
    }

    fn inst(&mut self, id: InstId, may_end: bool) {
        let func = self.func;
        let data = func.inst(id);
        let result = || data.results[0];
        match &data.inst {
            Inst::Alloca { size, var, lives, .. } => {
                if let (Some(size), false) = (const_u64(func, *size), may_end) {
                    self.object(id, size, *var, *lives);
                }
            }
            Inst::PtrAdd { base, offset, .. } => self.moved(*base, *offset, result()),
            Inst::Load { ptr } => self.access(*ptr, func.ty(result()), Some(func.ty(result()))),
            Inst::LoadShadow { ptr } => self.access(*ptr, func.ty(result()), None),
            Inst::Store { ptr, value } => {
                self.access(*ptr, func.ty(*value), Some(func.ty(*value)));
                self.escape(*value);
            }
            Inst::StoreShadow { ptr, shadow } => self.access(*ptr, func.ty(*shadow), None),
            Inst::LifetimeStart { ptr } | Inst::LifetimeEnd { ptr } => {
                if self.objects.place(*ptr).is_some_and(|p| p.offset != 0) {
                    self.escape(*ptr);
                }
            }
            Inst::CheckMem(check) => self.check(check),
            Inst::MemSet { dst, byte, len } => {
                let known = const_u64(func, *byte).and(const_u64(func, *len));
                self.range(*dst, known, |o| &mut o.bulk);
                self.range(*dst, known, |o| &mut o.written);
            }
            Inst::InputBytes { ptr, len, name } if name.channel() == Channel::Unset => {
                let known = const_u64(func, *len);
                self.range(*ptr, known, |o| &mut o.bulk);
                self.range(*ptr, known, |o| &mut o.written);
            }
            Inst::MemCopy { dst, src, len } => self.copy(*dst, *src, const_u64(func, *len)),
            Inst::Debug { var, value, indirect } => {
                let place = self.objects.place(*value).filter(|p| *indirect && p.offset == 0);
                if let Some(p) = place {
                    self.objects.list[p.object.index()].var = Some(*var);
                }
            }
            other => other.for_each_operand(|v| self.escape(v)),
        }
    }

    fn object(&mut self, inst: InstId, size: u64, var: Option<Var>, lives: bool) {
        let number = StackObject::new(self.objects.list.len());
        self.objects.list.push(Object {
            size,
            lives,
            var,
            escaped: false,
            accesses: Vec::new(),
            bulk: Vec::new(),
            written: Vec::new(),
            defined: Vec::new(),
        });
        let pointer = self.func.inst(inst).results[0];
        self.objects.place[pointer.index()] = Some(Place { object: number, offset: 0 });
    }

    fn moved(&mut self, base: Value, offset: Value, result: Value) {
        let Some(from) = self.objects.place(base) else {
            return;
        };
        let to = const_i64(self.func, offset).and_then(|by| from.offset.checked_add(by));
        // Far outside, the offset would not fit into a pointer; nobody needs that promoted.
        match to.filter(|o| o.unsigned_abs() <= 1 << (self.target.offset_bits() - 2)) {
            Some(offset) => {
                self.objects.place[result.index()] = Some(Place { object: from.object, offset });
            }
            None => self.escape(base),
        }
    }

    fn access(&mut self, ptr: Value, width: Type, ty: Option<Type>) {
        let Some(p) = self.objects.place(ptr) else {
            return;
        };
        let bits = width.bits(self.target.ptr_bits);
        let object = &mut self.objects.list[p.object.index()];
        match inside(p.offset, u64::from(bits).div_ceil(8), object.size) {
            Some(offset) => object.accesses.push(Access { offset, bits, ty }),
            None => object.escaped = true,
        }
    }

    /// A range of known length, noted in one of the object's lists.
    fn range(&mut self, ptr: Value, len: Option<u64>, list: fn(&mut Object) -> &mut Vec<(u64, u64)>) {
        let Some(p) = self.objects.place(ptr) else {
            return;
        };
        let object = &mut self.objects.list[p.object.index()];
        let start = len.and_then(|len| inside(p.offset, len, object.size));
        match (start, len) {
            (Some(start), Some(len)) => list(object).push((start, len)),
            _ => object.escaped = true,
        }
    }

    fn copy(&mut self, dst: Value, src: Value, len: Option<u64>) {
        let (to, from) = (self.objects.place(dst), self.objects.place(src));
        let same = to.zip(from).is_some_and(|(a, b)| a.object == b.object);
        // Copies inside one object may overlap.
        let len = len.filter(|_| !same);
        self.range(dst, len, |o| &mut o.bulk);
        self.range(dst, len, |o| &mut o.written);
        self.range(src, len, |o| &mut o.bulk);
        if let (Some(len), true) = (len, to.is_some() || from.is_some()) {
            self.objects.copies.push(Copy { dst: to, src: from, len });
        }
    }

    fn check(&mut self, check: &MemCheck) {
        let len = const_u64(self.func, check.size);
        match check.access {
            // A promoted object is known to its own thread only.
            AccessKind::SharedRead | AccessKind::SharedWrite | AccessKind::AtomicRead | AccessKind::AtomicWrite => {}
            AccessKind::Read | AccessKind::Write => {
                let Some(p) = self.objects.place(check.ptr) else {
                    return;
                };
                let object = &mut self.objects.list[p.object.index()];
                let fine = len.is_some_and(|len| len == 0 || inside(p.offset, len, object.size).is_some());
                object.escaped |= !fine;
            }
            AccessKind::Defined => self.range(check.ptr, len, |o| &mut o.defined),
            AccessKind::Free | AccessKind::String => self.escape(check.ptr),
        }
    }
}

/// The offset, if `len` bytes at it lie inside an object of this size.
pub fn inside(offset: i64, len: u64, size: u64) -> Option<u64> {
    let offset = u64::try_from(offset).ok()?;
    (offset.checked_add(len)? <= size).then_some(offset)
}
