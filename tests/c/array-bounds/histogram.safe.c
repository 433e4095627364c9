//@ verdict: safe
#include <stdio.h>

static int count[26];

int main(void) {
  const char *text = "the quick brown |fox|";
  for (const char *p = text; *p; p++)
    if (*p >= 'a' && *p <= 'z')
      count[*p - 'a']++;
  printf("%d\n", count['o' - 'a']);
  return 0;
}
