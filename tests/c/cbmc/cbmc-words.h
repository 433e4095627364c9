// What a proof kit keeps in headers: CBMC's words come from macros.
#define ASSUME(c) __CPROVER_assume(c)
#define READABLE(p, n) ((n) == 0 || __CPROVER_r_ok((p), (n)))
#define ZEROED(object) \
  __CPROVER_forall { int i; (i >= 0 && i < sizeof(object)) ==> ((const unsigned char *)&(object))[i] == 0 }
unsigned nondet_word(void);
static inline int is_valid(const char *p, __CPROVER_size_t n) { return READABLE(p, n) && __CPROVER_w_ok(p); }
