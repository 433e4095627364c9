/* getopt and getopt_long, with glibc's permutation of the arguments.
 *
 * Where paths are merged arguments are put in order at the end, and letters are not grouped (-a -b, not -ab). Path by path
 * (`__blitz_argv_anyhow`) arguments stand as they like.
 * direction: exact up to 4 arguments with one letter each */
#define _GNU_SOURCE
#include "libc.h"
#include <getopt.h>
#include <string.h>

char *optarg;
int optind = 1;
int opterr = 1;
int optopt = '?';

/* Where the next option letter is inside a group such as -abc; null between groups. */
static char *group;
/* Arguments that are no options and were stepped over: [first_skipped, end_skipped). */
static int first_skipped, end_skipped;
static int starting = 1;
/* What optopt is after a call: glibc keeps it apart, begins with 0, and forgets what the program has written there. */
static int wrong_letter;

/* What the caller asked for. */
struct request {
  int argc;
  char **argv;
  const char *letters;
  const struct option *longs;
  int *long_index;
  int long_only;    /* -name is a long option too */
  int permute;      /* options may follow other arguments */
  int in_order;     /* other arguments are reported as option 1 */
  int posix;        /* options come first, as if the letters began with a plus */
  int colon;        /* ':' instead of '?' for a missing argument, and no messages */
};

/* Moves the options found after the skipped arguments in front of them. */
static void move_skipped_back(char **argv) {
  int skipped = end_skipped - first_skipped, options = optind - end_skipped;
  for (int i = 0; i < options; i++) {
    char *option = argv[end_skipped + i];
    memmove(&argv[first_skipped + i + 1], &argv[first_skipped + i], (size_t)skipped * sizeof *argv);
    argv[first_skipped + i] = option;
  }
  first_skipped += options;
  end_skipped = optind;
}

/* Of the modelled environment: a bit for each argument that is no option and was stepped over. */
static unsigned stepped_over;

/* What an argument is of; that it can be read was checked. */
static char byte_of(const char *arg, size_t i) { return (char)__blitz_peek(arg, i); }

static int is_option(const char *arg) {
  __blitz_check_read(arg, 1);
  __blitz_check_defined(arg, 1);
  return (byte_of(arg, 0) == '-') & (byte_of(arg, 1) != 0);
}

static void start(struct request *r) {
  if (optind == 0 || starting) {
    if (optind == 0)
      optind = 1;
    first_skipped = end_skipped = optind;
    stepped_over = 0;
    group = NULL;
    starting = 0;
  }
  /* A program may go back: what is before it again was not stepped over. */
  if (end_skipped > optind)
    end_skipped = optind;
  if (first_skipped > optind)
    first_skipped = optind;
  if (optind >= 0 && optind < (int)(8 * sizeof stepped_over))
    stepped_over &= (1u << optind) - 1;
  r->permute = !r->posix && (__blitz_model || getenv("POSIXLY_CORRECT") == NULL);
  if (*r->letters == '+') {
    r->permute = 0;
    r->letters++;
  } else if (*r->letters == '-') {
    r->permute = 0;
    r->in_order = 1;
    r->letters++;
  }
  r->colon = *r->letters == ':';
}

/* The modelled environment has few arguments: they are looked at in their places, one bit for each. What was stepped over stays where it is until
 * the end, and only then comes behind the rest; in between nobody but the program could see it, in arguments it has been told of. */
static unsigned options_among(const struct request *r) {
  unsigned options = 0;
  if (r->argc > __blitz_argv_max + 1)
    __blitz_unsupported("getopt: more arguments than the environment gives");
  for (int k = 1; k <= __blitz_argv_max; k++)
    if (k < r->argc)
      options |= (unsigned)is_option(r->argv[k]) << k;
  return options;
}

/* Arguments that were stepped over come behind those that were not, as far as optind; -1 for the caller to return. */
static int ordered(const struct request *r) {
  unsigned left = stepped_over, moved = 0;
  for (int k = 1; k <= __blitz_argv_max; k++)
    moved += left >> k & 1;
  for (int last = __blitz_argv_max; last > 1; last--)
    for (int k = 1; k < last; k++)
      if (k + 1 < optind && (left >> k & 1) != 0 && (left >> (k + 1) & 1) == 0) {
        char *option = r->argv[k + 1];
        r->argv[k + 1] = r->argv[k];
        r->argv[k] = option;
        left ^= 3u << k;
      }
  optind -= (int)moved;
  stepped_over = 0;
  return -1;
}

