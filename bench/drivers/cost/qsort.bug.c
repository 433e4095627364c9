#include <stdlib.h>
#include <stdio.h>
static int up(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return x < y ? -1 : x > y; }
int main(void) {
  int t[4], n = 0, hits[4];
  while (n < 4 && scanf("%d", &t[n]) == 1) n++;
  qsort(t, (size_t)n, sizeof *t, up);
  int key = 7, *at = bsearch(&key, t, (size_t)n, sizeof *t, up);
  if (at) hits[at - t + 1] = 1;
  return 0;
}
