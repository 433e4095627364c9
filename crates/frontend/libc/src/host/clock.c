/* Time of the host.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *out) {
  struct blitz_time now;
  long result = checked(__blitz_host(HOST_CLOCK, clock, (long)&now, 0, 0, 0, 0));
  if (result < 0)
    return -1;
  out->tv_sec = (time_t)now.sec;
  out->tv_nsec = (long)now.nsec;
  return 0;
}

int __blitz_local_time(long long seconds, struct tm *tm) {
  struct blitz_tm local;
  long result = __blitz_host(HOST_LOCALTIME, (long)&seconds, (long)&local, 0, 0, 0, 0);
  if (result < 0)
    return -1;
  *tm = (struct tm){0};
  tm->tm_zone = "UTC";
  tm->tm_sec = local.sec;
  tm->tm_min = local.min;
  tm->tm_hour = local.hour;
  tm->tm_mday = local.mday;
  tm->tm_mon = local.mon;
  tm->tm_year = local.year;
  tm->tm_wday = local.wday;
  tm->tm_yday = local.yday;
  tm->tm_isdst = local.isdst;
  tm->tm_gmtoff = (long)local.gmtoff;
  if (local.gmtoff != 0 || local.isdst != 0)
    tm->tm_zone = "";
  return 0;
}

int nanosleep(const struct timespec *want, struct timespec *rest) {
  if (want->tv_nsec < 0 || want->tv_nsec >= 1000000000 || want->tv_sec < 0)
    return fail(EINVAL);
  __blitz_host(HOST_NANOSLEEP, (long)(want->tv_sec * 1000000000LL + want->tv_nsec), 0, 0, 0, 0, 0);
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *want, struct timespec *rest) {
  return nanosleep(want, rest) == 0 ? 0 : errno;
}

unsigned sleep(unsigned seconds) {
  struct timespec t = {.tv_sec = (time_t)seconds};
  nanosleep(&t, NULL);
  return 0;
}

int usleep(useconds_t microseconds) {
  struct timespec t = {.tv_sec = microseconds / 1000000, .tv_nsec = (long)(microseconds % 1000000) * 1000};
  return nanosleep(&t, NULL);
}