static int next_argument_modelled(struct request *r) {
  unsigned options = options_among(r);
  int at = optind;
  for (int k = 1; k <= __blitz_argv_max; k++) {
    unsigned step = r->permute & (k == at) & (k < r->argc) & !(options >> k & 1);
    at += (int)step;
    stepped_over |= step << k;
  }
  optind = at;
  if (optind >= r->argc)
    return ordered(r);
  char *arg = r->argv[optind];
  if ((byte_of(arg, 0) == '-') & (byte_of(arg, 1) == '-') & (byte_of(arg, 2) == 0)) {
    optind++;
    return ordered(r);
  }
  if (options >> optind & 1)
    return 0;
  if (!r->in_order)
    return -1;
  optarg = r->argv[optind++];
  return 1;
}

/* Goes to the next argument that is an option. -1 at the end, 1 for an argument reported in order, else 0. */
static int next_argument(struct request *r) {
  if (!__blitz_argv_anyhow)
    return next_argument_modelled(r);
  if (first_skipped != end_skipped && end_skipped != optind)
    move_skipped_back(r->argv);
  else if (end_skipped != optind)
    first_skipped = optind;
  if (r->permute) {
    while (optind < r->argc && !is_option(r->argv[optind]))
      optind++;
  }
  end_skipped = optind;
  if (optind < r->argc && strcmp(r->argv[optind], "--") == 0) {
    optind++;
    if (first_skipped != end_skipped && end_skipped != optind)
      move_skipped_back(r->argv);
    else if (first_skipped == end_skipped)
      first_skipped = optind;
    end_skipped = r->argc;
    optind = r->argc;
  }
  if (optind >= r->argc) {
    if (first_skipped != end_skipped)
      optind = first_skipped;
    return -1;
  }
  if (!is_option(r->argv[optind])) {
    if (!r->in_order)
      return -1;
    optarg = r->argv[optind++];
    return 1;
  }
  return 0;
}

static int complain(const struct request *r, const char *what, const char *name, size_t length) {
  if (!__blitz_model && opterr && !r->colon)
    fprintf(stderr, "%s: %s -- '%.*s'\n", r->argv[0], what, (int)length, name);
  return '?';
}

/* A name as it stands in an argument, up to the end or '=': its first bytes, which decide unless some option has a longer name. */
enum { NAME = 32 };
struct name {
  const char *text;
  size_t length; /* NAME + 1 if it is longer than that */
  char byte[NAME + 1];
  _Bool over[NAME + 1]; /* it has ended there */
};

static struct name read_name(const struct request *r, const char *text) {
  struct name n = {.text = text};
  size_t longest = 0;
  for (int i = 0; r->longs[i].name != NULL; i++) {
    size_t whole = strlen(r->longs[i].name);
    longest = whole > longest ? whole : longest;
  }
  if (longest > NAME)
    __blitz_unsupported("getopt_long: the name of an option has more than 32 bytes");
  _Bool over = 0;
  for (size_t i = 0; i <= NAME; i++) {
    n.byte[i] = i <= longest ? byte_of(text, i) : 0;
    over |= (n.byte[i] == 0) | (n.byte[i] == '=');
    n.over[i] = over & (i <= longest);
    n.length += !over;
  }
  return n;
}

/* What a name stands for: the option of this name, or the only one it begins. */
struct match {
  int index;   /* -1: none, -2: several */
  int exact;
  struct option option;
};

static int same_effect(const struct option *a, const struct option *b) { return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val; }

/* Whether a name is that of an option, or begins it. */
static _Bool begins(const struct name *n, const char *option, size_t whole) {
  _Bool same = n->over[whole];
  for (size_t i = 0; i < whole; i++)
    same &= n->over[i] | (n->byte[i] == option[i]);
  return same;
}

/* One comparison per option, and what was found is chosen by value: a name that is open costs no path and no pointer among the options. */
static struct match find_long(const struct request *r, const struct name *n) {
  struct match m = {.index = -1};
  int several = 0;
  for (int i = 0; r->longs[i].name != NULL; i++) {
    const struct option *o = &r->longs[i];
    size_t whole = strlen(o->name);
    _Bool fits = begins(n, o->name, whole), exact = fits & (whole == 0 || !n->over[whole - 1]), first = m.index < 0;
    if (!first)
      several |= fits & !(!r->long_only && same_effect(&m.option, o));
    _Bool taken = !m.exact & (exact | (fits & first));
    m.index = (int)__blitz_choose(taken, (unsigned)i, (unsigned)m.index);
    m.option.has_arg = (int)__blitz_choose(taken, (unsigned)o->has_arg, (unsigned)m.option.has_arg);
    m.option.flag = taken ? o->flag : m.option.flag;
    m.option.val = (int)__blitz_choose(taken, (unsigned)o->val, (unsigned)m.option.val);
    m.exact |= exact;
  }
  if (several && !m.exact)
    m.index = -2;
  return m;
}

