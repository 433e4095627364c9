//@ verdict: violation
//@ slow: heap objects under a loop make many array lemmas
#include <stdlib.h>

struct buffer {
  char *data;
  int used;
};

static int append(struct buffer *b, char c) {
  if (b->used == 4) {
    free(b->data);
    b->data = b->data;
    return -1;
  }
  b->data[b->used++] = c;
  return 0;
}

int main(void) {
  struct buffer b = {malloc(4), 0};
  int sum = 0;
  if (!b.data)
    return 0;
  for (int i = 0; i < 5; i++)
    append(&b, (char)i);
  if (b.data)
    sum = b.data[0];  //~ use-after-free
  return sum;
}
