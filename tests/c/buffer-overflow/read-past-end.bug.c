//@ verdict: violation
//@ slow: heap objects under a loop make many array lemmas
//@ object: heap
#include <stdlib.h>
#include <string.h>

static int count(const char *data, size_t size, char wanted) {
  int n = 0;
  for (const char *p = data; p <= data + size; p++)
    if (*p == wanted)  //~ buffer-overflow
      n++;
  return n;
}

int main(void) {
  char *data = malloc(6);
  if (!data)
    return 0;
  memcpy(data, "banana", 6);
  int n = count(data, 6, 'a');
  free(data);
  return n - 3;
}
