/* <locale.h>, <langinfo.h>, <libintl.h>, <nl_types.h>: locales and untranslated messages.
 *
 * A locale other than "C" is there or not, as an input; its characters are those of UTF-8, or bytes whose classes are anything (`more`). What else differs
 * from "C" (the decimal point, the order of texts, names of days, translated messages) is not followed: functions that depend on it are marked where such a locale is in use.
 * direction: exact in the "C" locale and for characters of others */
#define _GNU_SOURCE
#include "libc.h"
#include <langinfo.h>
#include <locale.h>
#include <nl_types.h>
#include <string.h>

/* The name of each category; null is "C". Names that were given out stay. */
static const char *names[13];

static const char *name_of(int category) { return names[category] ? names[category] : "C"; }

/* glibc's text for categories that differ. */
static char *mixed(void) {
  static const char *const labels[] = {"LC_CTYPE=", ";LC_NUMERIC=", ";LC_TIME=", ";LC_COLLATE=", ";LC_MONETARY=", ";LC_MESSAGES=", NULL, ";LC_PAPER=", ";LC_NAME=",
                                       ";LC_ADDRESS=", ";LC_TELEPHONE=", ";LC_MEASUREMENT=", ";LC_IDENTIFICATION="};
  static char text[512];
  text[0] = 0;
  for (int i = 0; i < 13; i++)
    if (i != LC_ALL) {
      strcat(text, labels[i]);
      strcat(text, name_of(i));
    }
  return text;
}

static char *current(int category) {
  if (category != LC_ALL)
    return (char *)name_of(category);
  for (int i = 1; i < 13; i++)
    if (i != LC_ALL && names[i] != names[0] && strcmp(name_of(i), name_of(0)) != 0)
      return mixed();
  return (char *)name_of(0);
}

static void use(int category, enum locale kind, const char *name) {
  __blitz_locales[category] = (unsigned char)kind;
  names[category] = name;
  if (category == LC_CTYPE)
    __blitz_byte_locale(kind == LOCALE_BYTES);
}

char *setlocale(int category, const char *name) {
  if (category < 0 || category > 12) {
    errno = EINVAL;
    return NULL;
  }
  if (name == NULL)
    return current(category);
  enum locale kind = LOCALE_C;
  const char *kept = NULL;
  if (strcmp(name, "C") != 0 && strcmp(name, "POSIX") != 0 && strcmp(name, current(category)) != 0) {
    char *found = __blitz_heap_alloc(16);
    __blitz_keep_alive(found);
    kind = __blitz_find_locale(name, found);
    if (kind == LOCALE_ABSENT)
      return NULL;
    kept = kind == LOCALE_C ? NULL : found;
  } else if (strcmp(name, "C") != 0 && strcmp(name, "POSIX") != 0) {
    return current(category);
  }
  if (category == LC_ALL)
    for (int i = 0; i < 13; i++)
      use(i, kind, kept);
  else
    use(category, kind, kept);
  return current(category);
}

/* direction: fewer, numbers of other locales */
struct lconv *localeconv(void) {
  static char empty[] = "", point[] = ".";
  static struct lconv c = {
      .decimal_point = point, .thousands_sep = empty, .grouping = empty, .int_curr_symbol = empty,
      .currency_symbol = empty, .mon_decimal_point = empty, .mon_thousands_sep = empty, .mon_grouping = empty,
      .positive_sign = empty, .negative_sign = empty, .int_frac_digits = 127, .frac_digits = 127, .p_cs_precedes = 127,
      .p_sep_by_space = 127, .n_cs_precedes = 127, .n_sep_by_space = 127, .p_sign_posn = 127, .n_sign_posn = 127,
      .int_p_cs_precedes = 127, .int_p_sep_by_space = 127, .int_n_cs_precedes = 127, .int_n_sep_by_space = 127,
      .int_p_sign_posn = 127, .int_n_sign_posn = 127};
  if (__blitz_locales[LC_NUMERIC] != LOCALE_C || __blitz_locales[LC_MONETARY] != LOCALE_C)
    __blitz_fewer("localeconv: numbers of locales other than \"C\"");
  return &c;
}

void __blitz_c_tables(struct __locale_struct *locale);
static struct __locale_struct c_locale;

/* direction: fewer, locales other than "C" as objects */
locale_t newlocale(int mask, const char *name, locale_t base) {
  if (strcmp(name, "C") != 0 && strcmp(name, "POSIX") != 0) {
    char found[16];
    if (__blitz_find_locale(name, found) == LOCALE_ABSENT) {
      errno = ENOENT;
      return NULL;
    }
    __blitz_fewer("newlocale: locales other than \"C\"");
  }
  __blitz_c_tables(&c_locale);
  return &c_locale;
}
locale_t duplocale(locale_t locale) { return locale; }
void freelocale(locale_t locale) {}
locale_t uselocale(locale_t locale) {
  static locale_t in_use;
  locale_t before = in_use ? in_use : LC_GLOBAL_LOCALE;
  if (locale != NULL)
    in_use = locale;
  return before;
}

