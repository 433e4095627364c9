//@ verdict: violation
// What a peer sends.
#include <sys/socket.h>
int main(void) {
  char message[4];
  int table[4] = {0};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, 0, 0) < 0)
    return 0;
  if (recv(fd, message, 4, 0) != 4 || message[0] != 'Q')
    return 0;
  return message[3] >= 0 && message[3] <= 4 ? table[message[3]] : 0;  //~ array-bounds
}
