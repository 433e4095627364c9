//! `run.sh`: builds the program with the sanitizers and runs it on the kit's inputs. `gdb.txt` for `run.sh --gdb`.

use crate::Subject;
use crate::feed::Feed;
use crate::judge::{BUILD_FAILED, Expected, Tool};
use crate::text::shell_word;
use blitz_frontend::ModuleInput;
use blitz_frontend::driver::SourceUnit;
use blitz_ir::CheckKind;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// What `run.sh` is made from.
pub struct Plan<'a> {
    pub subject: &'a Subject<'a>,
    pub feed: &'a Feed,
    pub expected: &'a Expected,
    /// Bitcode in the kit's folder.
    pub bitcode: &'a [String],
    /// Sources that need a header of ours.
    pub headers: &'a BTreeSet<usize>,
}

/// Puts the bitcode of the program into the kit, marked for the sanitizer. Names of files in the folder.
pub fn instrumentable(subject: &Subject<'_>, expected: &Expected, folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let arithmetic = is_arithmetic(expected.kind());
    for (i, path) in subject.bitcode.iter().enumerate() {
        let name = format!("part{i}{}.bc", if arithmetic { "-arithmetic" } else { "" });
        let module =
            ModuleInput { name: path.display().to_string(), bytes: std::fs::read(path)?, edits: Default::default() };
        let marked = blitz_frontend::sanitizable(&module, expected.tool.mark(), arithmetic)
            .map_err(|e| io::Error::other(format!("{}: {e}", path.display())))?;
        std::fs::write(folder.join(&name), marked)?;
        names.push(name);
    }
    Ok(names)
}

/// Violations that UndefinedBehaviorSanitizer reports of arithmetic, and nothing else does.
fn is_arithmetic(kind: CheckKind) -> bool {
    use CheckKind as K;
    match kind {
        K::SignedOverflow | K::UnsignedOverflow | K::Shift | K::DivByZero | K::PointerOverflow | K::Unreachable => true,
        K::Assertion | K::ArrayBounds | K::BufferOverflow | K::NullDeref | K::UseAfterFree | K::UseAfterScope => false,
        K::DoubleFree | K::InvalidFree | K::MemoryLeak | K::Uninitialised | K::Unwinding => false,
        K::DataRace | K::Deadlock | K::MutexMisuse => false,
    }
}

/// Headers for sources that are harnesses of other checkers: in the kit's folder, by the number of the source.
pub fn headers(subject: &Subject<'_>, folder: &Path) -> io::Result<BTreeSet<usize>> {
    let mut found = BTreeSet::new();
    for (i, unit) in subject.sources.iter().enumerate() {
        let source = std::fs::read(unit.directory.join(&unit.file)).unwrap_or_default();
        if let Some(header) = blitz_frontend::driver::harness_header(&source) {
            std::fs::write(folder.join(format!("harness{i}.h")), header)?;
            found.insert(i);
        }
    }
    Ok(found)
}

