//@ verdict: safe
//@ checks: +pointer-overflow
#include <stddef.h>

struct message {
  char header[8];
  char body[8];
};

static const char *body_of(const char *message, int offset) {
  return message + offset;
}

int main(void) {
  struct message m = {{0}, {0}};
  return body_of(m.header, 8) == NULL;
}
