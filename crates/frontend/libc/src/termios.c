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
/* The output's speed stands in the control modes, and is the input's too unless that was set to 0 apart. */
enum { SPEED_BITS = CBAUD | CBAUDEX, INPUT_IS_ZERO = 0x80000000u };
static int known_speed(speed_t speed) { return (speed & ~(speed_t)CBAUD) == 0 || (speed >= B57600 && speed <= B4000000); }
speed_t cfgetospeed(const struct termios *t) { return t->c_cflag & SPEED_BITS; }
speed_t cfgetispeed(const struct termios *t) { return t->c_iflag & INPUT_IS_ZERO ? 0 : t->c_cflag & SPEED_BITS; }
int cfsetospeed(struct termios *t, speed_t speed) {
  if (!known_speed(speed))
    return fail(EINVAL);
  t->c_cflag = (t->c_cflag & ~(tcflag_t)SPEED_BITS) | speed;
  t->c_ospeed = speed;
  return 0;
}
int cfsetispeed(struct termios *t, speed_t speed) {
  if (!known_speed(speed))
    return fail(EINVAL);
  t->c_ispeed = speed;
  if (speed == 0) {
    t->c_iflag |= INPUT_IS_ZERO;
    return 0;
  }
  t->c_iflag &= ~(tcflag_t)INPUT_IS_ZERO;
  t->c_cflag = (t->c_cflag & ~(tcflag_t)SPEED_BITS) | speed;
  return 0;
}
int cfsetspeed(struct termios *t, speed_t speed) { return cfsetispeed(t, speed) < 0 ? -1 : cfsetospeed(t, speed); }
void cfmakeraw(struct termios *t) {
  t->c_iflag &= (tcflag_t) ~(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
  t->c_oflag &= (tcflag_t)~OPOST;
  t->c_lflag &= (tcflag_t) ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  t->c_cflag = (t->c_cflag & (tcflag_t) ~(CSIZE | PARENB)) | CS8;
}
