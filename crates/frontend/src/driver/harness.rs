//! Declarations of other checkers' intrinsics, for harnesses that use them as their own tool allows: without any.
//!
//! Only names that the file mentions and does not declare itself are declared, so nothing can clash with the user's own
//! prototypes. What the functions mean is `crate::names`' business.

use std::collections::BTreeSet;

/// Whether an access would be fine; without a size it is one of what the pointer points to.
macro_rules! ok {
    ($name:literal) => {
        concat!(
            "_Bool ",
            $name,
            "(const void *, __SIZE_TYPE__);\n#define ",
            $name,
            "(p, ...) ",
            $name,
            "((p), __blitz_second(p __VA_OPT__(,) __VA_ARGS__, sizeof(*(p)), 0))\n",
            "#undef __blitz_second\n#define __blitz_second(a, b, ...) (b)"
        )
    };
}

/// Names in the order in which they have to be declared, each with its declaration; types come first.
const DECLARATIONS: &[(&str, &str)] = &[
    ("__CPROVER_bool", "typedef _Bool __CPROVER_bool;"),
    ("__CPROVER_size_t", "typedef __SIZE_TYPE__ __CPROVER_size_t;"),
    ("__CPROVER_ssize_t", "typedef __PTRDIFF_TYPE__ __CPROVER_ssize_t;"),
    ("__CPROVER_thread_local", "#define __CPROVER_thread_local __thread"),
    ("__ESBMC_rounding_mode", "extern int __ESBMC_rounding_mode;"),
    ("__CPROVER_rounding_mode", "extern int __CPROVER_rounding_mode;"),
    ("__CPROVER_assume", "void __CPROVER_assume(_Bool);"),
    ("__CPROVER_assert", "void __CPROVER_assert(_Bool, const char *);"),
    ("__CPROVER_precondition", "void __CPROVER_precondition(_Bool, const char *);"),
    ("__CPROVER_postcondition", "void __CPROVER_postcondition(_Bool, const char *);"),
    ("__CPROVER_cover", "void __CPROVER_cover(_Bool);"),
    ("__CPROVER_atomic_begin", "void __CPROVER_atomic_begin(void);"),
    ("__CPROVER_atomic_end", "void __CPROVER_atomic_end(void);"),
    ("__CPROVER_input", "void __CPROVER_input(const char *, ...);"),
    ("__CPROVER_output", "void __CPROVER_output(const char *, ...);"),
    ("__CPROVER_printf", "void __CPROVER_printf(const char *, ...);"),
    ("__CPROVER_fence", "void __CPROVER_fence(const char *, ...);"),
    ("__CPROVER_havoc_object", "void __CPROVER_havoc_object(void *);"),
    ("__CPROVER_havoc_slice", "void __CPROVER_havoc_slice(void *, __SIZE_TYPE__);"),
    ("__CPROVER_same_object", "_Bool __CPROVER_same_object(const void *, const void *);"),
    ("__CPROVER_is_invalid_pointer", "_Bool __CPROVER_is_invalid_pointer(const void *);"),
    ("__CPROVER_POINTER_OBJECT", "__SIZE_TYPE__ __CPROVER_POINTER_OBJECT(const void *);"),
    ("__CPROVER_pointer_object", "__SIZE_TYPE__ __CPROVER_pointer_object(const void *);"),
    ("__CPROVER_POINTER_OFFSET", "__PTRDIFF_TYPE__ __CPROVER_POINTER_OFFSET(const void *);"),
    ("__CPROVER_OBJECT_SIZE", "__SIZE_TYPE__ __CPROVER_OBJECT_SIZE(const void *);"),
    ("__CPROVER_DYNAMIC_OBJECT", "_Bool __CPROVER_DYNAMIC_OBJECT(const void *);"),
    ("__CPROVER_LIVE_OBJECT", "_Bool __CPROVER_LIVE_OBJECT(const void *);"),
    ("__CPROVER_WRITEABLE_OBJECT", "_Bool __CPROVER_WRITEABLE_OBJECT(const void *);"),
    ("__CPROVER_r_ok", ok!("__CPROVER_r_ok")),
    ("__CPROVER_w_ok", ok!("__CPROVER_w_ok")),
    ("__CPROVER_rw_ok", ok!("__CPROVER_rw_ok")),
    ("__CPROVER_pointer_in_range", "_Bool __CPROVER_pointer_in_range(const void *, const void *, const void *);"),
    ("__CPROVER_is_fresh", "_Bool __CPROVER_is_fresh(const void *, __SIZE_TYPE__);"),
    (
        "__CPROVER_pointer_in_range_dfcc",
        "_Bool __CPROVER_pointer_in_range_dfcc(const void *, const void *, const void *);",
    ),
    ("__CPROVER_pointer_equals", "_Bool __CPROVER_pointer_equals(const void *, const void *);"),
    ("__CPROVER_obeys_contract", "_Bool __CPROVER_obeys_contract(const void *, const void *);"),
    ("__CPROVER_allocate", "void *__CPROVER_allocate(__SIZE_TYPE__, _Bool);"),
    ("__CPROVER_deallocate", "void __CPROVER_deallocate(void *);"),
    ("__CPROVER_array_copy", "void __CPROVER_array_copy(const void *, const void *);"),
    ("__CPROVER_array_replace", "void __CPROVER_array_replace(const void *, const void *);"),
    ("__CPROVER_array_equal", "_Bool __CPROVER_array_equal(const void *, const void *);"),
    (
        "__CPROVER_array_set",
        "void __CPROVER_array_set_value(void *, const void *, __SIZE_TYPE__);\n\
         #define __CPROVER_array_set(to, with) \\\n\
         ({ __typeof__(__builtin_choose_expr(__builtin_types_compatible_p(__typeof__(*(to)), void), (char)0, \\\n\
         *(to))) __with = (with); __CPROVER_array_set_value((void *)(to), &__with, sizeof __with); })",
    ),
    (
        "__CPROVER_overflow_plus",
        "#define __CPROVER_overflow_plus(a, b) \
         ({ __typeof__((a) + (b)) __r; __builtin_add_overflow((a), (b), &__r); })",
    ),
    (
        "__CPROVER_overflow_minus",
        "#define __CPROVER_overflow_minus(a, b) \
         ({ __typeof__((a) - (b)) __r; __builtin_sub_overflow((a), (b), &__r); })",
    ),
    (
        "__CPROVER_overflow_mult",
        "#define __CPROVER_overflow_mult(a, b) \
         ({ __typeof__((a) * (b)) __r; __builtin_mul_overflow((a), (b), &__r); })",
    ),
    (
        "__CPROVER_overflow_unary_minus",
        "#define __CPROVER_overflow_unary_minus(a) ({ __typeof__(-(a)) __r; __builtin_sub_overflow(0, (a), &__r); })",
    ),
    ("__CPROVER_isnanf", "_Bool __CPROVER_isnanf(float);"),
    ("__CPROVER_isnand", "_Bool __CPROVER_isnand(double);"),
    ("__CPROVER_isnanld", "_Bool __CPROVER_isnanld(long double);"),
    ("__CPROVER_isinff", "_Bool __CPROVER_isinff(float);"),
    ("__CPROVER_isinfd", "_Bool __CPROVER_isinfd(double);"),
    ("__CPROVER_isinfld", "_Bool __CPROVER_isinfld(long double);"),
    ("__CPROVER_isfinitef", "_Bool __CPROVER_isfinitef(float);"),
    ("__CPROVER_isfinited", "_Bool __CPROVER_isfinited(double);"),
    ("__CPROVER_isfiniteld", "_Bool __CPROVER_isfiniteld(long double);"),
    ("__CPROVER_isnormalf", "_Bool __CPROVER_isnormalf(float);"),
    ("__CPROVER_isnormald", "_Bool __CPROVER_isnormald(double);"),
    ("__CPROVER_isnormalld", "_Bool __CPROVER_isnormalld(long double);"),
    ("__CPROVER_signf", "_Bool __CPROVER_signf(float);"),
    ("__CPROVER_signd", "_Bool __CPROVER_signd(double);"),
    ("__CPROVER_signld", "_Bool __CPROVER_signld(long double);"),
    ("__CPROVER_abs", "#define __CPROVER_abs __builtin_abs"),
    ("__CPROVER_labs", "#define __CPROVER_labs __builtin_labs"),
    ("__CPROVER_llabs", "#define __CPROVER_llabs __builtin_llabs"),
    ("__CPROVER_fabs", "#define __CPROVER_fabs __builtin_fabs"),
    ("__CPROVER_fabsf", "#define __CPROVER_fabsf __builtin_fabsf"),
    ("__CPROVER_fabsl", "#define __CPROVER_fabsl __builtin_fabsl"),
    ("__CPROVER_inf", "#define __CPROVER_inf __builtin_inf"),
    ("__CPROVER_inff", "#define __CPROVER_inff __builtin_inff"),
    ("__CPROVER_fmod", "#define __CPROVER_fmod __builtin_fmod"),
    ("__CPROVER_fmodf", "#define __CPROVER_fmodf __builtin_fmodf"),
    ("__ESBMC_assume", "void __ESBMC_assume(_Bool);"),
    ("__ESBMC_assert", "void __ESBMC_assert(_Bool, const char *);"),
    ("__ESBMC_cover", "void __ESBMC_cover(_Bool);"),
    ("__ESBMC_atomic_begin", "void __ESBMC_atomic_begin(void);"),
    ("__ESBMC_atomic_end", "void __ESBMC_atomic_end(void);"),
    ("__ESBMC_yield", "void __ESBMC_yield(void);"),
    ("__ESBMC_init_object", "void __ESBMC_init_object(void *);"),
    ("__ESBMC_unroll", "void __ESBMC_unroll(unsigned long);"),
    ("__ESBMC_unreachable", "void __ESBMC_unreachable(void);"),
    ("__ESBMC_same_object", "_Bool __ESBMC_same_object(const void *, const void *);"),
    ("__ESBMC_POINTER_OBJECT", "__SIZE_TYPE__ __ESBMC_POINTER_OBJECT(const void *);"),
    ("__ESBMC_POINTER_OFFSET", "__PTRDIFF_TYPE__ __ESBMC_POINTER_OFFSET(const void *);"),
    ("__ESBMC_get_object_size", "__SIZE_TYPE__ __ESBMC_get_object_size(const void *);"),
    ("__ESBMC_r_ok", ok!("__ESBMC_r_ok")),
    ("__ESBMC_w_ok", ok!("__ESBMC_w_ok")),
    ("__ESBMC_rw_ok", ok!("__ESBMC_rw_ok")),
    ("__ESBMC_memset", "#define __ESBMC_memset __builtin_memset"),
    ("__ESBMC_memcpy", "#define __ESBMC_memcpy __builtin_memcpy"),
    ("assert", "void assert(_Bool);"),
    ("__VERIFIER_assume", "void __VERIFIER_assume(int);"),
    ("__VERIFIER_assert", "void __VERIFIER_assert(int);"),
    ("__VERIFIER_error", "void __VERIFIER_error(void);"),
    ("__VERIFIER_atomic_begin", "void __VERIFIER_atomic_begin(void);"),
    ("__VERIFIER_atomic_end", "void __VERIFIER_atomic_end(void);"),
];

