/* <locale.h>, <langinfo.h>, <libintl.h>, <nl_types.h>: the "C" locale and untranslated messages.
 * direction: exact in the "C" locale, which setlocale never leaves */
#define _GNU_SOURCE
#include "libc.h"
#include <langinfo.h>
#include <locale.h>
#include <nl_types.h>
#include <string.h>

/* direction: fewer, other locales: "C" and "POSIX" are there, "" is "C", others are not installed */
char *setlocale(int category, const char *name) {
  static char current[] = "C";
  if (category < 0 || category > 12)
    return NULL;
  if (name == NULL || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0)
    return current;
  __blitz_fewer("setlocale: locales other than \"C\"");
  return *name == 0 ? current : NULL;
}

struct lconv *localeconv(void) {
  static char empty[] = "", point[] = ".";
  static struct lconv c = {
      .decimal_point = point, .thousands_sep = empty, .grouping = empty, .int_curr_symbol = empty,
      .currency_symbol = empty, .mon_decimal_point = empty, .mon_thousands_sep = empty, .mon_grouping = empty,
      .positive_sign = empty, .negative_sign = empty, .int_frac_digits = 127, .frac_digits = 127, .p_cs_precedes = 127,
      .p_sep_by_space = 127, .n_cs_precedes = 127, .n_sep_by_space = 127, .p_sign_posn = 127, .n_sign_posn = 127,
      .int_p_cs_precedes = 127, .int_p_sep_by_space = 127, .int_n_cs_precedes = 127, .int_n_sep_by_space = 127,
      .int_p_sign_posn = 127, .int_n_sign_posn = 127};
  return &c;
}

static struct __locale_struct c_locale;

locale_t newlocale(int mask, const char *name, locale_t base) {
  if (setlocale(LC_ALL, name) != NULL)
    return &c_locale;
  errno = ENOENT;
  return NULL;
}
locale_t duplocale(locale_t locale) { return locale; }
void freelocale(locale_t locale) {}
locale_t uselocale(locale_t locale) { return &c_locale; }

char *nl_langinfo(nl_item item) {
  switch (item) {
  case CODESET: return "ANSI_X3.4-1968";
  case RADIXCHAR: return ".";
  case THOUSEP: return "";
  case D_T_FMT: return "%a %b %e %H:%M:%S %Y";
  case D_FMT: return "%m/%d/%y";
  case T_FMT: return "%H:%M:%S";
  case AM_STR: return "AM";
  case PM_STR: return "PM";
  case YESEXPR: return "^[yY]";
  case NOEXPR: return "^[nN]";
  default: return "";
  }
}
char *nl_langinfo_l(nl_item item, locale_t locale) { return nl_langinfo(item); }

char *gettext(const char *text) { return (char *)text; }
char *dgettext(const char *domain, const char *text) { return (char *)text; }
char *dcgettext(const char *domain, const char *text, int category) { return (char *)text; }
char *ngettext(const char *one, const char *many, unsigned long n) { return (char *)(n == 1 ? one : many); }
char *dngettext(const char *domain, const char *one, const char *many, unsigned long n) { return ngettext(one, many, n); }
char *dcngettext(const char *domain, const char *one, const char *many, unsigned long n, int category) {
  return ngettext(one, many, n);
}
char *textdomain(const char *domain) { return (char *)(domain ? domain : "messages"); }
char *bindtextdomain(const char *domain, const char *dir) { return (char *)dir; }
char *bind_textdomain_codeset(const char *domain, const char *codeset) { return (char *)codeset; }

/* direction: fewer, catalogues that are there */
nl_catd catopen(const char *name, int flag) {
  __blitz_fewer("catopen: a catalogue that is there");
  return (nl_catd)-1;
}
char *catgets(nl_catd catalog, int set, int number, const char *text) { return (char *)text; }
int catclose(nl_catd catalog) { return 0; }
