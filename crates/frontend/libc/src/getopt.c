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
  r->permute = __blitz_model || getenv("POSIXLY_CORRECT") == NULL;
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
  for (int k = 2; k <= __blitz_argv_max; k++)
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

/* The long option of this name: exact, or the only one it begins. -1 none, -2 ambiguous. */
static int find_long(const struct request *r, const char *name, size_t length) {
  int found = -1, several = 0;
  for (int i = 0; r->longs[i].name != NULL; i++) {
    const struct option *o = &r->longs[i];
    if (strncmp(o->name, name, length) != 0)
      continue;
    if (o->name[length] == 0)
      return i;
    if (found < 0)
      found = i;
    else if (r->long_only || r->longs[found].has_arg != o->has_arg || r->longs[found].flag != o->flag ||
             r->longs[found].val != o->val)
      several = 1;
  }
  return several ? -2 : found;
}

static int take_long(struct request *r, const char *name, size_t length, int index) {
  const struct option *o = &r->longs[index];
  optind++;
  group = NULL;
  if (name[length] == '=') {
    if (o->has_arg == no_argument) {
      optopt = o->val;
      return complain(r, "option doesn't allow an argument", o->name, strlen(o->name));
    }
    optarg = (char *)name + length + 1;
  } else if (o->has_arg == required_argument) {
    if (optind >= r->argc) {
      optopt = o->val;
      complain(r, "option requires an argument", o->name, strlen(o->name));
      return r->colon ? ':' : '?';
    }
    optarg = r->argv[optind++];
  }
  if (r->long_index != NULL)
    *r->long_index = index;
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
  int index = find_long(r, name, length);
  if (index >= 0)
    return take_long(r, name, length, index);
  if (index == -1 && dashes == 1 && strchr(r->letters, *name) != NULL)
    return -1;
  complain(r, index == -2 ? "option is ambiguous" : "unrecognized option", name, length);
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

int __posix_getopt(int argc, char *const argv[], const char *letters) { return getopt(argc, argv, letters); }

int getopt_long(int argc, char *const argv[], const char *letters, const struct option *longs, int *index) {
  struct request r = {.argc = argc, .argv = (char **)argv, .letters = letters, .longs = longs, .long_index = index};
  return next_option(&r);
}

int getopt_long_only(int argc, char *const argv[], const char *letters, const struct option *longs, int *index) {
  struct request r = {
      .argc = argc, .argv = (char **)argv, .letters = letters, .longs = longs, .long_index = index, .long_only = 1};
  return next_option(&r);
}
