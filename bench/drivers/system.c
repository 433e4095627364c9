/* The process, users, signals, time, network, threads. */

static void quietly(void) {}
static void quietly_with(void *p) {}
static void quietly_by(int s, void *p) {}
SAME(at_the_end) { see(atexit(quietly)); see(on_exit(quietly_by, 0)); see(__cxa_atexit(quietly_with, 0, 0)); see(at_quick_exit(quietly)); }
static void shown_by(int s, void *p) { if (s == 3) shown(); }
static void shown_with(void *p) { shown(); }
ENDS_WITH(on_exit_is_called) { on_exit(shown_by, 0); exit(3); }
ENDS_WITH(on_exit_with_another_status) { on_exit(shown_by, 0); exit(4); }
ENDS_WITH(cxa_atexit_is_called) { __cxa_atexit(shown_with, 0, 0); return 0; }
ENDS_WITH(exit_calls_handlers) { atexit(shown); exit(4); }
ENDS_WITH(underscore_exit_calls_none) { atexit(shown); _exit(5); }
ENDS_WITH(capital_exit_calls_none) { atexit(shown); _Exit(6); }
ENDS_WITH(quick_exit_calls_its_own) { atexit(not_shown); at_quick_exit(shown); quick_exit(7); }
ENDS_WITH(err_ends) { errno = 2; err(8, "x %d", 3); }
ENDS_WITH(errx_ends) { errx(9, "x"); }
static void by_list(const char *f, ...) { va_list a; va_start(a, f); verr(10, f, a); }
static void by_list_x(const char *f, ...) { va_list a; va_start(a, f); verrx(11, f, a); }
ENDS_WITH(verr_ends) { by_list("%d", 3); }
ENDS_WITH(verrx_ends) { by_list_x("%d", 3); }
ENDS_WITH(error_ends) { error(12, 0, "%d", 3); }
ENDS_WITH(error_at_line_ends) { error_at_line(13, 2, "f", 3, "%d", 3); }
ENDS_WITH(abort_ends) { signal(SIGABRT, by_signal); abort(); }
ENDS_WITH(raise_ends) { raise(SIGTERM); }
ENDS_WITH(gsignal_ends) { gsignal(SIGUSR1); }
ENDS_WITH(kill_ends) { kill(getpid(), SIGKILL); }
ENDS_WITH(pthread_exit_ends) { pthread_exit(0); }
ENDS_WITH(thrd_exit_ends) { thrd_exit(0); }

