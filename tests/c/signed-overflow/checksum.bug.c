//@ verdict: violation
#include <string.h>

int main(void) {
  const char *text = "bounded model checking";
  int hash = 5381;
  for (size_t i = 0; i < strlen(text); i++)
    hash = hash * 33 + text[i];  //~ signed-overflow
  return hash == 0;
}
