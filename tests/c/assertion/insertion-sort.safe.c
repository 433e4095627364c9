//@ verdict: safe
#include <assert.h>

static void sort(int *a, int n) {
  for (int i = 1; i < n; i++) {
    int key = a[i], j = i;
    while (j > 0 && a[j - 1] > key) {
      a[j] = a[j - 1];
      j--;
    }
    a[j] = key;
  }
}

int main(void) {
  int a[5] = {4, 2, 5, 1, 3};
  sort(a, 5);
  for (int i = 0; i + 1 < 5; i++)
    assert(a[i] <= a[i + 1]);
  return 0;
}
