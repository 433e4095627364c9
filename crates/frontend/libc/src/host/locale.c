/* Locales of the host: "C.UTF-8" where it is installed; others are refused by name if they may be there.
 * direction: exact */
#define _GNU_SOURCE
#include "libc.h"
#include <string.h>
#include <unistd.h>

static int is_utf8(const char *name) { return strcmp(name, "C.UTF-8") == 0 || strcmp(name, "C.utf8") == 0; }

enum locale __blitz_find_locale(const char *name, char *found) {
  if (*name == 0) {
    const char *variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    name = "C";
    for (int i = 0; i < 3; i++) {
      const char *value = getenv(variables[i]);
      if (value != NULL && *value != 0) {
        name = value;
        break;
      }
    }
  }
  if (strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0)
    return LOCALE_C;
  if (is_utf8(name)) {
    if (access("/usr/lib/locale/C.utf8", F_OK) != 0)
      return LOCALE_ABSENT;
    strcpy(found, name);
    return LOCALE_UTF8;
  }
  char path[256] = "/usr/lib/locale/";
  strncat(path, name, 200);
  if (access("/usr/lib/locale/locale-archive", F_OK) == 0 || access(path, F_OK) == 0)
    __blitz_unsupported("setlocale: locales other than \"C\" and \"C.UTF-8\"");
  return LOCALE_ABSENT;
}

void __blitz_byte_classes(unsigned short *classes, int *lower, int *upper) { __blitz_unsupported("setlocale: locales with characters of one byte"); }
