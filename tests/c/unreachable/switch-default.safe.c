//@ verdict: safe
enum color { RED, GREEN, BLUE };

static int code(enum color c) {
  switch (c) {
  case RED:
    return 31;
  case GREEN:
    return 32;
  case BLUE:
    return 34;
  default:
    __builtin_unreachable();
  }
}

int main(void) {
  return code((enum color)2) == 0;
}
