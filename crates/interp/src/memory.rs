//! Memory: a table of objects, each with its bytes and a shadow of the same size.
//!
//! Why two tables: an access needs four words (`Hot`), which share half a cache line; what reports want is cold.
//! Numbers of dead objects stay dead for a long time (`QUARANTINE`) before they are used again, so that a
//! dangling pointer is noticed while long runs stay within memory.
//!
//! Invariants: `read`/`write` are the bytes that may be read/written now: 0 for a dead object, and `write` is 0 for a
//! constant one; bytes and shadow of every object with `read > 0` are allocated. The shadow is kept inverted
//! (1 = determinate), so that fresh zero pages are an indeterminate object at no cost. What is at least `pages::LARGE` is mapped page by
//! page, so that an object costs what is touched of it.
//!
//! Absent: what to do about a bad access (`checks`).

use crate::outcome::{ObjectKind, ObjectName};
use crate::pages;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::VecDeque;
use std::convert::Infallible;

/// Dead objects before a number is used again.
const QUARANTINE: usize = 1 << 20;
/// Stack chunks are at least this large.
const CHUNK: usize = 1 << 20;
/// The first part of each stack: threads that are started in every run of an exploration need little.
const FIRST_CHUNK: usize = 1 << 15;
/// All stack objects together, shadow included, may take this much: far more than any native stack.
const MAX_STACK: usize = 1 << 30;
/// Byte pattern of indeterminate memory.
pub const PATTERN: u8 = 0xa5;
/// Larger heap objects are left zero.
const FILL_LIMIT: u64 = 1 << 16;

/// What an access needs to know of an object.
#[derive(Clone, Copy)]
pub struct Hot {
    pub data: *mut u8,
    pub shadow: *mut u8,
    pub read: u64,
    pub write: u64,
}

impl Hot {
    const DEAD: Hot = Hot { data: std::ptr::null_mut(), shadow: std::ptr::null_mut(), read: 0, write: 0 };
}

/// What reports and rare operations need to know of an object.
#[derive(Clone, Copy, Debug)]
pub struct Cold {
    pub size: u64,
    pub kind: ObjectKind,
    pub live: bool,
    pub constant: bool,
    /// Counts as reachable when leaks are looked for.
    pub kept: bool,
    pub name: Option<ObjectName>,
    pub allocated: Place,
    pub freed: Place,
}

/// A point of the program with the calls that led there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Node of the tree of calls; 0 if not recorded.
    pub context: u32,
    pub func: u32,
    /// Origin of the operation (`code::Origin`), `u32::MAX` if there is none.
    pub origin: u32,
}

impl Place {
    pub const NONE: Place = Place { context: 0, func: 0, origin: u32::MAX };
}

/// Where the stack of objects stood: how many there were.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Mark(pub u32);

/// An object on the stack, and where the room for it began.
#[derive(Clone, Copy)]
struct OnStack {
    number: u32,
    chunk: u32,
    used: usize,
}

/// The memory of a run.
pub struct Memory {
    pub hot: Vec<Hot>,
    pub cold: Vec<Cold>,
    offset_bits: u32,
    max_objects: u64,
    quarantine: VecDeque<u32>,
    /// Of the thread that runs.
    pub stack: Stack,
}

/// The stack objects of a thread, and the room they are in.
#[derive(Default)]
pub struct Stack {
    chunks: Vec<(*mut u8, usize)>,
    chunk: usize,
    used: usize,
    /// Oldest first.
    objects: Vec<OnStack>,
}

impl Drop for Stack {
    fn drop(&mut self) {
        for &(p, size) in &self.chunks {
            // SAFETY: chunks are allocated with this layout and freed here only.
            unsafe { raw_free(p, size) };
        }
    }
}

impl Stack {
    fn room(&mut self, bytes: usize) -> Result<*mut u8, Exhausted> {
        while self.chunks.get(self.chunk).is_none_or(|c| self.used + bytes > c.1) {
            if self.chunk + 1 >= self.chunks.len() {
                let size = bytes.max(if self.chunks.is_empty() { FIRST_CHUNK } else { CHUNK });
                if self.chunks.iter().map(|c| c.1).sum::<usize>() + size > MAX_STACK {
                    return Err(Exhausted);
                }
                self.chunks.push((raw_alloc(size)?, size));
            }
            if self.used > 0 || self.chunks[self.chunk].1 < bytes {
                self.chunk += 1;
            }
            self.used = 0;
        }
        let p = self.chunks[self.chunk].0.wrapping_add(self.used);
        self.used += bytes;
        Ok(p)
    }
}

/// There are no more object numbers, or no more memory.
#[derive(Clone, Copy, Debug)]
pub struct Exhausted;

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes.max(16), 16).expect("object size should be a valid layout")
}

