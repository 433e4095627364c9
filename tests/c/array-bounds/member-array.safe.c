//@ verdict: safe
#include <string.h>

struct person {
  char name[8];
  int age;
};

int main(void) {
  struct person p;
  memset(&p, 0, sizeof p);
  for (int i = 0; i < 8; i++)
    p.name[i] = 'x';
  return p.age;
}
