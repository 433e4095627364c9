//@ verdict: safe
// The callee writes where a pointer in memory points.

struct box {
  int *target;
  int pad;
};

static void fill(struct box *box, int n) { *box->target = n; }

int main(void) {
  int watched = 1, other = 1;
  struct box box = {&other, 0};
  fill(&box, 7);
  __VERIFIER_assert(watched == 1 && other > 0);
  return 0;
}
