//! `blitz hw` from outside: designs in Verilog, invariants and certificates as files.
//!
//! Verilog is tested with a `yosys` of the test's own, which checks what it is asked and gives a model; with the real one too where that is installed.

mod common;

use common::blitz;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A FIFO of four places that believes it has `places`.
fn fifo(places: u32) -> String {
    format!(
        "module fifo (input clk, input push, input pop, input [7:0] d, output [7:0] q, output full);
  reg [1:0] wr, rd;
  reg [2:0] count;
  reg [7:0] mem [0:3];
  wire enter = push && !full, leave = pop && count != 0;
  assign full = count == {places}, q = mem[rd];
  initial begin wr = 0; rd = 0; count = 0; end
  always @(posedge clk) begin
    if (enter) begin mem[wr] <= d; wr <= wr + 1; end
    if (leave) rd <= rd + 1;
    count <= count + enter - leave;
  end
  always @(posedge clk) assert (count <= 4);
endmodule
"
    )
}

/// `blitz hw` where only programs in `path` are found.
fn with_path(folder: &Path, path: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(args)
        .env("PATH", path)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start")
}

#[test]
fn verilog_without_yosys_says_how_to_get_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("fifo.v"), fifo(4)).expect("writable");
    let output = with_path(folder.path(), folder.path(), &["hw", "fifo.v"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("apt-get install yosys"), "{}", text(&output.stderr));
}

#[test]
fn what_yosys_writes_is_checked_and_what_it_says_is_passed_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let own = folder.path().join("yosys");
    // The last word of the script is the file to write, in quotes.
    let script = "#!/bin/sh\ncase \"$3\" in *broken.v*) echo 'broken.v:1: ERROR: syntax error' >&2; exit 1;; esac\n\
        out=$(echo \"$3\" | sed 's/.*write_btor \"\\(.*\\)\"/\\1/')\n\
        printf '1 sort bitvec 1\\n2 state 1 done\\n3 zero 1\\n4 init 1 2 3\\n5 one 1\\n6 next 1 2 5\\n7 state 1\\n8 next 1 7 2\\n9 bad 2 late\\n' > \"$out\"\n";
    std::fs::write(&own, script).expect("writable");
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    std::fs::write(folder.path().join("fifo.v"), fifo(4)).expect("writable");
    std::fs::write(folder.path().join("broken.v"), "module").expect("writable");
    let path = std::env::join_paths([folder.path(), Path::new("/usr/bin"), Path::new("/bin")]).expect("two folders");
    let output = with_path(folder.path(), Path::new(&path), &["hw", "fifo.v"]);
    assert_eq!(output.status.code(), Some(10), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    // The state without a name is not the designer's.
    assert!(shown.contains("b0 (late): violated after 1 step") && shown.contains("done = 1"), "{shown}");
    assert!(!shown.contains("state7"), "{shown}");
    let output = with_path(folder.path(), Path::new(&path), &["hw", "broken.v"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("broken.v:1: ERROR: syntax error"), "{}", text(&output.stderr));
}

#[test]
fn the_real_yosys_translates_a_fifo() {
    if Command::new("yosys").arg("-V").output().is_err() {
        assert!(!common::long(), "yosys is not installed, and the long tests need it");
        eprintln!("yosys is not installed: only the other two tests of Verilog say something here");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (places, code, said) in [(5, 10, "violated after"), (4, 0, "proved")] {
        std::fs::write(folder.path().join("fifo.v"), fifo(places)).expect("writable");
        let output = blitz(folder.path(), &["hw", "fifo.v"]);
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{shown}{}", text(&output.stderr));
        assert!(shown.contains(said) && shown.contains("fifo.v:13"), "{shown}");
        // Registers and wires are called as the source calls them.
        assert!(code == 0 || ["count = 5", "full = 1", "mem = ["].iter().all(|s| shown.contains(s)), "{shown}");
    }
}

/// Two latches that change together, so that `bad`, that they differ, never is; the invariant says that they are equal.
const TWINS: &str = "aag 5 1 2 0 2 1\n2\n4 2\n6 2\n10\n8 4 7\n10 8 5\n";
/// A latch that follows an input, and never both itself and not itself.
const TOGGLE: &str = "aag 6 1 2 0 3 1\n2\n4 13\n6 13\n8\n8 4 7\n10 4 2\n12 11 3\n";

#[test]
fn a_certificate_is_the_model_with_another_bad_state() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for model in [TWINS, TOGGLE] {
        std::fs::write(folder.path().join("model.aag"), model).expect("writable");
        let args = ["hw", "model.aag", "--engine", "ic3", "--certificate", "proof.aag"];
        let output = blitz(folder.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
        let proof = std::fs::read_to_string(folder.path().join("proof.aag")).expect("a certificate");
        let words: Vec<&str> = proof.lines().next().expect("a header").split(' ').collect();
        assert_eq!((words[2], words[3], words[6]), ("1", "2", "1"), "{proof}");
        // It is a model of its own, inductive at once.
        let output = blitz(folder.path(), &["hw", "proof.aag", "--engine", "kind"]);
        let shown = text(&output.stdout);
        assert!(shown.contains("by induction with k = 1") || shown.contains("by induction with k = 0"), "{shown}");
    }
}

#[test]
fn files_that_are_not_written_say_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, model: &str| std::fs::write(folder.path().join(name), model).expect("writable");
    write("bug.aag", "aag 1 0 1 0 0 1\n2 3\n2\n");
    write("live.aag", "aag 1 0 1 0 0 0 0 1 0\n2 0\n1\n2\n");
    write("m.smv", "MODULE main\nVAR x : boolean;\nASSIGN init(x) := FALSE; next(x) := x;\nINVARSPEC !x\n");
    for (model, option, why) in [
        ("bug.aag", "--certificate", "only where every property was proved"),
        ("live.aag", "--certificate", "about bad states"),
        ("m.smv", "--certificate", "--invariant writes"),
        ("bug.aag", "--invariant", "no property was proved by an invariant"),
    ] {
        let output = blitz(folder.path(), &["hw", model, option, "out"]);
        assert!(text(&output.stderr).contains(why), "{model} {option}: {}", text(&output.stderr));
        assert!(!folder.path().join("out").exists(), "{model} {option}");
    }
}

/// The invariant of a property of infinite paths speaks of the loop that is looked for, and says so.
#[test]
fn an_invariant_of_liveness_is_written_with_what_it_is_about() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = "MODULE main\nVAR x : word[2]; y : boolean;\nASSIGN init(x) := 0ud2_0; next(x) := x + 0ud2_1;\n\
        init(y) := FALSE; next(y) := y ? x != 0ud2_3 : x = 0ud2_1;\nLTLSPEC G F (x = 0ud2_2 & y)\n";
    std::fs::write(folder.path().join("m.smv"), model).expect("writable");
    let output = blitz(folder.path(), &["hw", "m.smv", "--engine", "ic3", "--invariant", "out.smt2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let written = std::fs::read_to_string(folder.path().join("out.smt2")).expect("an invariant");
    assert!(written.contains("(define-fun invariant ("), "{written}");
    let parameters = written.lines().find(|l| l.starts_with("(define-fun")).expect("a function");
    for name in written.lines().filter_map(|l| l.strip_prefix("; ")?.split_once(": ")) {
        assert!(parameters.contains(name.0), "{written}");
    }
    assert!(written.contains("where the loop began") || written.contains("once a loop was begun"), "{written}");
}
