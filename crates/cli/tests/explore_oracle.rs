//! The leaves of an execution tree against exhaustive enumeration: on generated programs of two bytes of input each leaf's test takes exactly the
//! branches that the leaf predicts, no two leaves stand for the same branches, and no input takes branches that no leaf stands for.
//!
//! A program mixes a number for every branch it takes into `h`, which hangs on nothing else: so a leaf's symbolic result is a constant that names its
//! path, and a native run on each of the 65,536 inputs says which path it took. Quick runs take a few programs, `BLITZ_TEST_LONG=1` takes 200.

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const QUICK: u64 = 6;
const LONG: u64 = 200;

#[test]
fn leaves_are_disjoint_and_complete() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore-oracle");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let seeds: Vec<u64> = (1..=if common::long() { LONG } else { QUICK }).collect();
    let failed = common::in_parallel(&seeds, |seed| compare(*seed, &folder).map_err(|e| format!("seed {seed}: {e}")));
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), seeds.len(), failed.join("\n"));
}

fn compare(seed: u64, folder: &Path) -> Result<(), String> {
    let (source, out) = (folder.join(format!("{seed}.c")), folder.join(format!("{seed}.out")));
    std::fs::write(&source, program(seed)).map_err(|e| e.to_string())?;
    let native = enumerate(&source, &folder.join(format!("{seed}.bin")))?;
    let args = ["explore", "--entry=path", "--checks=assertion", "--no-native", "--quiet", "--tests=inputs"];
    let searcher = ["mixed", "dfs", "bfs", "random-path", "new-coverage"][(seed % 5) as usize];
    let (out_arg, file) = (format!("--out={}", out.display()), source.display().to_string());
    let output = common::blitz(folder, &[&args[..], &["--searcher", searcher, &out_arg, &file]].concat());
    let tree: serde_json::Value = std::fs::read_to_string(out.join("tree.json"))
        .map_err(|e| format!("no tree ({e}): {}", String::from_utf8_lossy(&output.stderr)))
        .and_then(|text| serde_json::from_str(&text).map_err(|e| e.to_string()))?;
    if tree["complete"] != true || tree["diverged"] != 0 {
        return Err(format!("complete {}, {} diverged", tree["complete"], tree["diverged"]));
    }
    let (mut leaves, mut count) = (BTreeSet::new(), 0);
    for entry in std::fs::read_dir(out.join("tests")).map_err(|e| e.to_string())? {
        let path = entry.map_err(|e| e.to_string())?.path();
        let test: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).map_err(|e| e.to_string())?)
            .map_err(|e| e.to_string())?;
        let byte = |i: usize| u8::from_str_radix(test["inputs"][i]["bytes"].as_str().unwrap_or("?"), 16);
        let (Ok(a), Ok(b)) = (byte(0), byte(1)) else { return Err(format!("{}: inputs", path.display())) };
        let predicted = test["result"].as_str().and_then(|r| r.parse::<i32>().ok());
        let taken = native[usize::from(a) << 8 | usize::from(b)];
        if predicted != Some(taken as i32) {
            return Err(format!("{}: predicted {predicted:?}, path({a}, {b}) is {taken}", path.display()));
        }
        leaves.insert(taken);
        count += 1;
    }
    let all: BTreeSet<u32> = native.iter().copied().collect();
    if leaves != all || count != all.len() {
        return Err(format!("{count} leaves with {} paths, {} paths by enumeration", leaves.len(), all.len()));
    }
    let taken = native[(seed * 7919 % 65_536) as usize];
    let never = (0..).find(|n| !all.contains(n)).expect("a number that no path has");
    together(&source, folder, taken, 10).and_then(|()| together(&source, folder, never, 0))
}

/// With ways followed together a leaf's number is a choice: whether any input leads to a number is what enumeration says.
fn together(source: &Path, folder: &Path, number: u32, code: i32) -> Result<(), String> {
    let main = source.with_extension("asks.c");
    let text = format!(
        "#include <assert.h>\nunsigned path(unsigned char, unsigned char);\nunsigned char __VERIFIER_nondet_uchar(void);\nint main(void) {{\n  unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();\n  assert(path(a, b) != {number}u);\n}}\n"
    );
    std::fs::write(&main, text).map_err(|e| e.to_string())?;
    let (main, source) = (main.display().to_string(), source.display().to_string());
    let out = format!("--out={source}.together");
    let args =
        ["explore", "--merge", "--checks=assertion", "--no-native", "--quiet", "--tests=inputs", &out, &main, &source];
    let output = common::blitz(folder, &args);
    if output.status.code() == Some(code) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stdout);
    Err(format!("together, {number}: {:?} instead of {code}: {said}", output.status.code()))
}

