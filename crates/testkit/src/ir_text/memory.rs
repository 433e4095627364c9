//! Statements on memory: objects come and go, are read, written, copied and searched, each access behind its check.

use super::SMALLEST;
use super::body::{Object, Writer};
use super::types::{BIT, I8, I32, Ty};

/// The kinds that a check of an access can violate.
const ACCESS: [&str; 4] = ["null-deref", "use-after-free", "use-after-scope", "buffer-overflow"];

impl Writer<'_> {
    pub fn memory_statement(&mut self) {
        match self.rng.below(24) {
            0 | 1 => self.alloca(),
            2 | 3 => self.heap_alloc(),
            4 => self.free(),
            5..=8 => self.store(),
            9..=12 => self.load(),
            13 => self.copy_scalar(),
            14 => self.copy(),
            15 => self.fill(),
            16 => self.scan(),
            17 => self.mismatch(),
            18 => self.scope(),
            19 => self.store_pointer(),
            20 => self.load_pointer(),
            21 => self.question(),
            22 => self.input_bytes(),
            _ => self.output(),
        }
    }

    fn word(&self) -> Ty {
        self.parts.word()
    }

    fn bytes(&self, n: u64) -> String {
        self.word().constant(n)
    }

    fn any_object(&mut self) -> Object {
        self.rng.pick(&self.objects).clone()
    }

    pub fn pointer_to_any(&mut self) -> String {
        let object = self.any_object();
        if object.size >= SMALLEST { object.pointer } else { "global0".into() }
    }

    fn alloca(&mut self) {
        let size = SMALLEST + self.rng.below(40);
        let dead = if self.rng.one_in(4) { ", dead" } else { "" };
        let pointer = self.unnamed(&format!("alloca {}, align 8{dead}", self.bytes(size)), "ptr");
        if !dead.is_empty() && !self.rng.one_in(6) {
            self.line(&format!("lifetime.start {pointer}"));
        }
        self.add_object(pointer, size, false);
    }

    fn add_object(&mut self, pointer: String, size: u64, heap: bool) {
        if self.rng.one_in(2) {
            let (len, byte) = (self.bytes(size), self.operand(I8));
            self.guard("write", &pointer, &len);
            self.line(&format!("memset {pointer}, {byte}, {len}"));
        }
        self.objects.push(Object { pointer, size, heap, writable: true });
    }

    fn heap_alloc(&mut self) {
        let leak = self.property("memory-leak");
        let least = SMALLEST + self.rng.below(24);
        let size = if self.rng.one_in(3) {
            let more = self.small(15);
            self.unnamed(&format!("add {more}, {}", self.bytes(least)), &self.word().to_string())
        } else {
            self.bytes(least)
        };
        let pointer = self.unnamed(&format!("heap.alloc {size}, {leak}"), "ptr");
        if self.rng.one_in(2) {
            self.line(&format!("builtin keep_alive({pointer})"));
        }
        self.add_object(pointer, least, true);
    }

    /// A number of pointer width that is at most `mask`.
    fn small(&mut self, mask: u64) -> String {
        let (x, word) = (self.operand(I32), self.word());
        let low = self.unnamed(&format!("and {x}, {mask}:i32"), "i32");
        if word == I32 { low } else { self.unnamed(&format!("zext {low}"), &word.to_string()) }
    }

    fn free(&mut self) {
        let heap: Vec<usize> = (0..self.objects.len()).filter(|&i| self.objects[i].heap).collect();
        if heap.is_empty() {
            return self.heap_alloc();
        }
        let n = *self.rng.pick(&heap);
        let pointer = self.objects[n].pointer.clone();
        let pointer = if self.rng.one_in(20) { self.moved(&pointer, 1) } else { pointer };
        let (invalid, double) = (self.property("invalid-free"), self.property("double-free"));
        let none = self.bytes(0);
        self.line(&format!("checkmem free {pointer}, {none} [invalid-free {invalid}, double-free {double}]"));
        self.line(&format!("heap.free {pointer}"));
        if !self.rng.one_in(8) {
            self.objects.remove(n);
        }
    }

    fn guard(&mut self, access: &str, pointer: &str, size: &str) {
        let kinds: Vec<String> = ACCESS
            .iter()
            .map(|kind| {
                let property = self.property(kind);
                format!("{kind} {property}")
            })
            .collect();
        self.line(&format!("checkmem {access} {pointer}, {size} [{}]", kinds.join(", ")));
    }

    fn guard_defined(&mut self, pointer: &str, size: &str) {
        let property = self.property("uninitialised");
        self.line(&format!("checkmem defined {pointer}, {size} [uninitialised {property}]"));
    }

    fn moved(&mut self, pointer: &str, by: u64) -> String {
        if by == 0 {
            return pointer.to_owned();
        }
        self.unnamed(&format!("ptradd {pointer}, {}", self.bytes(by)), "ptr")
    }

    /// The address of an access of so many bytes: mostly inside, at a constant or a computed place.
    fn address(&mut self, object: &Object, bytes: u64) -> String {
        let room = object.size.saturating_sub(bytes);
        let pointer = object.pointer.clone();
        match self.rng.below(12) {
            0..=4 => {
                let at = self.rng.below(room + 1);
                let at = if self.rng.one_in(3) { at } else { at / bytes * bytes };
                self.moved(&pointer, at)
            }
            5 => {
                let at = self.rng.below(object.size + 4);
                self.moved(&pointer, at)
            }
            6 => {
                let back = self.small(1);
                let word = self.word().to_string();
                let offset = self.unnamed(&format!("sub {}, {back}", self.bytes(0)), &word);
                let inside = self.moved(&pointer, 1.min(room));
                self.unnamed(&format!("ptradd {inside}, {offset}"), "ptr")
            }
            _ => {
                let stride = *self.rng.pick(&[bytes, bytes, 1, 4]);
                let most = room / stride;
                let mask = [7, 3, 1, 0].into_iter().find(|m| *m <= most).unwrap_or(0);
                let (index, word) = (self.small(mask), self.word().to_string());
                let offset = self.unnamed(&format!("mul {index}, {}", self.bytes(stride)), &word);
                let base = self.moved(&pointer, 0);
                self.unnamed(&format!("ptradd {base}, {offset}"), "ptr")
            }
        }
    }

    fn writable_object(&mut self) -> Object {
        let object = self.any_object();
        // Writing to a constant object is a violation, now and then.
        if object.writable || self.rng.one_in(10) { object } else { self.objects[0].clone() }
    }

    fn store(&mut self) {
        let (object, ty) = (self.writable_object(), Ty::stored(self.rng));
        let (address, value) = (self.address(&object, ty.bytes()), self.stored(ty));
        let size = self.bytes(ty.bytes());
        self.guard("write", &address, &size);
        self.line(&format!("store {address}, {value}"));
    }

    /// A value whose bits are the same for everybody.
    fn stored(&mut self, ty: Ty) -> String {
        let value = self.operand(ty);
        match ty {
            Ty::Int(_) => value,
            Ty::F32 | Ty::F64 => {
                let nan = self.unnamed(&format!("fisnan {value}"), "i1");
                let one = ty.constant(f64::to_bits(1.0));
                self.unnamed(&format!("select {nan}, {one}, {value}"), &ty.to_string())
            }
        }
    }

    fn load(&mut self) {
        let (object, ty) = (self.any_object(), Ty::stored(self.rng));
        let (address, size) = (self.address(&object, ty.bytes()), self.bytes(ty.bytes()));
        self.guard("read", &address, &size);
        self.guard_defined(&address, &size);
        let v = self.define(&format!("load {address}"), ty);
        self.mix(&v, ty);
    }

    /// A copy of a value that may be indeterminate, with its shadow; and what its shadow says.
    fn copy_scalar(&mut self) {
        let (from, to) = (self.any_object(), self.writable_object());
        let ty = *self.rng.pick(&[I8, I32, Ty::Int(64)]);
        let size = self.bytes(ty.bytes());
        let (source, target) = (self.address(&from, ty.bytes()), self.address(&to, ty.bytes()));
        self.guard("read", &source, &size);
        self.guard("write", &target, &size);
        let value = self.unnamed(&format!("load {source}"), &ty.to_string());
        let shadow = self.unnamed(&format!("load.shadow {source}"), &ty.to_string());
        self.line(&format!("store {target}, {value}"));
        self.line(&format!("store.shadow {target}, {shadow}"));
        self.mix(&shadow, ty);
    }

    /// The length of a bulk operation inside objects of this size.
    fn length(&mut self, most: u64) -> String {
        if self.rng.one_in(3) {
            let mask = if most >= 15 { 15 } else { 7 };
            return self.small(mask);
        }
        let n = self.rng.below(most + 1);
        let whole = self.rng.one_in(3);
        self.bytes(if whole { most } else { n })
    }

    fn copy(&mut self) {
        let (from, to) = (self.any_object(), self.writable_object());
        let len = self.length(from.size.min(to.size));
        self.guard("read", &from.pointer, &len);
        self.guard("write", &to.pointer, &len);
        self.line(&format!("memcopy {}, {}, {len}", to.pointer, from.pointer));
    }

    fn fill(&mut self) {
        let to = self.writable_object();
        let (len, byte) = (self.length(to.size), self.operand(I8));
        self.guard("write", &to.pointer, &len);
        self.line(&format!("memset {}, {byte}, {len}", to.pointer));
    }

    fn scan(&mut self) {
        let object = self.any_object();
        let (limit, byte) = (self.length(object.size), self.operand(I8));
        self.guard("read", &object.pointer, &limit);
        self.guard_defined(&object.pointer, &limit);
        let word = self.word();
        let v = self.define(&format!("scan {}, {byte}, {limit}", object.pointer), word);
        self.mix(&v, word);
    }

    fn mismatch(&mut self) {
        let (a, b) = (self.any_object(), self.any_object());
        let limit = self.length(a.size.min(b.size));
        for pointer in [&a.pointer, &b.pointer] {
            self.guard("read", pointer, &limit);
            self.guard_defined(pointer, &limit);
        }
        let word = self.word();
        let v = self.define(&format!("mismatch {}, {}, {limit}", a.pointer, b.pointer), word);
        self.mix(&v, word);
    }

    /// A local goes out of scope or comes into it again; or the stack is restored to before a new one.
    fn scope(&mut self) {
        let pointer = self.unnamed(&format!("alloca {}, align 8", self.bytes(SMALLEST)), "ptr");
        if self.rng.one_in(2) {
            self.line(&format!("lifetime.end {pointer}"));
            if self.rng.one_in(2) {
                self.line(&format!("lifetime.start {pointer}"));
            }
        } else {
            let saved = self.unnamed("stack.save", "ptr");
            let inner = self.unnamed(&format!("alloca {}, align 8", self.bytes(SMALLEST)), "ptr");
            let len = self.bytes(SMALLEST);
            self.guard("write", &inner, &len);
            self.line(&format!("memset {inner}, 5:i8, {len}"));
            self.line(&format!("stack.restore {saved}"));
            if self.rng.one_in(6) {
                self.objects.push(Object { pointer: inner, size: SMALLEST, heap: false, writable: true });
            }
        }
        if self.rng.one_in(3) {
            self.objects.push(Object { pointer, size: SMALLEST, heap: false, writable: true });
        }
    }

    fn cell_bytes(&self) -> u64 {
        u64::from(self.word().bits() / 8)
    }

    /// The address of a pointer in memory: of a constant or computed cell, the first ones mostly.
    fn cell(&mut self) -> String {
        let (table, cell) = (self.rng.pick(&self.tables).clone(), self.cell_bytes());
        if self.rng.one_in(3) {
            let index = self.small(1);
            let offset = self.unnamed(&format!("mul {index}, {}", self.bytes(cell)), &self.word().to_string());
            return self.unnamed(&format!("ptradd {}, {offset}", table.pointer), "ptr");
        }
        let at = self.rng.below(3) * cell;
        self.moved(&table.pointer, at)
    }

    fn store_pointer(&mut self) {
        if self.rng.one_in(4) {
            return self.table();
        }
        let (address, value, size) = (self.cell(), self.any_object(), self.bytes(self.cell_bytes()));
        let pointer = self.address(&value, 1);
        self.guard("write", &address, &size);
        self.line(&format!("store {address}, {pointer}"));
    }

    /// Another table of pointers, empty or a copy.
    fn table(&mut self) {
        let size = super::GLOBAL_BYTES;
        let pointer = self.unnamed(&format!("alloca {}, align 8", self.bytes(size)), "ptr");
        let from = self.rng.pick(&self.tables).clone();
        let len = if self.rng.one_in(2) { self.bytes(size) } else { self.bytes(2 * self.cell_bytes()) };
        self.guard("read", &from.pointer, &len);
        self.guard("write", &pointer, &len);
        if self.rng.one_in(2) {
            self.line(&format!("memcopy {pointer}, {}, {len}", from.pointer));
        } else {
            self.line(&format!("memset {pointer}, 0:i8, {len}"));
        }
        self.tables.push(Object { pointer, size, heap: false, writable: true });
    }

    /// A pointer from memory, and what it points to.
    fn load_pointer(&mut self) {
        let address = self.cell();
        let size = self.bytes(self.cell_bytes());
        self.guard("read", &address, &size);
        self.guard_defined(&address, &size);
        let loaded = self.unnamed(&format!("load {address}"), "ptr");
        let one = self.bytes(1);
        if self.rng.one_in(3) {
            self.guard("write", &loaded, &one);
            let byte = self.operand(I8);
            return self.line(&format!("store {loaded}, {byte}"));
        }
        self.guard("read", &loaded, &one);
        self.guard_defined(&loaded, &one);
        let v = self.define(&format!("load {loaded}"), I8);
        self.mix(&v, I8);
    }

    /// Builtins that ask about a pointer; comparisons of pointers.
    fn question(&mut self) {
        let (a, b) = (self.any_object(), self.any_object());
        let pointer = self.address(&a, 1);
        let (word, size) = (self.word(), self.length(a.size));
        let (inst, ty) = match self.rng.below(9) {
            0 => (format!("builtin object_size({pointer})"), word),
            1 => (format!("builtin offset({pointer})"), word),
            2 => (format!("builtin readable({pointer}, {size})"), BIT),
            3 => (format!("builtin writable({pointer}, {size})"), BIT),
            4 => (format!("builtin is_heap({pointer})"), BIT),
            5 => (format!("builtin is_live({pointer})"), BIT),
            6 => (format!("builtin is_code({pointer})"), BIT),
            7 => (format!("eq {pointer}, {}", b.pointer), BIT),
            _ => (format!("ne {pointer}, null"), BIT),
        };
        let v = self.define(&inst, ty);
        self.mix(&v, ty);
    }

    fn input_bytes(&mut self) {
        if self.parts.shape.constant_inputs {
            return self.fill();
        }
        let to = self.writable_object();
        let len = self.length(to.size);
        self.guard("write", &to.pointer, &len);
        self.line(&format!("input.bytes {}, {len}, \"bytes\"", to.pointer));
    }

    fn output(&mut self) {
        let object = self.any_object();
        let len = self.length(object.size);
        self.guard("read", &object.pointer, &len);
        self.guard_defined(&object.pointer, &len);
        self.line(&format!("builtin output(1:i32, {}, {len})", object.pointer));
    }
}
