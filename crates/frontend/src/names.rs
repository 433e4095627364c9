//! Functions that have a meaning of their own: the builtins our libc stands on, and the intrinsics of other checkers,
//! so that existing harnesses run as they are.
//!
//! A definition in the user's program wins over the meaning here, except for the names that *are* the error.

use blitz_ir::{Builtin, Direction};

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    HeapAlloc,
    HeapFree,
    Malloc,
    Calloc,
    Free,
    Scan,
    Mismatch,
    /// A byte without a check: `(text, at)`.
    Peek,
    /// A value without a branch: `(condition, then, otherwise)`.
    Choose,
    CheckRead,
    CheckWrite,
    CheckDefined,
    CheckString,
    /// `(condition, kind, text)`.
    Check,
    Assume,
    /// A fresh input named by the string literal that is its argument.
    Input,
    /// A fresh input named after the function.
    Nondet,
    /// `(pointer, length, name)`.
    InputBytes,
    /// `(pointer, length)`.
    NondetMemory,
    MemCopy,
    MemSet,
    BZero,
    Exit,
    Halt,
    Abort,
    Unsupported,
    /// `(text)`.
    Approximates(Direction),
    Builtin(Builtin),
    RunConstructors,
    RunDestructors,
    UserMain,
    /// Whether `main` is declared with parameters.
    MainTakesArguments,
    /// `(condition)`.
    Assert,
    /// `(condition, text)`.
    AssertText,
    /// Calling it is the violation; the argument with this position, if any, is the text.
    AssertFail(Option<u8>),
    Nothing,
    SetJmp,
    LongJmp,
    /// Whether the program may start threads.
    HasThreads,
    /// Whether the program looks at the environment as a whole.
    WalksEnvironment,
    /// `(condition, text)`.
    Await,
    AtomicBegin,
    AtomicEnd,
    /// Another thread may run.
    Yield,
    ReadOk,
    WriteOk,
    ReadWriteOk,
    SameObject,
    IsDynamic,
    HavocObject,
    ArrayCopy,
    ArrayEqual,
    /// `(begin, end, name)`, the result is in `begin..end`.
    KleeRange,
    KleeInt,
    FloatIs(FloatTest),
    /// Calling it is a violation: nothing is known of it.
    NoBody,
}

/// Classes of floats that C asks for by function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatTest {
    Nan,
    Inf,
    Finite,
    Normal,
    Sign,
}

/// Which meaning wins where our libc has a definition as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// Even over the user's own definition.
    First,
    /// Over our libc.
    OverLibc,
    /// Only where there is no definition at all.
    Last,
}

/// The meaning of a function's name, if it has one.
pub fn meaning(name: &str) -> Option<(Named, Rank)> {
    use Rank::{First, Last, OverLibc};
    if let Some(rest) = name.strip_prefix("__blitz_") {
        return blitz(rest).map(|n| (n, First));
    }
    if let Some(named) = verifier(name) {
        return Some(named);
    }
    if let Some(rest) = name.strip_prefix("__CPROVER_") {
        return cprover(rest).map(|n| (n, OverLibc));
    }
    if let Some(rest) = name.strip_prefix("__ESBMC_") {
        return esbmc(rest).map(|n| (n, OverLibc));
    }
    Some(match name {
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => (Named::MemCopy, OverLibc),
        "memset" | "__memset_chk" => (Named::MemSet, OverLibc),
        "bzero" => (Named::BZero, Last),
        "__assert_fail" | "__assert" => (Named::AssertFail(Some(0)), OverLibc),
        "__assert_rtn" => (Named::AssertFail(Some(3)), OverLibc),
        "__assert_perror_fail" => (Named::AssertFail(None), OverLibc),
        "abort" => (Named::Abort, OverLibc),
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" => (Named::SetJmp, OverLibc),
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => (Named::LongJmp, OverLibc),
        "klee_make_symbolic" => (Named::InputBytes, OverLibc),
        "klee_assume" => (Named::Assume, OverLibc),
        "klee_range" => (Named::KleeRange, OverLibc),
        "klee_int" => (Named::KleeInt, OverLibc),
        "klee_assert" => (Named::Assert, OverLibc),
        // Called without its header.
        "assert" => (Named::Assert, Last),
        "exit" => (Named::Exit, Last),
        "_exit" | "_Exit" | "quick_exit" => (Named::Halt, Last),
        "malloc" => (Named::Malloc, Last),
        "calloc" => (Named::Calloc, Last),
        "free" => (Named::Free, Last),
        "isnan" | "__isnan" | "__isnanf" | "isnanf" | "__isnanl" => (Named::FloatIs(FloatTest::Nan), Last),
        "isinf" | "__isinf" | "__isinff" | "isinff" | "__isinfl" => (Named::FloatIs(FloatTest::Inf), Last),
        "finite" | "__finite" | "__finitef" | "finitef" | "__finitel" | "isfinite" => {
            (Named::FloatIs(FloatTest::Finite), Last)
        }
        "isnormal" => (Named::FloatIs(FloatTest::Normal), Last),
        "signbit" | "__signbit" | "__signbitd" | "__signbitf" | "__signbitl" => (Named::FloatIs(FloatTest::Sign), Last),
        _ if name.starts_with("nondet_") => (Named::Nondet, Last),
        _ => return None,
    })
}

