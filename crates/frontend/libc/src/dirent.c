/* <dirent.h>: directories, entry by entry from the variant.
 * direction: exact */
#define _GNU_SOURCE
#include "posix.h"
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct __dirstream {
  char *path;
  void *state;
  long position;
  struct dirent *entry; /* apart, so that names of symbolic length are not written next to pointers */
};

DIR *opendir(const char *path) {
  struct stat st;
  if (stat(path, &st) < 0)
    return NULL;
  if (!S_ISDIR(st.st_mode)) {
    errno = ENOTDIR;
    return NULL;
  }
  DIR *dir = malloc(sizeof *dir);
  if (dir == NULL)
    return NULL;
  size_t n = strlen(path) + 1;
  memset(dir, 0, sizeof *dir);
  dir->path = memcpy(__blitz_heap_alloc(n), path, n);
  dir->entry = __blitz_heap_alloc(sizeof *dir->entry);
  return dir;
}

/* The descriptor is no longer the caller's. */
DIR *fdopendir(int fd) {
  const char *path = __blitz_directory(fd);
  if (path == NULL) {
    errno = ENOTDIR;
    return NULL;
  }
  DIR *dir = opendir(path);
  if (dir != NULL)
    close(fd);
  return dir;
}

struct dirent *readdir(DIR *dir) {
  struct dirent *entry = dir->entry;
  if (!__blitz_list(dir->path, &dir->state, entry->d_name))
    return NULL;
  entry->d_ino = (ino_t)(dir->position + 1);
  entry->d_off = dir->position++;
  entry->d_reclen = sizeof *entry;
  entry->d_type = DT_UNKNOWN;
  return entry;
}

_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64) || sizeof(long) == 4, "the same on 64-bit machines");

struct dirent64 *readdir64(DIR *dir) {
  static struct dirent64 wide;
  struct dirent *entry = readdir(dir);
  if (entry == NULL)
    return NULL;
  wide.d_ino = entry->d_ino;
  wide.d_off = entry->d_off;
  wide.d_reclen = sizeof wide;
  wide.d_type = entry->d_type;
  memcpy(wide.d_name, entry->d_name, sizeof wide.d_name);
  return &wide;
}

int readdir_r(DIR *restrict dir, struct dirent *restrict entry, struct dirent **restrict result) {
  struct dirent *next = readdir(dir);
  *result = NULL;
  if (next != NULL) {
    *entry = *next;
    *result = entry;
  }
  return 0;
}

int closedir(DIR *dir) {
  __blitz_list_end(dir->state);
  __blitz_heap_free(dir->path);
  __blitz_heap_free(dir->entry);
  __blitz_heap_free(dir);
  return 0;
}

void rewinddir(DIR *dir) {
  __blitz_list_end(dir->state);
  dir->state = NULL;
  dir->position = 0;
}

long telldir(DIR *dir) { return dir->position; }

void seekdir(DIR *dir, long position) {
  rewinddir(dir);
  while (dir->position < position && readdir(dir) != NULL)
    ;
}

int dirfd(DIR *dir) { __blitz_unsupported("dirfd"); }

int alphasort(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
int versionsort(const struct dirent **a, const struct dirent **b) { return strverscmp((*a)->d_name, (*b)->d_name); }

int scandir(const char *restrict path, struct dirent ***restrict out, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **)) {
  DIR *dir = opendir(path);
  if (dir == NULL)
    return -1;
  struct dirent **list = NULL, *entry;
  size_t count = 0;
  while ((entry = readdir(dir)) != NULL) {
    CUT(count, 4, "a directory of more than 4 entries");
    if (wanted != NULL && !wanted(entry))
      continue;
    struct dirent **bigger = realloc(list, (count + 1) * sizeof *list);
    struct dirent *copy = bigger ? malloc(sizeof *copy) : NULL;
    if (bigger != NULL)
      list = bigger;
    if (copy == NULL)
      break;
    *copy = *entry;
    list[count++] = copy;
  }
  closedir(dir);
  if (compare != NULL && count > 1)
    qsort(list, count, sizeof *list, (int (*)(const void *, const void *))compare);
  *out = list;
  return (int)count;
}
