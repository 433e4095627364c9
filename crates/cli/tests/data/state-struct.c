#include <assert.h>
#include <stdlib.h>
extern int nondet_int(void);
struct rec {
  int key;
  int val;
  struct rec *next;
  unsigned char tag[4];
};
struct env {
  int mode;
  int off;
  int level;
  int want;
  int *cell;
  int count0;
  int hist0[40];
  unsigned char text0[100];
  int grid0[12][10];
  struct rec recs0[24];
  struct rec *head0;
};

static int noise0(struct env *e, int x) {
  int s = (x & 255) + 17;
  e->hist0[(s + 7) & 31] = x & 255;
  s += e->hist0[x & 31] & 63;
  for (int k = 0; k < 5; k++)
    e->grid0[(s + k) & 7][k + 3] = (x & 63) + k;
  s += e->grid0[x & 7][7] & 31;
  return s & 1023;
}

static int noise1(struct env *e, int x) {
  int s = (x & 255) + 83;
  e->text0[(s & 63) + 6] = (unsigned char)s;
  if (e->text0[x & 63] > 24)
    e->count0 = (e->count0 & 255) + 1;
  switch (e->mode) {
  case 1:
    s += e->count0 & 7;
    break;
  case 2:
    e->count0 = x & 15;
    break;
  }
  return s & 1023;
}

static int noise2(struct env *e, int x) {
  int s = (x & 255) + 3;
  e->text0[(s & 63) + 19] = (unsigned char)s;
  if (e->text0[x & 63] > 195)
    e->count0 = (e->count0 & 255) + 1;
  if (x > 196) {
    struct rec *p = &e->recs0[s & 15];
    p->val = s & 127;
    p->next = e->recs0[0].val > 89 ? 0 : e->head0;
    e->head0 = p;
  }
  return s & 1023;
}

static int noise3(struct env *e, int x) {
  int s = (x & 255) + 34;
  if (x > 26) {
    struct rec *p = &e->recs0[s & 15];
    p->val = s & 127;
    p->next = e->recs0[10].val > 3 ? 0 : e->head0;
    e->head0 = p;
  }
  int left = 1;
  for (struct rec *p = e->head0; p && left > 0; p = p->next, left--)
    s += p->val & 15;
  if (x == 665)
    s ^= noise2(e, s & 7);
  return s & 1023;
}

static int noise4(struct env *e, int x) {
  int s = (x & 255) + 1;
  e->text0[(s & 63) + 6] = (unsigned char)s;
  if (e->text0[x & 63] > 248)
    e->count0 = (e->count0 & 255) + 1;
  e->recs0[x & 15].key = s & 255;
  e->recs0[13].tag[s & 3] = (unsigned char)x;
  if (e->recs0[s & 15].key == 14)
    e->count0 = s & 7;
  return s & 1023;
}

static int noise5(struct env *e, int x) {
  int s = (x & 255) + 56;
  switch (e->mode) {
  case 1:
    s += e->count0 & 7;
    break;
  case 2:
    e->count0 = x & 15;
    break;
  }
  int left = 1;
  for (struct rec *p = e->head0; p && left > 0; p = p->next, left--)
    s += p->val & 15;
  return s & 1023;
}

static void step0(struct env *e) {
  int seen = noise0(e, 14);
  e->count0 = seen & 31;
  int v = nondet_int();
  if (v < 0 || v > 1000)
    v = 0;
  e->mode = v & 3;
  e->off = v >> 2;
}

static void step1(struct env *e) {
  int seen = noise1(e, 14);
  e->count0 = seen & 31;
  if (e->mode == 2 && e->off > 100)
    e->level = e->off * 2 + 1;
  else
    e->level = 0;
}

static void step2(struct env *e) {
  int seen = noise2(e, 29);
  e->count0 = seen & 31;
  if (e->level > 400)
    e->want = e->level - 300;
  else
    e->want = e->off & 7;
}

static void step3(struct env *e) {
  int seen = noise3(e, 18);
  e->count0 = seen & 31;
  if (e->want > 170 && e->mode != 1)
    e->off = e->want + 3;
  else
    e->off = e->level & 15;
}

static void step4(struct env *e) {
  int seen = noise4(e, 1);
  e->count0 = seen & 31;
  e->want = e->off * 400;
}

static void group0(struct env *e) {
  noise0(e, nondet_int());
  noise1(e, 213);
  noise2(e, 284);
  noise3(e, nondet_int());
  noise4(e, 51);
  noise5(e, 95);
}

static void use(struct env *e) {
  int v = e->want;
  if (v >= 0 && v < 1000000)
    e->cell[v / 1000] = 1;
}

int main(void) {
  struct env *e = calloc(1, sizeof *e);
  if (!e)
    return 1;
  e->cell = malloc(64 * sizeof *e->cell);
  if (!e->cell) {
    free(e);
    return 1;
  }
  step0(e);
  step1(e);
  step2(e);
  group0(e);
  step3(e);
  step4(e);
  use(e);
  free(e->cell);
  free(e);
  return 0;
}