/// Zeros. An object of at least `pages::LARGE` bytes is always in pages of its own kind: with its shadow it takes twice as much.
fn raw_alloc(bytes: usize) -> Result<*mut u8, Exhausted> {
    let p = if bytes >= pages::LARGE {
        pages::alloc(bytes)
    } else {
        // SAFETY: the layout has a non-zero size.
        unsafe { alloc_zeroed(layout(bytes)) }
    };
    if p.is_null() { Err(Exhausted) } else { Ok(p) }
}

/// Gives memory back.
///
/// # Safety
/// It is from `raw_alloc` of as many bytes, and nobody uses it any more.
unsafe fn raw_free(p: *mut u8, bytes: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        if bytes >= pages::LARGE {
            pages::free(p, bytes);
        } else {
            dealloc(p, layout(bytes));
        }
    }
}

/// Makes a shadow say that nothing is determinate, or that everything is.
///
/// # Safety
/// The shadow is there.
unsafe fn set_shadow(shadow: *mut u8, bytes: usize, determinate: bool) {
    let look = || Ok::<(), Infallible>(());
    // SAFETY: as the caller promises; `raw_alloc` maps what is large.
    let Ok(()) =
        unsafe { if determinate { pages::ones(shadow, bytes, look) } else { pages::zero(shadow, bytes, look) } };
}

fn rounded(size: u64) -> usize {
    (size as usize).div_ceil(16) * 16
}

impl Memory {
    pub fn new(ptr_bits: u16, offset_bits: u16) -> Self {
        let null = Cold {
            size: 0,
            kind: ObjectKind::Code,
            live: false,
            constant: true,
            kept: false,
            name: None,
            allocated: Place::NONE,
            freed: Place::NONE,
        };
        Self {
            hot: vec![Hot::DEAD],
            cold: vec![null],
            offset_bits: u32::from(offset_bits),
            max_objects: 1 << (ptr_bits - offset_bits),
            quarantine: VecDeque::new(),
            stack: Stack::default(),
        }
    }

    /// How many objects pointers can tell apart.
    pub fn max_objects(&self) -> u64 {
        self.max_objects
    }

    /// The largest size an object can have.
    pub fn max_size(&self) -> u64 {
        (1 << (self.offset_bits - 1)) - 1
    }

    /// Object number of a pointer.
    #[inline(always)]
    pub fn object_of(&self, ptr: u64) -> u64 {
        ptr >> self.offset_bits
    }

    /// Offset of a pointer.
    #[inline(always)]
    pub fn offset_of(&self, ptr: u64) -> i64 {
        let unused = 64 - self.offset_bits;
        ((ptr << unused) as i64) >> unused
    }

    /// The pointer to the start of an object.
    pub fn pointer(&self, object: u64) -> u64 {
        object << self.offset_bits
    }

    /// Moves a pointer inside its object; an offset that does not fit becomes the most negative one.
    #[inline(always)]
    pub fn ptr_add(&self, ptr: u64, delta: i64) -> u64 {
        let limit = 1i64 << (self.offset_bits - 1);
        let sum = match self.offset_of(ptr).checked_add(delta) {
            Some(s) if s < limit && s >= -limit => s,
            Some(_) | None => -limit,
        };
        let mask = (1u64 << self.offset_bits) - 1;
        ptr & !mask | sum as u64 & mask
    }

    /// The bytes at `ptr` if all `n` of them can be read.
    #[inline(always)]
    pub fn readable(&self, ptr: u64, n: u64) -> Option<*mut u8> {
        let hot = self.hot.get(self.object_of(ptr) as usize)?;
        let offset = self.offset_of(ptr) as u64;
        // SAFETY of the result: `read` never exceeds what is allocated.
        (n <= hot.read && offset <= hot.read - n).then(|| hot.data.wrapping_add(offset as usize))
    }

    /// The bytes and their shadow at `ptr` if all `n` of them can be written.
    #[inline(always)]
    pub fn writable(&self, ptr: u64, n: u64) -> Option<(*mut u8, *mut u8)> {
        let hot = self.hot.get(self.object_of(ptr) as usize)?;
        let offset = self.offset_of(ptr) as u64;
        (n <= hot.write && offset <= hot.write - n)
            .then(|| (hot.data.wrapping_add(offset as usize), hot.shadow.wrapping_add(offset as usize)))
    }

    /// The shadow at `ptr` if all `n` bytes can be read.
    #[inline(always)]
    pub fn shadow(&self, ptr: u64, n: u64) -> Option<*mut u8> {
        let hot = self.hot.get(self.object_of(ptr) as usize)?;
        let offset = self.offset_of(ptr) as u64;
        (n <= hot.read && offset <= hot.read - n).then(|| hot.shadow.wrapping_add(offset as usize))
    }