/// What `path` returns for each pair of bytes, by a native run.
fn enumerate(source: &Path, binary: &Path) -> Result<Vec<u32>, String> {
    let main = binary.with_extension("main.c");
    let text = "#include <stdio.h>\nunsigned path(unsigned char, unsigned char);\nvoid reset(void);\nint main(void) {\n  for (int a = 0; a < 256; a++)\n    for (int b = 0; b < 256; b++) {\n      reset();\n      unsigned r = path(a, b);\n      fwrite(&r, sizeof r, 1, stdout);\n    }\n}\n";
    std::fs::write(&main, text).map_err(|e| e.to_string())?;
    let built = Command::new("clang-19").args(["-O1", "-w"]).args([source, &main]).arg("-o").arg(binary).output();
    let built = built.map_err(|e| format!("clang should start: {e}"))?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let ran = Command::new(binary).output().map_err(|e| e.to_string())?;
    let words = ran.stdout.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    let words: Vec<u32> = words.collect();
    if words.len() == 1 << 16 { Ok(words) } else { Err(format!("{} results", words.len())) }
}

/// Writes programs.
struct Writer {
    state: u64,
    text: String,
    marks: u32,
    loops: u32,
    statements: u32,
}

fn program(seed: u64) -> String {
    let mut w = Writer { state: seed, text: String::new(), marks: 0, loops: 0, statements: 0 };
    w.text.push_str("static unsigned h = 7;\nvoid reset(void) { h = 7; }\n");
    w.text.push_str("static void mark(unsigned n) { h = h * 31 + n; }\n");
    for f in ["left", "right"] {
        let _ = writeln!(w.text, "static unsigned {f}(unsigned x, unsigned y) {{");
        w.branch(1, 1);
        let value = w.expression(2);
        let _ = writeln!(w.text, "  return {value};\n}}");
    }
    w.text.push_str("static unsigned (*const table[2])(unsigned, unsigned) = {left, right};\n");
    w.text.push_str("unsigned path(unsigned char a, unsigned char b) {\n  unsigned x = a, y = b;\n");
    for _ in 0..5 {
        w.statement(1, 3);
    }
    w.text.push_str("  return h;\n}\n");
    w.text
}

impl Writer {
    /// SplitMix64.
    fn draw(&mut self, below: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % below
    }

    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(indent));
    }

    fn mark(&mut self, indent: usize) {
        self.marks += 1;
        let text = format!("mark({});", self.marks);
        self.line(indent, &text);
    }

    fn expression(&mut self, depth: u32) -> String {
        let leaf = ["x", "y"][self.draw(2) as usize].to_owned();
        if depth == 0 {
            return leaf;
        }
        let (one, k) = (self.expression(depth - 1), self.draw(60) + 1);
        match self.draw(8) {
            0 => format!("({one} + {leaf})"),
            1 => format!("({one} - {leaf})"),
            2 => format!("({one} * {k})"),
            3 => format!("({one} & {k})"),
            4 => format!("({one} >> {})", k % 5),
            5 => format!("({one} % {k})"),
            6 => format!("({one} ^ {leaf})"),
            _ => leaf,
        }
    }

    fn condition(&mut self) -> String {
        let (value, k) = (self.expression(2), self.draw(200));
        let op = ["<", ">", "==", "!=", "<=", ">="][self.draw(6) as usize];
        format!("{value} {op} {k}")
    }

    fn branch(&mut self, indent: usize, depth: u32) {
        let condition = self.condition();
        self.line(indent, &format!("if ({condition}) {{"));
        self.mark(indent + 1);
        self.statement(indent + 1, depth - 1);
        self.line(indent, "} else {");
        self.mark(indent + 1);
        self.statement(indent + 1, depth - 1);
        self.line(indent, "}");
    }

    fn statement(&mut self, indent: usize, depth: u32) {
        self.statements += 1;
        let kind = if depth == 0 || self.statements > 18 { 7 } else { self.draw(8) };
        match kind {
            0..=2 => self.branch(indent, depth),
            3 => {
                let value = self.expression(1);
                self.line(indent, &format!("switch ({value} % 5) {{"));
                for case in ["case 0:", "case 1: case 2:", "default:"] {
                    self.line(indent, case);
                    self.mark(indent + 1);
                    self.statement(indent + 1, depth - 1);
                    self.line(indent + 1, "break;");
                }
                self.line(indent, "}");
            }
            4 => {
                self.loops += 1;
                let (i, value) = (format!("i{}", self.loops), self.expression(1));
                self.line(indent, &format!("for (unsigned {i} = 0; {i} < {value} % 3; {i}++) {{"));
                self.mark(indent + 1);
                self.statement(indent + 1, depth.min(2) - 1);
                self.line(indent, "}");
            }
            5 if indent > 0 && self.text.contains("table[2]") => {
                let (which, arg) = (self.expression(1), self.expression(1));
                self.mark(indent);
                // Which function it was shows in the marks: both branch at once.
                self.line(indent, &format!("x = table[{which} & 1]({arg}, y) & 255;"));
            }
            6 if self.text.contains("unsigned char a") => {
                let condition = self.condition();
                self.line(indent, &format!("if ({condition}) {{"));
                self.mark(indent + 1);
                self.line(indent + 1, "return h;");
                self.line(indent, "}");
                self.mark(indent);
            }
            _ => {
                let (value, name) = (self.expression(2), ["x", "y"][self.draw(2) as usize]);
                self.line(indent, &format!("{name} = {value};"));
            }
        }
    }
}
