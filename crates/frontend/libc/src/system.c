/* The machine and its limits; users, groups, sessions: a fixed ordinary Linux.
 * direction: fewer, one machine of many */
#define _GNU_SOURCE
#include "libc.h"
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

long sysconf(int name) {
  switch (name) {
  case _SC_PAGESIZE: return 4096;
  case _SC_CLK_TCK: return 100;
  case _SC_VERSION: return 200809;
  default: break;
  }
  __blitz_fewer("sysconf: other machines");
  switch (name) {
  case _SC_OPEN_MAX: return 1024;
  case _SC_ARG_MAX: return 2097152;
  case _SC_CHILD_MAX: return 4096;
  case _SC_NPROCESSORS_ONLN: case _SC_NPROCESSORS_CONF: return 1;
  case _SC_PHYS_PAGES: case _SC_AVPHYS_PAGES: return 1 << 20;
  case _SC_IOV_MAX: return 1024;
  case _SC_LINE_MAX: return 2048;
  case _SC_HOST_NAME_MAX: return 64;
  case _SC_LOGIN_NAME_MAX: return 256;
  case _SC_NGROUPS_MAX: return 65536;
  case _SC_GETPW_R_SIZE_MAX: case _SC_GETGR_R_SIZE_MAX: return 1024;
  case _SC_TTY_NAME_MAX: return 32;
  default: return -1;
  }
}
long __sysconf(int name) { return sysconf(name); }

long pathconf(const char *path, int name) {
  __blitz_fewer("pathconf: other machines");
  switch (name) {
  case _PC_NAME_MAX: return NAME_MAX;
  case _PC_PATH_MAX: return PATH_MAX;
  case _PC_PIPE_BUF: return PIPE_BUF;
  case _PC_LINK_MAX: return 65000;
  default: return -1;
  }
}
long fpathconf(int fd, int name) { return pathconf("", name); }
int getpagesize(void) { return 4096; }
int getdtablesize(void) {
  __blitz_fewer("getdtablesize: other machines");
  return 1024;
}
int get_nprocs(void) {
  __blitz_fewer("get_nprocs: other machines");
  return 1;
}
int get_nprocs_conf(void) {
  __blitz_fewer("get_nprocs_conf: other machines");
  return 1;
}

int uname(struct utsname *out) {
  __blitz_fewer("uname: other machines");
  memset(out, 0, sizeof *out);
  strcpy(out->sysname, "Linux");
  strcpy(out->nodename, "localhost");
  strcpy(out->release, "6.1.0");
  strcpy(out->version, "#1");
  strcpy(out->machine, "x86_64");
  return 0;
}

int gethostname(char *name, size_t n) {
  __blitz_fewer("gethostname: other machines");
  if (n < sizeof "localhost")
    return fail(ENAMETOOLONG);
  strcpy(name, "localhost");
  return 0;
}
int getdomainname(char *name, size_t n) {
  __blitz_fewer("getdomainname: other machines");
  if (n < sizeof "(none)")
    return fail(EINVAL);
  strcpy(name, "(none)");
  return 0;
}
int sethostname(const char *name, size_t n) {
  __blitz_fewer("sethostname: other machines");
  return fail(EPERM);
}
long gethostid(void) {
  __blitz_fewer("gethostid: other machines");
  return 0x007f0100;
}

int getrlimit(__rlimit_resource_t which, struct rlimit *out) {
  __blitz_fewer("getrlimit: other machines");
  *out = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
  if (which == RLIMIT_NOFILE)
    *out = (struct rlimit){1024, 4096};
  if (which == RLIMIT_STACK)
    *out = (struct rlimit){8 << 20, RLIM_INFINITY};
  return 0;
}
int setrlimit(__rlimit_resource_t which, const struct rlimit *limit) {
  __blitz_fewer("setrlimit: other machines");
  return 0;
}
int getrlimit64(__rlimit_resource_t which, struct rlimit64 *out) {
  struct rlimit limit;
  getrlimit(which, &limit);
  *out = (struct rlimit64){limit.rlim_cur, limit.rlim_max};
  return 0;
}
int setrlimit64(__rlimit_resource_t which, const struct rlimit64 *limit) {
  __blitz_fewer("setrlimit64: other machines");
  return 0;
}
int getrusage(__rusage_who_t who, struct rusage *out) {
  __blitz_fewer("getrusage: other machines");
  memset(out, 0, sizeof *out);
  return 0;
}
int getpriority(__priority_which_t which, id_t who) {
  __blitz_fewer("getpriority: other machines");
  return 0;
}
int setpriority(__priority_which_t which, id_t who, int value) {
  __blitz_fewer("setpriority: other machines");
  return 0;
}
int nice(int by) {
  __blitz_fewer("nice: other machines");
  return 0;
}
int sched_yield(void) {
  __blitz_switch();
  return 0;
}
int getloadavg(double *out, int n) {
  __blitz_fewer("getloadavg: other machines");
  return -1;
}
int statvfs(const char *restrict path, struct statvfs *restrict out) {
  __blitz_fewer("statvfs: other machines");
  memset(out, 0, sizeof *out);
  out->f_bsize = out->f_frsize = 4096;
  out->f_blocks = out->f_bfree = out->f_bavail = 1 << 20;
  out->f_namemax = 255;
  return 0;
}
int fstatvfs(int fd, struct statvfs *out) { return statvfs("/", out); }
int statfs(const char *path, struct statfs *out) {
  __blitz_fewer("statfs: other machines");
  memset(out, 0, sizeof *out);
  out->f_bsize = 4096;
  out->f_blocks = out->f_bfree = out->f_bavail = 1 << 20;
  return 0;
}
int fstatfs(int fd, struct statfs *out) { return statfs("/", out); }

