//! Small C programs with threads made at random: two or three threads over a few shared scalars, locks, a condition, a semaphore, joins in any order, assertions
//! about what was read.
//!
//! The same seed gives the same program. No thread loops but around a wait, so that every schedule ends; there are no inputs but spurious wake-ups.

use std::fmt::Write;

const HEADER: &str = "\
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static int x, y;
static atomic_int a;
static int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
";

struct Generator {
    seed: u64,
    out: String,
    /// Statements that the thread may still make.
    left: u64,
}

/// The program of a seed. It is checked for assertions and deadlocks: races are everywhere.
pub fn program(seed: u64) -> String {
    let mut g = Generator { seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, out: HEADER.to_owned(), left: 0 };
    // The generator's first values are near its seed.
    for _ in 0..8 {
        g.below(2);
    }
    let threads = 1 + g.below(2);
    for t in 0..threads {
        let _ = writeln!(g.out, "static void *t{t}(void *arg) {{\n  int r = 0;");
        g.left = 3 + g.below(3) - threads;
        g.statements(1);
        g.out.push_str("  return 0;\n}\n");
    }
    let _ = writeln!(g.out, "int main(void) {{\n  pthread_t t[{threads}];\n  int r = 0;");
    let initial = g.below(2);
    let _ = writeln!(g.out, "  sem_init(&s, 0, {initial});");
    for t in 0..threads {
        let _ = writeln!(g.out, "  pthread_create(&t[{t}], 0, t{t}, 0);");
    }
    g.left = 2 + g.below(2);
    g.statements(1);
    for t in 0..threads {
        let _ = writeln!(g.out, "  pthread_join(t[{t}], 0);");
    }
    let claim = g.claim();
    let _ = writeln!(g.out, "  assert({claim});\n  return 0;\n}}");
    g.out
}

impl Generator {
    fn below(&mut self, n: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) % n
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len() as u64) as usize]
    }

    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = indent * 2);
    }

    fn statements(&mut self, indent: usize) {
        while self.left > 0 {
            self.left -= 1;
            self.statement(indent);
        }
    }

    fn statement(&mut self, indent: usize) {
        match self.below(12) {
            0 | 1 => {
                let (to, n) = (self.pick(&["x", "y", "a"]), self.below(3));
                self.line(indent, &format!("{to} = {n};"));
            }
            2 | 3 => {
                let to = self.pick(&["x++", "y++", "a++", "x += y", "y = x + 1", "a = x"]);
                self.line(indent, &format!("{to};"));
            }
            4 => {
                let from = self.pick(&["x", "y", "a", "x + y"]);
                self.line(indent, &format!("r = {from};"));
            }
            5 => {
                let claim = self.claim();
                self.line(indent, &format!("assert({claim} || r == 1);"));
            }
            6 | 7 => self.locked(indent),
            8 => {
                let claim = self.claim();
                self.line(indent, &format!("if ({claim})"));
                let then = self.pick(&["x = 2;", "y++;", "r++;", "a = 0;"]);
                self.line(indent + 1, then);
            }
            9 => self.line(indent, "sem_post(&s);"),
            10 => {
                let wait = self.pick(&["sem_wait(&s);", "r = sem_trywait(&s) == 0;", "sem_post(&s);"]);
                self.line(indent, wait);
            }
            _ => self.condition(indent),
        }
    }

    fn locked(&mut self, indent: usize) {
        let lock = self.pick(&["m", "m", "n"]);
        self.line(indent, &format!("pthread_mutex_lock(&{lock});"));
        if self.left > 0 {
            self.left -= 1;
            let inner = self.pick(&["x++;", "y = x;", "r = x;", "x = y + 1;"]);
            self.line(indent + 1, inner);
        }
        if self.below(4) == 0 {
            let other = if lock == "m" { "n" } else { "m" };
            self.line(indent + 1, &format!("pthread_mutex_lock(&{other});"));
            self.line(indent + 1, &format!("pthread_mutex_unlock(&{other});"));
        }
        self.line(indent, &format!("pthread_mutex_unlock(&{lock});"));
    }

    /// One side of a handshake; the other may be missing, which is a deadlock.
    fn condition(&mut self, indent: usize) {
        self.line(indent, "pthread_mutex_lock(&m);");
        match self.below(5) {
            0 => {
                let test = self.pick(&["while", "if"]);
                self.line(indent, &format!("{test} (!ready)"));
                self.line(indent + 1, "pthread_cond_wait(&c, &m);");
                self.line(indent, "r = ready;");
            }
            _ => {
                self.line(indent, "ready = 1;");
                let wake = self.pick(&["pthread_cond_signal(&c);", "pthread_cond_broadcast(&c);"]);
                self.line(indent, wake);
            }
        }
        self.line(indent, "pthread_mutex_unlock(&m);");
    }

    fn claim(&mut self) -> String {
        let (left, op) = (self.pick(&["x", "y", "a", "r", "x + y"]), self.pick(&["==", "!=", "<=", ">="]));
        let right = self.below(4);
        format!("{left} {op} {right}")
    }
}
