//@ verdict: safe
// A harness written for KLEE.
void klee_make_symbolic(void *p, unsigned long n, const char *name);
void klee_assume(unsigned long holds);
int main(void) {
  struct { char kind; unsigned char at; } message;
  int table[4] = {0};
  klee_make_symbolic(&message, sizeof message, "message");
  klee_assume(message.kind == 'x');
  return message.at < 4 ? table[message.at] : 0;
}