/// What a nondeterministic value is, by the end of the function's name.
const NONDET_TYPES: &[(&str, &str)] = &[
    ("int", "int"),
    ("uint", "unsigned"),
    ("unsigned", "unsigned"),
    ("bool", "_Bool"),
    ("char", "char"),
    ("schar", "signed char"),
    ("uchar", "unsigned char"),
    ("short", "short"),
    ("ushort", "unsigned short"),
    ("long", "long"),
    ("ulong", "unsigned long"),
    ("longlong", "long long"),
    ("ulonglong", "unsigned long long"),
    ("float", "float"),
    ("double", "double"),
    ("size_t", "__SIZE_TYPE__"),
    ("u8", "unsigned char"),
    ("u16", "unsigned short"),
    ("u32", "unsigned"),
    ("u64", "unsigned long long"),
    ("pointer", "void *"),
    ("charp", "char *"),
    ("int128", "__int128"),
    ("uint128", "unsigned __int128"),
];

/// To CBMC a label that begins so starts a thread for the statement behind it.
const ASYNC: &str = "__CPROVER_ASYNC_";

const PREFIXES: &[&str] = &["__CPROVER_", "__ESBMC_", "__VERIFIER_", "nondet_"];

/// A header for the intrinsics that a source calls and does not declare, if it has any.
pub(super) fn for_source(source: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(source);
    let mut used = BTreeSet::new();
    let mut declared = BTreeSet::new();
    let mut before = "";
    for word in words(&text) {
        if word == "assert" || PREFIXES.iter().any(|p| word.starts_with(p)) {
            let list = if ends_a_type(before) { &mut declared } else { &mut used };
            list.insert(word.to_owned());
        }
        before = word;
    }
    used.retain(|name| !declared.contains(name));
    header(&used)
}

