//! Statements without control flow: arithmetic, conversions, inputs, checks, calls.

use super::body::Writer;
use super::types::{BIT, I32, I64, Ty};

const INT_UNARY: &[&str] = &["ctpop", "ctlz", "cttz", "bitreverse"];
const FLOAT_UNARY: &[&str] = &["fneg", "fabs", "fsqrt", "ffloor", "fceil", "ftrunc", "froundeven", "fround"];
const FLOAT_TESTS: &[&str] = &["fisnan", "fisinf", "fisfinite", "fisnormal", "fissubnormal", "fiszero"];
const INT_BINARY: &[&str] = &[
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor", "umin", "umax",
    "smin", "smax",
];
const FLOAT_BINARY: &[&str] = &["fadd", "fsub", "fmul", "fdiv", "frem", "fmin", "fmax", "fcopysign"];
const FLOAT_COMPARE: &[&str] =
    &["foeq", "fone", "folt", "fole", "fogt", "foge", "ford", "fueq", "fune", "fult", "fule", "fugt", "fuge", "funo"];
const OVERFLOW: &[&str] =
    &["sadd.overflow", "uadd.overflow", "ssub.overflow", "usub.overflow", "smul.overflow", "umul.overflow"];

impl Writer<'_> {
    pub fn statement(&mut self) {
        match self.rng.below(30) {
            0..=3 => self.int_operation(),
            4 => self.float_operation(),
            5 => self.comparison(),
            6 | 7 => self.conversion(),
            8 => self.choice(),
            9 => self.rounded(),
            10 => {
                let ty = Ty::random(self.rng);
                self.input(ty);
            }
            11 => self.check(),
            12 => self.assume(),
            13 | 14 => self.call(),
            15 => self.call_through_pointer(),
            16 => self.fold_something(),
            _ => self.memory_statement(),
        }
    }

    /// A fresh input, or the constant that stands for it.
    pub fn input(&mut self, ty: Ty) {
        if self.parts.shape.constant_inputs {
            let bits = self.rng.interesting();
            let constant = ty.constant(bits);
            self.values.push((constant, ty));
            return;
        }
        let n = self.values.len();
        self.define(&format!("input \"x{n}\""), ty);
    }

    fn int_operation(&mut self) {
        let ty = Ty::int(self.rng);
        let a = self.operand(ty);
        let v = match self.rng.below(8) {
            0 => {
                let op = *self.rng.pick(INT_UNARY);
                self.define(&format!("{op} {a}"), ty)
            }
            1 => self.define(&format!("bswap {a}"), ty),
            2 => {
                let (op, b) = (*self.rng.pick(OVERFLOW), self.operand(ty));
                return self.define_and_mix(&format!("{op} {a}, {b}"), BIT);
            }
            _ => {
                let (op, b) = (*self.rng.pick(INT_BINARY), self.operand(ty));
                self.define(&format!("{op} {a}, {b}"), ty)
            }
        };
        if self.rng.one_in(2) {
            self.mix(&v, ty);
        }
    }

    fn define_and_mix(&mut self, inst: &str, ty: Ty) {
        let v = self.define(inst, ty);
        self.mix(&v, ty);
    }

    fn float_operation(&mut self) {
        let ty = Ty::float(self.rng);
        let (a, b) = (self.operand(ty), self.operand(ty));
        match self.rng.below(6) {
            0 => {
                let op = *self.rng.pick(FLOAT_UNARY);
                self.define_and_mix(&format!("{op} {a}"), ty);
            }
            1 => {
                let c = self.operand(ty);
                self.define_and_mix(&format!("fma {a}, {b}, {c}"), ty);
            }
            2 => {
                let op = *self.rng.pick(FLOAT_TESTS);
                self.define_and_mix(&format!("{op} {a}"), BIT);
            }
            _ => {
                let op = *self.rng.pick(FLOAT_BINARY);
                self.define_and_mix(&format!("{op} {a}, {b}"), ty);
            }
        }
    }

    fn comparison(&mut self) {
        if self.rng.one_in(2) {
            let ty = Ty::float(self.rng);
            let (a, b, op) = (self.operand(ty), self.operand(ty), *self.rng.pick(FLOAT_COMPARE));
            return self.define_and_mix(&format!("{op} {a}, {b}"), BIT);
        }
        let cond = self.condition();
        self.values.push((cond.clone(), BIT));
        self.mix(&cond, BIT);
    }

    fn conversion(&mut self) {
        let (from, to) = (Ty::random(self.rng), Ty::random(self.rng));
        let arg = self.operand(from);
        let op = match (from, to) {
            (Ty::Int(a), Ty::Int(b)) if a > b => "trunc",
            (Ty::Int(a), Ty::Int(b)) if a < b => *self.rng.pick(&["zext", "sext"]),
            (Ty::Int(_), Ty::Int(_)) => return,
            (Ty::Int(a), _) if a == to.bits() && self.rng.one_in(2) => "bitcast",
            (Ty::Int(_), _) => *self.rng.pick(&["sitof", "uitof"]),
            (_, Ty::Int(_)) => *self.rng.pick(&["ftosi", "ftoui"]),
            (a, b) if a == b => return,
            (_, _) => "ftof",
        };
        self.define_and_mix(&format!("{op} {arg}"), to);
    }

    fn choice(&mut self) {
        let ty = Ty::random(self.rng);
        let (cond, a, b) = (self.condition(), self.operand(ty), self.operand(ty));
        self.define_and_mix(&format!("select {cond}, {a}, {b}"), ty);
    }

    fn rounded(&mut self) {
        let ty = Ty::float(self.rng);
        let mode = self.rng.below(5);
        let (a, b) = (self.operand(ty), self.operand(ty));
        let inst = match self.rng.below(6) {
            0 => format!("builtin rounded_sqrt({mode}:i32, {a})"),
            1 => format!("builtin rounded_integral({mode}:i32, {a})"),
            2 => {
                let n = self.operand(I64);
                format!("builtin rounded_from_signed({mode}:i32, {n})")
            }
            _ => {
                let op = *self.rng.pick(&["add", "sub", "mul", "div"]);
                format!("builtin rounded_{op}({mode}:i32, {a}, {b})")
            }
        };
        self.define_and_mix(&inst, ty);
    }

    /// An assertion that most runs keep.
    fn check(&mut self) {
        let cond = self.mostly_true();
        let property = self.property("assertion");
        self.line(&format!("check {cond}, {property}"));
    }

    fn assume(&mut self) {
        let cond = self.mostly_true();
        self.line(&format!("assume {cond}"));
    }

    fn mostly_true(&mut self) -> String {
        let x = self.operand(I32);
        match self.rng.below(6) {
            0 => self.condition(),
            1 => self.unnamed(&format!("ne {x}, 3:i32"), "i1"),
            2 => self.unnamed(&format!("slt {x}, 2147483000:i32"), "i1"),
            _ => {
                let small = self.unnamed(&format!("and {x}, 7:i32"), "i32");
                self.unnamed(&format!("ult {small}, 8:i32"), "i1")
            }
        }
    }

    /// Arguments of a call of function `n`, if it may be called from here: no circles but the function's own.
    fn arguments(&mut self, n: usize) -> Vec<String> {
        let callee = self.parts.funcs[n - 1].clone();
        let mut args: Vec<String> = callee.params.iter().map(|ty| self.operand(*ty)).collect();
        args.push(self.operand(I32));
        args.push(self.pointer_to_any());
        if callee.variadic {
            args.extend([self.operand(I32), self.operand(I64)]);
        }
        args
    }

    fn call(&mut self) {
        let callees = self.parts.funcs.len();
        if self.func >= callees {
            return self.int_operation();
        }
        let n = self.func + 1 + self.rng.below((callees - self.func) as u64) as usize;
        let args = self.arguments(n).join(", ");
        let signature = self.parts.funcs[n - 1].signature();
        self.define_and_mix(&format!("call func{n}({args}) : {signature}"), I64);
    }

    /// A call through a pointer that was loaded (the second cell of global 3 is function 1) or chosen.
    fn call_through_pointer(&mut self) {
        if self.func > 0 || self.parts.funcs[0].variadic {
            return self.float_operation();
        }
        let args = self.arguments(1).join(", ");
        let signature = self.parts.funcs[0].signature();
        let pointer = if self.rng.one_in(2) {
            let cond = self.condition();
            self.unnamed(&format!("select {cond}, func1, func1"), "ptr")
        } else {
            "func1".into()
        };
        let code = self.unnamed(&format!("builtin is_code({pointer})"), "i1");
        let property = self.property("null-deref");
        self.line(&format!("check {code}, {property}"));
        self.define_and_mix(&format!("call.ptr {pointer}({args}) : {signature}"), I64);
    }

    fn fold_something(&mut self) {
        let ty = Ty::random(self.rng);
        let v = self.operand(ty);
        self.mix(&v, ty);
    }
}
