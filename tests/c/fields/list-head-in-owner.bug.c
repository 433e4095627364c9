//@ verdict: violation
//@ inputs: 1
//@ unwind: 4
// The head of a list and its entries are in one struct; functions that only know links change both.
#include <assert.h>
#include <stddef.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

struct link {
  struct link *next, *prev;
};
struct conn {
  int id, state;
  struct link ln;
  int errors;
};
struct server {
  int open;
  struct conn conns[2];
  struct link live;
  int closed;
};

static void add(struct link *head, struct link *l) {
  l->next = head;
  l->prev = head->prev;
  head->prev->next = l;
  head->prev = l;
}

static void open_all(struct server *s) {
  s->live.next = s->live.prev = &s->live;
  for (int i = 0; i < 2; i++) {
    s->conns[i].id = i;
    add(&s->live, &s->conns[i].ln);
    s->open++;
  }
}

static void fail(struct server *s, int id) {
  for (struct link *l = s->live.next; l != &s->live; l = l->next) {
    struct conn *c = (struct conn *)((char *)l - offsetof(struct conn, ln));
    if (c->id == id)
      c->errors++;
  }
}

int main(void) {
  static struct server s;
  int id = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= id && id < 2);
  open_all(&s);
  fail(&s, id);
  assert(s.closed == 0 && s.open == 2);
  assert(s.conns[1].errors == 0 || id != 1);  //~ assertion
  return 0;
}
