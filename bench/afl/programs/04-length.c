/* Records of type, length and value; the length of one type is believed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  unsigned char in[64], name[16];
  ssize_t n = read(0, in, sizeof in);
  ssize_t at = 0;
  while (at + 2 <= n) {
    unsigned type = in[at], length = in[at + 1];
    at += 2;
    if (at + (ssize_t)length > n)
      return 1;
    if (type == 0x17) {
      memcpy(name, in + at, length);
      if (name[0] == 'x')
        puts("x");
    } else if (type > 0x40)
      return 2;
    at += length;
  }
  return 0;
}
