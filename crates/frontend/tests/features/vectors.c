// Vectors: arithmetic, comparison, shuffles, conversion, computed elements, casts, as arguments and results.
#include <stdio.h>

typedef int ints __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
typedef unsigned char bytes __attribute__((vector_size(16)));

static ints add_twice(ints a, ints b) { return a + b * 2; }

int main(void) {
  ints a = {1, 2, 3, 4}, b = {10, 20, 30, 40};
  ints c = add_twice(a, b);
  printf("%d %d %d %d\n", c[0], c[1], c[2], c[3]);
  ints larger = a > 2;
  printf("%d %d\n", larger[0], larger[3]);
  int at = 2;
  c[at] = 9;
  printf("%d %d\n", c[at], c[at + 1]);
  floats f = {1, 2, 3, 4};
  f = -f / 2;
  printf("%d\n", (int)(f[3] * 10));
  ints mixed = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  printf("%d %d\n", mixed[1], mixed[3]);
  bytes raw = (bytes)a;
  printf("%d %d\n", raw[4], raw[5]);
  ints whole = __builtin_convertvector(f, ints);
  printf("%d\n", whole[3]);
  printf("%d\n", __builtin_reduce_add(a));
  return 0;
}