static int got, last;
static void handler(int s) { got++; last = s; }
static void informed(int s, siginfo_t *i, void *c) { got++; last = i->si_signo; }
SAME(signals) {
  see(signal(SIGUSR1, handler) == SIG_DFL); see(raise(SIGUSR1)); see(got); see(last); see(signal(SIGUSR1, SIG_IGN) == handler); see(raise(SIGUSR1)); see(got); errno = 0; see(signal(SIGKILL, handler) == SIG_ERR); see(errno); errno = 0; see(signal(99, handler) == SIG_ERR); see(errno); see(raise(0)); errno = 0; see(raise(99)); see(errno);
  see(bsd_signal(SIGUSR2, handler) == SIG_DFL); see(gsignal(SIGUSR2)); see(got); see(sysv_signal(SIGUSR2, handler) == handler); see(raise(SIGUSR2)); see(got); see(__sysv_signal(SIGUSR2, SIG_IGN) == SIG_DFL); see(sigset(SIGUSR2, handler) == SIG_IGN);
}
SAME(sets_of_signals) {
  sigset_t s, t; see(sigemptyset(&s)); see(sigismember(&s, 3)); see(sigaddset(&s, 3)); see(sigismember(&s, 3)); see(sigdelset(&s, 3)); see(sigismember(&s, 3)); see(sigfillset(&t)); see(sigismember(&t, 7)); errno = 0; see(sigaddset(&s, 99)); see(errno); errno = 0; see(sigismember(&s, 0)); see(errno); see(sigisemptyset(&s));
}
SAME(masks_of_signals) {
  struct sigaction a = {0}, old; a.sa_handler = handler; see(sigaction(SIGUSR1, &a, &old)); see(old.sa_handler == SIG_DFL); see(__sigaction(SIGUSR1, 0, &old)); see(old.sa_handler == handler);
  sigset_t s, o; sigemptyset(&s); sigaddset(&s, SIGUSR1); see(sigprocmask(SIG_BLOCK, &s, &o)); see(raise(SIGUSR1)); see(got); see(sigpending(&o)); see(sigismember(&o, SIGUSR1)); see(sigprocmask(SIG_UNBLOCK, &s, 0)); see(got); see(sigprocmask(SIG_BLOCK, 0, &o)); see(sigismember(&o, SIGUSR1)); errno = 0; see(sigprocmask(77, &s, 0)); see(errno);
  a.sa_flags = SA_SIGINFO | SA_RESETHAND; a.sa_sigaction = informed; see(sigaction(SIGUSR2, &a, 0)); see(raise(SIGUSR2)); see(got); see(last); see(sigaction(SIGUSR2, 0, &old)); see(old.sa_handler == SIG_DFL); errno = 0; see(sigaction(SIGSTOP, &a, 0)); see(errno);
  see(pthread_sigmask(SIG_BLOCK, &s, &o)); see(raise(SIGUSR1)); int n = 0; see(sigwait(&s, &n)); see(n); see(got); see(sighold(SIGUSR2)); see(sigrelse(SIGUSR2)); see(sigignore(SIGUSR2)); see(siginterrupt(SIGUSR1, 1));
}
SAME(waiting_for_signals) { signal(SIGUSR1, handler); sigset_t s, o; sigemptyset(&s); sigaddset(&s, SIGUSR1); sigprocmask(SIG_BLOCK, &s, 0); raise(SIGUSR1); sigemptyset(&o); errno = 0; see(sigsuspend(&o)); see(errno); see(got); }
SAME(alarms) { see(alarm(100)); see(alarm(0)); see(ualarm(0, 0)); struct itimerval v = {{0, 0}, {50, 0}}, o; see(setitimer(ITIMER_REAL, &v, 0)); v.it_value.tv_sec = 0; see(setitimer(ITIMER_REAL, &v, &o)); see(getitimer(ITIMER_REAL, &o)); see(o.it_value.tv_sec); }
SAME(waits_for_an_alarm) { signal(SIGALRM, handler); alarm(1); errno = 0; see(pause()); see(errno); see(got); see(last); }
SAME(other_stacks) { static char room[65536]; stack_t s = {.ss_sp = room, .ss_size = sizeof room}, o; see(sigaltstack(&s, &o)); see(o.ss_flags == SS_DISABLE); see(sigaltstack(0, &o)); see(o.ss_sp == room); see(o.ss_size); }
SAME(names_of_signals) { see_text(strsignal(SIGSEGV)); see_text(strsignal(SIGUSR1)); see_text(strsignal(1)); see_text(sigabbrev_np(SIGINT)); see_text(sigdescr_np(SIGTERM)); see(sigabbrev_np(300) == 0); }
SAME(to_others) { see(kill(getpid(), 0)); signal(SIGUSR1, handler); see(kill(getpid(), SIGUSR1)); see(got); see(killpg(0, 0)); errno = 0; see(kill(getpid(), 99)); see(errno); }

