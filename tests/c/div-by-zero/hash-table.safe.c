//@ verdict: safe
struct table {
  unsigned buckets;
};

static unsigned slot(const struct table *t, unsigned hash) {
  return hash % t->buckets;
}

int main(void) {
  struct table t = {8};
  return slot(&t, 42) == 7;
}
