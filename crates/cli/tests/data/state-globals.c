#include <assert.h>
#include <stdlib.h>
extern int nondet_int(void);
struct rec {
  int key;
  int val;
  struct rec *next;
  unsigned char tag[4];
};
static int mode;
static int off;
static int level;
static int want;
static int *cell;
static int count0;
static int hist0[40];
static unsigned char text0[100];
static int grid0[12][10];
static struct rec recs0[24];
static struct rec *head0;

static int noise0(int x) {
  int s = (x & 255) + 17;
  hist0[(s + 7) & 31] = x & 255;
  s += hist0[x & 31] & 63;
  for (int k = 0; k < 5; k++)
    grid0[(s + k) & 7][k + 3] = (x & 63) + k;
  s += grid0[x & 7][7] & 31;
  return s & 1023;
}

static int noise1(int x) {
  int s = (x & 255) + 83;
  text0[(s & 63) + 6] = (unsigned char)s;
  if (text0[x & 63] > 24)
    count0 = (count0 & 255) + 1;
  switch (mode) {
  case 1:
    s += count0 & 7;
    break;
  case 2:
    count0 = x & 15;
    break;
  }
  return s & 1023;
}

static int noise2(int x) {
  int s = (x & 255) + 3;
  text0[(s & 63) + 19] = (unsigned char)s;
  if (text0[x & 63] > 195)
    count0 = (count0 & 255) + 1;
  if (x > 196) {
    struct rec *p = &recs0[s & 15];
    p->val = s & 127;
    p->next = recs0[0].val > 89 ? 0 : head0;
    head0 = p;
  }
  return s & 1023;
}

static int noise3(int x) {
  int s = (x & 255) + 34;
  if (x > 26) {
    struct rec *p = &recs0[s & 15];
    p->val = s & 127;
    p->next = recs0[10].val > 3 ? 0 : head0;
    head0 = p;
  }
  int left = 1;
  for (struct rec *p = head0; p && left > 0; p = p->next, left--)
    s += p->val & 15;
  if (x == 665)
    s ^= noise2(s & 7);
  return s & 1023;
}

static int noise4(int x) {
  int s = (x & 255) + 1;
  text0[(s & 63) + 6] = (unsigned char)s;
  if (text0[x & 63] > 248)
    count0 = (count0 & 255) + 1;
  recs0[x & 15].key = s & 255;
  recs0[13].tag[s & 3] = (unsigned char)x;
  if (recs0[s & 15].key == 14)
    count0 = s & 7;
  return s & 1023;
}

static int noise5(int x) {
  int s = (x & 255) + 56;
  switch (mode) {
  case 1:
    s += count0 & 7;
    break;
  case 2:
    count0 = x & 15;
    break;
  }
  int left = 1;
  for (struct rec *p = head0; p && left > 0; p = p->next, left--)
    s += p->val & 15;
  return s & 1023;
}

static void step0(void) {
  int seen = noise0(14);
  count0 = seen & 31;
  int v = nondet_int();
  if (v < 0 || v > 1000)
    v = 0;
  mode = v & 3;
  off = v >> 2;
}

static void step1(void) {
  int seen = noise1(14);
  count0 = seen & 31;
  if (mode == 2 && off > 100)
    level = off * 2 + 1;
  else
    level = 0;
}

static void step2(void) {
  int seen = noise2(29);
  count0 = seen & 31;
  if (level > 400)
    want = level - 300;
  else
    want = off & 7;
}

static void step3(void) {
  int seen = noise3(18);
  count0 = seen & 31;
  if (want > 170 && mode != 1)
    off = want + 3;
  else
    off = level & 15;
}

static void step4(void) {
  int seen = noise4(1);
  count0 = seen & 31;
  want = off * 400;
}

static void group0(void) {
  noise0(nondet_int());
  noise1(213);
  noise2(284);
  noise3(nondet_int());
  noise4(51);
  noise5(95);
}

static void use(void) {
  int v = want;
  if (v >= 0 && v < 1000000)
    cell[v / 1000] = 1;
}

int main(void) {
  cell = malloc(64 * sizeof *cell);
  if (!cell) {
    return 1;
  }
  step0();
  step1();
  step2();
  group0();
  step3();
  step4();
  use();
  free(cell);
  return 0;
}
