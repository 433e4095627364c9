//@ verdict: violation
//@ checks: default,-uninitialised,-memory-leak
//@ inputs: 0,1065353216
//@ native: none
// A harness of CBMC as it stands there: its intrinsics, and assert, without a header.
int main() {
  int a[10], b[10], i = nondet_int();
  char *p = __CPROVER_allocate(8, 1);
  __CPROVER_assume(i >= 0 && i < 10);
  __CPROVER_array_set(a, 7);
  __CPROVER_array_copy(b, a);
  __CPROVER_assert(a[i] == 7 && __CPROVER_array_equal(a, b), "all set");
  __CPROVER_assert(__CPROVER_r_ok(p, 8) && !__CPROVER_w_ok(p, 9) && __CPROVER_rw_ok(p), "bounds");
  __CPROVER_assert(__CPROVER_OBJECT_SIZE(p) == 8 && __CPROVER_POINTER_OFFSET(p + 3) == 3, "questions");
  __CPROVER_assert(__CPROVER_same_object(p, p + 1) && !__CPROVER_same_object(p, a), "objects");
  __CPROVER_assert(__CPROVER_DYNAMIC_OBJECT(p) && !__CPROVER_DYNAMIC_OBJECT(a), "heap");
  __CPROVER_assert(__CPROVER_POINTER_OBJECT(p) != __CPROVER_POINTER_OBJECT(a), "numbers");
  float f = nondet_float();
  __CPROVER_assume(__CPROVER_isnormalf(f) && !__CPROVER_signf(f));
  assert(f > 0);
  __CPROVER_havoc_slice(a, 2 * sizeof(int));
  assert(a[1] == 7);  //~ assertion
  __CPROVER_havoc_object(b);
  assert(b[0] == b[0] && p[i / 2] == 0);
}
