// A stream of `fmemopen` into too little memory said at once that it failed, and put no null in the place of the last byte. It waits as every stream
// does, and says so when it is flushed.
//@ verdict: safe
#include <assert.h>
#include <stdio.h>

int main(void) {
  char room[4];
  FILE *f = fmemopen(room, sizeof room, "w");
  if (!f)
    return 0;
  int put = fputs("abcd", f);
  assert(put >= 0);
  int closed = fclose(f);
  assert(room[0] == 'a' && room[2] == 'c' && room[3] == 0);
  assert(closed == 0);
  return 0;
}