/// A header for the names that clang's complaints say are not declared.
pub(super) fn for_complaints(stderr: &str) -> Option<String> {
    let names = stderr
        .lines()
        .filter(|l| l.contains("undeclared") || l.contains("unknown type name"))
        .filter_map(|l| l.split('\'').nth(1).map(str::to_owned))
        .collect();
    header(&names)
}

fn header(names: &BTreeSet<String>) -> Option<String> {
    let mut out = String::new();
    for (name, text) in DECLARATIONS {
        if names.contains(*name) {
            out.push_str(text);
            out.push('\n');
        }
    }
    for name in names.iter().filter(|n| n.starts_with(ASYNC)) {
        // A statement that is left as it was (`dialect::started`); the label itself stays, so that a jump to it compiles.
        out.push_str("void __blitz_unsupported(const char *);\n");
        let what = format!("`{name}`: a thread for a statement that jumps elsewhere (pthread_create starts one)");
        out.push_str(&format!("#define {name} if ((__blitz_unsupported(\"{what}\"), 0)) ; else {name}\n"));
    }
    for name in names {
        let suffix = name.strip_prefix("__VERIFIER_").unwrap_or(name).strip_prefix("nondet_");
        let ty = suffix.and_then(|s| NONDET_TYPES.iter().find(|(end, _)| *end == s));
        if let Some((_, ty)) = ty {
            out.push_str(&format!("{ty} {name}(void);\n"));
        }
    }
    (!out.is_empty()).then_some(out)
}

