//@ verdict: safe
// Was: a violation that no run showed. The value `j` had after an earlier run of the inner loop replaced the one
// it had in the present run.
#include <assert.h>

int main(void) {
  int last = 0;
  for (int i = 1; i < 4; i++) {
    int j = i;
    while (j > 0 && j * j > i)
      j--;
    last = last * 10 + j;
  }
  assert(last == 111);
  return 0;
}