fn blitz(rest: &str) -> Option<Named> {
    if let Some(&op) = Builtin::ALL.iter().find(|b| b.name() == rest) {
        return Some(Named::Builtin(op));
    }
    if let Some(direction) = Direction::ALL.into_iter().find(|d| d.name() == rest) {
        return Some(Named::Approximates(direction));
    }
    Some(match rest {
        "heap_alloc" => Named::HeapAlloc,
        "heap_free" => Named::HeapFree,
        "scan" => Named::Scan,
        "mismatch" => Named::Mismatch,
        "peek" => Named::Peek,
        "choose" => Named::Choose,
        "check_read" => Named::CheckRead,
        "check_write" => Named::CheckWrite,
        "check_defined" => Named::CheckDefined,
        "check_string" => Named::CheckString,
        "check" => Named::Check,
        "assume" => Named::Assume,
        "claim" => Named::AssertText,
        "input_bytes" => Named::InputBytes,
        "exit" => Named::Exit,
        "halt" => Named::Halt,
        "unsupported" => Named::Unsupported,
        "has_threads" => Named::HasThreads,
        "walks_environment" => Named::WalksEnvironment,
        "await" => Named::Await,
        "run_constructors" => Named::RunConstructors,
        "run_destructors" => Named::RunDestructors,
        "user_main" => Named::UserMain,
        "main_takes_arguments" => Named::MainTakesArguments,
        _ if rest.starts_with("input_") => Named::Input,
        _ => return None,
    })
}

fn verifier(name: &str) -> Option<(Named, Rank)> {
    use Rank::{First, OverLibc};
    if name == "reach_error" || name == "__VERIFIER_error" {
        return Some((Named::AssertFail(None), First));
    }
    let rest = name.strip_prefix("__VERIFIER_")?;
    Some(match rest {
        "assume" => (Named::Assume, OverLibc),
        "assert" => (Named::Assert, OverLibc),
        "atomic_begin" => (Named::AtomicBegin, OverLibc),
        "atomic_end" => (Named::AtomicEnd, OverLibc),
        "nondet_memory" => (Named::NondetMemory, OverLibc),
        _ if rest.starts_with("nondet_") => (Named::Nondet, OverLibc),
        _ => return None,
    })
}

fn cprover(rest: &str) -> Option<Named> {
    Some(match rest {
        "assume" => Named::Assume,
        "assert" | "precondition" | "postcondition" => Named::AssertText,
        "input" | "output" | "cover" | "printf" | "fence" | "initialize" => Named::Nothing,
        "atomic_begin" => Named::AtomicBegin,
        "atomic_end" => Named::AtomicEnd,
        "r_ok" => Named::ReadOk,
        "w_ok" => Named::WriteOk,
        "rw_ok" => Named::ReadWriteOk,
        "OBJECT_SIZE" => Named::Builtin(Builtin::ObjectSize),
        "POINTER_OBJECT" | "pointer_object" => Named::Builtin(Builtin::ObjectId),
        "POINTER_OFFSET" => Named::Builtin(Builtin::Offset),
        "same_object" => Named::SameObject,
        "DYNAMIC_OBJECT" | "is_dynamic_object" => Named::IsDynamic,
        "havoc_object" => Named::HavocObject,
        "havoc_slice" => Named::NondetMemory,
        "LIVE_OBJECT" => Named::Builtin(Builtin::IsLive),
        "deallocate" => Named::HeapFree,
        "array_copy" | "array_replace" => Named::ArrayCopy,
        "array_equal" => Named::ArrayEqual,
        "isnanf" | "isnand" | "isnanld" => Named::FloatIs(FloatTest::Nan),
        "isinff" | "isinfd" | "isinfld" => Named::FloatIs(FloatTest::Inf),
        "isfinitef" | "isfinited" | "isfiniteld" => Named::FloatIs(FloatTest::Finite),
        "isnormalf" | "isnormald" | "isnormalld" => Named::FloatIs(FloatTest::Normal),
        "signf" | "signd" | "signld" => Named::FloatIs(FloatTest::Sign),
        _ => return None,
    })
}

