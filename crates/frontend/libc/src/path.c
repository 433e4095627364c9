/* Paths and patterns: dirname, basename, realpath, fnmatch, glob.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The length without trailing slashes, of which the first of all stays. */
static size_t trim(const char *path, size_t n) {
  for (unsigned i = 0; n > 1 && path[n - 1] == '/'; i++, n--)
    CUT(i, 2, "more than 2 slashes at the end of a path");
  return n;
}

char *dirname(char *path) {
  static char dot[] = ".";
  if (path == NULL || *path == 0)
    return dot;
  size_t n = trim(path, strlen(path));
  char *slash = memrchr(path, '/', n);
  if (slash == NULL)
    return dot;
  if (n > 1)
    n = trim(path, (size_t)(slash - path));
  /* Two slashes at the beginning may mean something of their own, more don't. */
  if (n == 0 || (n == 1 && path[0] == '/'))
    n = path[1] == '/' && path[2] != '/' ? 2 : 1;
  path[n] = 0;
  return path;
}

/* <libgen.h>'s basename, which may change its argument. */
char *__xpg_basename(char *path) {
  static char dot[] = ".";
  if (path == NULL || *path == 0)
    return dot;
  size_t n = trim(path, strlen(path));
  path[n] = 0;
  char *slash = memrchr(path, '/', n);
  return slash != NULL && slash[1] != 0 ? slash + 1 : path;
}

/* Appends one component to an absolute path of PATH_MAX bytes; "." and ".." are resolved. */
static int append(char *path, const char *name, size_t n) {
  size_t length = strlen(path);
  if (n == 0 || (n == 1 && name[0] == '.'))
    return 0;
  if (n == 2 && name[0] == '.' && name[1] == '.') {
    char *slash = strrchr(path, '/');
    slash[slash == path ? 1 : 0] = 0;
    return 0;
  }
  if (length + n + 2 > PATH_MAX)
    return fail(ENAMETOOLONG);
  if (length > 1)
    path[length++] = '/';
  memcpy(path + length, name, n);
  path[length + n] = 0;
  return 0;
}

/* Symbolic links are not followed: the path is made absolute and must exist. */
char *realpath(const char *restrict path, char *restrict out) {
  char full[PATH_MAX];
  struct stat st;
  if (path == NULL || *path == 0) {
    errno = path ? ENOENT : EINVAL;
    return NULL;
  }
  if (stat(path, &st) < 0)
    return NULL;
  if (*path == '/')
    strcpy(full, "/");
  else if (getcwd(full, sizeof full) == NULL)
    return NULL;
  unsigned parts = 0;
  for (const char *p = path; *p != 0;) {
    CUT(parts++, 8, "a path of more than 8 components");
    size_t n = strcspn(p, "/");
    if (append(full, p, n) < 0)
      return NULL;
    p += n + (p[n] == '/');
  }
  return out ? strcpy(out, full) : strdup(full);
}

char *canonicalize_file_name(const char *path) { return realpath(path, NULL); }

/* fnmatch. */

