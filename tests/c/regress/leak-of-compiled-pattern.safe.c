// What `regcomp` allocates was in no memory: a program that forgets `regfree` was safe. That a pattern is right is more than every real one is, so a native run decides.
//@ verdict: safe
#include <regex.h>
#include <stddef.h>

int main(void) {
  regex_t pattern;
  if (regcomp(&pattern, "a+b", 0) != 0)
    return 0;
  regfree(&pattern);
  return 0;
}
