/* Streams. SAME: every way shows what glibc shows. AMONG: glibc's outcome is one of the model's. NEED: holds natively, and is assumed in the model. */

SAME(file_round_trip) {
  FILE *f = fopen("t", "w+");
  NEED(f);
  see(fputs("one\ntwo\n", f));
  see(fputc('x', f)); see(putc('y', f)); see(putc_unlocked('z', f)); see(fputc_unlocked('w', f)); see(_IO_putc('v', f));
  see(fwrite("abcdef", 2, 3, f)); see(fwrite_unlocked("gh", 1, 2, f));
  see(fputs_unlocked("k\n", f));
  see(ftell(f)); see(ftello(f)); see(ftello64(f));
  see(fflush(f)); see(fflush_unlocked(f));
  rewind(f);
  char b[32] = "";
  see(fgets(b, sizeof b, f) == b); see_text(b);
  see(fgets_unlocked(b, 3, f) == b); see_text(b);
  see(fgetc(f)); see(getc(f)); see(getc_unlocked(f)); see(fgetc_unlocked(f)); see(_IO_getc(f));
  see(ungetc('q', f)); see(fgetc(f));
  see(fread(b, 1, 4, f)); see_bytes(b, 4); see(fread_unlocked(b, 2, 2, f)); see_bytes(b, 4);
  see(feof(f)); see(ferror(f));
  while (fgetc(f) != EOF) {}
  see(feof(f) != 0); see(feof_unlocked(f) != 0); see(ferror_unlocked(f)); see(fgetc(f));
  clearerr(f); see(feof(f)); clearerr_unlocked(f);
  see(fileno(f) >= 3); see(fileno_unlocked(f) >= 3);
  see(fclose(f));
  unlink("t");
}

SAME(positions) {
  FILE *f = fopen64("t", "w+");
  NEED(f);
  fputs("0123456789", f);
  see(fseek(f, 3, SEEK_SET)); see(fgetc(f)); see(ftell(f));
  see(fseeko(f, -2, SEEK_END)); see(fgetc(f)); see(fseeko64(f, 1, SEEK_CUR)); see(fgetc(f));
  see(fseek(f, -100, SEEK_CUR)); see(errno); see(fseek(f, 0, 99)); see(errno);
  fpos_t p; fpos64_t q;
  rewind(f);
  fgetc(f);
  see(fgetpos(f, &p)); see(fgetpos64(f, &q));
  fgetc(f); fgetc(f);
  see(fsetpos(f, &p)); see(fgetc(f)); see(fsetpos64(f, &q)); see(fgetc(f));
  see(fseek(f, 20, SEEK_SET)); see(fgetc(f)); see(feof(f) != 0); see(fputc('!', f)); see(ftell(f));
  rewind(f);
  char b[24]; see(fread(b, 1, sizeof b, f)); see_bytes(b, 16);
  see(fclose(f)); unlink("t");
}

SAME(modes) {
  FILE *f = fopen("t", "w");
  NEED(f);
  see(fputs("abc", f)); errno = 0; see(fgetc(f)); see(ferror(f) != 0); see(errno); see(fclose(f));
  f = fopen("t", "r"); NEED(f);
  errno = 0; see(fputc('x', f)); see(errno); see(ferror(f) != 0); see(__freadable(f) != 0); see(__fwritable(f)); fclose(f);
  f = fopen("t", "a+"); NEED(f);
  see(fputs("def", f)); rewind(f); see(fgetc(f)); see(fclose(f));
  f = fopen("t", "r+"); NEED(f);
  char b[16] = ""; see(fread(b, 1, 16, f)); see_text(b); see(fclose(f));
  errno = 0; see(fopen("t", "q") == 0); see(errno);
  unlink("t");
}

SAME(line_readers) {
  FILE *f = fopen("t", "w+");
  NEED(f);
  fputs("first line\nsecond;third\nlast", f);
  rewind(f);
  char *line = 0; size_t room = 0;
  see(getline(&line, &room, f)); see_text(line); see(room >= 12);
  see(getdelim(&line, &room, ';', f)); see_text(line);
  see(__getdelim(&line, &room, '\n', f)); see_text(line);
  see(getline(&line, &room, f)); see_text(line);
  see(getline(&line, &room, f)); see(feof(f) != 0);
  free(line); fclose(f); unlink("t");
}

SAME(words_of_a_stream) {
  FILE *f = fopen("t", "w+");
  NEED(f);
  see(putw(77, f)); see(putw(-1, f)); rewind(f); see(getw(f)); see(getw(f)); see(feof(f)); see(getw(f)); see(feof(f) != 0);
  fclose(f); unlink("t");
}

