/* Descriptors, paths, directories. */

SAME(descriptors) {
  int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0600);
  NEED(fd >= 0);
  see(write(fd, "0123456789", 10)); see(lseek(fd, 2, SEEK_SET)); char b[16] = ""; see(read(fd, b, 3)); see_text(b);
  see(pread(fd, b, 2, 7)); see_bytes(b, 2); see(pread64(fd, b, 2, 9)); see(pwrite(fd, "ab", 2, 0)); see(pwrite64(fd, "c", 1, 9)); see(lseek64(fd, 0, SEEK_CUR)); see(__lseek(fd, 0, SEEK_SET)); see(__read(fd, b, 10)); see_bytes(b, 10); see(__write(fd, "z", 1));
  struct iovec v[2] = {{b, 2}, {b + 4, 3}}; see(lseek(fd, 0, SEEK_SET)); see(readv(fd, v, 2)); see_bytes(b, 7); see(writev(fd, v, 2)); see(__read_chk(fd, b, 4, 16));
  see(lseek(fd, -50, SEEK_SET)); see(errno); errno = 0; see(read(99, b, 1)); see(errno); errno = 0; see(write(99, b, 1)); see(errno); errno = 0; see(close(99)); see(errno); errno = 0; see(lseek(99, 0, 0)); see(errno);
  see(ftruncate(fd, 4)); see(lseek(fd, 0, SEEK_END)); see(ftruncate64(fd, 6)); see(lseek(fd, 0, SEEK_END)); see(fsync(fd)); see(fdatasync(fd)); see(close(fd)); errno = 0; see(close(fd)); see(errno);
  see(truncate("t", 3) == 0 || 1); unlink("t"); sync();
}

SAME(opening) {
  int fd = creat("t", 0600); NEED(fd >= 0); see(write(fd, "abc", 3)); close(fd);
  fd = open64("t", O_RDONLY); NEED(fd >= 0); char b[8] = ""; see(read(fd, b, 8)); see_text(b); errno = 0; see(write(fd, "x", 1)); see(errno); close(fd);
  fd = open("t", O_WRONLY | O_APPEND); NEED(fd >= 0); see(write(fd, "d", 1)); errno = 0; see(read(fd, b, 1)); see(errno); close(fd);
  fd = openat(AT_FDCWD, "t", O_RDONLY); NEED(fd >= 0); see(read(fd, b, 8)); close(fd); fd = openat64(AT_FDCWD, "t", O_RDONLY); NEED(fd >= 0); close(fd);
  fd = __open_2("t", O_RDONLY); NEED(fd >= 0); close(fd); fd = __open64_2("t", O_RDONLY); NEED(fd >= 0); close(fd); fd = creat64("t", 0600); NEED(fd >= 0); see(__close(fd));
  unlink("t");
}

SAME(copies_of_descriptors) {
  int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0600); NEED(fd >= 0); write(fd, "abc", 3);
  int two = dup(fd); NEED(two >= 0); see(two != fd); see(lseek(two, 0, SEEK_CUR)); see(lseek(two, 1, SEEK_SET)); char c = 0; see(read(fd, &c, 1)); see(c);
  see(dup2(fd, 20)); see(lseek(20, 0, SEEK_CUR)); see(dup3(fd, 21, 0)); errno = 0; see(dup(77)); see(errno); errno = 0; see(dup2(77, 3)); see(errno); see(dup2(fd, fd) == fd); errno = 0; see(dup3(fd, fd, 0)); see(errno);
  see(fcntl(fd, F_GETFD)); see(fcntl(fd, F_SETFD, FD_CLOEXEC)); see(fcntl(fd, F_GETFD)); see(fcntl(fd, F_GETFL) & O_ACCMODE); see(fcntl64(fd, F_GETFL) & O_ACCMODE); int three = fcntl(fd, F_DUPFD, 30); see(three); errno = 0; see(fcntl(88, F_GETFL)); see(errno);
  see(close(two)); see(close(20)); see(close(21)); see(close(three)); see(lseek(fd, 0, SEEK_CUR)); close(fd); unlink("t");
}

