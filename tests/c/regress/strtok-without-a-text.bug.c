// `strtok` with a null pointer before any text was given reads the null pointer it has kept. The library model returned null instead, and the program was safe.
//@ verdict: violation
#include <string.h>

int main(void) {
  char text[] = "a,b";
  char *rest = text;
  (void)rest;
  return strtok(0, ",") != 0; //~ null-deref
}
