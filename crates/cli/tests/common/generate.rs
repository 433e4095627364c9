//! Small C programs made at random, rich in loops: nested ones, ones in functions and in conditions, recursion, `break`,
//! `continue`, `do`, `goto`, state that flows from one iteration to the next, objects allocated in loops.
//!
//! The same seed gives the same program. Most loops end after few rounds; every input is masked to a few bits, so that
//! a small bound decides most programs.

use std::fmt::Write;

pub struct Generator {
    seed: u64,
    out: String,
    indent: usize,
    names: u32,
    depth: u32,
    /// Statements that may still be made.
    left: u32,
}

const HEADER: &str = "\
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
static unsigned in(unsigned mask) { return __VERIFIER_nondet_uint() & mask; }
static unsigned g, h;
static unsigned table[6];
";

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut g = Generator {
        seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        out: HEADER.to_owned(),
        indent: 0,
        names: 0,
        depth: 0,
        left: 0,
    };
    g.functions();
    g.main();
    g.out
}

impl Generator {
    fn below(&mut self, n: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) % n
    }

    fn pick(&mut self, of: &[&str]) -> String {
        of[self.below(of.len() as u64) as usize].to_owned()
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = self.indent * 2);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn functions(&mut self) {
        self.line("static unsigned count(unsigned n) { return n == 0 ? 0 : 1 + count(n - 1); }");
        self.line("static unsigned odd(unsigned n);");
        self.line("static unsigned even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }");
        self.line("static unsigned odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }");
        self.line("static unsigned drain(unsigned *p) { unsigned n = 0; while (*p) { --*p; n++; } return n; }");
        self.line("static unsigned work(unsigned x, unsigned *p) {");
        self.body(3);
        self.line("  return x + *p;");
        self.line("}");
    }

    fn main(&mut self) {
        self.line("int main(void) {");
        self.line("  unsigned x = in(7), y = in(3), *p = &y;");
        self.body(5);
        self.line("  assert(g != 77 || h != 3);");
        self.line("  return 0;");
        self.line("}");
    }

    fn body(&mut self, statements: u32) {
        self.left = statements;
        self.indent += 1;
        while self.left > 0 {
            self.statement();
        }
        self.indent -= 1;
    }

    fn expression(&mut self) -> String {
        let call = self.depth < 2 && !self.out.ends_with("work");
        match self.below(if call { 9 } else { 7 }) {
            0 => "in(3)".to_owned(),
            1 => self.pick(&["x", "g", "h", "*p"]),
            2 => format!("{}", self.below(6)),
            3 => format!("(x + {})", self.below(4)),
            4 => "(g ^ h)".to_owned(),
            5 => format!("(*p & {})", self.below(7) + 1),
            6 => format!("table[{} % 6]", self.pick(&["x", "g", "h"])),
            7 => format!("count({} & 3)", self.pick(&["x", "g", "*p"])),
            _ => format!("even({} & 3)", self.pick(&["x", "h"])),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.expression(), self.expression());
        let op = self.pick(&["<", "==", "!=", ">", ">="]);
        format!("{a} {op} {b}")
    }

    fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        let deep = self.depth >= 2;
        match self.below(if deep { 6 } else { 16 }) {
            0 => {
                let e = self.expression();
                self.line(&format!("x = {e};"));
            }
            1 => {
                let (v, e) = (self.pick(&["g", "h", "*p"]), self.expression());
                self.line(&format!("{v} += {e};"));
            }
            2 => {
                let (i, e) = (self.pick(&["x", "g", "h"]), self.expression());
                self.line(&format!("table[{i} % 6] = {e};"));
            }
            3 => {
                let (c, k) = (self.condition(), self.below(40) + 3);
                self.line(&format!("assert(!({c}) || g != {k});"));
            }
            4 => {
                let v = self.pick(&["&g", "&h", "&table[2]"]);
                self.line(&format!("if (in(1)) p = {v};"));
            }
            5 => self.line("g &= 63, h &= 15, *p &= 31;"),
            6 | 7 => self.branch(),
            8 | 9 => self.counted(),
            10 => self.while_loop(),
            11 => self.do_loop(),
            12 => self.heap_loop(),
            13 => self.goto_loop(),
            14 => self.switch_loop(),
            _ => self.call(),
        }
    }

    fn nested(&mut self, most: u64) {
        self.depth += 1;
        self.indent += 1;
        for _ in 0..=self.below(most) {
            self.statement();
        }
        self.indent -= 1;
        self.depth -= 1;
    }

    fn branch(&mut self) {
        let c = self.condition();
        self.line(&format!("if ({c}) {{"));
        self.nested(2);
        if self.below(2) == 0 {
            self.line("} else {");
            self.nested(2);
        }
        self.line("}");
    }

    fn counted(&mut self) {
        let (i, e) = (self.name("i"), self.expression());
        let bound = if self.below(3) == 0 { format!("{}", self.below(4) + 1) } else { format!("({e} & 3)") };
        self.line(&format!("for (unsigned {i} = 0; {i} < {bound}; {i}++) {{"));
        self.nested(2);
        if self.below(3) == 0 {
            let c = self.condition();
            let how = self.pick(&["break", "continue"]);
            self.line(&format!("  if ({c}) {how};"));
            self.line(&format!("  h += {i};"));
        }
        self.line("}");
    }

    fn while_loop(&mut self) {
        let n = self.name("n");
        let e = self.expression();
        self.line(&format!("unsigned {n} = {e} & 3;"));
        let head = match self.below(3) {
            0 => format!("while ({n}-- > 0)"),
            1 => format!("while ({n} && drain(&{n}) > in(1))"),
            _ => format!("while ({n} > 0 && in(1))"),
        };
        self.line(&format!("{head} {{"));
        self.nested(2);
        if head.contains("in(1))") && !head.contains("drain") {
            self.line(&format!("  {n}--;"));
        }
        self.line("}");
    }

    fn do_loop(&mut self) {
        let n = self.name("d");
        let e = self.expression();
        self.line(&format!("unsigned {n} = {e} & 3;"));
        self.line("do {");
        self.nested(2);
        self.line(&format!("}} while ({n}-- != 0);"));
    }

    fn heap_loop(&mut self) {
        let (n, q) = (self.name("n"), self.name("q"));
        self.line(&format!("for (unsigned {n} = in(3); {n}; {n}--) {{"));
        self.line(&format!("  unsigned *{q} = malloc(sizeof *{q});"));
        self.line(&format!("  if (!{q}) break;"));
        self.line(&format!("  *{q} = {n};"));
        self.nested(2);
        self.line(&format!("  g += *{q};"));
        let how = self.below(12);
        self.line(&format!("  if ({}) free({q});", if how == 0 { "g != 9" } else { "1" }));
        self.line("}");
    }

    fn goto_loop(&mut self) {
        let (l, n) = (self.name("again"), self.name("n"));
        self.line(&format!("unsigned {n} = in(3);"));
        self.line(&format!("{l}:;"));
        self.line("{");
        self.nested(1);
        self.line("}");
        self.line(&format!("if ({n}-- > 1) goto {l};"));
    }

    fn switch_loop(&mut self) {
        let n = self.name("s");
        self.line(&format!("for (unsigned {n} = 0; {n} != 4;) switch ({n}) {{"));
        self.line(&format!("case 0: {n} = in(1) ? 1 : 2; continue;"));
        self.line("case 1: {");
        self.nested(2);
        self.line(&format!("  {n} = 3; break; }}"));
        let e = self.expression();
        self.line(&format!("case 2: g += {e}; {n} = 4; break;"));
        self.line(&format!("default: {n} = 4;"));
        self.line("}");
    }

    fn call(&mut self) {
        let main = self.out.contains("int main(void)");
        let e = self.expression();
        if main {
            let target = self.pick(&["&g", "&h", "p", "&x"]);
            self.line(&format!("h += work({e}, {target});"));
        } else {
            let n = self.name("n");
            self.line(&format!("unsigned {n} = {e} & 3; h += drain(&{n});"));
        }
    }
}