SAME(pipes) {
  int p[2]; NEED(pipe(p) == 0); see(write(p[1], "hello", 5)); char b[8] = ""; see(read(p[0], b, 3)); see_text(b); see(read(p[0], b, 8)); see_bytes(b, 2); see(close(p[1])); see(read(p[0], b, 8)); see(close(p[0])); NEED(pipe2(p, 0) == 0); errno = 0; see(lseek(p[0], 0, SEEK_SET)); see(errno); close(p[0]); close(p[1]);
  NEED(pipe(p) == 0); FILE *f = fdopen(p[1], "w"); NEED(f); see(fputs("text\n", f)); see(fclose(f)); f = fdopen(p[0], "r"); NEED(f); see(fgets(b, 8, f) == b); see_text(b); see(fgets(b, 8, f) == 0); fclose(f);
}

AMONG(status) {
  int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0640); NEED(fd >= 0); see(write(fd, "abcde", 5));
  struct stat s; struct stat64 l; see(fstat(fd, &s)); see(S_ISREG(s.st_mode)); see(s.st_size); see(fstat64(fd, &l)); see(l.st_size); see(__fxstat(1, fd, &s)); see(__fxstat64(1, fd, &l)); close(fd);
  see(stat("t", &s)); see(S_ISREG(s.st_mode)); see(s.st_size); see(lstat("t", &s)); see(stat64("t", &l)); see(lstat64("t", &l)); see(fstatat(AT_FDCWD, "t", &s, 0)); see(fstatat64(AT_FDCWD, "t", &l, 0));
  unlink("t");
}
AMONG(old_status) {
  int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0640); NEED(fd >= 0); close(fd); struct stat s; struct stat64 l;
  see(__xstat(1, "t", &s)); see(__lxstat(1, "t", &s)); see(__xstat64(1, "t", &l)); see(__lxstat64(1, "t", &l)); see(__fxstatat(1, AT_FDCWD, "t", &s, 0)); see(__fxstatat64(1, AT_FDCWD, "t", &l, 0)); unlink("t");
}
AMONG(missing) { struct stat s; errno = 0; see(stat("nothing", &s)); see(errno); errno = 0; see(open("nothing", O_RDONLY)); see(errno); errno = 0; see(fopen("nothing", "r") == 0); see(errno); errno = 0; see(access("nothing", F_OK)); see(errno); errno = 0; see(unlink("nothing")); see(errno); errno = 0; see(opendir("nothing") == 0); see(errno); }
AMONG(rights) { int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0640); NEED(fd >= 0); close(fd); see(access("t", R_OK)); see(eaccess("t", R_OK)); see(euidaccess("t", F_OK)); see(faccessat(AT_FDCWD, "t", R_OK, 0)); see(chmod("t", 0600)); see(fchmodat(AT_FDCWD, "t", 0600, 0)); see(umask(022) >= 0); unlink("t"); }
AMONG(rights_of_descriptors) { int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0640); NEED(fd >= 0); see(fchmod(fd, 0600)); see(fchown(fd, -1, -1)); see(chown("t", -1, -1)); see(lchown("t", -1, -1)); see(fchownat(AT_FDCWD, "t", -1, -1, 0)); close(fd); unlink("t"); }
AMONG(times_of_files) {
  int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0640); NEED(fd >= 0);
  struct timespec ts[2] = {{1, 0}, {2, 0}}; struct timeval tv[2] = {{1, 0}, {2, 0}}; struct utimbuf u = {1, 2};
  see(futimens(fd, ts)); see(utimensat(AT_FDCWD, "t", ts, 0)); see(utimes("t", tv)); see(lutimes("t", tv)); see(futimes(fd, tv)); see(futimesat(AT_FDCWD, "t", tv)); see(utime("t", &u)); close(fd); unlink("t");
}
AMONG(names_of_files) { int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0640); NEED(fd >= 0); close(fd); see(rename("t", "u")); see(link("u", "v")); see(symlink("v", "w")); see(unlink("u")); see(unlinkat(AT_FDCWD, "v", 0)); see(remove("w")); }
AMONG(names_by_folder) { int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0640); NEED(fd >= 0); close(fd); see(renameat(AT_FDCWD, "t", AT_FDCWD, "u")); see(linkat(AT_FDCWD, "u", AT_FDCWD, "v", 0)); unlink("u"); unlink("v"); see(mkfifo("p", 0600)); unlink("p"); see(mknod("q", S_IFIFO | 0600, 0)); unlink("q"); dev_t d = 0; see(__xmknod(0, "r", S_IFIFO | 0600, &d)); unlink("r"); }
AMONG(folders) { see(mkdir("d", 0700)); see(mkdirat(AT_FDCWD, "d/e", 0700)); see(rmdir("d/e")); see(chdir("d")); see(chdir("..")); see(rmdir("d")); }
AMONG(links) { unlink("l"); see(symlink("goal", "l")); char b[16] = ""; see(readlink("l", b, sizeof b)); see_bytes(b, 4); see(readlinkat(AT_FDCWD, "l", b, 2)); see(__readlink_chk("l", b, 3, 16)); unlink("l"); }
AMONG(where) { char b[4096]; see(chdir("/")); see(getcwd(b, sizeof b) == b); see(b[0]); see(getwd(b) == b); char *p = get_current_dir_name(); NEED(p); see(p[0]); free(p); see(__getcwd_chk(b, sizeof b, sizeof b) == b); }
SAME(too_small_for_where) { char b[1]; errno = 0; see(getcwd(b, 1) == 0); see(errno); errno = 0; see(getcwd(b, 0) == 0); see(errno); }
AMONG(absolute) { char b[PATH_MAX]; see(realpath("/", b) == b); see_text(b); char *p = realpath("/usr/../usr", 0); NEED(p); see(p[0]); free(p); p = canonicalize_file_name("/"); NEED(p); see_text(p); free(p); see(__realpath_chk("/", b, sizeof b) == b); }
AMONG(root) { see(chroot("/nothing")); int fd = open("/", O_RDONLY); NEED(fd >= 0); see(fchdir(fd)); close(fd); }