static char fold(char c, int flags) { return flags & FNM_CASEFOLD && c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static const struct class {
  const char *name;
  int (*has)(int);
} CLASSES[] = {{"alpha:]", isalpha}, {"digit:]", isdigit}, {"alnum:]", isalnum}, {"space:]", isspace}, {"upper:]", isupper}, {"lower:]", islower},
               {"punct:]", ispunct}, {"print:]", isprint}, {"graph:]", isgraph}, {"cntrl:]", iscntrl}, {"blank:]", isblank}, {"xdigit:]", isxdigit}};

/* A class "[:name:]" inside of a set: where it ends, or null if there is none; *found if c is of it. */
static const char *in_class(const char *p, char c, int flags, int *found) {
  if (p[0] != '[' || (p[1] != ':' && p[1] != '.' && p[1] != '='))
    return NULL;
  if (p[1] != ':')
    __blitz_unsupported("fnmatch: collating symbols and equivalence classes");
  for (size_t i = 0; i < sizeof CLASSES / sizeof CLASSES[0]; i++) {
    size_t n = strlen(CLASSES[i].name);
    if (strncmp(p + 2, CLASSES[i].name, n) != 0)
      continue;
    int upper = flags & FNM_CASEFOLD && c >= 'a' && c <= 'z' ? c - 32 : (unsigned char)c;
    int lower = (unsigned char)fold(c, flags);
    *found |= CLASSES[i].has((unsigned char)c) != 0 || CLASSES[i].has(upper) != 0 || CLASSES[i].has(lower) != 0;
    return p + 2 + n;
  }
  __blitz_unsupported("fnmatch: an unknown class of characters");
}

/* Whether c is in the set after '['; *end gets where the set ends, null if it does not. */
static int in_set(const char *p, char c, int flags, const char **end) {
  int inverted = *p == '!' || *p == '^', found = 0;
  p += inverted;
  for (const char *first = p; *p != ']' || p == first; p++) {
    if (*p == 0) {
      *end = NULL;
      return 0;
    }
    const char *after = in_class(p, c, flags, &found);
    if (after != NULL) {
      p = after - 1;
      continue;
    }
    if (*p == '\\' && !(flags & FNM_NOESCAPE) && p[1] != 0)
      p++;
    char low = fold(*p, flags), high = low;
    if (p[1] == '-' && p[2] != ']' && p[2] != 0) {
      p += 2;
      high = fold(*p, flags);
    }
    found |= (unsigned char)low <= (unsigned char)fold(c, flags) && (unsigned char)fold(c, flags) <= (unsigned char)high;
  }
  *end = p + 1;
  return found != inverted;
}

/* One pattern element other than '*' against one character: where the pattern goes on, or null. */
static const char *match_one(const char *p, const char *s, const char *start, int flags) {
  int leading = flags & FNM_PERIOD && *s == '.' && (s == start || (flags & FNM_PATHNAME && s[-1] == '/'));
  if (*p == '?')
    return leading || (*s == '/' && flags & FNM_PATHNAME) ? NULL : p + 1;
  if (*p == '[') {
    const char *end;
    int in = in_set(p + 1, *s, flags, &end);
    if (end != NULL)
      return in && !leading && !(*s == '/' && flags & FNM_PATHNAME) ? end : NULL;
  }
  if (*p == '\\' && !(flags & FNM_NOESCAPE) && p[1] != 0)
    p++;
  return fold(*p, flags) == fold(*s, flags) ? p + 1 : NULL;
}

/* With one point to come back to: the last star seen. */
int fnmatch(const char *pattern, const char *string, int flags) {
  const char *p = pattern, *s = string, *star = NULL, *retry = NULL;
  for (unsigned step = 0;; step++) {
    CUT(step, 64, "matching of a pattern in more than 64 steps");
    if (*p == '*') {
      if (flags & FNM_PERIOD && *s == '.' && (s == string || (flags & FNM_PATHNAME && s[-1] == '/')))
        return FNM_NOMATCH;
      star = ++p;
      retry = s;
      continue;
    }
    if (*s == 0 && *p == 0)
      return 0;
    if (*p == 0 && flags & FNM_LEADING_DIR && *s == '/')
      return 0;
    const char *next = *s != 0 && *p != 0 ? match_one(p, s, string, flags) : NULL;
    if (next != NULL) {
      p = next;
      s++;
      continue;
    }
    if (star == NULL || *retry == 0 || (*retry == '/' && flags & FNM_PATHNAME))
      return FNM_NOMATCH;
    s = ++retry;
    p = star;
  }
}

/* glob: patterns in the last component only. */

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int add_path(glob_t *out, const char *dir, size_t dir_length, const char *name) {
  size_t at = out->gl_offs + out->gl_pathc, n = strlen(name);
  char **bigger = realloc(out->gl_pathv, (at + 2) * sizeof *bigger);
  char *path = bigger ? malloc(dir_length + n + 1) : NULL;
  if (path == NULL)
    return GLOB_NOSPACE;
  memcpy(path, dir, dir_length);
  memcpy(path + dir_length, name, n + 1);
  if (out->gl_pathv == NULL)
    memset(bigger, 0, out->gl_offs * sizeof *bigger);
  bigger[at] = path;
  bigger[at + 1] = NULL;
  out->gl_pathv = bigger;
  out->gl_pathc++;
  return 0;
}

/* The flags whose meaning is followed. */
enum { FLAGS_OF_GLOB = GLOB_ERR | GLOB_NOSORT | GLOB_DOOFFS | GLOB_NOCHECK | GLOB_APPEND | GLOB_NOESCAPE };

int glob(const char *restrict pattern, int flags, int (*failed)(const char *, int), glob_t *restrict out) {
  if (flags & ~FLAGS_OF_GLOB)
    __blitz_unsupported("glob: GLOB_MARK, and flags that POSIX does not have");
  if (!(flags & GLOB_APPEND)) {
    out->gl_pathc = 0;
    out->gl_pathv = NULL;
    if (!(flags & GLOB_DOOFFS))
      out->gl_offs = 0;
  }
  const char *slash = strrchr(pattern, '/');
  size_t dir_length = slash ? (size_t)(slash - pattern) + 1 : 0;
  const char *name = pattern + dir_length;
  struct stat st;
  size_t first = out->gl_pathc;
  if (strpbrk(pattern, "*?[") == NULL) {
    if (lstat(pattern, &st) == 0 || flags & GLOB_NOCHECK)
      return add_path(out, pattern, 0, pattern);
    return GLOB_NOMATCH;
  }
  if (strcspn(pattern, "*?[") < dir_length)
    __blitz_unsupported("glob with a pattern in a directory");
  char *dir_name = strndup(dir_length ? pattern : ".", dir_length ? dir_length : 1);
  DIR *dir = dir_name ? opendir(dir_name) : NULL;
  int result = 0;
  if (dir == NULL && dir_name != NULL && errno != ENOTDIR)
    result = (failed != NULL && failed(dir_name, errno)) || flags & GLOB_ERR ? GLOB_ABORTED : 0;
  free(dir_name);
  for (struct dirent *entry; dir != NULL && result == 0 && (entry = readdir(dir)) != NULL;)
    if (fnmatch(name, entry->d_name, FNM_PERIOD | (flags & GLOB_NOESCAPE ? FNM_NOESCAPE : 0)) == 0)
      result = add_path(out, pattern, dir_length, entry->d_name);
  if (dir != NULL)
    closedir(dir);
  if (result == 0 && out->gl_pathc == first)
    return flags & GLOB_NOCHECK ? add_path(out, pattern, 0, pattern) : GLOB_NOMATCH;
  if (!(flags & GLOB_NOSORT))
    qsort(out->gl_pathv + out->gl_offs + first, out->gl_pathc - first, sizeof(char *), by_name);
  return result;
}

void globfree(glob_t *out) {
  for (size_t i = 0; i < out->gl_pathc; i++)
    free(out->gl_pathv[out->gl_offs + i]);
  free(out->gl_pathv);
  out->gl_pathc = 0;
  out->gl_pathv = NULL;
}

/* Names with numbers in them, in the order people expect. */
int strverscmp(const char *a, const char *b) {
  size_t i = 0, digits = 0;
  int zeros = 1;
  for (; a[i] == b[i]; i++) {
    CUT(i, 64, "comparison of versions beyond 64 bytes");
    if (a[i] == 0)
      return 0;
    if (a[i] < '0' || a[i] > '9')
      digits = i + 1, zeros = 1;
    else if (a[i] != '0')
      zeros = 0;
  }
  int da = a[i] >= '0' && a[i] <= '9', db = b[i] >= '0' && b[i] <= '9';
  if ((a[digits] >= '1' && a[digits] <= '9' && b[digits] >= '1' && b[digits] <= '9')) {
    size_t j = i;
    while (a[j] >= '0' && a[j] <= '9') {
      if (b[j] < '0' || b[j] > '9')
        return 1;
      j++;
    }
    if (b[j] >= '0' && b[j] <= '9')
      return -1;
  } else if (zeros && digits < i && (da || db)) {
    return (unsigned char)(a[i] - '0') - (unsigned char)(b[i] - '0');
  }
  return (unsigned char)a[i] - (unsigned char)b[i];
}