/* Groups, sessions and rights: ordinary ones, which may be given up but not won. */

int setgroups(size_t n, const gid_t *groups) {
  __blitz_fewer("setgroups: other machines");
  return fail(EPERM);
}
int initgroups(const char *user, gid_t group) {
  __blitz_fewer("initgroups: other machines");
  return fail(EPERM);
}
int getgroups(int n, gid_t groups[]) {
  __blitz_fewer("getgroups: other machines");
  if (n > 0)
    groups[0] = getgid();
  return 1;
}
pid_t setsid(void) { return getpid(); }
pid_t getsid(pid_t pid) { return getpid(); }
pid_t getpgrp(void) { return getpid(); }
pid_t getpgid(pid_t pid) { return getpid(); }
int setpgid(pid_t pid, pid_t group) {
  __blitz_fewer("setpgid: other machines");
  return 0;
}
int setpgrp(void) {
  __blitz_fewer("setpgrp: other machines");
  return 0;
}
int daemon(int keep_directory, int keep_files) {
  __blitz_fewer("daemon: other machines");
  return 0;
}
pid_t tcgetpgrp(int fd) {
  __blitz_fewer("tcgetpgrp: other machines");
  return fail(ENOTTY);
}
int tcsetpgrp(int fd, pid_t group) {
  __blitz_fewer("tcsetpgrp: other machines");
  return fail(ENOTTY);
}

/* One user besides root. */

static char user_name[] = "user", root_name[] = "root", no_password[] = "x", empty[] = "", shell[] = "/bin/sh";
static char user_home[] = "/home/user", root_home[] = "/root";
static char *no_members[1];

static void fill_user(struct passwd *out, uid_t id) {
  *out = (struct passwd){.pw_name = id == 0 ? root_name : user_name, .pw_passwd = no_password, .pw_uid = id, .pw_gid = id,
                         .pw_gecos = empty, .pw_dir = id == 0 ? root_home : user_home, .pw_shell = shell};
}

/* The user of a name: its id, or -1. */
static long find_user(const char *name) {
  return strcmp(name, root_name) == 0 ? 0 : strcmp(name, user_name) == 0 ? 1000 : -1;
}

struct passwd *getpwuid(uid_t id) {
  __blitz_fewer("getpwuid: other machines");
  static struct passwd entry;
  if (id != 0 && id != 1000)
    return NULL;
  fill_user(&entry, id);
  return &entry;
}

struct passwd *getpwnam(const char *name) {
  long id = find_user(name);
  return id < 0 ? NULL : getpwuid((uid_t)id);
}

int getpwuid_r(uid_t id, struct passwd *restrict out, char *restrict buf, size_t n, struct passwd **restrict result) {
  __blitz_fewer("getpwuid_r: other machines");
  *result = NULL;
  if (id != 0 && id != 1000)
    return 0;
  fill_user(out, id);
  *result = out;
  return 0;
}

int getpwnam_r(const char *restrict name, struct passwd *restrict out, char *restrict buf, size_t n,
               struct passwd **restrict result) {
  long id = find_user(name);
  *result = NULL;
  return id < 0 ? 0 : getpwuid_r((uid_t)id, out, buf, n, result);
}

void setpwent(void) {}
void endpwent(void) {}
struct passwd *getpwent(void) {
  __blitz_fewer("getpwent: other machines");
  return NULL;
}

struct group *getgrgid(gid_t id) {
  __blitz_fewer("getgrgid: other machines");
  static struct group entry;
  if (id != 0 && id != 1000)
    return NULL;
  entry = (struct group){.gr_name = id == 0 ? root_name : user_name, .gr_passwd = no_password, .gr_gid = id, .gr_mem = no_members};
  return &entry;
}

struct group *getgrnam(const char *name) {
  long id = find_user(name);
  return id < 0 ? NULL : getgrgid((gid_t)id);
}

void setgrent(void) {}
void endgrent(void) {}
struct group *getgrent(void) {
  __blitz_fewer("getgrent: other machines");
  return NULL;
}

char *getlogin(void) {
  __blitz_fewer("getlogin: other machines");
  return user_name;
}
int getlogin_r(char *name, size_t n) {
  __blitz_fewer("getlogin_r: other machines");
  if (n < sizeof user_name)
    return ERANGE;
  strcpy(name, user_name);
  return 0;
}
char *ttyname(int fd) {
  __blitz_fewer("ttyname: other machines");
  errno = ENOTTY;
  return NULL;
}
int ttyname_r(int fd, char *name, size_t n) {
  __blitz_fewer("ttyname_r: other machines");
  return ENOTTY;
}
char *getpass(const char *prompt) {
  __blitz_fewer("getpass: other machines");
  return NULL;
}
char *crypt(const char *key, const char *salt) {
  __blitz_fewer("crypt: other machines");
  __blitz_check_string(key);
  __blitz_check_string(salt);
  errno = ENOSYS;
  return NULL;
}
