//! The flags clang gets from us, and why each.

use blitz_ir::{CheckKind, Checks};

/// Flags that keep the program as written and give it debug info.
///
/// `-O1 -disable-llvm-passes`: lifetime markers, which -O0 lacks, and no optimisation. `-fno-inline`: else the C
/// library's headers replace functions by inline bodies, past our models. `-U_FORTIFY_SOURCE`: for the same reason.
/// `-ffp-contract=off`: a multiplication and an addition stay two roundings, as on a plain x86-64.
/// `-fbracket-depth`: generated code nests deeper than clang's default. `-fstrict-flex-arrays=1`: an array at the end
/// of a struct has the length it is declared with, unless that is 0, 1 or none (the old idiom for "as many as there are").
/// `-Xclang -emit-llvm-bc` where others say `-emit-llvm`: that one also writes down the order of every list of uses, which nobody here
/// reads and which takes a sixth of clang's time; clang has to believe that it makes an object itself then (`-fintegrated-as`).
/// `-fno-strict-aliasing`: no notes about types at each access, which nobody reads either.
pub fn front_end_flags() -> Vec<String> {
    [
        "-g",
        "-O1",
        "-Xclang",
        "-disable-llvm-passes",
        "-Xclang",
        "-emit-llvm-bc",
        "-fintegrated-as",
        "-fno-strict-aliasing",
        "-c",
        "-w",
        "-fno-inline",
        "-U_FORTIFY_SOURCE",
        "-D_FORTIFY_SOURCE=0",
        "-ffp-contract=off",
        "-fno-lto",
        "-fbracket-depth=1000000",
        "-fstrict-flex-arrays=1",
        "-fno-stack-protector",
        "-fno-color-diagnostics",
        "-fno-crash-diagnostics",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// The part of clang's sanitizers that marks the enabled kinds; each handler call becomes a check of ours. Where the user's flags say that signed
/// numbers wrap around, that is no error.
pub fn sanitizer_flags(checks: Checks, users: &[String]) -> Vec<String> {
    let defined = wraps(users);
    let names: Vec<&str> = CheckKind::ALL
        .iter()
        .filter(|&&kind| checks.has(kind) && !(defined && kind == CheckKind::SignedOverflow))
        .flat_map(|&kind| sanitizers_of(kind))
        .chain(ALWAYS)
        .copied()
        .collect();
    vec![format!("-fsanitize={}", names.join(",")), "-fno-sanitize-recover=all".to_owned()]
}

/// Marked whatever is asked for: only clang tells `__builtin_ctz(x)`, which has no value at 0, from `__builtin_ffs(x)`, which is
/// made of the same instruction.
const ALWAYS: &[&str] = &["builtin"];

fn sanitizers_of(kind: CheckKind) -> &'static [&'static str] {
    match kind {
        CheckKind::ArrayBounds => &["array-bounds", "vla-bound"],
        CheckKind::SignedOverflow => &["signed-integer-overflow"],
        CheckKind::UnsignedOverflow => &["unsigned-integer-overflow"],
        CheckKind::Shift => &["shift"],
        CheckKind::DivByZero => &["integer-divide-by-zero"],
        CheckKind::PointerOverflow => &["pointer-overflow"],
        CheckKind::Unreachable => &["unreachable", "return"],
        CheckKind::Assertion
        | CheckKind::BufferOverflow
        | CheckKind::NullDeref
        | CheckKind::UseAfterFree
        | CheckKind::UseAfterScope
        | CheckKind::DoubleFree
        | CheckKind::InvalidFree
        | CheckKind::MemoryLeak
        | CheckKind::Uninitialised
        | CheckKind::Unwinding
        | CheckKind::DataRace
        | CheckKind::Deadlock
        | CheckKind::MutexMisuse => &[],
    }
}

/// What C before 1999 needs, weakest first; tried in turn when clang refuses a file.
pub(super) const RELAXED: &[&[&str]] = &[
    &[
        "-Wno-implicit-function-declaration",
        "-Wno-implicit-int",
        "-Wno-int-conversion",
        "-Wno-incompatible-function-pointer-types",
        "-Wno-incompatible-pointer-types",
        "-Wno-return-mismatch",
        "-Wno-return-type",
    ],
    &[
        "-std=gnu89",
        "-Wno-implicit-function-declaration",
        "-Wno-implicit-int",
        "-Wno-int-conversion",
        "-Wno-incompatible-function-pointer-types",
        "-Wno-incompatible-pointer-types",
        "-Wno-return-mismatch",
        "-Wno-return-type",
    ],
];

/// Flags of a build that would get in our way: outputs, modes, dependency files, other sanitizers, optimisation.
/// A flag in the first list takes the next argument with it.
pub fn keep_users(flags: &[String]) -> Vec<String> {
    const WITH_VALUE: &[&str] = &["-o", "-MF", "-MT", "-MQ", "-x", "-arch", "--serialize-diagnostics"];
    const ALONE: &[&str] = &[
        "-c",
        "-S",
        "-E",
        "-M",
        "-MM",
        "-MD",
        "-MMD",
        "-MP",
        "-MG",
        "-g",
        "-pipe",
        "-flto",
        "-s",
        "-v",
        "-rdynamic",
        "-shared",
    ];
    const PREFIXES: &[&str] = &[
        "-O",
        "-g0",
        "-g1",
        "-g2",
        "-g3",
        "-ggdb",
        "-gdwarf",
        "-fsanitize",
        "-fno-sanitize",
        "-flto=",
        "-o",
        "-MF",
        "-Werror",
        "-fprofile",
        "-fcoverage",
        "--coverage",
        "-Wl,",
        "-Wp,-M",
        "-fdiagnostics-color",
        "-D_FORTIFY_SOURCE",
    ];
    let mut kept = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        if WITH_VALUE.contains(&flag.as_str()) {
            rest.next();
        } else if !ALONE.contains(&flag.as_str()) && !PREFIXES.iter().any(|p| flag.starts_with(p)) {
            kept.push(flag.clone());
        }
    }
    kept
}

/// Whether the flags give signed overflow a meaning; the last of them counts.
fn wraps(flags: &[String]) -> bool {
    let meaning = |f: &String| match f.as_str() {
        "-fwrapv" | "-fno-strict-overflow" => Some(true),
        "-fno-wrapv" | "-fstrict-overflow" => Some(false),
        _ => None,
    };
    flags.iter().rev().find_map(meaning).unwrap_or(false)
}

/// Whether the flags ask for a 32-bit program.
pub(super) fn is_32_bit(flags: &[String]) -> bool {
    let last = flags.iter().rev().find(|f| *f == "-m32" || *f == "-m64");
    last.is_some_and(|f| f == "-m32")
}