    /// How many bytes can be read from `ptr` on.
    pub fn readable_from(&self, ptr: u64) -> u64 {
        let Some(hot) = self.hot.get(self.object_of(ptr) as usize) else { return 0 };
        let offset = self.offset_of(ptr);
        if offset < 0 { 0 } else { hot.read.saturating_sub(offset as u64) }
    }

    /// The `n` bytes at `ptr`, which must be readable.
    pub fn bytes(&self, ptr: u64, n: u64) -> Option<&[u8]> {
        if n == 0 {
            return Some(&[]);
        }
        let p = self.readable(ptr, n)?;
        // SAFETY: `readable` made sure that `n` bytes are there; nothing writes while `self` is borrowed.
        Some(unsafe { std::slice::from_raw_parts(p, n as usize) })
    }

    /// Writes bytes that are determinate; false if they can't be written.
    pub fn write(&mut self, ptr: u64, bytes: &[u8]) -> bool {
        if bytes.is_empty() {
            return true;
        }
        let Some((data, shadow)) = self.writable(ptr, bytes.len() as u64) else { return false };
        // SAFETY: `writable` made sure that the bytes are there; `bytes` is not inside an object.
        unsafe {
            data.copy_from(bytes.as_ptr(), bytes.len());
            shadow.write_bytes(0xff, bytes.len());
        }
        true
    }

    /// All bytes of an object that can be written are determinate from now on.
    pub fn set_all(&mut self, object: u64) {
        let hot = self.hot[object as usize];
        if !hot.shadow.is_null() {
            // SAFETY: the shadow of an object has as many bytes as can be written.
            unsafe { hot.shadow.write_bytes(0xff, hot.write as usize) };
        }
    }

    /// Information on an object, if there is one of this number.
    pub fn info(&self, object: u64) -> Option<&Cold> {
        if object == 0 { None } else { self.cold.get(object as usize) }
    }

    fn number(&mut self) -> Result<u32, Exhausted> {
        let fresh = self.hot.len() as u64;
        if self.quarantine.len() >= QUARANTINE || fresh >= self.max_objects {
            return self.quarantine.pop_front().ok_or(Exhausted);
        }
        self.hot.push(Hot::DEAD);
        self.cold.push(self.cold[0]);
        Ok(fresh as u32)
    }

    /// A global: the next number, determinate, zero.
    pub fn add_global(&mut self, size: u64, constant: bool, name: ObjectName) -> Result<u64, Exhausted> {
        let number = self.hot.len() as u64;
        let room = rounded(size);
        if size > self.max_size() || number >= self.max_objects {
            return Err(Exhausted);
        }
        let data = raw_alloc(room * 2)?;
        // SAFETY: the allocation holds bytes and shadow.
        unsafe { set_shadow(data.add(room), room, true) };
        let write = if constant { 0 } else { size };
        self.hot.push(Hot { data, shadow: data.wrapping_add(room), read: size, write });
        self.cold.push(Cold { size, kind: ObjectKind::Global, live: true, constant, name: Some(name), ..self.cold[0] });
        Ok(number)
    }

    /// The code of a function: the next number, no bytes.
    pub fn add_code(&mut self, name: ObjectName) {
        self.hot.push(Hot::DEAD);
        self.cold.push(Cold { live: true, name: Some(name), ..self.cold[0] });
    }

    /// The bytes of a global, to be initialised, constant or not.
    pub fn global_bytes(&mut self, object: u64) -> &mut [u8] {
        let hot = self.hot[object as usize];
        // SAFETY: globals are allocated for as long as the memory is, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(hot.data, hot.read as usize) }
    }

    /// A new heap object.
    pub fn alloc_heap(&mut self, size: u64, allocated: Place) -> Result<u64, Exhausted> {
        if size > self.max_size() {
            return Err(Exhausted);
        }
        let room = rounded(size);
        let data = raw_alloc(room * 2)?;
        let number = self.number()?;
        if size <= FILL_LIMIT {
            // SAFETY: the allocation has `2 * room` bytes.
            unsafe { data.write_bytes(PATTERN, room) };
        }
        self.hot[number as usize] = Hot { data, shadow: data.wrapping_add(room), read: size, write: size };
        self.cold[number as usize] = Cold {
            size,
            kind: ObjectKind::Heap,
            live: true,
            constant: false,
            kept: false,
            name: None,
            allocated,
            freed: Place::NONE,
        };
        Ok(u64::from(number))
    }

