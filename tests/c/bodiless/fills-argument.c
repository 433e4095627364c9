//@ verdict: unknown
// What the function leaves in the struct decides; it was `uninitialised`, a false alarm.
struct config { int index, size; };
void load(struct config *c);
static int table[4];
int main(void) {
  struct config c;
  load(&c);
  if (c.index >= 0 && c.index < 5) table[c.index] = 1;
  return 0;
}
