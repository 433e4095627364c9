//! `blitz harness`: the C that `--entry` begins with, as a program of its own that people can change.

use crate::args::HarnessArgs;
use crate::input;
use crate::terminal::Terminal;
use crate::{Exit, Fault};

pub fn harness(args: &HarnessArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let unit = input::harness(&args.inputs, &args.clang.flags, &args.function, args.any_globals)?;
    terminal.result(&editable(&unit.native_text(), &args.function));
    Ok(Exit::Success)
}

/// A `main` in the place of the start code.
fn editable(text: &str, function: &str) -> String {
    let text = text
        .replace("void __blitz_run_constructors(void);\n_Noreturn void exit(int);\n", ASSUME)
        .replace("int __blitz_entry(void) {\n  __blitz_run_constructors();\n", "int main(void) {\n")
        .replace("  exit(0);\n}\n", "  return 0;\n}\n");
    let call = ["  result = function(", "  function("].iter().find_map(|c| text.rfind(c)).unwrap_or(text.len());
    let (before, after) = text.split_at(call);
    format!(
        "/* A test of {function}: `blitz check FILES THIS_FILE`. Narrow the arguments with __VERIFIER_assume(...), and say\n   \
         what has to hold after the call with __VERIFIER_assert(...). */\n{before}  /* __VERIFIER_assume(argument0 != 0); */\n{after}"
    )
}

const ASSUME: &str = "void __VERIFIER_assume(int);\nvoid __VERIFIER_assert(int);\n";