impl Plan<'_> {
    /// The user's flags for a source, and the header it needs.
    fn flags_of(&self, unit: &SourceUnit) -> String {
        let flags: Vec<Vec<u8>> = unit.flags.iter().map(|f| f.clone().into_bytes()).collect();
        let number = self.subject.sources.iter().position(|u| u == unit).filter(|i| self.headers.contains(i));
        let header = number.map_or_else(String::new, |i| format!(" -include \"$here/harness{i}.h\""));
        format!("{}{header}", words(&flags))
    }

    pub fn run_sh(&self) -> String {
        let e = self.expected;
        let mut text = format!(
            "#!/usr/bin/env bash\n# {}: {} at {}:{}\n{HEAD}",
            e.kind,
            e.message.replace('\n', " "),
            e.file,
            e.line
        );
        text.push_str(&format!("cc=${{BLITZ_CLANG:-{}}}\n", word(self.subject.clang)));
        text.push_str(&format!("sanitize=({})\n", self.sanitizers().join(" ")));
        text.push_str(&format!("{BUILD}\n"));
        if e.tool == Tool::Schedule {
            text.push_str(&SCHEDULED.replace("@MACHINE@", self.machine()));
        }
        self.compilations(&mut text);
        self.link(&mut text);
        text.push_str(&format!("\narguments=({})\n", words(&self.feed.args)));
        let variables: Vec<Vec<u8>> =
            self.feed.env.iter().map(|(name, value)| [name.as_slice(), value].join(&b'=')).collect();
        text.push_str(&format!("environment=({})\n", words(&variables)));
        text.push_str(&self.options());
        if e.tool == Tool::Thread {
            text.push_str("attempts=20\n");
        }
        text.push_str(RUN);
        text.replace("@FAILED@", &BUILD_FAILED.to_string())
    }

    fn kind(&self) -> Option<CheckKind> {
        CheckKind::from_name(&self.expected.kind)
    }

    fn sanitizers(&self) -> Vec<&'static str> {
        match (self.expected.tool, self.kind()) {
            (Tool::Memory, _) => vec!["-fsanitize=memory"],
            (Tool::Thread, _) => vec!["-fsanitize=thread"],
            (Tool::Schedule, _) => vec!["-fsanitize=address,undefined"],
            (Tool::Address, Some(CheckKind::UnsignedOverflow)) => {
                vec!["-fsanitize=address,undefined,unsigned-integer-overflow"]
            }
            (Tool::Address, _) => vec!["-fsanitize=address,undefined"],
        }
    }

    /// The flag that says for which machine a file of the kit's own is.
    fn machine(&self) -> &'static str {
        if self.subject.program.target.ptr_bits == 32 { "-m32 " } else { "" }
    }

    /// One `compile` per part of the program.
    pub(crate) fn compilations(&self, text: &mut String) {
        text.push_str("build_parts() {\n");
        let label = match self.kind() {
            Some(CheckKind::UnsignedOverflow) => "unsigned",
            _ => self.expected.tool.name(),
        };
        for (i, unit) in self.subject.sources.iter().enumerate() {
            let (folder, file) = (word(&unit.directory), word(&unit.file));
            let flags = self.flags_of(unit);
            let how = if self.expected.tool == Tool::Schedule { "scheduled" } else { "compile" };
            text.push_str(&format!("{how} \"$objects/{label}{i}.o\" {folder} {flags} {file}\n"));
        }
        for name in self.bitcode {
            text.push_str(&format!("compile \"$objects/{label}-{name}.o\" \"$here\" {name}\n"));
        }
        let machine = self.machine();
        if let Some(unit) = self.subject.unit {
            text.push_str(&format!("compile \"$work/unit_test.o\" \"$here\" {machine}unit_test.c\n"));
            let symbols: Vec<String> = unit.symbols.iter().map(|s| format!("--globalize-symbol={s}")).collect();
            text.push_str(&format!(
                "for part in \"${{parts[@]}}\"; do objcopy {} \"$part\" 2>/dev/null; done\n",
                symbols.join(" ")
            ));
        }
        text.push_str(&format!("compile \"$work/shim.o\" \"$here\" {machine}shim.c\n"));
        if self.expected.tool == Tool::Schedule {
            text.push_str(&format!("compile \"$work/schedule.o\" \"$here\" {machine}schedule.c\n"));
        }
        text.push_str("}\nbuild_parts\n");
    }

    /// The linker's work: once with what there is, and where that does not do, once more with stubs for what it misses.
    pub(crate) fn link(&self, text: &mut String) {
        let machine = self.machine();
        text.push_str(OLD_INLINE);
        text.push_str(&format!(
            "link() {{ \"$cc\" {machine}\"${{sanitize[@]}}\" {} \"${{parts[@]}}\" {}-lm -o \"$work/program\"; }}\n",
            self.wraps(),
            self.libraries()
        ));
        let names: Vec<&str> = crate::stubs::missing(self.subject.program).into_keys().collect();
        if names.is_empty() {
            text.push_str(&format!(
                "compile \"$work/stubs.o\" \"$here\" {machine}stubs.c\nlink || old_inline || failed\n"
            ));
            return;
        }
        text.push_str(&format!("undefined=({})\nmachine=({machine})\n{LINK}", names.join(" ")));
    }

    fn libraries(&self) -> String {
        self.subject.libraries.iter().map(|name| format!("{} ", word(Path::new(&format!("-l:{name}"))))).collect()
    }

    pub(crate) fn wraps(&self) -> String {
        let scheduled = if self.expected.tool == Tool::Schedule { scheduled_functions() } else { Vec::new() };
        let all: Vec<String> = std::iter::once("main")
            .chain(self.feed.wrapped())
            .chain(scheduled)
            .map(|f| format!("-Wl,--wrap={f}"))
            .collect();
        all.join(" ")
    }

    pub(crate) fn options(&self) -> String {
        let leaks = u8::from(self.kind() == Some(CheckKind::MemoryLeak));
        // LeakSanitizer would look at frames of calls that have returned; and what the C library allocates for the program is reported with the
        // program's line only by the unwinder that needs no frame pointers.
        let returned = 1 - leaks;
        let common = "handle_abort=1:allocator_may_return_null=1:symbolize=1:print_legend=0";
        format!(
            "options=(ASAN_OPTIONS={common}:detect_leaks={leaks}:fast_unwind_on_malloc={returned}:detect_stack_use_after_return={returned}:detect_invalid_pointer_pairs=0 \
             MSAN_OPTIONS={common} UBSAN_OPTIONS=print_stacktrace=0 'TSAN_OPTIONS=symbolize=1:stack_trace_format=\"    #%n %p %F %L\"')\n"
        )
    }
}

