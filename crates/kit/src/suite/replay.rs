//! The tests of a suite as kits: `replay.sh` builds the program once, with the shim of reproduction kits and clang's sanitizers, and runs it on the inputs
//! of each test (`testNNNNNN.sh`), answers of library calls and contents of files included.
//!
//! What one test needs is data that the shim reads when the program starts, so nothing is compiled for it. `--link` gives what it takes to link the shim
//! with a build of one's own (for gcov), which `--program` then runs.

use crate::feed::Feed;
use crate::judge::{BUILD_FAILED, Expected, Tool};
use crate::script::{BUILD, Plan, word, words};
use crate::text::{printf_word, shell_word};
use crate::{SHIM, Subject, script, stubs};
use blitz_interp::Outcome;
use blitz_ir::CheckKind;
use blitz_report::PathReport;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What the tests of a suite have in common.
#[derive(Default)]
pub(super) struct Common {
    /// Of all tests: only the functions it wraps count.
    wraps: Feed,
    most: usize,
    size: usize,
}

impl Common {
    /// Writes the file of one test.
    pub fn add(&mut self, file: &Path, path: &PathReport, feed: &Feed) -> io::Result<()> {
        let inputs = records(feed);
        self.wraps.wraps.extend(feed.wraps.iter().cloned());
        self.most = self.most.max(feed.direct.len() + feed.calls.len());
        self.size = self.size.max(inputs.len());
        let variables: Vec<Vec<u8>> =
            feed.env.iter().map(|(name, value)| [name.as_slice(), value].join(&b'=')).collect();
        let unfed: Vec<Vec<u8>> = feed.unfed.iter().map(|u| u.clone().into_bytes()).collect();
        let text = format!(
            "expected={}\nunfed=({})\narguments=({})\nenvironment=({})\nprintf {} > \"$work/stdin\"\nprintf {} > \"$work/inputs\"\n",
            shell_word(expected(&path.run.outcome).as_bytes()),
            words(&unfed),
            words(&feed.args),
            words(&variables),
            printf_word(&feed.stdin),
            printf_word(&inputs),
        );
        std::fs::write(file, text)
    }

    /// Writes the script and what it builds.
    pub fn finish(&self, folder: &Path, subject: &Subject<'_>) -> io::Result<()> {
        let here = folder.join("replay");
        std::fs::create_dir_all(&here)?;
        let expected = any_violation();
        let bitcode = script::instrumentable(subject, &expected, &here)?;
        let headers = script::headers(subject, &here)?;
        let plan = Plan { subject, feed: &self.wraps, expected: &expected, bitcode: &bitcode, headers: &headers };
        std::fs::write(here.join("shim.c"), SHIM)?;
        let inputs = stubs::inputs_from_file(&self.wraps, subject.unit.is_some(), self.most, self.size);
        std::fs::write(here.join("inputs.h"), inputs)?;
        std::fs::write(here.join("stubs.c"), stubs::stubs(subject.program))?;
        if let Some(unit) = subject.unit {
            std::fs::write(here.join("unit_test.c"), unit.native_text())?;
        }
        let file = folder.join("replay.sh");
        std::fs::write(&file, script_of(&plan))?;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))
    }
}

/// How the run in the interpreter ended.
fn expected(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit(status) => format!("exit {}", status & 255),
        Outcome::Halt(status) => format!("halt {}", status & 255),
        // Leaks are not looked for: they would be reported at the end of every test that does not free what it has.
        Outcome::Violation(v) if v.kind != CheckKind::MemoryLeak => "violation".to_owned(),
        Outcome::Violation(_)
        | Outcome::AssumeFailed(_)
        | Outcome::Unsupported { .. }
        | Outcome::OutOfSteps
        | Outcome::Stopped(_) => "anything".to_owned(),
    }
}

/// The inputs of a test as `stubs::inputs_from_file` reads them.
fn records(feed: &Feed) -> Vec<u8> {
    let mut out = Vec::new();
    let mut add = |function: &str, call: u32, name: &str, bytes: &[u8]| {
        out.extend(format!("{function}\0{call}\0{name}\0{}\0", bytes.len()).bytes());
        out.extend(bytes);
        out.push(0);
    };
    for (name, bytes) in &feed.direct {
        add("", 0, name, bytes);
    }
    for call in &feed.calls {
        add(&call.function, call.nth, &call.name, &call.bytes);
    }
    out
}

/// What the build is for.
fn any_violation() -> Expected {
    Expected {
        called_at: None,
        schema: 1,
        property: String::new(),
        kind: CheckKind::Assertion.name().to_owned(),
        message: String::new(),
        file: String::new(),
        line: 0,
        function: String::new(),
        tool: Tool::Address,
        unfed: Vec::new(),
        answered: Vec::new(),
    }
}

fn script_of(plan: &Plan<'_>) -> String {
    let mut text = HEAD.to_owned();
    text.push_str(&format!("cc=${{BLITZ_CLANG:-{}}}\n", word(plan.subject.clang)));
    text.push_str(BUILD);
    text.push_str("build() {\n");
    plan.compilations(&mut text);
    plan.link(&mut text);
    text.push_str("}\n");
    text.push_str(&plan.options());
    text.push_str(&format!("wraps=({})\n", plan.wraps()));
    text.push_str(RUN);
    text.replace("@FAILED@", &BUILD_FAILED.to_string())
}