/// Identifiers and single signs; comments and strings are not told apart, which at worst costs a declaration.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let len = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, tail) = rest.split_at(len);
        rest = tail;
        Some(word)
    })
}

/// Whether a declarator can follow this word: a type's name, or the star of a pointer type (a product is taken for one; clang
/// then says that the name is not declared, and gets it on the second try).
fn ends_a_type(word: &str) -> bool {
    const TYPES: &[&str] = &[
        "void", "int", "char", "short", "long", "unsigned", "signed", "float", "double", "_Bool", "bool", "extern",
        "define", "__int128",
    ];
    TYPES.contains(&word) || word.ends_with("_t") || word == "__CPROVER_bool" || word == "*"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_used_and_not_declared() {
        let header = for_source(b"int main() { __CPROVER_assume(x > nondet_float()); }").unwrap();
        assert_eq!(header, "void __CPROVER_assume(_Bool);\nfloat nondet_float(void);\n");
        assert_eq!(for_source(b"void __CPROVER_assume(int); int main() { __CPROVER_assume(1); }"), None);
        assert_eq!(for_source(b"int main(void) { return 0; }"), None);
    }

    #[test]
    fn labels_that_start_threads_are_not_passed_over() {
        let header = for_source(b"void g(void) { __CPROVER_ASYNC_1: f(); }").expect("the label should be noticed");
        assert!(header.contains("__blitz_unsupported") && header.contains("else __CPROVER_ASYNC_1\n"), "{header}");
    }

    #[test]
    fn complaints_name_what_is_missing() {
        let said = "a.c:3:2: error: call to undeclared function '__ESBMC_assume'; ISO C99 and later\n";
        assert_eq!(for_complaints(said).unwrap(), "void __ESBMC_assume(_Bool);\n");
        assert_eq!(for_complaints("a.c:3:2: error: use of undeclared identifier 'x'"), None);
    }
}