static char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static char *const short_days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static char *const months[] = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"};
static char *const short_months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

static char *codeset(void) {
  if (__blitz_locales[LC_CTYPE] == LOCALE_BYTES)
    __blitz_fewer("nl_langinfo: names of character sets other than UTF-8");
  return __blitz_locales[LC_CTYPE] == LOCALE_UTF8 ? "UTF-8" : __blitz_locales[LC_CTYPE] == LOCALE_C ? "ANSI_X3.4-1968" : "ISO-8859-1";
}

/* direction: fewer, texts of other locales */
char *nl_langinfo(nl_item item) {
  if (item == CODESET)
    return codeset();
  if (__blitz_locales[LC_TIME] != LOCALE_C || __blitz_locales[LC_NUMERIC] != LOCALE_C || __blitz_locales[LC_MESSAGES] != LOCALE_C)
    __blitz_fewer("nl_langinfo: texts of locales other than \"C\"");
  if (item >= ABDAY_1 && item <= ABDAY_7)
    return short_days[item - ABDAY_1];
  if (item >= DAY_1 && item <= DAY_7)
    return days[item - DAY_1];
  if (item >= ABMON_1 && item <= ABMON_12)
    return short_months[item - ABMON_1];
  if (item >= MON_1 && item <= MON_12)
    return months[item - MON_1];
  switch (item) {
  case RADIXCHAR: return ".";
  case THOUSEP: return "";
  case D_T_FMT: return "%a %b %e %H:%M:%S %Y";
  case D_FMT: return "%m/%d/%y";
  case T_FMT: return "%H:%M:%S";
  case T_FMT_AMPM: return "%I:%M:%S %p";
  case AM_STR: return "AM";
  case PM_STR: return "PM";
  case YESEXPR: return "^[yY]";
  case NOEXPR: return "^[nN]";
  case CRNCYSTR: return "-";
  default: return "";
  }
}
char *nl_langinfo_l(nl_item item, locale_t locale) { return nl_langinfo(item); }

/* Messages are translated where a locale has translations of them. direction: fewer, translations */
static char *translated(const char *text) {
  if (__blitz_locales[LC_MESSAGES] != LOCALE_C)
    __blitz_fewer("gettext: messages that are translated");
  return (char *)text;
}
char *gettext(const char *text) { return translated(text); }
char *dgettext(const char *domain, const char *text) { return translated(text); }
char *dcgettext(const char *domain, const char *text, int category) { return translated(text); }
char *ngettext(const char *one, const char *many, unsigned long n) { return translated(n == 1 ? one : many); }
char *dngettext(const char *domain, const char *one, const char *many, unsigned long n) { return ngettext(one, many, n); }
char *dcngettext(const char *domain, const char *one, const char *many, unsigned long n, int category) {
  return ngettext(one, many, n);
}

/* What was said of a domain last; glibc keeps copies. */
static char *kept(const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = memcpy(__blitz_heap_alloc(n), text, n);
  __blitz_keep_alive(copy);
  return copy;
}
char *textdomain(const char *domain) {
  static char *now;
  if (domain != NULL)
    now = *domain == 0 ? NULL : kept(domain);
  return now ? now : "messages";
}

/* Only the domain that was bound last is remembered. direction: fewer, several domains */
static char *bind(char **of, char **value, const char *domain, const char *text, char *first) {
  if (domain == NULL || *domain == 0)
    return NULL;
  int same = *of != NULL && strcmp(*of, domain) == 0;
  if (text == NULL)
    return same ? *value : first;
  if (*of != NULL && !same)
    __blitz_fewer("bindtextdomain: several domains");
  *of = kept(domain);
  return *value = kept(text);
}
char *bindtextdomain(const char *domain, const char *dir) {
  static char *of, *value;
  return bind(&of, &value, domain, dir, "/usr/share/locale");
}
char *bind_textdomain_codeset(const char *domain, const char *codeset) {
  static char *of, *value;
  return bind(&of, &value, domain, codeset, NULL);
}

/* direction: fewer, catalogues that are there */
nl_catd catopen(const char *name, int flag) {
  __blitz_fewer("catopen: a catalogue that is there");
  errno = ENOENT;
  return (nl_catd)-1;
}
char *catgets(nl_catd catalog, int set, int number, const char *text) { return (char *)text; }
int catclose(nl_catd catalog) { return catalog == (nl_catd)-1 ? fail(EBADF) : 0; }
