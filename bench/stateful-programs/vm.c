/* A small machine: registers, a stack, memory, a call stack, devices; programs are input bytes. */
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#include <stdbool.h>
extern unsigned char nondet_uchar(void);

#define REGS 8
#define MEM 64
#define STACK 8
#define CALLS 4
#define CODE 24
#define SCREEN_W 8
#define SCREEN_H 4

enum op { NOP, LOADI, MOV, ADD, SUB, MUL, DIV, AND, OR, XOR, SHL, SHR, LD, ST, PUSH, POP, JMP, JZ, JN, CALL, RET, IN, OUT, DRAW, SWAP, HALT, OPS };
enum fault { NONE, ILLEGAL, STACK_OVERFLOW, STACK_UNDERFLOW, BAD_ADDRESS, DIVIDE, BAD_PORT, CALL_DEPTH };

struct device {
  uint8_t kind;
  uint8_t state;
  uint8_t queue[4];
  uint8_t head, count;
};

struct trace {
  uint16_t pc;
  uint8_t op;
  int32_t value;
};

struct vm {
  int32_t r[REGS];
  uint16_t pc;
  uint8_t sp;
  uint8_t depth;
  bool zero, negative, halted;
  enum fault fault;
  uint8_t mem[MEM];
  int32_t stack[STACK];
  uint16_t calls[CALLS];
  struct device dev[4];
  uint8_t screen[SCREEN_H][SCREEN_W];
  uint8_t code[CODE];
  struct trace log[8];
  uint8_t log_at;
  uint32_t cycles;
};

static void vm_reset(struct vm *m) {
  memset(m, 0, sizeof *m);
  for (int i = 0; i < 4; i++)
    m->dev[i].kind = (uint8_t)i;
}

static void fail(struct vm *m, enum fault f) {
  m->fault = f;
  m->halted = true;
}

static uint8_t fetch(struct vm *m) {
  if (m->pc >= CODE) {
    fail(m, BAD_ADDRESS);
    return HALT;
  }
  return m->code[m->pc++];
}

static int reg(uint8_t operand) { return operand & (REGS - 1); }

static void set(struct vm *m, int r, int32_t v) {
  m->r[r] = v;
  m->zero = v == 0;
  m->negative = v < 0;
}

static void push(struct vm *m, int32_t v) {
  if (m->sp >= STACK) {
    fail(m, STACK_OVERFLOW);
    return;
  }
  m->stack[m->sp++] = v;
}

static int32_t pop(struct vm *m) {
  if (m->sp == 0) {
    fail(m, STACK_UNDERFLOW);
    return 0;
  }
  return m->stack[--m->sp];
}

static int32_t load(struct vm *m, int32_t addr) {
  if (addr < 0 || addr >= MEM) {
    fail(m, BAD_ADDRESS);
    return 0;
  }
  return m->mem[addr];
}

static void store(struct vm *m, int32_t addr, int32_t v) {
  if (addr < 0 || addr >= MEM) {
    fail(m, BAD_ADDRESS);
    return;
  }
  m->mem[addr] = (uint8_t)v;
}

static void queue_put(struct device *d, uint8_t v) {
  if (d->count == 4)
    return;
  d->queue[(d->head + d->count) & 3] = v;
  d->count++;
}

static uint8_t queue_get(struct device *d) {
  if (d->count == 0)
    return 0;
  uint8_t v = d->queue[d->head];
  d->head = (d->head + 1) & 3;
  d->count--;
  return v;
}

static int32_t port_in(struct vm *m, uint8_t port) {
  if (port >= 4) {
    fail(m, BAD_PORT);
    return 0;
  }
  struct device *d = &m->dev[port];
  switch (d->kind) {
  case 0:
    return nondet_uchar();
  case 1:
    return queue_get(d);
  case 2:
    return d->state;
  default:
    return (int32_t)(m->cycles & 255);
  }
}

static void port_out(struct vm *m, uint8_t port, int32_t v) {
  if (port >= 4) {
    fail(m, BAD_PORT);
    return;
  }
  struct device *d = &m->dev[port];
  switch (d->kind) {
  case 1:
    queue_put(d, (uint8_t)v);
    break;
  case 2:
    d->state = (uint8_t)v;
    break;
  default:
    break;
  }
}

static void draw(struct vm *m, int32_t x, int32_t y, int32_t v) {
  if (x < 0 || y < 0)
    return;
#ifdef BUG
  if (x >= SCREEN_W || y > SCREEN_H)
#else
  if (x >= SCREEN_W || y >= SCREEN_H)
#endif
    return;
  m->screen[y][x] ^= (uint8_t)v;
}

