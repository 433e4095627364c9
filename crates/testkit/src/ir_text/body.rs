//! A function: blocks, values in scope, and the control flow around statements.
//!
//! Control flow is structured, so that what is in scope dominates what follows: a list of values that is cut back where a region ends.

use super::types::{I8, I32, I64, Ty};
use super::{Parts, SMALLEST};
use crate::Rng;
use std::fmt::Write;

/// The text of a function's body.
pub(crate) struct Body(String);

/// Memory that statements access.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub pointer: String,
    pub size: u64,
    pub heap: bool,
    pub writable: bool,
}

/// Nesting of control flow, at most.
const MAX_DEPTH: u64 = 3;

pub(super) struct Writer<'a> {
    pub rng: &'a mut Rng,
    pub parts: &'a mut Parts,
    /// Number of the function.
    pub func: usize,
    /// Finished and current blocks: label and lines. Labels are numbered as they are made, blocks as they begin.
    blocks: Vec<(u64, String)>,
    labels: u64,
    next_value: u64,
    pub values: Vec<(String, Ty)>,
    pub objects: Vec<Object>,
    /// Memory that holds pointers. Their bits enter no checksum, so nothing else reads it.
    pub tables: Vec<Object>,
    /// The checksum so far, 64 bits.
    pub checksum: String,
    left: u64,
    depth: u64,
}

impl Body {
    pub fn text(&self) -> &str {
        &self.0
    }

    pub fn of_main(rng: &mut Rng, parts: &mut Parts) -> Body {
        let mut w = Writer::new(0, rng, parts);
        let entry = w.label();
        w.begin(entry, "");
        let compare = w.define("input \"compare\"", I8);
        let expected = w.define("input \"expected\"", I32);
        // These two decide nothing else.
        w.values.clear();
        w.inputs();
        w.region();
        let checksum = w.checksum.clone();
        let high = w.unnamed(&format!("lshr {checksum}, 32:i64"), "i64");
        let folded = w.unnamed(&format!("xor {checksum}, {high}"), "i64");
        let status = w.unnamed(&format!("trunc {folded}"), "i32");
        let plain = w.unnamed(&format!("eq {compare}, 0:i8"), "i1");
        let (tell, ask) = (w.label(), w.label());
        w.line(&format!("branch {plain}, {tell}, {ask}"));
        w.begin(tell, "");
        w.line(&format!("halt {status}"));
        w.begin(ask, "");
        let same = w.unnamed(&format!("eq {status}, {expected}"), "i1");
        w.line(&format!("check {same}, prop0"));
        w.line("return 0:i32");
        w.finish()
    }

    pub fn of_callee(n: usize, rng: &mut Rng, parts: &mut Parts) -> Body {
        let callee = parts.funcs[n - 1].clone();
        let mut w = Writer::new(n, rng, parts);
        let entry = w.label();
        let mut params = Vec::new();
        for &ty in &callee.params {
            let v = w.value();
            params.push(format!("{v}: {ty}"));
            w.values.push((v, ty));
        }
        let (count, pointer) = (w.value(), w.value());
        params.extend([format!("{count}: i32"), format!("{pointer}: ptr")]);
        w.values.push((count.clone(), I32));
        w.objects.push(Object { pointer: pointer.clone(), size: SMALLEST, heap: false, writable: true });
        if callee.variadic {
            let list = w.value();
            params.push(format!("{list}: ptr"));
            // Every call passes two more arguments, in slots of at least 4 bytes.
            w.objects.push(Object { pointer: list, size: 8, heap: false, writable: true });
        }
        w.begin(entry, &params.join(", "));
        if callee.recursive {
            w.recursion(n, &count, &pointer);
        }
        w.region();
        let checksum = w.checksum.clone();
        w.line(&format!("return {checksum}"));
        w.finish()
    }
}

