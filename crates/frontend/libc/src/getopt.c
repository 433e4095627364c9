/* getopt and getopt_long, with glibc's permutation of the arguments.
 *
 * In the modelled environment options come before other arguments: the first argument that is no option ends them,
 * and those after it are assumed not to look like options, so that a native run with permutation agrees. Letters are
 * not grouped there (-a -b, not -ab).
 * direction: exact, but for arguments in another order or grouped, where they are left out */
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

static int is_option(const char *arg) { return arg[0] == '-' && arg[1] != 0; }

static void start(struct request *r) {
  if (optind == 0 || starting) {
    if (optind == 0)
      optind = 1;
    first_skipped = end_skipped = optind;
    group = NULL;
    starting = 0;
  }
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

static int next_argument_modelled(struct request *r) {
  if (optind >= r->argc)
    return -1;
  char *arg = r->argv[optind];
  if (arg[0] == '-' && arg[1] == '-' && arg[2] == 0) {
    optind++;
    return -1;
  }
  if (is_option(arg))
    return 0;
  for (int k = 2; r->permute && k <= __blitz_argv_max; k++)
    if (k > optind && k < r->argc && is_option(r->argv[k]))
      __blitz_unsupported("getopt: options after other arguments");
  if (!r->in_order)
    return -1;
  optarg = r->argv[optind++];
  return 1;
}

/* Goes to the next argument that is an option. -1 at the end, 1 for an argument reported in order, else 0. */
static int next_argument(struct request *r) {
  if (__blitz_model)
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

/* What a name stands for: the option of this name, or the only one it begins. */
struct match {
  int index;   /* -1: none, -2: several */
  int exact;
  struct option option;
};

static int same_effect(const struct option *a, const struct option *b) { return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val; }

/* One comparison per option, and what was found is chosen by value: a name that is open costs no path and no pointer among the options. */
static struct match find_long(const struct request *r, const char *name, size_t length) {
  struct match m = {.index = -1};
  int several = 0;
  for (int i = 0; r->longs[i].name != NULL; i++) {
    const struct option *o = &r->longs[i];
    size_t whole = strlen(o->name);
    /* Ends at the end of the name at the latest: no option has a zero inside. */
    size_t same = __blitz_mismatch(o->name, name, whole);
    int begins = same >= length;
    int exact = begins && whole == length;
    int first = m.index < 0;
    several |= begins && !first && !(!r->long_only && same_effect(&m.option, o));
    int taken = !m.exact && (exact || (begins && first));
    m.index = taken ? i : m.index;
    m.option.has_arg = taken ? o->has_arg : m.option.has_arg;
    m.option.flag = taken ? o->flag : m.option.flag;
    m.option.val = taken ? o->val : m.option.val;
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
  if (name[length] == '=') {
    if (o->has_arg == no_argument) {
      optopt = o->val;
      return complain(r, "option doesn't allow an argument", name, length);
    }
    optarg = (char *)name + length + 1;
  } else if (o->has_arg == required_argument) {
    if (optind >= r->argc) {
      optopt = o->val;
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

/* The argument at optind as a long option; -1 if it is to be taken letter by letter. */
static int try_long(struct request *r) {
  char *arg = r->argv[optind];
  int dashes = arg[1] == '-' ? 2 : 1;
  if (r->longs == NULL || (dashes == 1 && !r->long_only))
    return -1;
  if (dashes == 1 && arg[2] == 0 && strchr(r->letters, arg[1]) != NULL)
    return -1;
  char *name = arg + dashes;
  size_t length = strcspn(name, "=");
  struct match m = find_long(r, name, length);
  if (m.index >= 0)
    return take_long(r, name, length, &m);
  if (m.index == -1 && dashes == 1 && strchr(r->letters, *name) != NULL)
    return -1;
  complain(r, m.index == -2 ? "option is ambiguous" : "unrecognized option", name, length);
  optind++;
  optopt = 0;
  group = NULL;
  return '?';
}

/* One letter and nothing or its argument behind it: no state is left for the next call but optind. */
static int take_single(struct request *r, char c) {
  const char *spec = c == ':' || c == ';' ? NULL : strchr(r->letters, c);
  char *rest = group;
  group = NULL;
  optind++;
  if (spec == NULL || spec[1] != ':') {
    if (*rest != 0)
      __blitz_unsupported("getopt: options in one argument");
    optopt = spec == NULL ? (unsigned char)c : optopt;
    return spec == NULL ? '?' : (unsigned char)c;
  }
  if (*rest != 0) {
    optarg = rest;
  } else if (spec[2] != ':') {
    if (optind >= r->argc) {
      optopt = (unsigned char)c;
      return r->colon ? ':' : '?';
    }
    optarg = r->argv[optind++];
  }
  return (unsigned char)c;
}

static int take_letter(struct request *r) {
  char c = *group++;
  if (__blitz_model)
    return take_single(r, c);
  const char *spec = c == ':' || c == ';' ? NULL : strchr(r->letters, c);
  if (*group == 0)
    optind++;
  if (spec == NULL) {
    optopt = (unsigned char)c;
    complain(r, "invalid option", &c, 1);
    if (*group == 0)
      group = NULL;
    return '?';
  }
  if (spec[1] != ':') {
    if (*group == 0)
      group = NULL;
    return (unsigned char)c;
  }
  int result = (unsigned char)c;
  if (*group != 0) {
    optarg = group;
    optind++;
  } else if (spec[2] != ':') {
    if (optind < r->argc) {
      optarg = r->argv[optind++];
    } else {
      optopt = (unsigned char)c;
      complain(r, "option requires an argument", &c, 1);
      result = r->colon ? ':' : '?';
    }
  }
  group = NULL;
  return result;
}

static int next_option(struct request *r) {
  optarg = NULL;
  if (r->argc < 1)
    return -1;
  start(r);
  if (group == NULL || *group == 0) {
    int stop = next_argument(r);
    if (stop != 0)
      return stop;
    int result = try_long(r);
    if (result >= 0)
      return result;
    group = r->argv[optind] + 1;
  }
  return take_letter(r);
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