SAME(reopened) {
  FILE *f = fopen("t", "w");
  NEED(f);
  fputs("abc", f);
  f = freopen("t", "r", f); NEED(f);
  see(fgetc(f)); f = freopen64("t", "a", f); NEED(f);
  see(fputc('d', f)); see(fclose(f));
  f = fopen("t", "r"); NEED(f);
  char b[8] = ""; see(fread(b, 1, 8, f)); see_text(b); fclose(f); unlink("t");
}

SAME(buffers) {
  FILE *f = fopen("t", "w+");
  NEED(f);
  static char own[256];
  see(setvbuf(f, own, _IOFBF, sizeof own)); setbuffer(f, own, sizeof own); setlinebuf(f); setbuf(f, 0);
  see(fputs("x", f)); see(fclose(f));
  f = fopen("t", "r"); NEED(f); see(fgetc(f)); see(__freading(f) != 0); see(__fwriting(f)); see(__fsetlocking(f, FSETLOCKING_BYCALLER) >= 0); __fpurge(f); fclose(f); unlink("t");
  f = fopen("t", "w"); NEED(f); see(__fpending(f)); see(__fwriting(f) != 0); flockfile(f); funlockfile(f); see(ftrylockfile(f)); funlockfile(f); fclose(f); unlink("t");
}

SAME(memory_streams) {
  char b[16] = "hello";
  FILE *f = fmemopen(b, 6, "r");
  NEED(f);
  see(fgetc(f)); see(fgetc(f)); see(ftell(f)); see(fseek(f, 0, SEEK_SET)); char c[8] = ""; see(fread(c, 1, 8, f)); see(feof(f) != 0); fclose(f);
  char *out; size_t n;
  f = open_memstream(&out, &n);
  NEED(f);
  see(fprintf(f, "%d-%s", 42, "x")); fflush(f); see(n); see_text(out); fputs("more", f); fclose(f); see(n); see_text(out); free(out);
}

SAME(temporary_files) {
  FILE *f = tmpfile();
  NEED(f);
  fputs("q", f); rewind(f); see(fgetc(f)); see(fgetc(f)); fclose(f);
  f = tmpfile64(); NEED(f); see(fgetc(f)); fclose(f);
  char name[] = "fileXXXXXX"; int fd = mkstemp(name); NEED(fd >= 0); see(strncmp(name, "file", 4)); see(strlen(name)); see(write(fd, "a", 1)); close(fd); unlink(name);
  char n2[] = "fileXXXXXX.c"; fd = mkstemps(n2, 2); NEED(fd >= 0); see_text(n2 + 10); close(fd); unlink(n2);
  char n3[] = "fileXXXXXX"; fd = mkostemp(n3, 0); NEED(fd >= 0); close(fd); unlink(n3);
  char n4[] = "fileXXXXXX.c"; fd = mkostemps(n4, 2, 0); NEED(fd >= 0); close(fd); unlink(n4);
  char n5[] = "fileXXXXXX"; fd = mkstemp64(n5); NEED(fd >= 0); close(fd); unlink(n5);
  char bad[] = "abc"; errno = 0; see(mkstemp(bad)); see(errno); errno = 0; see(mkdtemp(bad) == 0); see(errno);
  char n6[] = "dirXXXXXX"; NEED(mkdtemp(n6)); see(strlen(n6)); rmdir(n6);
  char n7[] = "nXXXXXX"; see(mktemp(n7) == n7); see(strlen(n7) == 7 || n7[0] == 0);
}

AMONG(names) {
  char b[L_tmpnam]; see(tmpnam(b) == b); see(b[0] == '/');
  char *t = tempnam(0, "ab"); NEED(t); see(strlen(t) > 2); free(t);
  see_text(ctermid(0));
}

SAME(standard_streams) {
  see(putchar('a')); see(putchar_unlocked('b')); see(puts("text")); see(fputs("x\n", stderr)); see(printf("%d %s\n", 5, "y")); see(fprintf(stderr, "%c%c", 'a', 'b'));
  errno = ENOENT; perror("what"); see(fflush(stdout)); see(fileno(stdin)); see(fileno(stdout)); see(fileno(stderr)); see(dprintf(2, "%5d", 3));
  see(__overflow(stdout, 'x')); see(fcloseall() == 0);
}

AMONG(empty_input) {
  see(getchar()); see(getchar_unlocked()); char b[8] = "q"; see(fgets(b, 8, stdin) == 0); see(feof(stdin) != 0); see(scanf("%d", (int *)b)); see(__uflow(stdin));
}

