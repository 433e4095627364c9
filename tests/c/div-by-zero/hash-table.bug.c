//@ verdict: violation
struct table {
  unsigned buckets;
};

static unsigned slot(const struct table *t, unsigned hash) {
  return hash % t->buckets;  //~ div-by-zero
}

int main(void) {
  struct table t = {0};
  return slot(&t, 42) == 7;
}
