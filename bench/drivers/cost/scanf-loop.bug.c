#include <stdio.h>
int main(void) {
  int t[5], n = 0, x;
  while (scanf("%d", &x) == 1) {
    if (n > 5) break;
    t[n++] = x;
  }
  for (int i = 0; i < n; i++) printf("%d\n", t[i]);
  return 0;
}
