/* Our models against glibc, natively: the same calls with random arguments must give the same results.
 *
 * our_X is the model of X (see shim.c); model_X are the functions of the modelled environment that can be compared.
 * Prints the first differences and ends with 1 if there is one. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <libgen.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef basename

#define OURS(name) extern __typeof__(name) our_##name
OURS(strlen); OURS(strnlen); OURS(strcpy); OURS(stpcpy); OURS(strncpy); OURS(strcat); OURS(strncat); OURS(memchr); OURS(memrchr);
OURS(strchr); OURS(strrchr); OURS(strchrnul); OURS(memcmp); OURS(strcmp); OURS(strncmp); OURS(strcasecmp); OURS(strncasecmp);
OURS(memmem); OURS(strstr); OURS(strcasestr); OURS(strspn); OURS(strcspn); OURS(strpbrk); OURS(strtok_r); OURS(strsep); OURS(strdup);
OURS(strndup); OURS(memccpy); OURS(strverscmp); OURS(strtol); OURS(strtoul); OURS(strtoll); OURS(strtoull); OURS(atoi);
OURS(snprintf); OURS(sprintf); OURS(asprintf); OURS(sscanf); OURS(strtod); OURS(qsort); OURS(bsearch); OURS(rand); OURS(srand);
OURS(gmtime_r); OURS(timegm); OURS(strftime); OURS(strptime); OURS(getopt_long); OURS(fnmatch); OURS(dirname); OURS(inet_pton);
OURS(inet_ntop); OURS(inet_aton); OURS(frexp); OURS(ldexp); OURS(modf); OURS(nextafter); OURS(free); OURS(malloc); OURS(realloc);
OURS(calloc); OURS(strerror); OURS(tolower); OURS(toupper); OURS(isalpha); OURS(isspace); OURS(ispunct); OURS(isprint); OURS(random);
extern int our_optind, our_optopt, our_opterr;
extern char *our_optarg;
extern int *our___errno_location(void);
extern size_t model___blitz_format_float(char *, size_t, const char *, const void *, int);
extern int *our___errno_location(void);
extern size_t model___blitz_parse_float(const char *, void *, int);

static unsigned long long seed = 88172645463325252ull;
static unsigned next_random(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)(seed >> 20);
}
static unsigned below(unsigned n) { return next_random() % n; }

static int failures;
#define EXPECT(cond, ...)                                                                                              \
  do {                                                                                                                 \
    if (!(cond) && failures++ < 20) {                                                                                  \
      printf("%s:%d: ", __FILE__, __LINE__);                                                                           \
      printf(__VA_ARGS__);                                                                                             \
      printf("\n");                                                                                                    \
    }                                                                                                                  \
  } while (0)

static int sign(int x) { return (x > 0) - (x < 0); }

static char *random_text(char *buf, unsigned most, const char *alphabet) {
  unsigned n = below(most + 1), m = (unsigned)strlen(alphabet);
  for (unsigned i = 0; i < n; i++)
    buf[i] = alphabet[below(m)];
  buf[n] = 0;
  return buf;
}

static void strings(void) {
  char a[40], b[40], x[120], y[120];
  random_text(a, 20, "abAB.0\x80");
  random_text(b, below(2) ? 3 : 20, "abAB.0\x80");
  size_t n = below(24);
  int c = "abz\x80"[below(5)];
  EXPECT(our_strlen(a) == strlen(a), "strlen %s", a);
  EXPECT(our_strnlen(a, n) == strnlen(a, n), "strnlen %s", a);
  EXPECT(our_strchr(a, c) == strchr(a, c), "strchr %s %d", a, c);
  EXPECT(our_strrchr(a, c) == strrchr(a, c), "strrchr %s %d", a, c);
  EXPECT(our_strchrnul(a, c) == strchrnul(a, c), "strchrnul %s %d", a, c);
  EXPECT(our_memchr(a, c, n) == memchr(a, c, n), "memchr %s", a);
  EXPECT(our_memrchr(a, c, n) == memrchr(a, c, n), "memrchr %s", a);
  EXPECT(sign(our_strcmp(a, b)) == sign(strcmp(a, b)), "strcmp %s %s", a, b);
  EXPECT(sign(our_strncmp(a, b, n)) == sign(strncmp(a, b, n)), "strncmp %s %s %zu", a, b, n);
  EXPECT(sign(our_memcmp(a, b, n)) == sign(memcmp(a, b, n)), "memcmp %s %s", a, b);
  EXPECT(sign(our_strcasecmp(a, b)) == sign(strcasecmp(a, b)), "strcasecmp %s %s", a, b);
  EXPECT(sign(our_strncasecmp(a, b, n)) == sign(strncasecmp(a, b, n)), "strncasecmp %s %s", a, b);
  EXPECT(sign(our_strverscmp(a, b)) == sign(strverscmp(a, b)), "strverscmp %s %s", a, b);
  EXPECT(our_strstr(a, b) == strstr(a, b), "strstr %s %s", a, b);
  EXPECT(our_strcasestr(a, b) == strcasestr(a, b), "strcasestr %s %s", a, b);
  EXPECT(our_memmem(a, strlen(a), b, strlen(b)) == memmem(a, strlen(a), b, strlen(b)), "memmem %s %s", a, b);
  EXPECT(our_strspn(a, b) == strspn(a, b), "strspn %s %s", a, b);
  EXPECT(our_strcspn(a, b) == strcspn(a, b), "strcspn %s %s", a, b);
  EXPECT(our_strpbrk(a, b) == strpbrk(a, b), "strpbrk %s %s", a, b);
  memset(x, 7, sizeof x);
  memset(y, 7, sizeof y);
  EXPECT(our_stpcpy(x, a) - x == stpcpy(y, a) - y && memcmp(x, y, sizeof x) == 0, "stpcpy %s", a);
  our_strncat(x, b, n), strncat(y, b, n);
  EXPECT(memcmp(x, y, sizeof x) == 0, "strncat %s %s %zu", a, b, n);
  our_strncpy(x, b, n), strncpy(y, b, n);
  EXPECT(memcmp(x, y, sizeof x) == 0, "strncpy %s %zu", b, n);
  our_strcpy(x, a), strcpy(y, a);
  our_strcat(x, b), strcat(y, b);
  EXPECT(memcmp(x, y, sizeof x) == 0, "strcat %s %s", a, b);
  char *px = our_memccpy(x, a, c, n), *py = memccpy(y, a, c, n);
  EXPECT((px ? px - x : -1) == (py ? py - y : -1) && memcmp(x, y, sizeof x) == 0, "memccpy %s", a);
}

static void tokens(void) {
  char a[40], x[40], y[40], *sx, *sy;
  random_text(a, 20, "ab,;");
  strcpy(x, a), strcpy(y, a);
  for (char *px = x, *py = y;; px = py = NULL) {
    char *tx = our_strtok_r(px, ",;", &sx), *ty = strtok_r(py, ",;", &sy);
    EXPECT((tx ? tx - x : -1) == (ty ? ty - y : -1), "strtok_r %s", a);
    if (tx == NULL || ty == NULL)
      break;
  }
  strcpy(x, a), strcpy(y, a);
  sx = x, sy = y;
  do {
    char *tx = our_strsep(&sx, ",;"), *ty = strsep(&sy, ",;");
    EXPECT((tx ? tx - x : -1) == (ty ? ty - y : -1), "strsep %s", a);
  } while (sx && sy);
  EXPECT(memcmp(x, y, strlen(a)) == 0, "strsep %s", a);
  random_text(a, 12, "ab//.");
  strcpy(x, a), strcpy(y, a);
  EXPECT(strcmp(our_dirname(x), dirname(y)) == 0, "dirname %s", a);
  char pattern[24];
  random_text(a, 8, "ab/.");
  random_text(pattern, 6, "ab/.*?[]a-");
  int flags = (below(2) ? FNM_PATHNAME : 0) | (below(2) ? FNM_PERIOD : 0);
  if (strchr(pattern, '[') == NULL)
    EXPECT((our_fnmatch(pattern, a, flags) == 0) == (fnmatch(pattern, a, flags) == 0), "fnmatch %s %s %d", pattern, a, flags);
}

static void integers_from_text(void) {
  char s[48], *ex, *ey;
  random_text(s, below(4) ? 8 : 30, below(2) ? "0123456789" : " -+0x1aF9zZ\t");
  int base = below(3) ? 10 : (int)below(38);
  errno = *our___errno_location() = 0;
  long lx = our_strtol(s, &ex, base), ly = strtol(s, &ey, base);
  EXPECT(lx == ly && (base == 1 || base > 36 || ex == ey) && *our___errno_location() == errno, "strtol '%s' %d: %ld %ld", s, base, lx, ly);
  errno = *our___errno_location() = 0;
  unsigned long ux = our_strtoul(s, &ex, base), uy = strtoul(s, &ey, base);
  EXPECT(ux == uy && *our___errno_location() == errno, "strtoul '%s' %d: %lu %lu", s, base, ux, uy);
  EXPECT(our_strtoll(s, NULL, 16) == strtoll(s, NULL, 16), "strtoll '%s'", s);
  EXPECT(our_atoi(s) == atoi(s), "atoi '%s'", s);
}

static double random_double(void) {
  union { uint64_t u; double d; } v = {(uint64_t)next_random() << 32 | next_random()};
  switch (below(5)) {
  case 0: return v.d;
  case 1: return (double)(int)next_random() / 1000;
  case 2: return (double)below(100000) / 64;
  case 3: return (double)(int)below(2000) - 1000;
  default: return ldexp((double)next_random(), (int)below(200) - 100);
  }
}

static void printing(void) {
  char spec[32], x[600], y[600], text[24];
  static const char *const lengths[] = {"hh", "h", "", "l", "ll", "j", "z", "t"};
  int nx, ny;
  unsigned kind = below(6), n = 0;
  spec[n++] = '%';
  for (unsigned i = below(3); i > 0; i--)
    spec[n++] = "-+ #0"[below(5)];
  if (below(2))
    n += (unsigned)sprintf(spec + n, "%u", below(14) + 1);
  if (below(2))
    n += (unsigned)sprintf(spec + n, ".%u", below(12));
  spec[n] = 0;
  size_t room = below(3) ? sizeof x : below(12);
  memset(x, 7, sizeof x), memset(y, 7, sizeof y);
  long long value = below(3) ? (long long)(int)next_random() >> below(32) : (long long)(((uint64_t)next_random() << 32 | next_random()) >> below(64));
  if (kind < 3) {
    const char *length = lengths[below(8)];
    sprintf(spec + n, "%s%c", length, "diuoxX"[below(6)]);
    nx = our_snprintf(x, room, spec, value), ny = snprintf(y, room, spec, value);
  } else if (kind == 3) {
    strcpy(spec + n, "s|%%|%c");
    random_text(text, 15, "xyz");
    nx = our_snprintf(x, room, spec, text, 'q'), ny = snprintf(y, room, spec, text, 'q');
  } else if (kind == 4) {
    sprintf(spec + n, "%c", "feEgGa"[below(6)]);
    double d = random_double();
    nx = our_snprintf(x, room, spec, d), ny = snprintf(y, room, spec, d);
    value = (long long)d;
  } else {
    strcpy(spec + n, "p");
    nx = our_snprintf(x, room, spec, (void *)(uintptr_t)(value & 0xffffff)), ny = snprintf(y, room, spec, (void *)(uintptr_t)(value & 0xffffff));
  }
  EXPECT(nx == ny && memcmp(x, y, sizeof x) == 0, "printf \"%s\" %lld: '%s' '%s'", spec, value, x, y);
}

static void modelled_number(const char *text, int kinds) {
  for (int kind = 0; kind < kinds; kind++) {
    long double back = 0, real = 0;
    char *end;
    errno = *our___errno_location() = 0;
    size_t used = model___blitz_parse_float(text, &back, kind);
    int code = *our___errno_location();
    if (kind == 0)
      *(float *)&real = strtof(text, &end);
    else if (kind == 1)
      *(double *)&real = strtod(text, &end);
    else
      real = strtold(text, &end);
    size_t bytes = kind == 0 ? 4 : kind == 1 ? 8 : 10;
    int same = memcmp(&back, &real, bytes) == 0 || strstr(text, "nan");
    EXPECT(used == (size_t)(end - text) && same && code == errno, "modelled strtod %d '%s': %Lg %Lg, %d %d, %zu", kind, text, back, real, code, errno, used);
  }
}

/* The modelled environment: every digit, and every bit back. */
static void modelled_floats(void) {
  static char x[9000], y[9000], text[1200];
  char spec[16];
  double d = random_double();
  if (below(3))
    sprintf(spec, "%%%s.%u%c", below(4) ? "" : "#", below(8) ? below(9) : below(60), "feg"[below(3)]);
  else
    sprintf(spec, "%%%c", "fega"[below(4)]);
  size_t nx = model___blitz_format_float(x, sizeof x - 1, spec, &d, 0);
  int ny = snprintf(y, sizeof y, spec, d);
  x[nx < sizeof x ? nx : sizeof x - 1] = 0;
  EXPECT(isnan(d) || strcmp(x, y) == 0, "modelled \"%s\": '%s' '%s'", spec, x, y);
  long double wide = (long double)d / 3;
  char long_spec[16];
  sprintf(long_spec, "%%.%uL%c", below(20), "feg"[below(3)]);
  nx = model___blitz_format_float(x, sizeof x - 1, long_spec, &wide, 1);
  snprintf(y, sizeof y, long_spec, wide);
  x[nx < sizeof x ? nx : sizeof x - 1] = 0;
  EXPECT(isnan(d) || strcmp(x, y) == 0, "modelled \"%s\": '%s' '%s'", long_spec, x, y);
  snprintf(text, sizeof text, below(2) ? "%.12g" : below(3) ? "%.*g" : "%a", below(2) ? 17 : (int)below(40), d);
  if (below(2))
    snprintf(text, sizeof text, "%.*g", (int)below(25), d);
  modelled_number(text, 3);
}