AMONG(directories) {
  mkdir("dd", 0700); int fd = open("dd/one", O_CREAT | O_WRONLY, 0600); NEED(fd >= 0); close(fd);
  DIR *d = opendir("dd"); NEED(d); int n = 0, found = 0; struct dirent *e;
  for (int i = 0; i < 3; i++) { NEED((e = readdir(d)) != 0); n++; if (e->d_name[0] == 'o') { found = 1; see_text(e->d_name); } }
  see(n); see(found); see(readdir(d) == 0); rewinddir(d); long at = telldir(d); see(readdir64(d) != 0); seekdir(d, at); struct dirent x, *r; see(readdir_r(d, &x, &r)); see(closedir(d)); unlink("dd/one"); rmdir("dd");
}
static int no_dots(const struct dirent *e) { return e->d_name[0] != '.'; }
static int no_dots64(const struct dirent64 *e) { return e->d_name[0] != '.'; }
AMONG(sorted_directory) {
  mkdir("dd", 0700); int fd = open("dd/one", O_CREAT | O_WRONLY, 0600); NEED(fd >= 0); close(fd);
  struct dirent **list; int n = scandir("dd", &list, no_dots, alphasort); NEED(n == 1); see_text(list[0]->d_name); free(list[0]); free(list); unlink("dd/one"); rmdir("dd");
}
AMONG(sorted_directory_64) {
  mkdir("dd", 0700); int fd = open("dd/one", O_CREAT | O_WRONLY, 0600); NEED(fd >= 0); close(fd);
  struct dirent64 **list; int n = scandir64("dd", &list, no_dots64, alphasort64); NEED(n == 1); see_text(list[0]->d_name); free(list[0]); free(list); unlink("dd/one"); rmdir("dd");
}
SAME(order_of_entries) { struct dirent a, b; strcpy(a.d_name, "a10"); strcpy(b.d_name, "a9"); const struct dirent *x = &a, *y = &b; see(sign(alphasort(&x, &y))); see(sign(versionsort(&x, &y))); see(sign(strverscmp("a10", "a9"))); }
AMONG(directory_of_descriptor) { mkdir("dd", 0700); int fd = open("dd", O_RDONLY | O_DIRECTORY); NEED(fd >= 0); DIR *d = fdopendir(fd); NEED(d); see(readdir(d) != 0); closedir(d); rmdir("dd"); }
AMONG(descriptor_of_directory) { mkdir("dd", 0700); DIR *d = opendir("dd"); NEED(d); see(dirfd(d) >= 0); closedir(d); rmdir("dd"); }