fn esbmc(rest: &str) -> Option<Named> {
    Some(match rest {
        "assume" => Named::Assume,
        "assert" => Named::AssertText,
        "cover" | "unroll" => Named::Nothing,
        "atomic_begin" => Named::AtomicBegin,
        "atomic_end" => Named::AtomicEnd,
        "yield" => Named::Yield,
        "unreachable" => Named::AssertFail(None),
        "init_object" => Named::HavocObject,
        "same_object" => Named::SameObject,
        "POINTER_OBJECT" => Named::Builtin(Builtin::ObjectId),
        "POINTER_OFFSET" => Named::Builtin(Builtin::Offset),
        "get_object_size" => Named::Builtin(Builtin::ObjectSize),
        "r_ok" => Named::ReadOk,
        "w_ok" => Named::WriteOk,
        "rw_ok" => Named::ReadWriteOk,
        _ => return None,
    })
}

/// Whether a function of the user's is one atomic section, by the convention of SV-COMP. A program may define `__VERIFIER_atomic_begin` as well, say by a lock of its own
/// that it tests and sets.
pub fn is_atomic_function(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_")
}

/// Models that put visible points where they belong themselves: synchronisation, and what only looks at numbers.
pub fn places_own_points(name: &str) -> bool {
    const FAMILIES: &[&str] = &["pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_", "call_once"];
    name == "__blitz_start_block" || FAMILIES.iter().any(|family| name.starts_with(family))
}

/// Models that access what they are given as the real function does, and do nothing else: only a data race shows that they do it at once.
pub fn only_accesses_memory(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "strlen",
        "strnlen",
        "strcpy",
        "stpcpy",
        "strncpy",
        "stpncpy",
        "strcat",
        "strncat",
        "strlcpy",
        "strlcat",
        "strcmp",
        "strncmp",
        "strchr",
        "strchrnul",
        "strrchr",
        "index",
        "rindex",
        "strstr",
        "strspn",
        "strcspn",
        "strpbrk",
        "strcasecmp",
        "strncasecmp",
        "strdup",
        "strndup",
        "memcpy",
        "memmove",
        "memset",
        "mempcpy",
        "memccpy",
        "memchr",
        "memrchr",
        "memcmp",
        "memmem",
        "bcmp",
        "bcopy",
        "bzero",
    ];
    NAMES.contains(&name)
}

/// Functions of ours that end the program: what other threads did before is seen.
pub fn ends_program(name: &str) -> bool {
    matches!(name, "exit" | "_exit" | "_Exit" | "quick_exit" | "abort")
}

/// Functions that set handlers of signals.
pub fn sets_handlers(name: &str) -> bool {
    matches!(
        name,
        "signal" | "sigaction" | "__sigaction" | "bsd_signal" | "sysv_signal" | "__sysv_signal" | "sigset" | "sigvec"
    )
}

/// Whether a function reports what a sanitizer found.
pub fn is_sanitizer_handler(name: &str) -> bool {
    name.starts_with("__ubsan_handle_")
}

/// Functions of libc that the user's definition replaces inside our models too, as the linker would.
pub fn is_allocator(name: &str) -> bool {
    matches!(name, "malloc" | "calloc" | "realloc" | "free" | "memalign" | "aligned_alloc" | "posix_memalign")
}

/// The function of libc that an intrinsic for a mathematical function stands for: `llvm.sin.f32` is `sinf`.
pub fn math_function(name: &str) -> Option<String> {
    const KNOWN: &[&str] = &[
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "exp10", "log", "log2",
        "log10", "pow", "ldexp",
    ];
    let (base, rest) = name.strip_prefix("llvm.")?.split_once('.')?;
    let suffix = match rest.split('.').next()? {
        "f32" => "f",
        "f64" => "",
        "f80" => "l",
        _ => return None,
    };
    // The builtins are no functions of C's library: names that the user can't have.
    match base {
        "powi" => return Some(format!("__blitz_powi{suffix}")),
        "minnum" => return Some(format!("__blitz_fmin{suffix}")),
        "maxnum" => return Some(format!("__blitz_fmax{suffix}")),
        _ => {}
    }
    KNOWN.contains(&base).then(|| format!("{base}{suffix}"))
}
