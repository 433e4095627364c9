/* <time.h>: calendars. The clock itself is the variant's business, and so is the local time zone: in the modelled environment its offset is an input.
 * direction: exact in UTC; with another offset there are more */
#define _GNU_SOURCE
#include "libc.h"
#include <limits.h>
#include <locale.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

char *tzname[2] = {"UTC", "UTC"};
char *__tzname[2] = {"UTC", "UTC"};
long timezone;
int daylight;

static const char *const day_names[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const month_names[] = {"January", "February", "March",     "April",   "May",      "June",
                                          "July",    "August",   "September", "October", "November", "December"};

/* Days from 1970-01-01 to the first of March of the year before or at the date, and so on: a civil calendar in which
 * the year begins in March, so that the leap day is the last. */
static long long days_from_civil(long long year, int month, int day) {
  year -= month < 2;
  long long era = (year >= 0 ? year : year - 399) / 400;
  long long of_era = year - era * 400;
  long long of_year = (153 * (month + (month > 1 ? -2 : 10)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int is_leap(long long year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

/* Times of the years 1 to 12000, of which the parts of a date are known to be small. */
static int near(long long seconds) { return (seconds >= -62135596800) & (seconds < 315537897600); }

/* The date of a time that is open: its parts are inputs of a symbolic execution that add up to the time, as only one date does. A run is asked for them
 * as well and goes the other way. Small numbers, divided by multiplication: solving for them is easier than dividing seconds. */
static int date_at_once(long long seconds, struct tm *out) {
  int days = __blitz_input_int("(days)"), weeks = __blitz_input_int("(weeks)");
  struct tm t = {.tm_sec = __blitz_input_int("(second)"), .tm_min = __blitz_input_int("(minute)"), .tm_hour = __blitz_input_int("(hour)"),
                 .tm_mday = __blitz_input_int("(day)"), .tm_mon = __blitz_input_int("(month)"), .tm_year = __blitz_input_int("(year)"),
                 .tm_wday = __blitz_input_int("(weekday)"), .tm_zone = "UTC"};
  if (!__blitz_open((size_t)seconds))
    return 0;
  __blitz_assume((t.tm_sec >= 0) & (t.tm_sec < 60) & (t.tm_min >= 0) & (t.tm_min < 60) & (t.tm_hour >= 0) & (t.tm_hour < 24));
  __blitz_assume((t.tm_mday >= 1) & (t.tm_mon >= 0) & (t.tm_mon < 12) & (t.tm_year >= -1899) & (t.tm_year < 10100));
  __blitz_assume((t.tm_wday >= 0) & (t.tm_wday < 7) & (weeks >= 0) & (weeks < 1000000));
  /* Days are counted from the first of March of the year 0. */
  __blitz_assume((days >= 0) & (days < 4500000));
  __blitz_assume(seconds == ((long long)days - 719468) * 86400 + (t.tm_hour * 60 + t.tm_min) * 60 + t.tm_sec);
  __blitz_assume(days + 3 == weeks * 7 + t.tm_wday);
  int civil = t.tm_year + 1900, early = t.tm_mon < 2, year = civil - early, month = t.tm_mon + 12 * early - 2;
  int centuries = year * 5243 >> 19, before = year * 365 + (year >> 2) - centuries + (centuries >> 2);
  int leap = ((civil & 3) == 0) & ((civil != (civil * 5243 >> 19) * 100) | ((civil & 15) == 0));
  int of_year = (month * 979 + 15 >> 5) + t.tm_mday - 1;
  int last = 31 - ((t.tm_mon == 3) | (t.tm_mon == 5) | (t.tm_mon == 8) | (t.tm_mon == 10)) - (3 - leap) * (t.tm_mon == 1);
  __blitz_assume((t.tm_mday <= last) & (days == before + of_year));
  t.tm_yday = (int)__blitz_choose(early, (unsigned)(of_year - 306), (unsigned)(of_year + 59 + leap));
  __blitz_assume((t.tm_yday >= 0) & (t.tm_yday < 366));
  *out = t;
  return 1;
}

struct tm *__blitz_split_time(long long seconds, struct tm *out) {
  if (__blitz_model && near(seconds) && date_at_once(seconds, out))
    return out;
  long long days = seconds / 86400, rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    days--;
  }
  long long shifted = days + 719468;
  long long era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  long long of_era = shifted - era * 146097;
  long long year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  long long of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  long long shifted_month = (5 * of_year + 2) / 153;
  int month = (int)(shifted_month < 10 ? shifted_month + 2 : shifted_month - 10);
  long long year = year_of_era + era * 400 + (month < 2);
  if (year - 1900 > INT_MAX || year - 1900 < INT_MIN) {
    errno = EOVERFLOW;
    return NULL;
  }
  memset(out, 0, sizeof *out);
  out->tm_sec = (int)(rest % 60);
  out->tm_min = (int)(rest / 60 % 60);
  out->tm_hour = (int)(rest / 3600);
  out->tm_mday = (int)(of_year - (153 * shifted_month + 2) / 5 + 1);
  out->tm_mon = month;
  out->tm_year = (int)(year - 1900);
  long long weekday = (days + 4) % 7;
  out->tm_wday = (int)(weekday < 0 ? weekday + 7 : weekday);
  out->tm_yday = (int)(days - days_from_civil(year, 0, 1));
  out->tm_zone = "UTC";
  return out;
}

struct tm *gmtime_r(const time_t *restrict t, struct tm *restrict out) {
  struct tm *tm = __blitz_split_time(*t, out);
  if (tm != NULL)
    tm->tm_zone = "GMT";
  return tm;
}

struct tm *localtime_r(const time_t *restrict t, struct tm *restrict out) {
  return __blitz_local_time(*t, out) < 0 ? NULL : out;
}

static struct tm shared;

struct tm *gmtime(const time_t *t) { return gmtime_r(t, &shared); }
struct tm *localtime(const time_t *t) { return localtime_r(t, &shared); }
struct tm *__gmtime_r(const time_t *restrict t, struct tm *restrict out) { return gmtime_r(t, out); }
struct tm *__localtime_r(const time_t *restrict t, struct tm *restrict out) { return localtime_r(t, out); }

static long long join(const struct tm *tm) {
  long long year = (long long)tm->tm_year + 1900 + tm->tm_mon / 12;
  int month = tm->tm_mon % 12;
  if (month < 0) {
    month += 12;
    year--;
  }
  long long days = days_from_civil(year, month, 1) + (long long)tm->tm_mday - 1;
  return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec;
}

time_t timegm(struct tm *tm) {
  time_t t = (time_t)join(tm);
  gmtime_r(&t, tm);
  return t;
}

/* The offset of the zone is guessed at UTC and then corrected: exact except within a change of summer time. */
time_t mktime(struct tm *tm) {
  long long utc = join(tm);
  struct tm local;
  time_t t = (time_t)utc;
  for (int i = 0; i < (__blitz_model ? 1 : 2); i++) {
    if (localtime_r(&t, &local) == NULL)
      return -1;
    t = (time_t)(utc - local.tm_gmtoff);
  }
  if (localtime_r(&t, tm) == NULL)
    return -1;
  return t;
}

time_t timelocal(struct tm *tm) { return mktime(tm); }
double difftime(time_t a, time_t b) { return (double)a - (double)b; }
/* direction: fewer, the variables of other time zones */
void tzset(void) {
  if (__blitz_model)
    __blitz_fewer("tzset: variables of time zones other than UTC");
}

char *asctime_r(const struct tm *restrict tm, char *restrict buf) {
  const char *day = tm->tm_wday >= 0 && tm->tm_wday < 7 ? day_names[tm->tm_wday] : "???";
  const char *month = tm->tm_mon >= 0 && tm->tm_mon < 12 ? month_names[tm->tm_mon] : "???";
  sprintf(buf, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", day, month, tm->tm_mday, tm->tm_hour, tm->tm_min, tm->tm_sec,
          1900 + tm->tm_year);
  return buf;
}

char *asctime(const struct tm *tm) {
  static char text[80];
  return asctime_r(tm, text);
}

char *ctime(const time_t *t) {
  struct tm *tm = localtime(t);
  return tm ? asctime(tm) : NULL;
}

char *ctime_r(const time_t *t, char *buf) {
  struct tm tm;
  return localtime_r(t, &tm) ? asctime_r(&tm, buf) : NULL;
}

/* strftime. */

struct text {
  char *p;
  size_t room, used;
};

static void add(struct text *to, const char *s, size_t n) {
  if (to->used + n < to->room)
    memcpy(to->p + to->used, s, n);
  to->used += n;
}

static void add_string(struct text *to, const char *s) { add(to, s, strlen(s)); }

static void add_number(struct text *to, long long value, int width, char pad) {
  char digits[32];
  int n = pad == '-' ? snprintf(digits, sizeof digits, "%lld", value)
          : pad == ' ' ? snprintf(digits, sizeof digits, "%*lld", width, value)
                       : snprintf(digits, sizeof digits, "%0*lld", width, value);
  add(to, digits, (size_t)n);
}

/* Week of the year by ISO 8601, and the year it belongs to. */
static int iso_week(const struct tm *tm, long long *year) {
  int weekday = (tm->tm_wday + 6) % 7;
  int week = (tm->tm_yday - weekday + 10) / 7;
  *year = (long long)tm->tm_year + 1900;
  if (week < 1) {
    --*year;
    int days = 365 + is_leap(*year);
    return (tm->tm_yday + days - weekday + 10) / 7;
  }
  if (week == 53 && tm->tm_yday - weekday + 3 >= 365 + is_leap(*year)) {
    ++*year;
    return 1;
  }
  return week;
}

static void add_format(struct text *to, const char *format, const struct tm *tm);

static void in_locale(void) {
  if (__blitz_locales[LC_TIME] != LOCALE_C)
    __blitz_fewer("strftime: dates of locales other than \"C\"");
}

static void add_names(struct text *to, char letter, const struct tm *tm) {
  in_locale();
  int month = letter == 'b' || letter == 'B' || letter == 'h';
  int index = month ? tm->tm_mon : tm->tm_wday;
  if (index < 0 || index >= (month ? 12 : 7)) {
    add_string(to, "?");
    return;
  }
  const char *name = month ? month_names[index] : day_names[index];
  add(to, name, letter == 'A' || letter == 'B' ? strlen(name) : 3);
}

static void add_zone(struct text *to, const struct tm *tm) {
  long offset = tm->tm_gmtoff;
  char text[16];
  long minutes = (offset < 0 ? -offset : offset) / 60;
  int n = snprintf(text, sizeof text, "%c%02ld%02ld", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
  add(to, text, (size_t)n);
}

static int hour12(const struct tm *tm) { return tm->tm_hour % 12 == 0 ? 12 : tm->tm_hour % 12; }

static void add_conversion(struct text *to, char letter, char pad, const struct tm *tm) {
  long long year = (long long)tm->tm_year + 1900, iso_year;
  char zero = pad ? pad : '0', blank = pad ? pad : ' ';
  switch (letter) {
  case 'a': case 'A': case 'b': case 'B': case 'h': add_names(to, letter, tm); break;
  case 'c': in_locale(); add_format(to, "%a %b %e %H:%M:%S %Y", tm); break;
  case 'C': add_number(to, (year - (year % 100 + 100) % 100) / 100, 1, zero); break; /* as glibc: no zero in front */
  case 'd': add_number(to, tm->tm_mday, 2, zero); break;
  case 'D': add_format(to, "%m/%d/%y", tm); break;
  case 'x': in_locale(); add_format(to, "%m/%d/%y", tm); break;
  case 'e': add_number(to, tm->tm_mday, 2, blank); break;
  case 'F': add_format(to, "%Y-%m-%d", tm); break;
  case 'g': iso_week(tm, &iso_year); add_number(to, iso_year % 100, 2, zero); break;
  case 'G': iso_week(tm, &iso_year); add_number(to, iso_year, 1, '-'); break;
  case 'H': add_number(to, tm->tm_hour, 2, zero); break;
  case 'I': add_number(to, hour12(tm), 2, zero); break;
  case 'j': add_number(to, tm->tm_yday + 1, 3, zero); break;
  case 'k': add_number(to, tm->tm_hour, 2, blank); break;
  case 'l': add_number(to, hour12(tm), 2, blank); break;
  case 'm': add_number(to, tm->tm_mon + 1, 2, zero); break;
  case 'M': add_number(to, tm->tm_min, 2, zero); break;
  case 'n': add(to, "\n", 1); break;
  case 'p': in_locale(); add_string(to, tm->tm_hour < 12 ? "AM" : "PM"); break;
  case 'P': in_locale(); add_string(to, tm->tm_hour < 12 ? "am" : "pm"); break;
  case 'r': in_locale(); add_format(to, "%I:%M:%S %p", tm); break;
  case 'R': add_format(to, "%H:%M", tm); break;
  case 's': { struct tm copy = *tm; add_number(to, mktime(&copy), 1, '-'); break; }
  case 'S': add_number(to, tm->tm_sec, 2, zero); break;
  case 't': add(to, "\t", 1); break;
  case 'T': add_format(to, "%H:%M:%S", tm); break;
  case 'X': in_locale(); add_format(to, "%H:%M:%S", tm); break;
  case 'u': add_number(to, tm->tm_wday == 0 ? 7 : tm->tm_wday, 1, zero); break;
  case 'U': add_number(to, (tm->tm_yday + 7 - tm->tm_wday) / 7, 2, zero); break;
  case 'V': add_number(to, iso_week(tm, &iso_year), 2, zero); break;
  case 'w': add_number(to, tm->tm_wday, 1, zero); break;
  case 'W': add_number(to, (tm->tm_yday + 7 - (tm->tm_wday + 6) % 7) / 7, 2, zero); break;
  case 'y': add_number(to, ((year % 100) + 100) % 100, 2, zero); break;
  case 'Y': add_number(to, year, 1, '-'); break;
  case 'z': add_zone(to, tm); break;
  case 'Z': add_string(to, tm->tm_zone ? tm->tm_zone : "UTC"); break;
  case '%': add(to, "%", 1); break;
  default: add(to, "%", 1); add(to, &letter, 1); break;
  }
}

/* Formats inside formats go one level deep, so this recursion ends. */
static void add_format(struct text *to, const char *format, const struct tm *tm) {
  const char *p = format;
  while (*p != 0) {
    size_t plain = strcspn(p, "%");
    add(to, p, plain);
    p += plain;
    if (*p == 0)
      break;
    p++;
    char pad = 0;
    while (*p == '-' || *p == '_' || *p == '0' || *p == '^' || *p == '#' || *p == 'E' || *p == 'O') {
      if (*p == '^' || *p == '#')
        __blitz_unsupported("strftime: the flags ^ and #");
      pad = *p == '-' ? '-' : *p == '_' ? ' ' : *p == '0' ? '0' : pad;
      p++;
    }
    if (*p >= '1' && *p <= '9')
      __blitz_unsupported("strftime: the width of a conversion");
    if (*p == 0)
      break;
    add_conversion(to, *p++, pad, tm);
  }
}

size_t strftime(char *restrict p, size_t room, const char *restrict format, const struct tm *restrict tm) {
  struct text to = {.p = p, .room = room};
  add_format(&to, format, tm);
  if (to.used >= room)
    return 0;
  p[to.used] = 0;
  return to.used;
}

size_t strftime_l(char *restrict p, size_t room, const char *restrict format, const struct tm *restrict tm, locale_t l) {
  return strftime(p, room, format, tm);
}

/* strptime: the conversions that programs use to read dates. */

/* What has been read so far, as far as other conversions or the end ask for it. */
struct reading_date {
  struct tm *tm;
  _Bool twelve, pm, wants_day, has_weekday, has_yearday, has_month, has_day, adds_century;
  int century; /* -1 if there is none */
};

/* A number of at most `most` digits from `low` to `high`: no digit is taken that would make it too large. */
static const char *read_digits(const char *s, int most, int low, int high, int *value) {
  int v = 0;
  while (*s == ' ')
    s++;
  if (*s < '0' || *s > '9')
    return NULL;
  do
    v = v * 10 + (*s++ - '0');
  while (--most > 0 && v * 10 <= high && *s >= '0' && *s <= '9');
  *value = v;
  return v < low || v > high ? NULL : s;
}

static const char *read_name(const char *s, const char *const *names, int count, int *index) {
  for (int i = 0; i < count; i++) {
    size_t whole = strlen(names[i]);
    if (strncasecmp(s, names[i], whole) == 0) {
      *index = i;
      return s + whole;
    }
  }
  for (int i = 0; i < count; i++)
    if (strncasecmp(s, names[i], 3) == 0) {
      *index = i;
      return s + 3;
    }
  return NULL;
}

/* Hours, minutes and seconds. */
static const char *read_clock(const char *s, char letter, struct reading_date *r) {
  int v = 0;
  switch (letter) {
  case 'M': s = read_digits(s, 2, 0, 59, &v); r->tm->tm_min = s ? v : r->tm->tm_min; return s;
  case 'S': s = read_digits(s, 2, 0, 61, &v); r->tm->tm_sec = s ? v : r->tm->tm_sec; return s;
  case 'p':
    if (strncasecmp(s, "am", 2) != 0 && strncasecmp(s, "pm", 2) != 0)
      return NULL;
    r->pm = (*s | 32) == 'p';
    return s + 2;
  case 'I': case 'l': s = read_digits(s, 2, 1, 12, &v); break;
  default: s = read_digits(s, 2, 0, 23, &v);
  }
  if (s != NULL) {
    r->twelve = letter == 'I' || letter == 'l';
    r->tm->tm_hour = r->twelve ? v % 12 : v;
  }
  return s;
}

/* Days, months and years. */
static const char *read_date(const char *s, char letter, struct reading_date *r) {
  struct tm *tm = r->tm;
  int v = 0;
  switch (letter) {
  case 'a': case 'A':
    s = read_name(s, day_names, 7, &tm->tm_wday);
    r->has_weekday |= s != NULL;
    return s;
  case 'b': case 'B': case 'h': s = read_name(s, month_names, 12, &tm->tm_mon); r->has_month = 1; break;
  case 'd': case 'e': s = read_digits(s, 2, 1, 31, &v); tm->tm_mday = s ? v : tm->tm_mday; r->has_day = 1; break;
  case 'j': s = read_digits(s, 3, 1, 366, &v); tm->tm_yday = s ? v - 1 : tm->tm_yday; r->has_yearday = 1; return s;
  case 'm': s = read_digits(s, 2, 1, 12, &v); tm->tm_mon = s ? v - 1 : tm->tm_mon; r->has_month = 1; break;
  case 'u': s = read_digits(s, 1, 1, 7, &v); tm->tm_wday = s ? v % 7 : tm->tm_wday; r->has_weekday = 1; return s;
  case 'w': s = read_digits(s, 1, 0, 6, &v); tm->tm_wday = s ? v : tm->tm_wday; r->has_weekday = 1; return s;
  case 'y': s = read_digits(s, 2, 0, 99, &v); tm->tm_year = s ? (v < 69 ? v + 100 : v) : tm->tm_year; r->adds_century = 1; break;
  case 'C': s = read_digits(s, 2, 0, 99, &v); r->century = v; break;
  default: s = read_digits(s, 4, 0, 9999, &v); tm->tm_year = s ? v - 1900 : tm->tm_year; r->adds_century = 0;
  }
  r->wants_day = 1;
  return s;
}

static const char *skip_blanks(const char *s) {
  while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
    s++;
  return s;
}

static const char *read_zone(const char *s, struct tm *tm) {
  s = skip_blanks(s);
  if (*s == 'Z') {
    tm->tm_gmtoff = 0;
    return s + 1;
  }
  if (*s != '+' && *s != '-')
    return NULL;
  _Bool west = *s++ == '-';
  int n = 0, v = 0;
  for (; n < 4 && *s >= '0' && *s <= '9'; n++) {
    v = v * 10 + (*s++ - '0');
    if (*s == ':' && n == 1 && s[1] >= '0' && s[1] <= '9')
      s++;
  }
  if (n == 2)
    v *= 100;
  else if (n != 4 || v % 100 >= 60)
    return NULL;
  tm->tm_gmtoff = (west ? -1 : 1) * (v / 100 * 3600L + v % 100 * 60L);
  return s;
}

static const char *read_conversion(const char *s, char letter, struct reading_date *r) {
  switch (letter) {
  case 'H': case 'k': case 'I': case 'l': case 'M': case 'S': case 'p': return read_clock(s, letter, r);
  case 'a': case 'A': case 'b': case 'B': case 'h': case 'd': case 'e': case 'j': case 'm': case 'u': case 'w': case 'y': case 'C': case 'Y':
    return read_date(s, letter, r);
  case 'n': case 't': return skip_blanks(s);
  case 'z': return read_zone(s, r->tm);
  case '%': return *s == '%' ? s + 1 : NULL;
  default: __blitz_unsupported("conversion of strptime");
  }
}

static const char *expansion(char letter) {
  switch (letter) {
  case 'T': return "%H:%M:%S";
  case 'R': return "%H:%M";
  case 'D': return "%m/%d/%y";
  case 'F': return "%Y-%m-%d";
  case 'c': return "%a %b %e %H:%M:%S %Y";
  case 'r': return "%I:%M:%S %p";
  case 'x': return "%m/%d/%y";
  case 'X': return "%H:%M:%S";
  default: return NULL;
  }
}

static const char *read_format(const char *s, const char *f, struct reading_date *r) {
  for (; *f != 0 && s != NULL; f++) {
    if (*f == ' ' || (*f >= '\t' && *f <= '\r')) {
      s = skip_blanks(s);
    } else if (*f != '%') {
      s = *s == *f ? s + 1 : NULL;
    } else {
      f++;
      const char *inner = expansion(*f);
      s = inner ? read_format(s, inner, r) : read_conversion(s, *f, r);
    }
  }
  return s;
}

/* What follows from what was read, as glibc has it. */
static void complete_date(struct reading_date *r) {
  struct tm *tm = r->tm;
  if (r->twelve && r->pm)
    tm->tm_hour += 12;
  if (r->century != -1)
    tm->tm_year = (r->adds_century ? tm->tm_year % 100 : 0) + (r->century - 19) * 100;
  if (!r->wants_day)
    return;
  long long year = tm->tm_year + 1900LL, first = days_from_civil(year, 0, 1);
  if (!r->has_weekday && !(r->has_month && r->has_day) && r->has_yearday) {
    int month = 0;
    while (month < 11 && days_from_civil(year, month + 1, 1) - first <= tm->tm_yday)
      month++;
    if (!r->has_month)
      tm->tm_mon = month;
    if (!r->has_day)
      tm->tm_mday = (int)(tm->tm_yday - (days_from_civil(year, month, 1) - first)) + 1;
    r->has_month = r->has_day = 1;
  }
  if (!r->has_month && (unsigned)tm->tm_mon > 11)
    return;
  long long days = days_from_civil(year, tm->tm_mon, 1) + tm->tm_mday - 1;
  if (!r->has_weekday)
    tm->tm_wday = (int)(((days + 4) % 7 + 7) % 7);
  if (!r->has_yearday)
    tm->tm_yday = (int)(days - first);
}

char *strptime(const char *restrict s, const char *restrict format, struct tm *restrict tm) {
  struct reading_date r = {.tm = tm, .century = -1};
  const char *end = read_format(s, format, &r);
  if (end != NULL)
    complete_date(&r);
  return (char *)end;
}

/* Clocks, on top of clock_gettime of the variant. */

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != NULL)
    *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  tv->tv_sec = now.tv_sec;
  tv->tv_usec = now.tv_nsec / 1000;
  if (zone != NULL)
    memset(zone, 0, sizeof(struct timezone));
  return 0;
}

int timespec_get(struct timespec *out, int base) {
  clock_gettime(CLOCK_REALTIME, out);
  return base;
}

int clock_getres(clockid_t clock, struct timespec *out) {
  if (clock > 11 || clock == 10)
    return fail(EINVAL);
  if (out != NULL)
    *out = (struct timespec){0, 1};
  return 0;
}

clock_t clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (clock_t)(now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}

int settimeofday(const struct timeval *tv, const struct timezone *zone) { return fail(EPERM); }
int clock_settime(clockid_t clock, const struct timespec *t) { return fail(EPERM); }
int adjtime(const struct timeval *delta, struct timeval *old) {
  if (delta != NULL)
    return fail(EPERM);
  if (old != NULL)
    *old = (struct timeval){0};
  return 0;
}
int stime(const time_t *t) { return fail(EPERM); }