/// The functions that `shim/schedule.c` stands in front of: those it has a wrapper for.
fn scheduled_functions() -> Vec<&'static str> {
    let ends = |rest: &'static str| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
    let after = |mark: &'static str| crate::SCHEDULE.split(mark).skip(1).map(ends);
    let mut all: Vec<&str> =
        after("__wrap_").chain(after("POINTED(")).chain(after("TRIED(")).chain(after("TIMED(")).collect();
    all.retain(|name| !name.is_empty() && *name != "name");
    all.sort_unstable();
    all.dedup();
    all
}

pub(crate) fn word(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    shell_word(path.as_os_str().as_bytes())
}

pub(crate) fn words(list: &[Vec<u8>]) -> String {
    list.iter().map(|w| shell_word(w)).collect::<Vec<_>>().join(" ")
}

/// `gdb.txt`
pub fn gdb(expected: &Expected) -> String {
    let file = PathBuf::from(&expected.file);
    let file = file.file_name().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
    format!(
        "# Stops where a sanitizer reports, and at the line of the violation.\nset breakpoint pending on\nset confirm off\n\
         break __asan::ReportGenericError\nbreak __sanitizer::Die\nbreak {file}:{}\nrun < stdin\nbacktrace\ninfo locals\n",
        expected.line
    )
}

const HEAD: &str = r#"#
# Builds the program with clang's sanitizers and runs it on the inputs in this folder; made by blitz.
# `run.sh --gdb` starts gdb on it. The exit code is the program's; @FAILED@: it could not be built.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"#;

/// `-fstrict-flex-arrays=1`: as blitz itself reads C. Functions of checkers (`__VERIFIER_assume`) need no declaration there, and so none here.
pub(crate) const BUILD: &str = r#"flags=(-g -O0 -w -fno-omit-frame-pointer -fstrict-flex-arrays=1 -fbracket-depth=1000000 -U_FORTIFY_SOURCE
  -Wno-implicit-function-declaration -fno-color-diagnostics "${sanitize[@]}")
failed() {
  echo "blitz-kit: the build failed" >&2
  exit @FAILED@
}
repeat() { head -c "$2" /dev/zero | tr '\0' "$1"; }
work=$(mktemp -d) || failed
trap 'rm -rf "$work"' EXIT
objects=${BLITZ_KIT_OBJECTS:-$work}
parts=()

# compile OBJECT FOLDER ARGUMENTS...: one file, unless its object is there already.
compile() {
  local object=$1 folder=$2
  shift 2
  parts+=("$object")
  [ -e "$object" ] || (cd "$folder" && "$cc" "$@" "${flags[@]}" -c -o "$object") || failed
}
"#;

