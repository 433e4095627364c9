//! The harness of what libFuzzer calls: `LLVMFuzzerTestOneInput` gets data of exactly the size it is given, once.

use super::Unit;

/// The function that libFuzzer calls for each input.
pub const LIBFUZZER: &str = "LLVMFuzzerTestOneInput";
/// The one it calls before the first, if there is one.
pub const INITIALISE: &str = "LLVMFuzzerInitialize";

/// Bytes of data at most.
const LONGEST: u32 = 65_535;

const HEAD: &str = r#"/* Calls LLVMFuzzerTestOneInput with any data, as libFuzzer does. */
#include <stddef.h>

void *__blitz_heap_alloc(size_t);
size_t __blitz_input_size(const char *);
void __blitz_input_bytes(void *, size_t, const char *);
void __blitz_assume(int);
void __blitz_run_constructors(void);
_Noreturn void exit(int);
int LLVMFuzzerTestOneInput(const unsigned char *, size_t);
int LLVMFuzzerInitialize(int *, char ***);

/* What is made here is never lost. */
static unsigned char *data;

"#;

const INITIALISED: &str = r#"  static char name[] = "fuzzer", *arguments[] = {name, NULL};
  int count = 1;
  char **values = arguments;
  LLVMFuzzerInitialize(&count, &values);
"#;

/// Writes the harness.
pub(super) fn write(ptr_bits: u16, initialises: bool) -> Unit {
    let first = if initialises { INITIALISED } else { "" };
    let text = format!(
        "{HEAD}int __blitz_entry(void) {{\n  __blitz_run_constructors();\n{first}  size_t size = __blitz_input_size(\"size\");\n  \
         __blitz_assume(size <= {LONGEST});\n  data = __blitz_heap_alloc(size);\n  __blitz_input_bytes(data, size, \"data\");\n  \
         LLVMFuzzerTestOneInput(data, size);\n  exit(0);\n}}\n"
    );
    let called = [Some(LIBFUZZER), initialises.then_some(INITIALISE)];
    Unit {
        text,
        ptr_bits,
        symbols: called.into_iter().flatten().map(str::to_owned).collect(),
        call: format!("{LIBFUZZER} was called once, with any data of at most {LONGEST} bytes"),
        notes: Vec::new(),
    }
}
