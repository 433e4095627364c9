/* Does what a boxed program must not get away with, by the first byte of its input. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>
static void note(const char *what) {
  FILE *f = fopen(OUTSIDE, "a");
  if (f) {
    fprintf(f, "%s\n", what);
    fclose(f);
  }
}
int main(void) {
  char in[2] = {0};
  if (read(0, in, 1) != 1)
    return 0;
  switch (in[0]) {
  case 'w':
    note("written");
    break;
  case 'f':
    for (;;)
      if (fork() < 0)
        exit(3);
  case 'o':
    for (;;)
      write(2, "endless output endless output endless output endless output\n", 60);
  case 'd':
    if (fork() == 0) {
      setsid();
      sleep(3);
      note("survived");
      _exit(0);
    }
    break;
  case 'p':
    if (ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0)
      note("traced");
    break;
  case 'n': {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connect(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&to, sizeof to) == 0 ? 42 : 0;
  }
  case 'm':
    for (;;) {
      char *p = malloc(1 << 20);
      if (p)
        memset(p, 1, 1 << 20);
    }
  }
  return 0;
}
