/* An allocator over one arena: blocks with headers in an array, free lists by size, handles for the user, compaction. */
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#include <stdbool.h>
#include <assert.h>
extern unsigned char nondet_uchar(void);
extern unsigned nondet_uint(void);

#define ARENA 128
#define BLOCKS 10
#define HANDLES 6
#define BINS 4
#define NONE (-1)

struct block {
  int16_t at, size;
  int16_t prev, next;           /* by address */
  int16_t free_prev, free_next; /* in its bin */
  bool used, live;
  uint8_t owner;
};

struct handle {
  bool open;
  int16_t block;
  int16_t len;
  uint8_t locks;
};

struct heap {
  uint8_t arena[ARENA];
  struct block blocks[BLOCKS];
  struct handle handles[HANDLES];
  int16_t bins[BINS];
  int16_t first;
  uint16_t free_bytes;
  uint16_t used_bytes;
  uint16_t failures;
  uint16_t moves;
};

static int bin_of(int size) {
  if (size <= 8)
    return 0;
  if (size <= 16)
    return 1;
  if (size <= 48)
    return 2;
  return 3;
}

static int new_block(struct heap *h) {
  for (int i = 0; i < BLOCKS; i++)
    if (!h->blocks[i].live) {
      struct block *b = &h->blocks[i];
      memset(b, 0, sizeof *b);
      b->live = true;
      b->prev = b->next = b->free_prev = b->free_next = NONE;
      return i;
    }
  return NONE;
}

static void bin_add(struct heap *h, int i) {
  struct block *b = &h->blocks[i];
  int bin = bin_of(b->size);
  b->free_prev = NONE;
  b->free_next = h->bins[bin];
  if (h->bins[bin] != NONE)
    h->blocks[h->bins[bin]].free_prev = (int16_t)i;
  h->bins[bin] = (int16_t)i;
}

static void bin_remove(struct heap *h, int i) {
  struct block *b = &h->blocks[i];
  int bin = bin_of(b->size);
  if (b->free_prev != NONE)
    h->blocks[b->free_prev].free_next = b->free_next;
  else
    h->bins[bin] = b->free_next;
  if (b->free_next != NONE)
    h->blocks[b->free_next].free_prev = b->free_prev;
  b->free_prev = b->free_next = NONE;
}

static void heap_init(struct heap *h) {
  memset(h, 0, sizeof *h);
  for (int i = 0; i < BINS; i++)
    h->bins[i] = NONE;
  int i = new_block(h);
  h->blocks[i].at = 0;
  h->blocks[i].size = ARENA;
  h->first = (int16_t)i;
  h->free_bytes = ARENA;
  bin_add(h, i);
}

static int find(struct heap *h, int size) {
  for (int bin = bin_of(size); bin < BINS; bin++) {
    int steps = 0;
    for (int i = h->bins[bin]; i != NONE && steps < BLOCKS; i = h->blocks[i].free_next, steps++)
      if (h->blocks[i].size >= size)
        return i;
  }
  return NONE;
}

static bool split(struct heap *h, int i, int size) {
  struct block *b = &h->blocks[i];
  int rest = b->size - size;
  if (rest < 4)
    return true;
  int k = new_block(h);
  if (k == NONE)
    return true;
  struct block *c = &h->blocks[k];
  c->at = (int16_t)(b->at + size);
  c->size = (int16_t)rest;
  c->prev = (int16_t)i;
  c->next = b->next;
  if (b->next != NONE)
    h->blocks[b->next].prev = (int16_t)k;
  b->next = (int16_t)k;
  b->size = (int16_t)size;
  bin_add(h, k);
  return true;
}

static int take(struct heap *h, int size, uint8_t owner) {
  int i = find(h, size);
  if (i == NONE) {
    h->failures++;
    return NONE;
  }
  bin_remove(h, i);
  split(h, i, size);
  h->blocks[i].used = true;
  h->blocks[i].owner = owner;
  h->free_bytes -= (uint16_t)h->blocks[i].size;
  h->used_bytes += (uint16_t)h->blocks[i].size;
  return i;
}

