/* The memory that blitz and a fuzzed program share. `layout.rs` says the same in Rust; the sizes are compared when the server starts. */
#ifndef BLITZ_FUZZ_AREA_H
#define BLITZ_FUZZ_AREA_H
#include <stdint.h>

enum {
  AREA_MAGIC = 0x626c7a31,
  MAX_GUARDS = 1 << 18,
  MAX_COMPARISONS = 1 << 12,
  MAX_WORDS = 256,
  WORD_BYTES = 32,
  MAX_INPUT = 1 << 20,
};

/* Inherited descriptors: of the box and of the server. */
enum { FD_BOX = 195, FD_STDERR = 196, FD_AREA = 197, FD_COMMAND = 198, FD_ANSWER = 199 };

/* How the input reaches the program. */
enum { CARRY_STDIN, CARRY_FILE, CARRY_ARGV, CARRY_ENV, CARRY_SOCKET, CARRY_DIRECT };

/* Two integers that were compared. */
struct comparison {
  uint64_t first, second;
  uint32_t bytes;
  /* The first is a constant of the program. */
  uint32_t constant;
};

/* Two texts that a library function compared: lengths in `sizes`. */
struct words {
  uint8_t sizes[2];
  uint8_t bytes[2][WORD_BYTES];
};

struct area {
  uint32_t magic, bytes;
  /* How many edges the program has; set when it starts. */
  uint32_t guards;
  /* Whether comparisons are to be recorded. */
  uint32_t record;
  /* Input: its length, how it is carried, the limits of one run. */
  uint32_t size, carrier, timeout_ms, memory_mb;
  /* Of the last run: a hash over the edges in order, and how many. */
  uint64_t path, edges;
  uint32_t comparisons, words;
  /* The name of the environment variable. */
  char variable[64];
  uint8_t counts[MAX_GUARDS];
  /* Addresses of the blocks, relative to the program. */
  uint64_t blocks[MAX_GUARDS];
  struct comparison compared[MAX_COMPARISONS];
  struct words worded[MAX_WORDS];
  uint8_t input[MAX_INPUT];
};

/* What the server answers after a run. */
struct answer {
  int32_t status;
  /* 1: out of time, 2: out of memory. */
  uint32_t ended;
};
enum { ENDED_TIME = 1, ENDED_MEMORY = 2 };
#endif
