/* <termios.h>: no descriptor is a terminal.
 * direction: exact: descriptors of a checked program are no terminals */
#define _GNU_SOURCE
#include "libc.h"
#include <termios.h>

int tcgetattr(int fd, struct termios *out) { return fail(ENOTTY); }
int tcsetattr(int fd, int when, const struct termios *attr) { return fail(ENOTTY); }
int tcflush(int fd, int queue) { return fail(ENOTTY); }
int tcdrain(int fd) { return fail(ENOTTY); }
int tcflow(int fd, int action) { return fail(ENOTTY); }
int tcsendbreak(int fd, int duration) { return fail(ENOTTY); }
speed_t cfgetispeed(const struct termios *t) { return t->c_ispeed; }
speed_t cfgetospeed(const struct termios *t) { return t->c_ospeed; }
int cfsetispeed(struct termios *t, speed_t speed) {
  t->c_ispeed = speed;
  return 0;
}
int cfsetospeed(struct termios *t, speed_t speed) {
  t->c_ospeed = speed;
  return 0;
}
int cfsetspeed(struct termios *t, speed_t speed) {
  t->c_ispeed = t->c_ospeed = speed;
  return 0;
}
void cfmakeraw(struct termios *t) {
  t->c_iflag &= (tcflag_t) ~(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
  t->c_oflag &= (tcflag_t)~OPOST;
  t->c_lflag &= (tcflag_t) ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  t->c_cflag = (t->c_cflag & (tcflag_t) ~(CSIZE | PARENB)) | CS8;
}