AMONG(numbers) { see(getpid() > 1); see(getppid() > 0); see(getpid() == getpid()); see(getuid()); see(geteuid()); see(getgid()); see(getegid()); uid_t a, b, c; see(getresuid(&a, &b, &c)); see(a); gid_t d, e, f; see(getresgid(&d, &e, &f)); see(d); }
AMONG(becoming) { see(setuid(getuid())); see(setgid(getgid())); see(seteuid(geteuid())); see(setegid(getegid())); see(setreuid(-1, -1)); see(setregid(-1, -1)); see(setresuid(-1, -1, -1)); see(setresgid(-1, -1, -1)); }
AMONG(groups) { see(getgroups(0, 0) >= 0); gid_t g[1] = {0}; see(setgroups(0, g) <= 0); int n = 1; see(getgrouplist("root", 0, g, &n) >= -1); see(initgroups("root", 0) <= 0); }
AMONG(sessions) { see(getpgrp() > 0); see(getpgid(0) == getpgrp()); see(getsid(0) > 0); see(setpgid(0, 0) <= 0); see(setpgrp() <= 0); see(setsid() >= -1); }
AMONG(users) { struct passwd *p = getpwuid(0); NEED(p); see_text(p->pw_name); see(p->pw_uid); see_text(p->pw_dir); p = getpwnam("root"); NEED(p); see(p->pw_uid); see(getpwnam("nobody-of-that-name") == 0); }
AMONG(users_by_buffer) { struct passwd w, *p; char b[1024]; see(getpwuid_r(0, &w, b, sizeof b, &p)); NEED(p); see_text(p->pw_name); see(getpwnam_r("root", &w, b, sizeof b, &p)); setpwent(); see(getpwent() != 0); endpwent(); see(getlogin() == 0); see(getlogin_r(b, 10) != 0); see(cuserid(b) == b); }
AMONG(groups_of_users) { struct group *p = getgrgid(0); NEED(p); see_text(p->gr_name); p = getgrnam("root"); NEED(p); see(p->gr_gid); setgrent(); see(getgrent() != 0); endgrent(); struct group g; char b[1024]; see(getgrgid_r(0, &g, b, sizeof b, &p)); NEED(p); see(getgrnam_r("root", &g, b, sizeof b, &p)); }
AMONG(machine) { see(sysconf(_SC_PAGESIZE)); see(__sysconf(_SC_PAGESIZE)); see(getpagesize()); see(sysconf(_SC_CLK_TCK)); see(get_nprocs() > 0); see(get_nprocs_conf() > 0); see(sysconf(_SC_NPROCESSORS_ONLN) > 0); see(getdtablesize() > 3); see(pathconf("/", _PC_NAME_MAX)); see(fpathconf(0, _PC_PIPE_BUF)); see(sysconf(-5)); }
AMONG(names_of_the_machine) { struct utsname u; see(uname(&u)); see_text(u.sysname); char b[256]; see(gethostname(b, sizeof b)); see(__gethostname_chk(b, sizeof b, sizeof b)); see(getdomainname(b, sizeof b)); see(sethostname("", 0) <= 0); gethostid(); }
AMONG(limits) { struct rlimit r; see(getrlimit(RLIMIT_STACK, &r)); see(r.rlim_cur > 0); struct rlimit64 l; see(getrlimit64(RLIMIT_NOFILE, &l)); see(setrlimit(RLIMIT_STACK, &r)); see(setrlimit64(RLIMIT_NOFILE, &l)); see(getpriority(PRIO_PROCESS, 0)); see(setpriority(PRIO_PROCESS, 0, 0)); see(nice(0)); struct rusage u; see(getrusage(RUSAGE_SELF, &u)); }
AMONG(load) { double d[3]; see(getloadavg(d, 3)); see(getauxval(AT_PAGESZ)); see(prctl(PR_SET_NAME, "x")); cpu_set_t c; see(sched_getaffinity(0, sizeof c, &c)); see(sched_setaffinity(0, sizeof c, &c)); see(sched_yield()); }
AMONG(file_systems) { struct statfs s; see(statfs("/", &s)); see(s.f_bsize > 0); struct statvfs v; see(statvfs("/", &v)); int fd = open("/", O_RDONLY); NEED(fd >= 0); see(fstatfs(fd, &s)); see(fstatvfs(fd, &v)); close(fd); }
AMONG(odds_and_ends) { char b[64]; see(confstr(_CS_PATH, b, sizeof b)); see(gnu_get_libc_version()[0]); see(sbrk(0) != (void *)-1); see(malloc_trim(0) >= 0); see(mallopt(M_MXFAST, 0)); malloc_stats(); struct mallinfo i = mallinfo(); struct mallinfo2 j = mallinfo2(); see(i.arena >= 0 && j.arena >= 0); }
AMONG(information_about_memory) { see(malloc_info(0, stderr)); }
AMONG(calls_by_number) { see(syscall(SYS_getpid) == getpid()); }
AMONG(where_calls_come_from) { void *p[4]; see(backtrace(p, 4) >= 0); char **s = backtrace_symbols(p, 1); free(s); backtrace_symbols_fd(p, 1, 2); }
AMONG(loading) { see(dlopen("no-such-library.so", RTLD_NOW) == 0); see(dlerror() != 0); Dl_info i; see(dladdr(&i, &i) == 0); }
AMONG(hidden_words) { char *p = crypt("a", "ab"); see(1); }
AMONG(passwords) { see(getpass("?") != 0 || 1); }

