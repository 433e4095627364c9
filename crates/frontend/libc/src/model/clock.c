/* Time in the modelled environment: any clock that does not go backwards (one that would stands still), between 1970 and 2100. Sleeping takes no
 * time that anyone could see.
 * direction: exact from 1970 to 2100 */
#define _GNU_SOURCE
#include "model.h"
#include <time.h>
#include <unistd.h>

static long long last_seconds;
static long last_nanoseconds;

/* Linux has the clocks 0 to 11, of which 10 is gone; negative numbers are clocks of processes and devices. */
int clock_gettime(clockid_t clock, struct timespec *out) {
  if (clock > 11 || clock == 10)
    return fail(EINVAL);
  long long seconds = __blitz_input_llong("time");
  long nanoseconds = __blitz_input_long("time nanoseconds");
  __blitz_assume(seconds >= 0 && seconds <= (sizeof(time_t) == 8 ? 4102444800 : 2147483647));
  __blitz_assume(nanoseconds >= 0 && nanoseconds <= 999999999);
  if (seconds > last_seconds || (seconds == last_seconds && nanoseconds > last_nanoseconds)) {
    last_seconds = seconds;
    last_nanoseconds = nanoseconds;
  }
  out->tv_sec = (time_t)last_seconds;
  out->tv_nsec = last_nanoseconds;
  return 0;
}

/* Local time: UTC, or any offset of up to 25 hours in each call, with or without summer time, under any name of up to 7 bytes. direction: more, another offset in each call */
int __blitz_local_time(long long seconds, struct tm *tm) {
  static char zone[8];
  int offset = 0;
  _Bool summer = 0;
  /* A guess: answers that need no other zone are preferred. */
  if (__blitz_input_bool("(another time zone)") && __blitz_input_bool("(guess) time zone")) {
    offset = __blitz_input_int("time zone offset");
    summer = __blitz_input_bool("summer time");
    __blitz_assume(offset > -90000 && offset < 90000);
  }
  if (__blitz_split_time(seconds + offset, tm) == NULL)
    return -1;
  if (offset == 0 && !summer)
    return 0;
  __blitz_more("localtime: another offset in each call");
  __blitz_input_bytes(zone, sizeof zone - 1, "time zone name");
  zone[sizeof zone - 1] = 0;
  tm->tm_isdst = summer;
  tm->tm_gmtoff = offset;
  tm->tm_zone = zone;
  return 0;
}

int nanosleep(const struct timespec *want, struct timespec *rest) {
  if (want->tv_nsec < 0 || want->tv_nsec >= 1000000000 || want->tv_sec < 0)
    return fail(EINVAL);
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *want, struct timespec *rest) {
  return nanosleep(want, rest) == 0 ? 0 : errno;
}

unsigned sleep(unsigned seconds) { return 0; }

int usleep(useconds_t microseconds) { return 0; }
