/* rand, random and the 48-bit family.
 *
 * On the host the sequences are glibc's: the additive feedback generator x[i] = x[i-3] + x[i-31], and the linear
 * congruential one of 48 bits. In the modelled environment the first of them gives any number in its range, as an input, if its seed is open (the
 * time, say); one that was never seeded or seeded with a number that is the same in every run gives the same sequence as the real one.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <string.h>

/* The last 31 numbers, the oldest at `oldest`; here as after a seed of 1. */
static uint32_t state[31] = {
    1040273694u, 1313901226u, 1627687941u, 4115662359u, 2221633813u, 1780058412u,
    2305464239u, 3678992694u, 344556628u, 939512070u, 3045851036u, 1507946756u,
    3482421833u, 154635395u, 1388815473u, 2368290473u, 525320961u, 3285938622u,
    968117788u, 4171517689u, 1284210865u, 435012392u, 2277460957u, 3383902437u,
    3924708123u, 1132637927u, 1398500161u, 4089365978u, 2568305073u, 379960547u,
    1735697613u,
};
static unsigned oldest;
/* Whether the seed is open, and whether the generator had one, or gave numbers, before. */
static int seeded, used;

static uint32_t step(void) {
  uint32_t next = state[oldest] + state[oldest >= 3 ? oldest - 3 : oldest + 28];
  state[oldest] = next;
  oldest = oldest == 30 ? 0 : oldest + 1;
  return next;
}

static void seed(uint32_t value) {
  int32_t word = value == 0 ? 1 : (int32_t)value;
  for (int i = 0; i < 31; i++) {
    state[i] = (uint32_t)word;
    int64_t next = (16807 * (int64_t)word) % 2147483647;
    word = (int32_t)(next < 0 ? next + 2147483647 : next);
  }
  /* The three numbers after the first 31 repeat the first three; then 310 are thrown away. */
  oldest = 3;
  for (int i = 0; i < 310; i++)
    step();
}

/* The seed may be any: so may then be the numbers, but that equal seeds give equal ones. direction: more, numbers after a second seed */
static int any_seed(size_t value) {
  int open = __blitz_model && __blitz_decided_open(value);
  if (open && used)
    __blitz_more("srand: numbers after the generator was seeded again with the same number are others");
  used = 1;
  return open;
}

void srandom(unsigned value) {
  seeded = any_seed(value);
  if (!seeded)
    seed(value);
}

static long any_number(void) {
  int value = __blitz_input_int("rand");
  __blitz_assume(value >= 0);
  return value;
}

long random(void) {
  if (__blitz_model && seeded)
    return any_number();
  used = 1;
  return (long)(step() >> 1);
}

void srand(unsigned value) { srandom(value); }
int rand(void) { return (int)random(); }

/* A small generator with its state in one word, as glibc's. */
int rand_r(unsigned *state_word) {
  unsigned next = *state_word;
  next = next * 1103515245u + 12345u;
  int result = (int)(next / 65536 % 2048);
  next = next * 1103515245u + 12345u;
  result = result << 10 ^ (int)(next / 65536 % 1024);
  next = next * 1103515245u + 12345u;
  result = result << 10 ^ (int)(next / 65536 % 1024);
  *state_word = next;
  return result;
}

char *initstate(unsigned value, char *buf, size_t n) { __blitz_unsupported("initstate"); }
char *setstate(char *buf) { __blitz_unsupported("setstate"); }

/* 48 bits: x = a x + c. */
static uint64_t state48;
static const uint64_t MASK48 = ((uint64_t)1 << 48) - 1;

static uint64_t step48(uint64_t x) { return (x * 0x5deece66dull + 0xb) & MASK48; }

void srand48(long value) { state48 = ((uint64_t)(uint32_t)value << 16) | 0x330e; }

static uint64_t next48(void) {
  state48 = step48(state48);
  return state48;
}

double drand48(void) { return (double)next48() / (double)((uint64_t)1 << 48); }
long lrand48(void) { return (long)(next48() >> 17); }
long mrand48(void) { return (long)(int32_t)(next48() >> 16); }

static uint64_t step_array(unsigned short x[3]) {
  uint64_t v = step48(x[0] | (uint64_t)x[1] << 16 | (uint64_t)x[2] << 32);
  x[0] = (unsigned short)v;
  x[1] = (unsigned short)(v >> 16);
  x[2] = (unsigned short)(v >> 32);
  return v;
}

double erand48(unsigned short x[3]) { return (double)step_array(x) / (double)((uint64_t)1 << 48); }
long nrand48(unsigned short x[3]) { return (long)(step_array(x) >> 17); }
long jrand48(unsigned short x[3]) { return (long)(int32_t)(step_array(x) >> 16); }

/* Random bytes of the system. */
ssize_t getrandom(void *p, size_t n, unsigned flags);
int getentropy(void *p, size_t n) {
  if (n > 256)
    return fail(EIO);
  return getrandom(p, n, 0) == (ssize_t)n ? 0 : -1;
}
uint32_t arc4random(void) {
  uint32_t value;
  getrandom(&value, sizeof value, 0);
  return value;
}
void arc4random_buf(void *p, size_t n) { getrandom(p, n, 0); }
uint32_t arc4random_uniform(uint32_t limit) { return limit == 0 ? 0 : arc4random() % limit; }