static int32_t wrap_add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static int32_t wrap_sub(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
static int32_t wrap_mul(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }

static int32_t divide(struct vm *m, int32_t a, int32_t b) {
  if (b == 0) {
    fail(m, DIVIDE);
    return 0;
  }
  if (b == -1)
    return wrap_sub(0, a);
  return a / b;
}

static void do_call(struct vm *m, uint8_t target) {
  if (m->depth >= CALLS) {
    fail(m, CALL_DEPTH);
    return;
  }
  m->calls[m->depth++] = m->pc;
  m->pc = target;
}

static void do_ret(struct vm *m) {
  if (m->depth == 0) {
    m->halted = true;
    return;
  }
  m->pc = m->calls[--m->depth];
}

static void note(struct vm *m, uint16_t pc, uint8_t op, int32_t v) {
  struct trace *t = &m->log[m->log_at & 7];
  t->pc = pc;
  t->op = op;
  t->value = v;
  m->log_at++;
}

static void step(struct vm *m) {
  uint16_t pc = m->pc;
  uint8_t op = fetch(m), a, b;
  m->cycles++;
  switch (op) {
  case NOP:
    break;
  case LOADI:
    a = fetch(m);
    b = fetch(m);
    set(m, reg(a), (int8_t)b);
    break;
  case MOV:
    a = fetch(m);
    set(m, reg(a), m->r[reg(a >> 4)]);
    break;
  case ADD:
    a = fetch(m);
    set(m, reg(a), wrap_add(m->r[reg(a)], m->r[reg(a >> 4)]));
    break;
  case SUB:
    a = fetch(m);
    set(m, reg(a), wrap_sub(m->r[reg(a)], m->r[reg(a >> 4)]));
    break;
  case MUL:
    a = fetch(m);
    set(m, reg(a), wrap_mul(m->r[reg(a)], m->r[reg(a >> 4)]) & 0xffff);
    break;
  case DIV:
    a = fetch(m);
    set(m, reg(a), divide(m, m->r[reg(a)], m->r[reg(a >> 4)]));
    break;
  case AND:
    a = fetch(m);
    set(m, reg(a), m->r[reg(a)] & m->r[reg(a >> 4)]);
    break;
  case OR:
    a = fetch(m);
    set(m, reg(a), m->r[reg(a)] | m->r[reg(a >> 4)]);
    break;
  case XOR:
    a = fetch(m);
    set(m, reg(a), m->r[reg(a)] ^ m->r[reg(a >> 4)]);
    break;
  case SHL:
    a = fetch(m);
    set(m, reg(a), (int32_t)((uint32_t)m->r[reg(a)] << (a >> 4 & 7)));
    break;
  case SHR:
    a = fetch(m);
    set(m, reg(a), (int32_t)((uint32_t)m->r[reg(a)] >> (a >> 4 & 7)));
    break;
  case LD:
    a = fetch(m);
    set(m, reg(a), load(m, m->r[reg(a >> 4)]));
    break;
  case ST:
    a = fetch(m);
    store(m, m->r[reg(a >> 4)], m->r[reg(a)]);
    break;
  case PUSH:
    a = fetch(m);
    push(m, m->r[reg(a)]);
    break;
  case POP:
    a = fetch(m);
    set(m, reg(a), pop(m));
    break;
  case JMP:
    m->pc = fetch(m);
    break;
  case JZ:
    a = fetch(m);
    if (m->zero)
      m->pc = a;
    break;
  case JN:
    a = fetch(m);
    if (m->negative)
      m->pc = a;
    break;
  case CALL:
    do_call(m, fetch(m));
    break;
  case RET:
    do_ret(m);
    break;
  case IN:
    a = fetch(m);
    set(m, reg(a), port_in(m, a >> 4));
    break;
  case OUT:
    a = fetch(m);
    port_out(m, a >> 4, m->r[reg(a)]);
    break;
  case DRAW:
    a = fetch(m);
    b = fetch(m);
    draw(m, m->r[reg(a)], m->r[reg(a >> 4)], m->r[reg(b)]);
    break;
  case SWAP: {
    a = fetch(m);
    int32_t t = m->r[reg(a)];
    m->r[reg(a)] = m->r[reg(a >> 4)];
    m->r[reg(a >> 4)] = t;
    break;
  }
  case HALT:
    m->halted = true;
    break;
  default:
    fail(m, ILLEGAL);
    break;
  }
  note(m, pc, op, m->r[0]);
}

static uint32_t digest(const struct vm *m) {
  uint32_t h = 5381;
  for (int i = 0; i < REGS; i++)
    h = h * 33 ^ (uint32_t)m->r[i];
  for (int i = 0; i < m->sp; i++)
    h = h * 33 ^ (uint32_t)m->stack[i];
  for (int y = 0; y < SCREEN_H; y++)
    for (int x = 0; x < SCREEN_W; x++)
      h ^= m->screen[y][x];
  return h;
}

int main(void) {
  struct vm *m = malloc(sizeof *m);
  if (!m)
    return 1;
  vm_reset(m);
  for (int row = 0; row < CODE / 8; row++)
    for (int i = 0; i < 8; i++)
      m->code[row * 8 + i] = nondet_uchar();
  for (int n = 0; n < STEPS && !m->halted; n++)
    step(m);
  uint32_t h = digest(m);
  int failed = m->fault != NONE;
  free(m);
  return failed && h == 1;
}