static int take_long(struct request *r, const char *name, size_t length, const struct match *m) {
  const struct option *o = &m->option;
  optind++;
  group = NULL;
  if (byte_of(name, length) == '=') {
    if (o->has_arg == no_argument) {
      wrong_letter = o->val;
      return complain(r, "option doesn't allow an argument", name, length);
    }
    optarg = (char *)name + length + 1;
  } else if (o->has_arg == required_argument) {
    if (optind >= r->argc) {
      wrong_letter = o->val;
      complain(r, "option requires an argument", name, length);
      return r->colon ? ':' : '?';
    }
    optarg = r->argv[optind++];
  }
  if (r->long_index != NULL)
    *r->long_index = m->index;
  if (o->flag == NULL)
    return o->val;
  *o->flag = o->val;
  return 0;
}

/* The argument at optind as a long option, what that yields through `result` (any number: `val` may be negative); 0 if it is to be taken
 * letter by letter. */
static int try_long(struct request *r, int *result) {
  char *arg = r->argv[optind];
  if (r->longs == NULL || (!r->long_only && byte_of(arg, 1) != '-'))
    return 0;
  int dashes = r->long_only && byte_of(arg, 1) != '-' ? 1 : 2;
  if (dashes == 1 && byte_of(arg, 2) == 0 && strchr(r->letters, byte_of(arg, 1)) != NULL)
    return 0;
  char *name = arg + dashes;
  struct name n = read_name(r, name);
  size_t length = n.length;
  struct match m = find_long(r, &n);
  if (m.index >= 0) {
    *result = take_long(r, name, length, &m);
    return 1;
  }
  if (m.index == -1 && dashes == 1 && strchr(r->letters, byte_of(name, 0)) != NULL)
    return 0;
  complain(r, m.index == -2 ? "option is ambiguous" : "unrecognized option", name, length);
  optind++;
  wrong_letter = 0;
  group = NULL;
  *result = '?';
  return 1;
}

static int take_letter(struct request *r) {
  char c = byte_of(group++, 0);
  const char *spec = c == ':' || c == ';' ? NULL : strchr(r->letters, c);
  if (spec != NULL && c == 'W' && spec[1] == ';' && r->longs != NULL)
    __blitz_unsupported("getopt_long: -W that a long option follows (W; among the letters)");
  _Bool takes = spec != NULL && spec[1] == ':', last = byte_of(group, 0) == 0;
  if (!__blitz_argv_anyhow && !takes && __blitz_open((size_t)byte_of(group, 0))) {
    /* Few arguments, each with one letter: what -ab says, -a -b says as well. Of a text that the program gives nothing is assumed. */
    __blitz_assume(last);
    last = 1;
  }
  if (last)
    optind++;
  if (spec == NULL) {
    wrong_letter = c;
    complain(r, "invalid option", &c, 1);
    if (last)
      group = NULL;
    return '?';
  }
  if (!takes) {
    if (last)
      group = NULL;
    return c;
  }
  int result = c;
  if (!last) {
    optarg = group;
    optind++;
  } else if (spec[2] != ':') {
    if (optind < r->argc) {
      optarg = r->argv[optind++];
    } else {
      wrong_letter = c;
      complain(r, "option requires an argument", &c, 1);
      result = r->colon ? ':' : '?';
    }
  }
  group = NULL;
  return result;
}

static int found_option(struct request *r) {
  optarg = NULL;
  if (r->argc < 1)
    return -1;
  start(r);
  if (group == NULL || byte_of(group, 0) == 0) {
    int stop = next_argument(r);
    if (stop != 0)
      return stop;
    int result;
    if (try_long(r, &result))
      return result;
    group = r->argv[optind] + 1;
  }
  return take_letter(r);
}

static int next_option(struct request *r) {
  int option = found_option(r);
  optopt = wrong_letter;
  return option;
}

int getopt(int argc, char *const argv[], const char *letters) {
  struct request r = {.argc = argc, .argv = (char **)argv, .letters = letters};
  return next_option(&r);
}

/* Options end with the first argument that is none. */
int __posix_getopt(int argc, char *const argv[], const char *letters) {
  struct request r = {.argc = argc, .argv = (char **)argv, .letters = letters, .posix = 1};
  return next_option(&r);
}

int getopt_long(int argc, char *const argv[], const char *letters, const struct option *longs, int *index) {
  struct request r = {.argc = argc, .argv = (char **)argv, .letters = letters, .longs = longs, .long_index = index};
  return next_option(&r);
}

int getopt_long_only(int argc, char *const argv[], const char *letters, const struct option *longs, int *index) {
  struct request r = {
      .argc = argc, .argv = (char **)argv, .letters = letters, .longs = longs, .long_index = index, .long_only = 1};
  return next_option(&r);
}
