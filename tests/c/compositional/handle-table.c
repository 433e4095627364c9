//@ verdict: violation
//@ checks: assertion
// What was allocated a call ago comes back through a table: as a pointer that was read, not as one that is known.
#include <assert.h>
#include <stdlib.h>

struct record {
  int kind;
  int size;
};
static struct record *table[4];
static int next = 1;
int nondet_int(void);

static int open_record(int kind) {
  struct record *r = malloc(sizeof *r);
  if (r == NULL)
    return -1;
  r->kind = kind;
  r->size = kind + 1;
  table[next] = r;
  return next++;
}

static int size_of_record(int handle) {
  if (handle < 0 || handle > 3 || table[handle] == NULL)
    return -1;
  return table[handle]->size;
}

int main(void) {
  int kind = nondet_int();
  if (kind < 0 || kind > 100)
    return 0;
  int handle = open_record(kind);
  if (handle < 0)
    return 0;
  assert(size_of_record(handle) != 4); //~ assertion
  return 0;
}
