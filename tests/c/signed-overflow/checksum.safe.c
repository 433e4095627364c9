//@ verdict: safe
#include <string.h>

int main(void) {
  const char *text = "bounded model checking";
  unsigned hash = 5381;
  for (size_t i = 0; i < strlen(text); i++)
    hash = hash * 33 + text[i];
  return hash == 0;
}