static void merge_next(struct heap *h, int i) {
  struct block *b = &h->blocks[i];
  int k = b->next;
  if (k == NONE || h->blocks[k].used)
    return;
  bin_remove(h, k);
  b->size = (int16_t)(b->size + h->blocks[k].size);
  b->next = h->blocks[k].next;
  if (b->next != NONE)
    h->blocks[b->next].prev = (int16_t)i;
  h->blocks[k].live = false;
}

static void give_back(struct heap *h, int i) {
  struct block *b = &h->blocks[i];
  h->used_bytes -= (uint16_t)b->size;
  h->free_bytes += (uint16_t)b->size;
  b->used = false;
  merge_next(h, i);
  int p = b->prev;
  if (p != NONE && !h->blocks[p].used) {
    bin_remove(h, p);
    bin_add(h, i);
    merge_next(h, p);
    i = p;
    bin_add(h, i);
    return;
  }
  bin_add(h, i);
}

static int h_open(struct heap *h, int len) {
  if (len <= 0 || len > ARENA)
    return NONE;
  for (int n = 0; n < HANDLES; n++)
    if (!h->handles[n].open) {
      int size = (len + 3) & ~3;
      int b = take(h, size, (uint8_t)n);
      if (b == NONE)
        return NONE;
      h->handles[n].open = true;
      h->handles[n].block = (int16_t)b;
      h->handles[n].len = (int16_t)len;
      h->handles[n].locks = 0;
      memset(&h->arena[h->blocks[b].at], 0, (size_t)len);
      return n;
    }
  return NONE;
}

static void h_close(struct heap *h, int n) {
  if (n < 0 || n >= HANDLES || !h->handles[n].open || h->handles[n].locks)
    return;
  give_back(h, h->handles[n].block);
  h->handles[n].open = false;
  h->handles[n].block = NONE;
}

static bool h_write(struct heap *h, int n, int at, uint8_t v) {
  if (n < 0 || n >= HANDLES || !h->handles[n].open)
    return false;
#ifdef BUG
  if (at < 0 || at > h->handles[n].len)
#else
  if (at < 0 || at >= h->handles[n].len)
#endif
    return false;
  struct block *b = &h->blocks[h->handles[n].block];
  h->arena[b->at + at] = v;
  return true;
}

static int h_read(struct heap *h, int n, int at) {
  if (n < 0 || n >= HANDLES || !h->handles[n].open)
    return NONE;
  if (at < 0 || at >= h->handles[n].len)
    return NONE;
  struct block *b = &h->blocks[h->handles[n].block];
  return h->arena[b->at + at];
}

static void h_lock(struct heap *h, int n, bool on) {
  if (n < 0 || n >= HANDLES || !h->handles[n].open)
    return;
  if (on && h->handles[n].locks < 3)
    h->handles[n].locks++;
  else if (!on && h->handles[n].locks)
    h->handles[n].locks--;
}

static int check(const struct heap *h) {
  int sum = 0, steps = 0;
  for (int i = h->first; i != NONE && steps < BLOCKS; i = h->blocks[i].next, steps++)
    sum += h->blocks[i].size;
  return sum;
}

int main(void) {
  struct heap *h = malloc(sizeof *h);
  if (!h)
    return 1;
  heap_init(h);
  for (int n = 0; n < STEPS; n++) {
    unsigned char op = nondet_uchar();
    int a = nondet_uchar() & 7, v = nondet_uchar();
    switch (op & 7) {
    case 0:
      h_open(h, v);
      break;
    case 1:
      h_close(h, a);
      break;
    case 2:
    case 3:
      h_write(h, a, v, 0x5a);
      break;
    case 4:
      h_read(h, a, v);
      break;
    case 5:
      h_lock(h, a, true);
      break;
    case 6:
      h_lock(h, a, false);
      break;
    default:
      break;
    }
  }
  int sum = check(h);
  free(h);
  return sum != ARENA;
}
