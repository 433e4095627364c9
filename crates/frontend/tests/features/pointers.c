// Pointers: arithmetic before the start of an object, comparisons, differences, conversions to integers and back.
#include <stdint.h>
#include <stdio.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int (*const table[])(int, int) = {add, sub};

int main(void) {
  int a[3] = {1, 2, 3};
  int *s = a + 2, n = 0;
  for (; s >= a; s--)
    n += *s;
  printf("%d %ld\n", n, (long)(s - a));
  uintptr_t number = (uintptr_t)&a[1];
  printf("%d %d\n", *(int *)number, *(int *)(number + sizeof(int)));
  char *bytes = (char *)a;
  printf("%d %d\n", bytes[4], (int)(&a[2] - &a[0]));
  printf("%d %d\n", table[0](5, 3), table[1](5, 3));
  int **pp = &s;
  *pp = a;
  printf("%d %d %d\n", *s, s == a, (void *)s != (void *)pp);
  void *tagged = (void *)((uintptr_t)a | 1);
  printf("%d\n", *(int *)((uintptr_t)tagged & ~(uintptr_t)1));
  const char *end = "text" + 4;
  printf("%d %c\n", *end, end[-1]);
  return 0;
}