impl<'a> Writer<'a> {
    fn new(func: usize, rng: &'a mut Rng, parts: &'a mut Parts) -> Self {
        let size = super::GLOBAL_BYTES;
        let global = |n: usize| Object { pointer: format!("global{n}"), size, heap: false, writable: n != 1 };
        let objects = (0..2).map(global).collect();
        let tables = vec![global(3)];
        let left = parts.shape.statements;
        Self {
            rng,
            parts,
            func,
            blocks: Vec::new(),
            labels: 0,
            next_value: 0,
            values: Vec::new(),
            objects,
            tables,
            checksum: "7:i64".into(),
            left,
            depth: 0,
        }
    }

    fn finish(self) -> Body {
        let place = |label: u64| self.blocks.iter().position(|(l, _)| *l == label).expect("every block should begin");
        let mut text = String::new();
        for (n, (_, lines)) in self.blocks.iter().enumerate() {
            let _ = write!(text, "block{n}");
            let mut pieces = lines.split('~');
            text.push_str(pieces.next().unwrap_or_default());
            while let (Some(label), Some(rest)) = (pieces.next(), pieces.next()) {
                let (address, number) = match label.strip_prefix('&') {
                    Some(number) => (true, number),
                    None => (false, label),
                };
                let at = place(number.parse().expect("a label should be a number"));
                let _ = if address { write!(text, "{}", at + 1) } else { write!(text, "block{at}") };
                text.push_str(rest);
            }
        }
        Body(text)
    }

    /// A block to come: `~5~` in the text until all blocks have their numbers.
    pub fn label(&mut self) -> String {
        self.labels += 1;
        format!("~{}~", self.labels)
    }

    pub fn begin(&mut self, label: String, params: &str) {
        let number = label.trim_matches('~').parse().expect("a label should be a number");
        let params = if params.is_empty() { String::new() } else { format!("({params})") };
        self.blocks.push((number, format!("{params}:\n")));
    }

    pub fn line(&mut self, text: &str) {
        let lines = &mut self.blocks.last_mut().expect("a block should have begun").1;
        let _ = writeln!(lines, "  {text}");
    }

    pub fn value(&mut self) -> String {
        self.next_value += 1;
        format!("v{}", self.next_value - 1)
    }

    /// The result of an instruction, not offered to other statements.
    pub fn unnamed(&mut self, inst: &str, ty: &str) -> String {
        let v = self.value();
        self.line(&format!("{v}: {ty} = {inst}"));
        v
    }

    /// The result of an instruction, for later statements.
    pub fn define(&mut self, inst: &str, ty: Ty) -> String {
        let v = self.unnamed(inst, &ty.to_string());
        self.values.push((v.clone(), ty));
        v
    }

    /// A value of this type: one in scope, or a constant.
    pub fn operand(&mut self, ty: Ty) -> String {
        let fitting: Vec<&String> = self.values.iter().filter(|(_, t)| *t == ty).map(|(v, _)| v).collect();
        if fitting.is_empty() || self.rng.one_in(4) {
            let bits = self.rng.interesting();
            return ty.constant(bits);
        }
        // Later ones more often: chains of operations.
        let last = fitting.len() as u64 - 1;
        let back = self.rng.below(last + 1).min(self.rng.below(last + 1));
        fitting[(last - back) as usize].clone()
    }

    /// Mixes a value into the checksum.
    pub fn mix(&mut self, value: &str, ty: Ty) {
        let bits = match ty {
            Ty::Int(64) => value.to_owned(),
            Ty::Int(w) if w < 64 => self.unnamed(&format!("zext {value}"), "i64"),
            Ty::Int(_) => self.unnamed(&format!("trunc {value}"), "i64"),
            Ty::F32 | Ty::F64 => self.without_nan(value, ty),
        };
        let times = self.unnamed(&format!("mul {}, 31:i64", self.checksum), "i64");
        self.checksum = self.unnamed(&format!("add {times}, {bits}"), "i64");
    }

    fn without_nan(&mut self, value: &str, ty: Ty) -> String {
        let bits = self.unnamed(&format!("bitcast {value}"), &format!("i{}", ty.bits()));
        let wide = if ty == Ty::F32 { self.unnamed(&format!("zext {bits}"), "i64") } else { bits };
        let nan = self.unnamed(&format!("fisnan {value}"), "i1");
        self.unnamed(&format!("select {nan}, 0:i64, {wide}"), "i64")
    }

