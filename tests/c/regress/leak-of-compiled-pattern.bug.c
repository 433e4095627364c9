// What `regcomp` allocates was in no memory: a program that forgets `regfree` was safe.
//@ verdict: violation
//@ run: exit
#include <regex.h>
#include <stddef.h>

int main(void) {
  regex_t pattern;
  if (regcomp(&pattern, "a+b", 0) != 0)  //~ memory-leak
    return 0;
  return 0;
}