/// As `compile`, in a kit whose threads go as a schedule says.
const SCHEDULED: &str = r#"
# scheduled OBJECT FOLDER ARGUMENTS...: as compile, with a call of schedule.c's functions before each access that other threads may see. The instrumentation is
# ThreadSanitizer's (asked for behind the driver's back, which refuses it where there is no runtime), what looks at memory is AddressSanitizer's.
scheduled() {
  local object=$1 folder=$2
  shift 2
  parts+=("$object")
  [ -e "$object" ] && return
  (cd "$folder" && "$cc" "$@" "${flags[@]}" -fno-sanitize=address -Xclang -fsanitize=thread -mllvm -tsan-instrument-read-before-write=1 \
    -mllvm -tsan-instrument-func-entry-exit=0 -S -emit-llvm -o "$object.ll") || failed
  awk '
    /^define .*@__VERIFIER_atomic_/ { inside = 1; entering = 1; print; next }
    entering && !/^[A-Za-z0-9._]+:/ { print "  call void @__blitz_kit_atomic(i32 1)"; entering = 0 }
    inside && /^  ret / { print "  call void @__blitz_kit_atomic(i32 -1)" }
    /^}/ { if (inside) found = 1; inside = 0 }
    { gsub(/sanitize_thread/, "sanitize_address"); print }
    END { if (found) print "declare void @__blitz_kit_atomic(i32)" }
  ' "$object.ll" > "$object.marked.ll" || failed
  "$cc" @MACHINE@"${flags[@]}" -c -o "$object" "$object.marked.ll" || failed
}
"#;

/// C99 leaves the definition of an inline function to some file without `inline`, and a program may never have had one.
const OLD_INLINE: &str = r#"# To old C an inline function is defined where it stands.
old_inline() {
  local others=()
  for part in "${parts[@]}"; do [ "$part" != "$work/stubs.o" ] || others+=("$part"); done
  flags+=(-fgnu89-inline)
  objects=$work/old
  mkdir "$objects" || failed
  parts=()
  build_parts
  parts+=("${others[@]}")
  link
}
"#;

/// What the program uses and does not define: a library's own, or else a stub's.
const LINK: &str = r#"stub() { "$cc" "${machine[@]}" "$@" "${flags[@]}" -c -o "$work/stubs.o" "$here/stubs.c" || failed; }
parts+=("$work/stubs.o")
stub
if ! link 2> "$work/complaints"; then
  stubs=()
  for name in "${undefined[@]}"; do
    if grep -Eq "undefined (reference to|symbol).*[^A-Za-z0-9_]$name([^A-Za-z0-9_]|\$)" "$work/complaints"; then stubs+=("$name"); fi
  done
  if [ ${#stubs[@]} != 0 ]; then
    echo "blitz-kit: nobody defines ${stubs[*]}" >&2
    stub "${stubs[@]/#/-DSTUB_}"
  fi
  link || old_inline || failed
fi
"#;

const RUN: &str = r#"symbolizer=$(command -v llvm-symbolizer-19 || command -v llvm-symbolizer || command -v addr2line)
for tool in ASAN MSAN UBSAN LSAN TSAN; do options+=("${tool}_SYMBOLIZER_PATH=$symbolizer"); done

# A folder and an environment of its own; no core files, no endless output.
mkdir "$work/run" && cd "$work/run" && mv "$work/program" . && cp "$here/stdin" . || failed
if [ -d "$here/files" ]; then cp "$here/files/"* . || failed; fi
ulimit -c 0
ulimit -f 1000000
if [ "${1:-}" = --gdb ]; then
  env -i "${options[@]}" "${environment[@]}" "PATH=$PATH" "TERM=${TERM:-dumb}" gdb -q -x "$here/gdb.txt" --args ./program "${arguments[@]}"
  exit
fi
timeout=$(command -v timeout)
# Twenty seconds of CPU; more by the clock, since the machine may be busy.
ulimit -t 20
once() { env -i "${options[@]}" "${environment[@]}" ${timeout:+"$timeout" --foreground -k 1 100} ./program "${arguments[@]}" < "$here/stdin"; }
# Threads that go as they like may need some runs to meet.
for ((i = 1; i < ${attempts:-1}; i++)); do
  once
  status=$?
  [ $status = 0 ] || exit $status
done
once
"#;
