#include <stdio.h>
int main(void) {
  FILE *f = fopen("numbers", "r"); int a = 0, b = 0, t[10];
  if (!f) return 0;
  if (fscanf(f, "%d %d", &a, &b) == 2 && a >= 0 && a <= 10) t[a] = b;
  fclose(f);
  return 0;
}