SAME(patterns) {
  const char *p[][2] = {{"*", "abc"}, {"a*c", "abbc"}, {"a?c", "abc"}, {"[a-c]x", "bx"}, {"[!a]x", "ax"}, {"[[:digit:]]", "5"}, {"*.c", ".c"}, {"a/b", "a/b"}, {"*", "a/b"}, {"\\*", "*"}, {"[]x]", "]"}, {"a[", "a["}};
  for (int i = 0; i < 12; i++) { see(fnmatch(p[i][0], p[i][1], 0)); see(fnmatch(p[i][0], p[i][1], FNM_PATHNAME | FNM_PERIOD)); see(fnmatch(p[i][0], p[i][1], FNM_NOESCAPE | FNM_CASEFOLD)); }
}
AMONG(globs) { mkdir("dd", 0700); int fd = open("dd/one", O_CREAT | O_WRONLY, 0600); NEED(fd >= 0); close(fd); glob_t g = {0}; see(glob("dd/o*", 0, 0, &g)); NEED(g.gl_pathc == 1); see_text(g.gl_pathv[0]); globfree(&g); unlink("dd/one"); rmdir("dd"); }
SAME(globs_without_match) { glob_t g = {0}; int r = glob("nothing/here*", 0, 0, &g); NEED(r == GLOB_NOMATCH); see(r); globfree(&g); }
SAME(advice) { int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0600); NEED(fd >= 0); see(posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL)); see(posix_fadvise64(fd, 0, 0, POSIX_FADV_NORMAL)); see(flock(fd, LOCK_EX)); see(lockf(fd, F_LOCK, 0)); see(lockf64(fd, F_ULOCK, 0)); see(syncfs(fd)); close(fd); unlink("t"); }
SAME(room_for_a_file) { int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0600); NEED(fd >= 0); see(posix_fallocate(fd, 0, 100)); see(lseek(fd, 0, SEEK_END)); see(posix_fallocate64(fd, 0, 200)); see(lseek(fd, 0, SEEK_END)); close(fd); unlink("t"); }
SAME(truncated_by_name) { int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0600); NEED(fd >= 0); write(fd, "abcdef", 6); NEED(truncate("t", 2) == 0); see(lseek(fd, 0, SEEK_END)); NEED(truncate64("t", 9) == 0); see(lseek(fd, 0, SEEK_END)); close(fd); unlink("t"); }
AMONG(terminals) { see(isatty(0)); see(errno); struct termios t = {0}; errno = 0; see(tcgetattr(0, &t)); errno = 0; see(ttyname(0) == 0); char b[8]; see(ttyname_r(0, b, 8) != 0); see(ioctl(0, TIOCGWINSZ, b)); }
AMONG(terminal_settings) { struct termios t = {0}; see(tcsetattr(0, 0, &t)); see(tcdrain(0)); see(tcflow(0, TCOON)); see(tcflush(0, TCIFLUSH)); see(tcsendbreak(0, 0)); see(tcgetpgrp(0)); see(tcsetpgrp(0, 1)); }
SAME(speeds) { struct termios t = {0}; see(cfsetispeed(&t, B9600)); see(cfsetospeed(&t, B300)); see(cfgetispeed(&t)); see(cfgetospeed(&t)); see(cfsetspeed(&t, B1200)); see(cfgetospeed(&t)); cfmakeraw(&t); see(t.c_lflag); see(t.c_cflag & CSIZE); }
SAME(mappings) {
  char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); NEED(p != MAP_FAILED); see(p[0]); p[8191] = 3; see(p[8191]); see(msync(p, 8192, MS_SYNC)); see(madvise(p, 8192, MADV_NORMAL)); see(posix_madvise(p, 8192, POSIX_MADV_NORMAL)); see(munmap(p, 8192));
  p = mmap64(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); NEED(p != MAP_FAILED); p[1] = 7; p = mremap(p, 4096, 8192, MREMAP_MAYMOVE); NEED(p != MAP_FAILED); see(p[1]); see(p[5000]); see(munmap(p, 8192)); errno = 0; see(mmap(0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED); see(errno);
  int fd = open("t", O_RDWR | O_CREAT | O_TRUNC, 0600); NEED(fd >= 0); write(fd, "mapped", 6); p = mmap(0, 6, PROT_READ, MAP_PRIVATE, fd, 0); NEED(p != MAP_FAILED); see_bytes(p, 6); see(munmap(p, 6)); close(fd); unlink("t");
}
AMONG(locked_memory) { char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); NEED(p != MAP_FAILED); see(mlock(p, 4096)); see(munlock(p, 4096)); see(mlockall(MCL_CURRENT) <= 0); see(munlockall()); see(mprotect(p, 4096, PROT_READ | PROT_WRITE)); see(munmap(p, 4096)); }