static void scanning(void) {
  char s[40];
  static const char *const formats[] = {"%d %d", "%3d%d", "%i,%x", " %s %d", "%5s%c", "%[a-c]%d", "%*d %d", "%d%n", "%u %o", "%[^,],%d", "%hd %hhd", "%1s%%%d"};
  const char *format = formats[below(sizeof formats / sizeof formats[0])];
  random_text(s, 14, below(2) ? "0123456789 -," : "abc 12,%-x0");
  char bx[2][64], by[2][64];
  memset(bx, 7, sizeof bx), memset(by, 7, sizeof by);
  int nx = our_sscanf(s, format, bx[0], bx[1]), ny = sscanf(s, format, by[0], by[1]);
  EXPECT(nx == ny && memcmp(bx, by, sizeof bx) == 0, "sscanf '%s' \"%s\": %d %d", s, format, nx, ny);
}

static int compare_ints(const void *a, const void *b) { return *(const short *)a / 4 - *(const short *)b / 4; }

static void sorting(void) {
  short x[40], y[40];
  unsigned n = below(40);
  for (unsigned i = 0; i < n; i++)
    x[i] = y[i] = (short)below(100);
  our_qsort(x, n, sizeof *x, compare_ints), qsort(y, n, sizeof *y, compare_ints);
  EXPECT(memcmp(x, y, n * sizeof *x) == 0, "qsort of %u", n);
  short key = (short)below(100);
  short *hx = our_bsearch(&key, x, n, sizeof *x, compare_ints), *hy = bsearch(&key, y, n, sizeof *y, compare_ints);
  EXPECT((hx != NULL) == (hy != NULL) && (!hx || compare_ints(hx, hy) == 0), "bsearch in %u", n);
}