SAME(variables) {
  NEED(clearenv() == 0); see(getenv("NAME") == 0); see(setenv("NAME", "value", 1)); see_text(getenv("NAME")); see(setenv("NAME", "other", 0)); see_text(getenv("NAME")); see(setenv("NAME", "third", 1)); see_text(getenv("NAME")); see(unsetenv("NAME")); see(getenv("NAME") == 0);
  static char own[] = "OWN=1"; see(putenv(own)); see_text(getenv("OWN")); own[4] = '2'; see_text(getenv("OWN")); errno = 0; see(setenv("", "x", 1)); see(errno); errno = 0; see(setenv("A=B", "x", 1)); see(errno); errno = 0; see(unsetenv("")); see(errno); see_text(secure_getenv("OWN"));
}
AMONG(given_variables) { see(getenv("PATH") != 0); see(getenv("SURELY_NOT_SET_HERE") == 0); int n = 0; for (char **p = environ; *p; p++) n++; see(n > 0); }

AMONG(children) { pid_t p = fork(); NEED(p >= 0); if (p == 0) _exit(3); int s; see(waitpid(p, &s, 0) == p); see(WIFEXITED(s)); see(WEXITSTATUS(s)); p = vfork(); NEED(p >= 0); if (p == 0) _exit(4); see(wait(&s) == p); see(WEXITSTATUS(s)); errno = 0; see(wait(&s)); see(errno); }
AMONG(more_children) { pid_t p = __fork(); NEED(p >= 0); if (p == 0) _exit(3); int s; struct rusage u; see(wait4(p, &s, 0, &u) == p); p = fork(); NEED(p >= 0); if (p == 0) _exit(1); see(wait3(&s, 0, &u) == p); errno = 0; see(waitpid(-1, &s, WNOHANG)); see(errno); }
AMONG(programs) { char *a[] = {"/nothing", 0}, *e[] = {0}; errno = 0; see(execve(a[0], a, e)); see(errno); see(execv(a[0], a)); see(execvp(a[0], a)); see(execvpe(a[0], a, e)); see(execl(a[0], "x", (char *)0)); see(execlp(a[0], "x", (char *)0)); see(execle(a[0], "x", (char *)0, e)); }
AMONG(other_programs) { char *a[] = {"/bin/true", 0}, *e[] = {0}; pid_t p; int s; see(posix_spawn(&p, a[0], 0, 0, a, e)); see(waitpid(p, &s, 0) == p); see(s); see(posix_spawnp(&p, a[0], 0, 0, a, e)); waitpid(p, &s, 0); see(system("exit 2")); see(system(0) != 0); }
AMONG(background) { see(daemon(1, 1) <= 0); }

AMONG(clocks) {
  time_t t = time(0); see(t > 1000000); time_t u; see(time(&u) == u); see(u >= t); struct timeval v; see(gettimeofday(&v, 0)); see(v.tv_sec >= u); struct timespec s; see(clock_gettime(CLOCK_REALTIME, &s)); see(clock_gettime(CLOCK_MONOTONIC, &s)); see(clock_getres(CLOCK_REALTIME, &s)); see(s.tv_nsec); see(timespec_get(&s, TIME_UTC)); see(clock() >= 0); struct tms m; see(times(&m) > 0);
  errno = 0; see(clock_gettime(99, &s)); see(errno); struct timespec zero = {0, 1}; see(nanosleep(&zero, &s)); see(clock_nanosleep(CLOCK_REALTIME, 0, &zero, &s)); see(usleep(1)); see(sleep(0)); struct timespec bad = {0, -1}; errno = 0; see(nanosleep(&bad, 0)); see(errno);
}
AMONG(setting_clocks) { struct timeval v = {0, 0}; struct timespec s = {0, 0}; time_t t = 0; see(adjtime(0, &v)); }
SAME(dates) {
  time_t in[] = {0, 86399, 951782400, -1, 1709210096, 4102444800, -62135596800, 253402300799};
  for (int i = 0; i < 8; i++) {
    struct tm *t = gmtime(&in[i]), u, w; see(t->tm_year); see(t->tm_mon); see(t->tm_mday); see(t->tm_hour); see(t->tm_min); see(t->tm_sec); see(t->tm_wday); see(t->tm_yday); see(t->tm_isdst); see(gmtime_r(&in[i], &u) == &u); see(memcmp(&u, t, 36));
    see(timegm(&u) == in[i]); char b[160]; see(asctime_r(&u, b) == b); see_text(b); see_text(asctime(&u)); see(strftime(b, sizeof b, "%Y-%m-%d %H:%M:%S %a %b %j %U %%", &u)); see_text(b); see(strftime(b, sizeof b, "%A %B %d %I %p %y %W %w %C %e %D %T %R %F", &u)); see_text(b); see(strftime(b, 4, "%Y", &u)); see(strftime(b, sizeof b, "%c|%x|%X|%h|%n%t|%u|%V|%G|%g|%s|%z|%Z", &u)); see_text(b);
  }
}
SAME(dates_from_parts) {
  struct tm t = {.tm_year = 100, .tm_mon = 13, .tm_mday = 35, .tm_hour = 25, .tm_min = 61, .tm_sec = 61}; see(timegm(&t)); see(t.tm_mon); see(t.tm_mday); see(t.tm_wday); see(t.tm_yday); struct tm u = {.tm_year = 70, .tm_mday = -1, .tm_sec = -5}; see(timegm(&u)); see(u.tm_year); see(u.tm_mday); see(difftime(10, 4) == 6.0);
  struct tm p = {0}; char *e = strptime("2024-02-29 12:34:56", "%Y-%m-%d %H:%M:%S", &p); NEED(e); see(*e); see(p.tm_year); see(p.tm_mon); see(p.tm_mday); see(p.tm_hour); see(strptime("x", "%d", &p) == 0); e = strptime("Mar 5 99 rest", "%b %d %y", &p); NEED(e); see_text(e); see(p.tm_mon); see(p.tm_year);
  char b[32]; see(strftime_l(b, sizeof b, "%d", &t, newlocale(LC_ALL_MASK, "C", 0))); see_text(b);
}
AMONG(local_dates) { setenv("TZ", "UTC", 1); tzset(); time_t in = 86400; struct tm *t = localtime(&in), u; see(t->tm_year); see(t->tm_mday); see(t->tm_hour); see(localtime_r(&in, &u) == &u); see(mktime(&u)); see(timelocal(&u)); see_text(ctime(&in)); char b[32]; see(ctime_r(&in, b) == b); see_text(b); }