const HEAD: &str = r#"#!/usr/bin/env bash
# Runs the tests in this folder natively and says which of them do not end as predicted; made by blitz.
#   replay.sh [TEST...]                    the program is built with clang's sanitizers; all tests, or those named (test000001)
#   replay.sh --gdb TEST                   in gdb
#   replay.sh --link FOLDER                builds the shim in FOLDER and prints the arguments to link it with a build of your own
#   replay.sh --program FILE [TEST...]     runs that build; gcov writes where GCOV_PREFIX says
# The exit code is 0 if all tests end as predicted, 1 if not, @FAILED@ if the program could not be built.
set -u
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
here=$tests/replay
sanitize=(-fsanitize=address,undefined)
program='' gdb='' linked=''
while [ $# != 0 ]; do
  case $1 in
    --gdb) gdb=yes ;;
    --link) linked=$2 sanitize=(); shift ;;
    --program) program=$(realpath "$2") || exit @FAILED@; shift ;;
    *) break ;;
  esac
  shift
done
"#;

const RUN: &str = r#"
if [ -n "$linked" ]; then
  mkdir -p "$linked" && linked=$(cd "$linked" && pwd) || failed
  "$cc" "${flags[@]}" -DFROM_MAIN -c -o "$linked/shim.o" "$here/shim.c" || failed
  echo "$linked/shim.o ${wraps[*]}"
  exit
fi
if [ -z "$program" ]; then
  build
  program=$work/program
fi
symbolizer=$(command -v llvm-symbolizer-19 || command -v llvm-symbolizer || command -v addr2line)
for tool in ASAN UBSAN LSAN; do options+=("${tool}_SYMBOLIZER_PATH=$symbolizer"); done
for name in GCOV_PREFIX GCOV_PREFIX_STRIP; do
  if [ -n "${!name:-}" ]; then options+=("$name=${!name}"); fi
done
timeout=$(command -v timeout)
ulimit -c 0

# One test in a folder, an environment and limits of its own.
one() (
  ulimit -f 100000
  ulimit -t 5
  cd "$work/run" || exit
  env -i "${options[@]}" "${environment[@]}" BLITZ_TEST="$work/inputs" "PATH=$PATH" ${timeout:+"$timeout" --foreground -k 1 20} \
    "$program" "${arguments[@]}" < "$work/stdin" > "$work/out" 2> "$work/err"
)
ends_as_predicted() {
  local reported=''
  if grep -Eq 'runtime error: |ERROR: [A-Za-z]*Sanitizer|blitz-kit: assertion failed|: Assertion .* failed' "$work/err"; then reported=yes; fi
  case $expected in
    exit*) [ "$expected" = "exit $1" ] && [ -z "$reported" ] ;;
    # With a sanitizer, abort() is a report and ends otherwise.
    halt*) [ "$expected" = "halt $1" ] || [ "$expected" = 'halt 134' -a "$1" != 0 ] ;;
    violation) [ -n "$reported" ] || [ "$1" -ge 128 ] ;;
    *) true ;;
  esac
}

shopt -s nullglob
[ $# != 0 ] || set -- "$tests"/test*.sh
count=0 otherwise=0 partly=0
for test in "$@"; do
  test=$(basename "$test" .sh)
  rm -rf "$work/run" && mkdir "$work/run" && . "$tests/$test.sh" || exit 2
  if [ -n "$gdb" ]; then
    cd "$work/run" && exec env -i "${options[@]}" "${environment[@]}" BLITZ_TEST="$work/inputs" "PATH=$PATH" "TERM=${TERM:-dumb}" \
      gdb -q -ex "run < '$work/stdin'" --args "$program" "${arguments[@]}"
  fi
  one
  status=$?
  count=$((count + 1))
  if ends_as_predicted $status; then continue; fi
  if [ ${#unfed[@]} != 0 ]; then
    partly=$((partly + 1))
    echo "$test: ended with $status, $expected was predicted; but nothing can feed ${unfed[*]}"
    continue
  fi
  otherwise=$((otherwise + 1))
  echo "$test: ended with $status, $expected was predicted"
  grep -Em 3 'runtime error: |ERROR: |blitz-kit: |Assertion ' "$work/err" | sed 's/^/  /'
done
echo "$count tests: $((count - otherwise - partly)) as predicted, $otherwise not, $partly not since they have inputs that nothing can feed"
[ $otherwise = 0 ]
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::CallInput;

    #[test]
    fn inputs_are_records_in_order() {
        let mut feed = Feed::default();
        feed.direct = vec![("x".into(), vec![0, 7])];
        feed.calls = vec![CallInput { function: "open".into(), nth: 2, name: "file".into(), bytes: b"ab".to_vec() }];
        assert_eq!(records(&feed), b"\x000\0x\x002\0\0\x07\0open\x002\0file\x002\0ab\0");
    }

    #[test]
    fn what_is_predicted_is_how_the_run_ended() {
        assert_eq!(expected(&Outcome::Exit(-1)), "exit 255");
        assert_eq!(expected(&Outcome::Halt(134)), "halt 134");
        assert_eq!(expected(&Outcome::OutOfSteps), "anything");
    }
}