    /// A condition that random inputs make true and false.
    pub fn condition(&mut self) -> String {
        let ty = *self.rng.pick(&[I8, I32, I32, I64]);
        let (a, b) = (self.operand(ty), self.operand(ty));
        let op = *self.rng.pick(&["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]);
        self.unnamed(&format!("{op} {a}, {b}"), "i1")
    }

    fn inputs(&mut self) {
        for _ in 0..1 + self.rng.below(4) {
            let ty = Ty::random(self.rng);
            self.input(ty);
        }
    }

    /// Statements and control flow until the share of this region is used up.
    pub fn region(&mut self) {
        let share = 1 + self.rng.below(self.left.max(1));
        for _ in 0..share {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            match self.rng.below(24) {
                0..=2 if self.depth < MAX_DEPTH => self.branch(),
                3 | 4 if self.depth < MAX_DEPTH => self.counted_loop(),
                5 if self.depth < MAX_DEPTH => self.switch(),
                6 if self.depth < MAX_DEPTH => self.indirect(),
                7 if self.func == 0 && self.depth == 0 => self.jump_back(),
                _ => self.statement(),
            }
        }
    }

    /// Runs `inside` in a region of its own: what it defines is out of scope afterwards.
    fn inner(&mut self, inside: impl FnOnce(&mut Self)) {
        let (values, objects, tables) = (self.values.len(), self.objects.clone(), self.tables.clone());
        let before = self.checksum.clone();
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.values.truncate(values);
        (self.objects, self.tables) = (objects, tables);
        self.checksum = before;
    }

    /// The block where regions join; they pass it a checksum and a value.
    fn join(&mut self, label: String, ty: Ty) {
        let (sum, value) = (self.value(), self.value());
        self.begin(label, &format!("{sum}: i64, {value}: {ty}"));
        self.checksum = sum;
        self.values.push((value, ty));
    }

    /// One way to a join.
    fn way(&mut self, begin: String, join: &str, ty: Ty, empty: bool) {
        self.begin(begin, "");
        self.inner(|w| {
            if !empty {
                w.region();
            }
            let (sum, value) = (w.checksum.clone(), w.operand(ty));
            w.line(&format!("jump {join}({sum}, {value})"));
        });
    }

    fn branch(&mut self) {
        let cond = self.condition();
        let (then, other, join, ty) = (self.label(), self.label(), self.label(), Ty::random(self.rng));
        self.line(&format!("branch {cond}, {then}, {other}"));
        self.way(then, &join, ty, false);
        let empty = self.rng.one_in(2);
        self.way(other, &join, ty, empty);
        self.join(join, ty);
    }

    fn switch(&mut self) {
        let value = self.operand(I32);
        let value = self.unnamed(&format!("and {value}, 3:i32"), "i32");
        let (a, b, default, join) = (self.label(), self.label(), self.label(), self.label());
        let ty = Ty::random(self.rng);
        self.line(&format!("switch {value}, {default}, 0:i32 {a}, 2:i32 {b}"));
        for label in [a, b, default] {
            let empty = self.rng.one_in(3);
            self.way(label, &join, ty, empty);
        }
        self.join(join, ty);
    }

    fn indirect(&mut self) {
        let cond = self.condition();
        let (a, b, join, ty) = (self.label(), self.label(), self.label(), Ty::random(self.rng));
        let word = self.parts.word();
        let address = |label: &str| format!("~&{}~:{word}", label.trim_matches('~'));
        let number = self.unnamed(&format!("select {cond}, {}, {}", address(&a), address(&b)), &word.to_string());
        let pointer = self.unnamed(&format!("inttoptr {number}"), "ptr");
        self.line(&format!("indirect {pointer}, [{a}, {b}]"));
        self.way(a, &join, ty, false);
        self.way(b, &join, ty, true);
        self.join(join, ty);
    }

    fn counted_loop(&mut self) {
        let limit = match self.rng.below(3) {
            0 => {
                let x = self.operand(I32);
                self.unnamed(&format!("and {x}, 3:i32"), "i32")
            }
            _ => format!("{}:i32", 1 + self.rng.below(3)),
        };
        let (head, body, next, done) = (self.label(), self.label(), self.label(), self.label());
        self.line(&format!("jump {head}(0:i32, {})", self.checksum));
        let (i, sum) = (self.value(), self.value());
        self.begin(head.clone(), &format!("{i}: i32, {sum}: i64"));
        let more = self.unnamed(&format!("ult {i}, {limit}"), "i1");
        self.line(&format!("branch {more}, {body}, {done}({sum})"));
        self.begin(body, "");
        self.checksum = sum;
        self.inner(|w| {
            w.values.push((i.clone(), I32));
            w.region();
            let sum = w.checksum.clone();
            let leaves = if w.rng.one_in(3) { w.condition() } else { "0:i1".into() };
            w.line(&format!("branch {leaves}, {done}({sum}), {next}({sum})"));
        });
        let after = self.value();
        self.begin(next, &format!("{after}: i64"));
        let plus = self.unnamed(&format!("add {i}, 1:i32"), "i32");
        self.line(&format!("jump {head}({plus}, {after})"));
        let last = self.value();
        self.begin(done, &format!("{last}: i64"));
        self.checksum = last;
    }

    /// `setjmp`, a region, and perhaps a jump back.
    fn jump_back(&mut self) {
        let came = self.unnamed("setjmp global2", "i32");
        let first = self.unnamed(&format!("eq {came}, 0:i32"), "i1");
        let (inside, back, jump, join) = (self.label(), self.label(), self.label(), self.label());
        self.line(&format!("branch {first}, {inside}, {back}"));
        self.begin(inside, "");
        let target = join.clone();
        self.inner(|w| {
            w.region();
            let (cond, sum) = (w.condition(), w.checksum.clone());
            w.line(&format!("branch {cond}, {jump}, {target}({sum}, 0:i32)"));
            w.begin(jump.clone(), "");
            let set = w.unnamed("builtin jump_set(global2)", "i1");
            let property = w.property("use-after-scope");
            w.line(&format!("check {set}, {property}"));
            let code = 1 + w.rng.below(9);
            w.line(&format!("longjmp global2, {code}:i32"));
        });
        let sum = self.checksum.clone();
        self.begin(back, "");
        self.line(&format!("jump {join}({sum}, {came})"));
        self.join(join, I32);
        let (value, ty) = self.values.last().cloned().expect("a join should define a value");
        self.mix(&value, ty);
    }

    /// Calls the function itself while its counter lasts.
    fn recursion(&mut self, n: usize, count: &str, pointer: &str) {
        let callee = self.parts.funcs[n - 1].clone();
        let few = self.unnamed(&format!("and {count}, 3:i32"), "i32");
        let ends = self.unnamed(&format!("eq {few}, 0:i32"), "i1");
        let (again, join) = (self.label(), self.label());
        let sum = self.checksum.clone();
        self.line(&format!("branch {ends}, {join}({sum}), {again}"));
        self.begin(again, "");
        let less = self.unnamed(&format!("sub {few}, 1:i32"), "i32");
        let mut args: Vec<String> = callee.params.iter().map(|ty| self.operand(*ty)).collect();
        args.extend([less, pointer.to_owned()]);
        if callee.variadic {
            args.extend(["5:i32".into(), "6:i32".into()]);
        }
        let call = format!("call func{n}({}) : {}", args.join(", "), callee.signature());
        let result = self.unnamed(&call, "i64");
        self.mix(&result, I64);
        let sum = self.checksum.clone();
        self.line(&format!("jump {join}({sum})"));
        let sum = self.value();
        self.begin(join, &format!("{sum}: i64"));
        self.checksum = sum;
    }

    pub fn property(&mut self, kind: &'static str) -> String {
        self.parts.property(kind, self.func)
    }
}
