//@ verdict: violation
#include <stdlib.h>

struct vector {
  int *data;
  int inline_data[2];
  int capacity;
};

static int grow(struct vector *v) {
  int *grown = v->capacity > 1 ? realloc(v->data, 8 * sizeof(int)) : malloc(8 * sizeof(int));  //~ invalid-free
  if (!grown)
    return 0;
  v->data = grown;
  v->capacity = 8;
  return 1;
}

int main(void) {
  struct vector v;
  v.data = v.inline_data;
  v.capacity = 2;
  if (grow(&v))
    free(v.data);
  return 0;
}
