// Weak symbols, aliases, thread-locals, constructors and destructors, functions of libc by address.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Thread_local int counter = 5;
int absent(void) __attribute__((weak));
extern int absent_variable __attribute__((weak));
int present(void) __attribute__((weak));
int present(void) { return 77; }
extern int other_name(void) __attribute__((alias("present")));
static int order[4], used;

__attribute__((constructor(102))) static void second(void) { order[used++] = 2; }
__attribute__((constructor(101))) static void first(void) { order[used++] = 1; }
__attribute__((destructor)) static void last(void) { puts("destroyed"); }
static void at_exit(void) { puts("at exit"); }

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static inline int small(void) { return 3; }
int old_style();

int main(void) {
  printf("%d ", counter++);
  printf("%d %d %d\n", counter, absent ? 1 : 0, &absent_variable ? 1 : 0);
  printf("%d %d %d %d %d\n", present(), other_name(), order[0], order[1], small());
  int (*print)(const char *) = puts;
  print("by address");
  void *(*copy)(void *, const void *, size_t) = memcpy;
  char text[4];
  copy(text, "xyz", 4);
  print(text);
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof numbers[0], compare);
  printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], old_style(20, 22));
  atexit(at_exit);
  return 0;
}

int old_style(a, b) int a, b; { return a + b; }
