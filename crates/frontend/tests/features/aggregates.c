// Bit-fields, unions, variable-length arrays, flexible members, structs by value and as results, compound literals.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct bits { unsigned a : 3; int b : 7; unsigned long long c : 40; _Bool d : 1; };
union number { float f; uint32_t u; char c[4]; };
struct point { double x, y, z; };
struct pair { int a; char b; };
struct flexible { int n; char text[]; };
struct nested { struct pair p[3]; struct { short s; } inner; };

static struct point make(double a) {
  struct point p = {a, a * 2, a * 3};
  return p;
}

static double norm(struct point p) {
  p.x += 1;
  return p.x + p.y + p.z;
}

static struct pair swap(struct pair p) { return (struct pair){p.b, (char)p.a}; }

static int variable_length(int n) {
  int a[n][n + 1];
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++)
      a[i][j] = i * j;
  for (int i = 0; i < n; i++) {
    char b[i + 1];
    memset(b, i, sizeof b);
    sum += b[i] + (int)sizeof a;
  }
  return sum + a[n - 1][n];
}

static int global_table[2][3] = {{1, 2, 3}, {4, 5}};
static const char *const names[] = {"zero", "one", [3] = "three"};
static int *into_table = &global_table[1][1];
static struct nested deep = {.p[1] = {7, 'q'}, .inner = {9}};

int main(void) {
  struct bits x = {5, -3, 123456789012ULL, 1};
  x.b += 1;
  x.c++;
  printf("%u %d %llu %d\n", x.a, x.b, (unsigned long long)x.c, x.d);
  union number u;
  u.f = 1.0f;
  printf("%x %d\n", u.u, u.c[3]);
  printf("%d %d\n", variable_length(5), (int)norm(make(2)));
  struct pair p = swap((struct pair){66, 'A'});
  printf("%d %c\n", p.a, p.b);
  struct flexible *f = __builtin_alloca(sizeof *f + 4);
  strcpy(f->text, "abc");
  printf("%s\n", f->text);
  printf("%d %d %s %d %c %d\n", *into_table, global_table[0][2], names[3], names[2] == 0, deep.p[1].b, deep.inner.s);
  struct nested copy = deep;
  copy.p[1].a++;
  printf("%d %d\n", copy.p[1].a, memcmp(&copy, &deep, sizeof copy) != 0);
  return 0;
}