static void times(void) {
  time_t t = (time_t)((int64_t)((uint64_t)next_random() << 32 | next_random()) >> (20 + below(20)));
  struct tm x, y;
  memset(&x, 0, sizeof x), memset(&y, 0, sizeof y);
  struct tm *px = our_gmtime_r(&t, &x), *py = gmtime_r(&t, &y);
  EXPECT((px != NULL) == (py != NULL), "gmtime %ld", (long)t);
  if (px == NULL || py == NULL)
    return;
  EXPECT(memcmp(&x, &y, offsetof(struct tm, tm_gmtoff)) == 0, "gmtime %ld", (long)t);
  EXPECT(our_timegm(&x) == t, "timegm %ld", (long)t);
  static const char *const formats[] = {"%Y-%m-%d %H:%M:%S", "%a %A %b %B %j", "%U %W %V %G %g %u %w", "%c|%x|%X|%D|%F|%T|%R", "%I %p %l %k %e %y %C %s", "%z %Z %%"};
  const char *format = formats[below(6)];
  char sx[100], sy[100];
  size_t nx = our_strftime(sx, sizeof sx, format, &x), ny = strftime(sy, sizeof sy, format, &y);
  if (strstr(format, "%s") == NULL && t > -60000000000 && t < 250000000000)
    EXPECT(nx == ny && strcmp(sx, sy) == 0, "strftime %s %ld: '%s' '%s'", format, (long)t, sx, sy);
}