    /// Ends the life of a live heap object.
    pub fn free_heap(&mut self, object: u64, freed: Place) {
        let hot = std::mem::replace(&mut self.hot[object as usize], Hot::DEAD);
        let cold = &mut self.cold[object as usize];
        cold.live = false;
        cold.freed = freed;
        // SAFETY: heap objects are allocated with exactly this layout and freed once: they were live.
        unsafe { raw_free(hot.data, rounded(cold.size) * 2) };
        self.quarantine.push_back(object as u32);
    }

    /// A new stack object, indeterminate.
    #[inline]
    pub fn alloc_stack(
        &mut self,
        size: u64,
        lives: bool,
        name: Option<ObjectName>,
        allocated: Place,
    ) -> Result<u64, Exhausted> {
        if size > self.max_size() {
            return Err(Exhausted);
        }
        let number = self.number()?;
        let room = rounded(size);
        let (chunk, used) = (self.stack.chunk as u32, self.stack.used);
        let data = self.stack.room(room * 2)?;
        let shadow = data.wrapping_add(room);
        // SAFETY: `stack_room` gave `2 * room` bytes.
        unsafe { set_shadow(shadow, room, false) };
        let limit = if lives { size } else { 0 };
        self.hot[number as usize] = Hot { data, shadow, read: limit, write: limit };
        self.cold[number as usize] = Cold {
            size,
            kind: ObjectKind::Stack,
            live: lives,
            constant: false,
            kept: false,
            name,
            allocated,
            freed: Place::NONE,
        };
        self.stack.objects.push(OnStack { number, chunk, used });
        Ok(u64::from(number))
    }

    /// Where the stack stands.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.stack.objects.len() as u32)
    }

    /// Ends the life of all stack objects that are younger than the mark.
    #[inline]
    pub fn release(&mut self, mark: Mark) {
        while self.stack.objects.len() > mark.0 as usize {
            let Some(OnStack { number, chunk, used }) = self.stack.objects.pop() else { break };
            self.hot[number as usize] = Hot::DEAD;
            self.cold[number as usize].live = false;
            self.quarantine.push_back(number);
            self.stack.chunk = chunk as usize;
            self.stack.used = used;
        }
    }

    /// The objects on the running thread's stack beyond a mark.
    pub fn stack_objects(&self, mark: Mark) -> Vec<u64> {
        self.stack.objects.iter().skip(mark.0 as usize).map(|o| u64::from(o.number)).collect()
    }

    /// A stack object comes into scope, indeterminate, or leaves it.
    pub fn set_scope(&mut self, object: u64, lives: bool) {
        let Some(cold) = self.cold.get_mut(object as usize).filter(|c| c.kind == ObjectKind::Stack) else { return };
        let hot = &mut self.hot[object as usize];
        if hot.data.is_null() {
            return;
        }
        cold.live = lives;
        let limit = if lives { cold.size } else { 0 };
        hot.read = limit;
        hot.write = limit;
        if lives {
            // SAFETY: the object's frame is still there (`data` is set), so its shadow is.
            unsafe { set_shadow(hot.shadow, cold.size as usize, false) };
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for (hot, cold) in self.hot.iter().zip(&self.cold) {
            let owned = cold.kind == ObjectKind::Global || cold.kind == ObjectKind::Heap && cold.live;
            if owned && !hot.data.is_null() {
                // SAFETY: allocated with this layout, and not freed before.
                unsafe { raw_free(hot.data, rounded(cold.size) * 2) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_that_does_not_fit_is_out_of_bounds_of_everything() {
        let memory = Memory::new(64, 40);
        let p = memory.pointer(7);
        assert_eq!(memory.offset_of(memory.ptr_add(p, 12)), 12);
        assert_eq!(memory.offset_of(memory.ptr_add(p, -3)), -3);
        assert_eq!(memory.offset_of(memory.ptr_add(p, 1 << 39)), -(1 << 39));
        assert_eq!(memory.object_of(memory.ptr_add(p, i64::MIN)), 7);
    }

    #[test]
    fn hot_objects_stay_small() {
        assert_eq!(size_of::<Hot>(), 32);
    }

    #[test]
    fn dead_objects_can_not_be_read() {
        let mut memory = Memory::new(64, 40);
        let Ok(heap) = memory.alloc_heap(8, Place::NONE) else { panic!("there should be room") };
        let p = memory.pointer(heap);
        assert!(memory.readable(p, 8).is_some() && memory.readable(p, 9).is_none());
        memory.free_heap(heap, Place::NONE);
        assert!(memory.readable(p, 1).is_none());
        let mark = memory.mark();
        let Ok(local) = memory.alloc_stack(4, false, None, Place::NONE) else { panic!("there should be room") };
        let q = memory.pointer(local);
        assert!(memory.readable(q, 1).is_none());
        memory.set_scope(local, true);
        assert!(memory.writable(q, 4).is_some());
        memory.release(mark);
        assert!(memory.readable(q, 1).is_none());
    }
}
