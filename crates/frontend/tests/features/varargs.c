// Arguments of every class through va_arg, va_copy, a va_list that is passed on, and more fixed ones than registers.
#include <stdarg.h>
#include <stdio.h>

struct two_ints { int a, b; };
struct two_floats { float x, y; };
struct mixed { double d; int i; };
struct large { long long a, b, c; char d; };
struct extended { long double x; int y; };
struct three_bytes { char c[3]; };

static void every_class(int n, ...) {
  va_list ap, again;
  va_start(ap, n);
  va_copy(again, ap);
  int i = va_arg(ap, int);
  double d = va_arg(ap, double);
  long double l = va_arg(ap, long double);
  struct two_ints two = va_arg(ap, struct two_ints);
  struct two_floats floats = va_arg(ap, struct two_floats);
  struct mixed mixed = va_arg(ap, struct mixed);
  struct large large = va_arg(ap, struct large);
  struct extended extended = va_arg(ap, struct extended);
  struct three_bytes bytes = va_arg(ap, struct three_bytes);
  long long wide = va_arg(ap, long long);
  char *text = va_arg(ap, char *);
  printf("%d %d %d %d %d %d %d\n", i, (int)d, (int)l, two.a, two.b, (int)(floats.x * 4), (int)(floats.y * 4));
  printf("%d %d %d %d %d %c\n", (int)mixed.d, mixed.i, (int)large.a, (int)large.b, (int)large.c, large.d);
  printf("%d %d %.3s %lld %s\n", (int)(extended.x * 4), extended.y, bytes.c, wide, text);
  int first = va_arg(again, int);
  printf("%d %d\n", first, (int)va_arg(again, double));
  va_end(again);
  va_end(ap);
}

static int sum_list(int n, va_list ap) {
  int sum = 0;
  while (n--)
    sum += va_arg(ap, int);
  return sum;
}

static int sum(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int result = sum_list(n, ap);
  va_end(ap);
  return result;
}

static int after_registers(int a, int b, int c, int d, int e, int f, int g, int h, double x, ...) {
  va_list ap;
  va_start(ap, x);
  int next = va_arg(ap, int);
  double last = va_arg(ap, double);
  va_end(ap);
  return a + b + c + d + e + f + g + h + (int)x + next + (int)last;
}

#ifdef __SIZEOF_INT128__
static double wide(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int a = va_arg(ap, int);
  __int128 b = va_arg(ap, __int128);
  double c = va_arg(ap, double);
  __int128 d = va_arg(ap, __int128);
  long e = va_arg(ap, long);
  va_end(ap);
  return a + (double)b + c + (double)(d >> 64) + e;
}
#endif

int main(void) {
  struct two_ints two = {1, 2};
  struct two_floats floats = {1.5f, 2.5f};
  struct mixed mixed = {3.5, 4};
  struct large large = {5, 6, 7, 'x'};
  struct extended extended = {8.25L, 9};
  struct three_bytes bytes = {{'a', 'b', 'c'}};
  every_class(1, 42, 2.5, 3.75L, two, floats, mixed, large, extended, bytes, 1234567890123LL, "end");
  printf("%d %d\n", sum(5, 1, 2, 3, 4, 5), after_registers(1, 2, 3, 4, 5, 6, 7, 8, 9.0, 10, 11.0));
#ifdef __SIZEOF_INT128__
  printf("%f\n", wide(0, 1, (__int128)2, 3.5, (__int128)4 << 64, 5L));
#else
  printf("15.500000\n");
#endif
  return 0;
}
