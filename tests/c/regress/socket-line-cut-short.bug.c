//@ verdict: violation
// A line from a socket that has no end was taken for a whole one, and more was read after it: natively the stream waits for the rest, so such
// a line is the last.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  int connection = listener < 0 ? -1 : accept(listener, NULL, NULL);
  FILE *in = connection < 0 ? NULL : fdopen(connection, "r");
  char first[8], second[8];
  memset(first, '#', sizeof first);
  if (in == NULL || fgets(first, sizeof first, in) == NULL)
    return 0;
  int one_letter = first[0] == '\n' && first[1] == 0;
  for (int i = 2; i < 8; i++)
    one_letter = one_letter && first[i] == '#';
  if (one_letter)
    assert(fgets(second, sizeof second, in) == NULL);  //~ assertion
  return 0;
}