static void options(void) {
  static const struct option longs[] = {{"alpha", no_argument, NULL, 'a'}, {"beta", required_argument, NULL, 'b'}, {"bell", optional_argument, NULL, 'B'}, {"gamma", no_argument, NULL, 1000}, {0}};
  static char *const words[] = {"-a", "-bx", "-b", "file", "--alpha", "--bet", "--be", "--beta=5", "--bell", "--bell=1", "--zeta", "-z", "--", "-ab", "-", "-c1", "-c", "--gamma=1", "--g"};
  static const char *const letters[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::"};
  char *x[8] = {"prog"}, *y[8] = {"prog"};
  int n = 1 + (int)below(6);
  for (int i = 1; i < n; i++)
    x[i] = y[i] = words[below(sizeof words / sizeof words[0])];
  const char *spec = letters[below(4)];
  our_optind = optind = 0;
  our_opterr = opterr = 0;
  for (int round = 0; round < 20; round++) {
    int ix = -5, iy = -5;
    int rx = our_getopt_long(n, x, spec, longs, &ix), ry = getopt_long(n, y, spec, longs, &iy);
    EXPECT(rx == ry && ix == iy && our_optind == optind && our_optarg == optarg && (rx != '?' || our_optopt == optopt),
           "getopt_long round %d: %d %d, optind %d %d, arg %s %s (%s: %s %s %s %s %s)", round, rx, ry, our_optind, optind, our_optarg, optarg, spec,
           x[1], x[2], x[3], x[4], x[5]);
    if (rx == -1 || ry == -1)
      break;
  }
  EXPECT(memcmp(x, y, sizeof x) == 0, "order after getopt_long");
}

static void addresses(void) {
  char s[48], tx[64], ty[64];
  unsigned char bx[16] = {0}, by[16] = {0};
  int family = below(2) ? AF_INET : AF_INET6;
  random_text(s, 16, family == AF_INET ? "0123.125" : "0:1:a:f");
  int rx = our_inet_pton(family, s, bx), ry = inet_pton(family, s, by);
  EXPECT(rx == ry && (rx != 1 || memcmp(bx, by, 16) == 0), "inet_pton %s: %d %d", s, rx, ry);
  for (int i = 0; i < 16; i++)
    bx[i] = below(3) ? 0 : (unsigned char)below(256);
  EXPECT(strcmp(our_inet_ntop(family, bx, tx, sizeof tx), inet_ntop(family, bx, ty, sizeof ty)) == 0, "inet_ntop: %s %s", tx, ty);
}

static void floats(void) {
  double d = random_double(), ix, iy;
  int ex = 0, ey = 0, n = (int)below(4400) - 2200;
  if (isnan(d))
    return;
  EXPECT(our_frexp(d, &ex) == frexp(d, &ey) && ex == ey, "frexp %a", d);
  EXPECT(our_ldexp(d, n) == ldexp(d, n), "ldexp %a %d: %a %a", d, n, our_ldexp(d, n), ldexp(d, n));
  EXPECT(our_modf(d, &ix) == modf(d, &iy) && ix == iy, "modf %a", d);
  EXPECT(our_nextafter(d, 0) == nextafter(d, 0), "nextafter %a", d);
}

static void tables(void) {
  static const char *const numbers[] = {"", " ", "-", "+.", ".5", "5.", "1e", "1e+", "0x", "0x.8p1", "0x1.8p-1074", "4.9e-324", "2.4e-324", "1.7976931348623159e308", "1e400", "-1e-400",
      "2.2250738585072011e-308", "9007199254740993", "1e23", "8.5e-46", "3.4028236e38", "infx", "-INFINITY", "nan(ab)1", "nan(", "0e999999", "0x1p999999", "123456789012345678901234567890e-10",
      "1.00000000000000011102230246251565404236316680908203125", "1.00000000000000011102230246251565404236316680908203126", "\t -12.5e1z"};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    modelled_number(numbers[i], 2);
  for (int c = 0; c < 256; c++) {
    EXPECT(our_tolower(c) == tolower(c) && our_toupper(c) == toupper(c), "case of %d", c);
    EXPECT(!our_isalpha(c) == !isalpha(c) && !our_isspace(c) == !isspace(c) && !our_ispunct(c) == !ispunct(c) && !our_isprint(c) == !isprint(c), "class of %d", c);
  }
  for (int e = 0; e < 140; e++)
    EXPECT(strcmp(our_strerror(e), strerror(e)) == 0, "strerror %d", e);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 100; i++)
      EXPECT(our_rand() == rand(), "rand %d", i);
    our_srand(round * 77u), srand(round * 77u);
  }
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 20000;
  tables();
  for (int i = 0; i < rounds; i++) {
    strings();
    tokens();
    integers_from_text();
    printing();
    modelled_floats();
    scanning();
    times();
    options();
    addresses();
    floats();
    if (i % 8 == 0)
      sorting();
  }
  printf("%d rounds, %d differences\n", rounds, failures);
  return failures != 0;
}
