// What `regcomp` allocates was in no memory: a program that forgets `regfree` was safe.
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
