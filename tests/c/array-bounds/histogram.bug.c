//@ verdict: violation
#include <stdio.h>

static int count[26];

int main(void) {
  const char *text = "the quick brown |fox|";
  for (const char *p = text; *p; p++)
    if (*p >= 'a' && *p <= '\x7c')
      count[*p - 'a']++;  //~ array-bounds
  printf("%d\n", count['o' - 'a']);
  return 0;
}