SAME(many_prints) {
  char b[64]; wchar_t w[] = L"wide";
  see(sprintf(b, "%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42)); see_text(b);
  see(snprintf(b, 8, "%s", "a long text")); see_text(b); see(snprintf(0, 0, "%d", 12345));
  see(sprintf(b, "%x %X %#x %o %#o %u", 255, 255, 255, 8, 8, 3000000000u)); see_text(b);
  see(sprintf(b, "%c%c%%%n", 'a', 0, &(int){0})); see(b[3]);
  see(sprintf(b, "%.3s|%8.2s|%-8s|", "abcdef", "xyz", "l")); see_text(b);
  see(sprintf(b, "%hhd %hd %ld %lld %zu %jd %td", 300, 70000, -1L, -2LL, (size_t)9, (intmax_t)7, (ptrdiff_t)-3)); see_text(b);
  see(sprintf(b, "%*d|%-*d|%.*d", 6, 1, 6, 2, 3, 4)); see_text(b);
  see(sprintf(b, "%2$s %1$d", 7, "p")); see_text(b);
  see(sprintf(b, "%ls %lc", w, L'q')); see_text(b);
  see(sprintf(b, "%s %.2s", (char *)0, (char *)0)); see_text(b);
  see(sprintf(b, "%p", (void *)0)); see_text(b);
  see(sprintf(b, "%.0d|%.0x|%#.0o", 0, 0, 0)); see_text(b);
  see(sprintf(b, "%s", strerror(2))); see_text(b); errno = 13; see(sprintf(b, "%m")); see_text(b);
  see(__sprintf_chk(b, 1, sizeof b, "%d", 1)); see(__snprintf_chk(b, 3, 1, sizeof b, "%d", 1234)); see_text(b);
  see(__printf_chk(1, "%d", 10)); see(__fprintf_chk(stdout, 1, "%s", "abc"));
  char *p = 0; see(asprintf(&p, "%d+%d", 1, 2)); NEED(p); see_text(p); free(p); see(__asprintf(&p, "q")); free(p); see(__asprintf_chk(&p, 1, "%d", 77)); free(p);
}

SAME(prints_of_floats) {
  char b[1600];
  double v[] = {0, -0.0, 1, 0.1, 123456789.125, 1e100, 5e-324, 1.0 / 0.0, -1.0 / 0.0, 2.5, 0.5, 1.5, 999999.5, 1e-5, 0.0001};
  for (int i = 0; i < 15; i++) {
    see(sprintf(b, "%f", v[i])); see_text(b); see(sprintf(b, "%e", v[i])); see_text(b); see(sprintf(b, "%g", v[i])); see_text(b);
    see(sprintf(b, "%.0f %.3e %#g %+.2f %08.2f %-9.1f|", v[i], v[i], v[i], v[i], v[i], v[i])); see_text(b); see(sprintf(b, "%a %A", v[i], v[i])); see_text(b);
  }
}

SAME(prints_of_long_doubles) {
  char b[600];
  long double v[] = {0, 1, 0.1L, 1e300L, 3.5L};
  for (int i = 0; i < 5; i++) { see(sprintf(b, "%Lf", v[i])); see_text(b); see(sprintf(b, "%Le %Lg", v[i], v[i])); see_text(b); }
}

static int through(char *b, const char *f, ...) {
  va_list a; int n = 0;
  va_start(a, f); n += vsprintf(b, f, a); va_end(a);
  va_start(a, f); n += 100 * vsnprintf(b + 32, 16, f, a); va_end(a);
  va_start(a, f); n += 10000 * __vsprintf_chk(b, 1, 64, f, a); va_end(a);
  va_start(a, f); n += __vsnprintf_chk(b + 32, 16, 1, 16, f, a); va_end(a);
  va_start(a, f); n += vprintf(f, a); va_end(a);
  va_start(a, f); n += __vprintf_chk(1, f, a); va_end(a);
  va_start(a, f); n += vfprintf(stderr, f, a); va_end(a);
  va_start(a, f); n += __vfprintf_chk(stderr, 1, f, a); va_end(a);
  va_start(a, f); n += vdprintf(2, f, a); va_end(a);
  char *p = 0;
  va_start(a, f); n += vasprintf(&p, f, a); va_end(a); free(p);
  va_start(a, f); n += __vasprintf_chk(&p, 1, f, a); va_end(a); free(p);
  va_start(a, f); vsyslog(LOG_INFO, f, a); va_end(a);
  va_start(a, f); __vsyslog_chk(LOG_INFO, 1, f, a); va_end(a);
  va_start(a, f); vwarn(f, a); va_end(a);
  va_start(a, f); vwarnx(f, a); va_end(a);
  return n;
}
SAME(prints_by_list) { char b[64] = ""; see(through(b, "%d:%s", 12, "ab")); see_text(b); see_text(b + 32); }

static int scans(const char *text, const char *f, ...) {
  va_list a; va_start(a, f); int n = vsscanf(text, f, a); va_end(a);
  return n;
}
SAME(scans_of_texts) {
  int a = 0, b = 0, n = 0; unsigned u = 0; char s[16] = "", c = 0, set[16] = ""; long l = 0; double d = 0; float f = 0; short h = 0; unsigned char k = 0;
  see(sscanf("12,34", "%d,%d", &a, &b)); see(a); see(b);
  see(sscanf(" -7 x", "%d %c", &a, &c)); see(a); see(c);
  see(sscanf("abc def", "%s%n", s, &n)); see_text(s); see(n);
  see(sscanf("0x1f 017 9", "%i %i %i", &a, &b, &n)); see(a); see(b); see(n);
  see(sscanf("ff", "%x", &u)); see(u); see(sscanf("777", "%o", &u)); see(u); see(sscanf("4000000000", "%u", &u)); see(u);
  see(sscanf("123456", "%3d%2d", &a, &b)); see(a); see(b);
  see(sscanf("xyz", "%d", &a)); see(sscanf("", "%d", &a)); see(sscanf("  ", "%d", &a)); see(sscanf("5", "%*d%d", &a));
  see(sscanf("k=v", "%[^=]=%s", set, s)); see_text(set); see_text(s); see(sscanf("abc123", "%[a-c]%d", set, &a)); see_text(set); see(a);
  see(sscanf("1.5 2e3", "%lf %f", &d, &f)); see_double(d); see_double(f); see(sscanf("nan", "%lf", &d)); see(d != d); see(sscanf("-inf", "%lf", &d)); see_double(d);
  see(sscanf("70000 300", "%hd %hhu", &h, &k)); see(h); see(k); see(sscanf("99999999999", "%ld", &l)); see(l); see(sscanf("99999999999999999999", "%ld", &l)); see(l);
  see(sscanf("50%", "%d%%", &a)); see(a); see(sscanf("hello", "%3c", s)); see_bytes(s, 3); see(sscanf("a b", "a b%n", &n)); see(n);
  see(sscanf("-", "%d", &a)); see(sscanf("+5", "%d", &a)); see(a); see(sscanf("0x", "%x", &u)); see(sscanf("0xg", "%x", &u)); see(u);
  char *m = 0; see(sscanf("word", "%ms", &m)); see_text(m); free(m);
  see(scans("1 2", "%d%d", &a, &b)); see(a + 10 * b);
}

static int scanned(FILE *f, const char *format, ...) {
  va_list a; va_start(a, format); int n = vfscanf(f, format, a); va_end(a);
  return n;
}
SAME(scans_of_files) {
  FILE *f = fopen("t", "w+");
  NEED(f);
  fputs("12 abc 3.5\n7;8", f); rewind(f);
  int a = 0, b = 0; char s[16] = ""; double d = 0;
  see(fscanf(f, "%d %s", &a, s)); see(a); see_text(s); see(scanned(f, "%lf", &d)); see_double(d); see(fscanf(f, "%d;%d", &a, &b)); see(a); see(b); see(fscanf(f, "%d", &a)); see(feof(f) != 0);
  fclose(f); unlink("t");
}

static int from_input(const char *format, ...) { va_list a; va_start(a, format); int n = vscanf(format, a); va_end(a); return n; }
AMONG(scans_of_input) { int a; see(from_input("%d", &a)); }

SAME(messages) {
  warn("%s", "x"); warnx("y %d", 3); openlog("me", LOG_PID, LOG_USER); syslog(LOG_ERR, "%d", 3); __syslog_chk(LOG_ERR, 1, "%d", 3); see(setlogmask(0)); see(setlogmask(LOG_UPTO(LOG_ERR))); see(setlogmask(0)); closelog();
  error(0, 0, "%d", 4); error_at_line(0, ENOENT, "f.c", 3, "q"); psignal(SIGINT, "got"); psignal(SIGINT, 0);
}

SAME(commands) {
  FILE *f = popen("exit 3", "w"); NEED(f); int s = pclose(f); NEED(WIFEXITED(s) && WEXITSTATUS(s) == 3); see(s);
  errno = 0; see(popen("x", "q") == 0); see(errno);
}

SAME(fortified_reads) {
  FILE *f = fopen("t", "w+"); NEED(f); fputs("abcdefgh\nij", f); rewind(f);
  char b[16] = ""; see(__fgets_chk(b, sizeof b, 4, f) == b); see_text(b); see(__fread_chk(b, sizeof b, 1, 3, f)); see_bytes(b, 3); see(__fdelt_chk(70)); see(__fbufsize(f) > 0 || 1); fclose(f); unlink("t");
}

SAME(scans_into_narrow_widths) {
  char a[4] = "", b[4] = "";
  see(sscanf("abcdefgh", "%3s%3s", a, b)); see_text(a); see_text(b); see(sscanf("  ab", "%1s", a)); see_text(a); see(sscanf("\n\tx", " %c", a)); see(a[0]);
}
