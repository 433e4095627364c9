/* Contracts while they are in force: which memory may be written and freed, and what is fresh.
 *
 * A contract (of a function that is checked, or of a loop) begins a frame with the memory that its assigns clause names. Lowering asks
 * `__blitz_contract_may_write` in front of every write of programs that begin frames (crates/frontend/src/lower/contracts.rs).
 * What was made after a frame began may be written: objects carry the stamp of the time they were made at.
 *
 * Invariant: stamps only grow, so an object that takes the number of one that is gone never looks younger than it is.
 * direction: fewer, where a library model writes through a pointer and no clause allows it. More than 256 targets, or 16 contracts at once, are refused. */
#include "libc.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#define FRAMES 16
#define TARGETS 256
#define FRESH 32

#if __SIZEOF_POINTER__ == 8
#define OBJECTS (1u << 24)
#else
#define OBJECTS (1u << 20)
#endif

struct target {
  size_t object, offset, size;
};

static unsigned made_at[OBJECTS];
static unsigned now;
static struct target targets[TARGETS];
static struct target freeable[TARGETS];
static struct frame {
  unsigned first, first_freeable, since;
} frames[FRAMES];
static unsigned depth, count, freeable_count;
static size_t fresh[FRESH];
static unsigned fresh_count;

void __blitz_contract_begin(void) {
  if (depth == FRAMES)
    __blitz_unsupported("more than 16 contracts at once");
  now++;
  frames[depth].first = count;
  frames[depth].first_freeable = freeable_count;
  frames[depth].since = now;
  depth++;
}

void __blitz_contract_end(void) {
  depth--;
  count = frames[depth].first;
  freeable_count = frames[depth].first_freeable;
}

/* For a variable whose end of life is the end of the contract. */
void __blitz_contract_leave(void *variable) {
  (void)variable;
  __blitz_contract_end();
}

/* The path was one iteration of a loop; its contract stands for the others. */
void __blitz_contract_stop(void) { __blitz_assume(0); }

void __blitz_contract_assigns(const void *p, size_t size) {
  if (p == NULL || size == 0)
    return;
  if (count == TARGETS)
    __blitz_unsupported("more than 256 targets of assigns clauses");
  targets[count].object = __blitz_object_id(p);
  targets[count].offset = (size_t)__blitz_offset(p);
  targets[count].size = size;
  count++;
}

void __blitz_contract_frees(const void *p) {
  if (p == NULL)
    return;
  if (freeable_count == TARGETS)
    __blitz_unsupported("more than 256 targets of frees clauses");
  freeable[freeable_count].object = __blitz_object_id(p);
  freeable_count++;
}

/* An object was made. */
void __blitz_contract_new(const void *p) {
  if (depth != 0)
    made_at[__blitz_object_id(p)] = now;
}

int __blitz_contract_may_write(const void *p, size_t size) {
  if (depth == 0 || size == 0)
    return 1;
  size_t object = __blitz_object_id(p), offset = (size_t)__blitz_offset(p);
  /* What library functions keep for themselves: why they failed, and where the standard streams are. */
  if (object == __blitz_object_id(&errno) || object == __blitz_object_id(stdin) || object == __blitz_object_id(stdout) ||
      object == __blitz_object_id(stderr))
    return 1;
  unsigned made = made_at[object];
  int allowed = 1;
  unsigned last = count;
  for (unsigned f = depth; f-- > 0;) {
    int named = made >= frames[f].since;
    for (unsigned i = frames[f].first; i < last; i++)
      named |= targets[i].object == object && offset - targets[i].offset <= targets[i].size &&
               size <= targets[i].size - (offset - targets[i].offset);
    allowed &= named;
    last = frames[f].first;
  }
  return allowed;
}

/* A write of a library model through a pointer, which may be to state of its own or to its caller's memory: where no clause allows it, nothing is
 * proved from here on, and nothing is wrong. */
void __blitz_contract_model_writes(const void *p, size_t size) {
  if (!__blitz_contract_may_write(p, size))
    __blitz_fewer("a library function: what it keeps for itself is not told from its caller's memory");
}

int __blitz_contract_may_free(const void *p) {
  if (depth == 0 || p == NULL)
    return 1;
  size_t object = __blitz_object_id(p);
  unsigned made = made_at[object];
  int allowed = 1;
  unsigned last = freeable_count;
  for (unsigned f = depth; f-- > 0;) {
    int named = made >= frames[f].since;
    for (unsigned i = frames[f].first_freeable; i < last; i++)
      named |= freeable[i].object == object;
    allowed &= named;
    last = frames[f].first_freeable;
  }
  return allowed;
}

/* is_fresh begins anew: objects are distinct inside of one contract. */
void __blitz_contract_forget(void) { fresh_count = 0; }

static void note_fresh(size_t object) {
  if (fresh_count == FRESH)
    __blitz_unsupported("more than 32 fresh objects in one contract");
  fresh[fresh_count++] = object;
}

/* is_fresh where it is assumed: the pointer gets an object of its own, that may hold anything. */
int __blitz_contract_make_fresh(void *pointer, size_t size) {
  char *made = __blitz_heap_alloc(size);
  __blitz_contract_new(made);
  __blitz_input_bytes(made, size, "a fresh object");
  __blitz_keep_alive(made);
  note_fresh(__blitz_object_id(made));
  *(void **)pointer = made;
  return 1;
}

/* is_fresh where it has to be shown; `newer` after a call, whose contract was the last to end, that has to have made the object itself. */
int __blitz_contract_is_fresh(const void *p, size_t size, int newer) {
  if (!__blitz_readable(p, size) || !__blitz_writable(p, size))
    return 0;
  size_t object = __blitz_object_id(p);
  if (newer && (!__blitz_is_heap(p) || made_at[object] < frames[depth].since))
    return 0;
  int distinct = 1;
  for (unsigned i = 0; i < fresh_count; i++)
    distinct &= fresh[i] != object;
  note_fresh(object);
  return distinct;
}

int __blitz_contract_in_range(const void *low, const void *p, const void *high) {
  return __blitz_object_id(low) == __blitz_object_id(p) && __blitz_object_id(high) == __blitz_object_id(p) &&
         __blitz_offset(low) <= __blitz_offset(p) && __blitz_offset(p) <= __blitz_offset(high);
}

/* The same where it is assumed: the pointer gets such a value. */
int __blitz_contract_make_in_range(const void *low, void *pointer, const void *high) {
  if (__blitz_object_id(low) != __blitz_object_id(high) || __blitz_offset(low) > __blitz_offset(high))
    return 0;
  size_t step = __blitz_input_size("a pointer in a range");
  __blitz_assume(step <= (size_t)(__blitz_offset(high) - __blitz_offset(low)));
  *(const char **)pointer = (const char *)low + step;
  return 1;
}

int __blitz_contract_freeable(const void *p) {
  return p == NULL || (__blitz_is_heap(p) && __blitz_is_live(p) && __blitz_offset(p) == 0);
}