static int later(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int later_by(const void *a, const void *b, void *c) { return (*(const int *)a - *(const int *)b) * *(int *)c; }
SAME(sorting) {
  int a[] = {5, 3, 9, 1, 7, 3}, k = 7, no = 4, down = -1; qsort(a, 6, sizeof *a, later); for (int i = 0; i < 6; i++) see(a[i]); int *p = bsearch(&k, a, 6, sizeof *a, later); see(p - a); see(bsearch(&no, a, 6, sizeof *a, later) == 0); qsort_r(a, 6, sizeof *a, later_by, &down); see(a[0]); size_t n = 6; int b[8]; memcpy(b, a, sizeof a); p = lfind(&k, b, &n, sizeof *b, later); see(p - b); see(lfind(&no, b, &n, sizeof *b, later) == 0); p = lsearch(&no, b, &n, sizeof *b, later); see(p - b); see(n); qsort(a, 0, 4, later); see(bsearch(&k, a, 0, 4, later) == 0);
}
SAME(suboptions) { char o[] = "ro,rw=3,zz", *p = o, *v; char *const t[] = {"ro", "rw", 0}; see(getsubopt(&p, t, &v)); see(v == 0); see(getsubopt(&p, t, &v)); see_text(v); see(getsubopt(&p, t, &v)); see_text(v); see(*p); }
SAME(options) { char *a[] = {"p", "-a", "-bval", "file", "-c", 0}; opterr = 0; int c, n = 0; while ((c = getopt(5, a, "+ab:c")) != -1) { see(c); see(optarg ? optarg[0] : 0); if (++n > 5) break; } see(optind); optind = 0; char *b[] = {"p", "-x", "-b", 0}; see(getopt(3, b, "ab:")); see(optopt); see(getopt(3, b, ":ab:")); see(optopt); }
SAME(posix_options) { char *b[] = {"p", "-a", "x", "-b", 0}; see(__posix_getopt(4, b, "ab")); see(__posix_getopt(4, b, "ab")); see(optind); }
SAME(long_options) { static struct option o[] = {{"alpha", 0, 0, 'a'}, {"beta", 1, 0, 'b'}, {"gamma", 2, 0, 'g'}, {0, 0, 0, 0}}; char *a[] = {"p", "--alpha", "--beta=x", "--beta", "y", "--gam", "--zeta", "--alpha=3", "--", "r", 0}; opterr = 0; int i = -1, c, n = 0; while ((c = getopt_long(10, a, "ab:", o, &i)) != -1) { see(c); see(i); see(optarg ? optarg[0] : 0); if (++n > 9) break; } see(optind); optind = 0; char *b[] = {"p", "-alpha", "-b", "q", 0}; see(getopt_long_only(4, b, "ab:", o, &i)); see(getopt_long_only(4, b, "ab:", o, &i)); see(optarg[0]); see(optind); }

SAME(addresses) { struct in_addr a; see(inet_aton("10.1.2.3", &a)); see(a.s_addr); see(inet_aton("1.2", &a)); see(a.s_addr); see(inet_aton("x", &a)); see_text(inet_ntoa(a)); char b[64]; see(inet_ntop(AF_INET, &a, b, sizeof b) == b); see_text(b); errno = 0; see(inet_ntop(AF_INET, &a, b, 3) == 0); see(errno); unsigned char six[16] = {0x20, 1, 0xd, 0xb8, [15] = 1}; see(inet_ntop(AF_INET6, six, b, sizeof b) == b); see_text(b); see(inet_pton(AF_INET6, "::1", six)); see(six[15]); see(inet_pton(AF_INET6, "1:2::3:4", six)); see_bytes((char *)six, 16); see(inet_pton(AF_INET, "1.2.3", six)); errno = 0; see(inet_pton(99, "1", six)); see(errno); }
AMONG(tables) { struct servent *s = getservbyname("http", "tcp"); NEED(s); see(ntohs(s->s_port)); s = getservbyport(htons(80), "tcp"); NEED(s); see_text(s->s_name); struct protoent *p = getprotobyname("tcp"); NEED(p); see(p->p_proto); p = getprotobynumber(17); NEED(p); see_text(p->p_name); setservent(0); see(getservent() != 0 || 1); endservent(); }
AMONG(sockets) { int s = socket(AF_INET, SOCK_STREAM, 0); NEED(s >= 0); int one = 1; see(setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one)); socklen_t n = sizeof one; see(getsockopt(s, SOL_SOCKET, SO_ERROR, &one, &n)); see(one); struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}; see(bind(s, (void *)&a, sizeof a)); see(listen(s, 5)); n = sizeof a; see(getsockname(s, (void *)&a, &n)); see(a.sin_family); see(n); see(close(s)); }
AMONG(pairs_of_sockets) { int s[2]; see(socketpair(AF_UNIX, SOCK_STREAM, 0, s)); see(send(s[0], "hello", 5, 0)); char b[8] = ""; see(recv(s[1], b, 8, 0)); see_bytes(b, 5); see(shutdown(s[0], SHUT_WR)); see(recv(s[1], b, 8, 0)); close(s[0]); close(s[1]); }
AMONG(messages_by_socket) { int s[2]; see(socketpair(AF_UNIX, SOCK_STREAM, 0, s)); struct iovec v = {"abc", 3}; struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1}; see(sendmsg(s[0], &m, 0)); char b[8] = ""; struct iovec w = {b, 8}; struct msghdr r = {.msg_iov = &w, .msg_iovlen = 1}; see(recvmsg(s[1], &r, 0)); see_bytes(b, 3); see(sendto(s[0], "q", 1, 0, 0, 0)); see(recvfrom(s[1], b, 8, 0, 0, 0)); close(s[0]); close(s[1]); }
AMONG(refused_connections) { int s = socket(AF_INET, SOCK_STREAM, 0); NEED(s >= 0); struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr = {htonl(INADDR_LOOPBACK)}}; errno = 0; see(connect(s, (void *)&a, sizeof a)); see(errno); socklen_t n = sizeof a; errno = 0; see(getpeername(s, (void *)&a, &n)); close(s); }
AMONG(accepted) { int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0); NEED(s >= 0); NEED(listen(s, 5) == 0); errno = 0; see(accept(s, 0, 0)); see(errno); see(accept4(s, 0, 0, 0)); close(s); }
AMONG(readiness) { int p[2]; NEED(pipe(p) == 0); struct pollfd f = {p[0], POLLIN, 0}; see(poll(&f, 1, 0)); NEED(write(p[1], "x", 1) == 1); see(poll(&f, 1, 0)); see(f.revents); fd_set s; FD_ZERO(&s); FD_SET(p[0], &s); struct timeval v = {0, 0}; see(select(p[0] + 1, &s, 0, 0, &v)); see(FD_ISSET(p[0], &s) != 0); struct timespec t = {0, 0}; see(ppoll(&f, 1, &t, 0)); see(pselect(p[0] + 1, &s, 0, 0, &t, 0)); close(p[0]); close(p[1]); }
AMONG(hosts) { see(gethostbyname("surely.not.there.invalid") == 0); struct addrinfo *r = 0, h = {.ai_flags = AI_NUMERICHOST, .ai_family = AF_INET, .ai_socktype = SOCK_STREAM}; see(getaddrinfo("127.0.0.1", "80", &h, &r)); NEED(r); see(r->ai_family); see(ntohs(((struct sockaddr_in *)r->ai_addr)->sin_port)); freeaddrinfo(r); see_text(gai_strerror(EAI_NONAME)); herror("x"); see(hstrerror(1) != 0); sethostent(0); endhostent(); }
AMONG(hosts_of_addresses) { struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(80), .sin_addr = {htonl(INADDR_LOOPBACK)}}; char h[64], s[32]; see(getnameinfo((void *)&a, sizeof a, h, sizeof h, s, sizeof s, NI_NUMERICHOST | NI_NUMERICSERV)); see_text(h); see_text(s); see(gethostbyaddr(&a.sin_addr, 4, AF_INET) != 0 || 1); see(gethostbyname2("127.0.0.1", AF_INET) != 0); }
AMONG(interfaces) { see(if_nametoindex("lo")); char b[16]; see(if_indextoname(1, b) == b); see_text(b); struct ifaddrs *i = 0; see(getifaddrs(&i)); NEED(i); see(i->ifa_name != 0); freeifaddrs(i); }
AMONG(resolver) { see(res_init()); }
AMONG(events) { int e = epoll_create1(0); NEED(e >= 0); int p[2]; NEED(pipe(p) == 0); struct epoll_event v = {EPOLLIN, {.fd = p[0]}}, o[2]; see(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &v)); errno = 0; see(epoll_ctl(e, EPOLL_CTL_ADD, p[0], &v)); see(errno); see(epoll_wait(e, o, 2, 0)); NEED(write(p[1], "x", 1) == 1); see(epoll_wait(e, o, 2, 0)); see(o[0].data.fd == p[0]); see(epoll_ctl(e, EPOLL_CTL_DEL, p[0], 0)); close(p[0]); close(p[1]); close(e); e = epoll_create(1); NEED(e >= 0); close(e); errno = 0; see(epoll_create(0)); see(errno); }
AMONG(watching_files) { int e = inotify_init1(0); NEED(e >= 0); see(inotify_add_watch(e, ".", IN_CREATE) > 0); close(e); e = inotify_init(); NEED(e >= 0); close(e); }
AMONG(shared_memory) { int fd = shm_open("/blitz-driver", O_RDWR | O_CREAT, 0600); NEED(fd >= 0); see(ftruncate(fd, 10)); close(fd); see(shm_unlink("/blitz-driver")); errno = 0; see(shmdt(&fd)); see(errno); }
AMONG(old_shared_memory) { int id = shmget(IPC_PRIVATE, 100, 0600); NEED(id >= 0); char *p = shmat(id, 0, 0); NEED(p != (void *)-1); see(p[0]); see(shmdt(p)); see(shmctl(id, IPC_RMID, 0)); }
AMONG(conversions) { iconv_t c = iconv_open("UTF-8", "ISO-8859-1"); NEED(c != (iconv_t)-1); char in[] = "a\xe4", out[8] = "", *i = in, *o = out; size_t n = 2, m = 8; see(iconv(c, &i, &n, &o, &m)); see(n); see(m); see_bytes(out, 3); see(iconv_close(c)); see(iconv_open("no-such", "set") == (iconv_t)-1); }

SAME(patterns_of_text) { regex_t r; int c = regcomp(&r, "a(b*)c", REG_EXTENDED); NEED(c == 0); regmatch_t m[2]; int x = regexec(&r, "xabbc", 2, m, 0); NEED(x == 0 && m[0].rm_so == 1 && m[1].rm_eo == 4); see(m[0].rm_eo); see(regexec(&r, "zzz", 0, 0, 0) == REG_NOMATCH || 1); regfree(&r); }
AMONG(wrong_patterns) { regex_t r; int c = regcomp(&r, "a(", REG_EXTENDED); see(c != 0); char b[64]; see(regerror(c, &r, b, sizeof b) > 0); }
