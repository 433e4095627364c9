/* Locales of the modelled environment: those that the environment or the program names are installed or not.
 * direction: exact, but for character sets of several bytes other than UTF-8, which the functions that would meet them mark */
#define _GNU_SOURCE
#include "model.h"
#include <string.h>

static int names_utf8(const char *name) {
  return strstr(name, "UTF-8") != NULL || strstr(name, "utf8") != NULL || strstr(name, "utf-8") != NULL || strstr(name, "UTF8") != NULL;
}

enum locale __blitz_find_locale(const char *name, char *found) {
  __blitz_check_string(name);
  if (*name == 0 && __blitz_no_environment)
    return LOCALE_C;
  unsigned char choice = __blitz_input_u8("locale");
  if (*name == 0) {
    /* What the environment says: "C", one of UTF-8, one of bytes, or one that is not installed. */
    __blitz_assume(choice <= 3);
    if (choice == LOCALE_UTF8 || choice == LOCALE_BYTES) {
      __blitz_input_bytes(found, 15, "locale name");
      found[15] = 0;
      __blitz_assume(found[0] != 0 && found[0] != ';' && found[0] != '=');
    }
    return choice;
  }
  __blitz_assume(choice <= 1);
  size_t n = strlen(name);
  if (choice == 0)
    return LOCALE_ABSENT;
  CUT(n, 16, "setlocale: a name of more than 15 bytes");
  memcpy(found, name, n + 1);
  return names_utf8(name) ? LOCALE_UTF8 : LOCALE_BYTES;
}

void __blitz_byte_classes(unsigned short *classes, int *lower, int *upper) {
  __blitz_more("setlocale: the classes of bytes from 128 on are any");
  __blitz_input_bytes(classes, 128 * sizeof *classes, "(guess) classes of bytes");
  for (int i = 0; i < 128; i++) {
    lower[i] = __blitz_input_u8("(guess) lower case");
    upper[i] = __blitz_input_u8("(guess) upper case");
  }
}
