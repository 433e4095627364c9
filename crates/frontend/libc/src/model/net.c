/* Sockets in the modelled environment: peers send any bytes in any pieces, and go when they like.
 *
 * Every connection is its own file of kind KIND_SOCKET; all their bytes are inputs named "socket", in the order in
 * which they are received. What is sent leaves the program. select and poll report any set of what was asked for.
 * direction: exact, but for errors that have no input */
#define _GNU_SOURCE
#include "model.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int new_socket(void) { return __blitz_new_fd(__blitz_new_file(KIND_SOCKET, O_RDWR)); }

int socket(int domain, int type, int protocol) {
  int code = CHOICE("socket fails", EMFILE, EAFNOSUPPORT);
  return code == 0 ? new_socket() : fail(code);
}

int socketpair(int domain, int type, int protocol, int fds[2]) { return pipe(fds); }

static int choose(int fd, int code) { return __blitz_file(fd) == NULL ? -1 : code == 0 ? 0 : fail(code); }

int bind(int fd, const struct sockaddr *address, socklen_t n) {
  __blitz_check_read(address, n);
  return choose(fd, CHOICE("bind fails", EADDRINUSE, EACCES));
}
int listen(int fd, int backlog) { return choose(fd, 0); }
int connect(int fd, const struct sockaddr *address, socklen_t n) {
  __blitz_check_read(address, n);
  return choose(fd, CHOICE("connect fails", ECONNREFUSED, ETIMEDOUT, EINPROGRESS));
}
int shutdown(int fd, int how) { return choose(fd, 0); }
int setsockopt(int fd, int level, int option, const void *value, socklen_t n) {
  __blitz_check_read(value, n);
  return choose(fd, 0);
}
int getsockopt(int fd, int level, int option, void *restrict value, socklen_t *restrict n) {
  if (*n >= sizeof(int)) {
    *(int *)value = option == SO_ERROR ? CHOICE("SO_ERROR", ECONNREFUSED) : 1;
    *n = sizeof(int);
  }
  return choose(fd, 0);
}

/* An IPv4 address of somebody. */
static void any_address(struct sockaddr *out, socklen_t *n) {
  struct sockaddr_in peer = {.sin_family = AF_INET};
  if (out == NULL || n == NULL)
    return;
  peer.sin_port = __blitz_input_u16("peer port");
  peer.sin_addr.s_addr = __blitz_input_u32("peer address");
  memcpy(out, &peer, *n < sizeof peer ? *n : sizeof peer);
  *n = sizeof peer;
}

int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict n) {
  if (__blitz_file(fd) == NULL)
    return -1;
  int code = CHOICE("accept fails", EAGAIN, ECONNABORTED, EINTR);
  if (code != 0)
    return fail(code);
  any_address(address, n);
  return new_socket();
}
int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict n, int flags) { return accept(fd, address, n); }
int getpeername(int fd, struct sockaddr *restrict address, socklen_t *restrict n) {
  any_address(address, n);
  return choose(fd, CHOICE("getpeername fails", ENOTCONN));
}
int getsockname(int fd, struct sockaddr *restrict address, socklen_t *restrict n) {
  any_address(address, n);
  return choose(fd, 0);
}

ssize_t recv(int fd, void *p, size_t n, int flags) {
  if (__blitz_file(fd) != NULL && __blitz_input_bool("recv fails"))
    return fail(EAGAIN);
  return read(fd, p, n);
}
ssize_t recvfrom(int fd, void *restrict p, size_t n, int flags, struct sockaddr *restrict address, socklen_t *restrict length) {
  ssize_t got = recv(fd, p, n, flags);
  if (got >= 0)
    any_address(address, length);
  return got;
}
ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
  message->msg_flags = 0;
  message->msg_controllen = 0;
  socklen_t length = message->msg_namelen;
  if (message->msg_iovlen == 0)
    return 0;
  ssize_t got = recvfrom(fd, message->msg_iov[0].iov_base, message->msg_iov[0].iov_len, flags, message->msg_name, &length);
  if (message->msg_name != NULL)
    message->msg_namelen = length;
  return got;
}
ssize_t send(int fd, const void *p, size_t n, int flags) {
  __blitz_check_read(p, n);
  if (__blitz_file(fd) != NULL && __blitz_input_bool("send fails"))
    return fail(ECONNRESET);
  return write(fd, p, n);
}
ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *address, socklen_t length) {
  if (address != NULL)
    __blitz_check_read(address, length);
  return send(fd, p, n, flags);
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  ssize_t total = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++) {
    CUT(i, 16, "a message of more than 16 pieces");
    ssize_t put = send(fd, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len, flags);
    if (put < 0)
      return -1;
    total += put;
  }
  return total;
}

/* Keeps some of the wanted descriptors; how many. */
static int any_subset(fd_set *set, int n) {
  int count = 0;
  if (set == NULL)
    return 0;
  unsigned long *words = (unsigned long *)set;
  for (int i = 0; i * NFDBITS < n && i < FD_SETSIZE / NFDBITS; i++) {
    unsigned long wanted = words[i];
    words[i] = __blitz_input_u64("ready") & wanted;
    count += __builtin_popcountl(words[i]);
  }
  return count;
}

int select(int n, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others, struct timeval *restrict wait) {
  if (n < 0 || n > FD_SETSIZE)
    return fail(EINVAL);
  int count = any_subset(reads, n) + any_subset(writes, n) + any_subset(others, n);
  if (wait == NULL)
    __blitz_assume(count > 0 || n == 0);
  return count;
}
int pselect(int n, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
            const struct timespec *restrict wait, const sigset_t *restrict mask) {
  struct timeval some = {0};
  return select(n, reads, writes, others, wait ? &some : NULL);
}

int poll(struct pollfd *fds, nfds_t n, int wait) {
  int count = 0;
  for (nfds_t i = 0; i < n; i++) {
    CUT(i, 64, "poll on more than 64 descriptors");
    short wanted = fds[i].fd < 0 ? 0 : fds[i].events | POLLHUP | POLLERR;
    fds[i].revents = __blitz_input_short("ready") & wanted;
    count += fds[i].revents != 0;
  }
  if (wait < 0)
    __blitz_assume(count > 0);
  return count;
}
int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *wait, const sigset_t *mask) {
  return poll(fds, n, wait == NULL ? -1 : 0);
}

/* Names: unknown, or one address. */

struct hostent *gethostbyname(const char *name) {
  static struct hostent entry;
  static uint32_t address;
  static char *addresses[2], *no_aliases[1];
  __blitz_check_string(name);
  if (__blitz_input_bool("host unknown")) {
    h_errno = HOST_NOT_FOUND;
    return NULL;
  }
  address = __blitz_input_u32("host address");
  addresses[0] = (char *)&address;
  entry = (struct hostent){.h_name = (char *)name, .h_aliases = no_aliases, .h_addrtype = AF_INET, .h_length = 4, .h_addr_list = addresses};
  return &entry;
}
struct hostent *gethostbyname2(const char *name, int family) { return gethostbyname(name); }

struct hostent *gethostbyaddr(const void *address, socklen_t n, int family) {
  static char name[256];
  __blitz_check_read(address, n);
  struct hostent *entry = gethostbyname("");
  if (entry == NULL)
    return NULL;
  size_t length = __blitz_input_size("host name length");
  __blitz_assume(length >= 1 && length <= 255);
  __blitz_input_bytes(name, length, "host name");
  name[length] = 0;
  __blitz_assume(__blitz_scan(name, 0, length) == length);
  entry->h_name = name;
  return entry;
}

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict out) {
  if (name != NULL)
    __blitz_check_string(name);
  if (service != NULL)
    __blitz_check_string(service);
  int code = CHOICE("getaddrinfo fails", -EAI_NONAME, -EAI_AGAIN);
  if (code != 0)
    return -code;
  struct {
    struct addrinfo info;
    struct sockaddr_in address;
  } *result = __blitz_heap_alloc(sizeof *result);
  memset(result, 0, sizeof *result);
  socklen_t n = sizeof result->address;
  any_address((struct sockaddr *)&result->address, &n);
  result->info.ai_family = AF_INET;
  result->info.ai_socktype = hints && hints->ai_socktype ? hints->ai_socktype : SOCK_STREAM;
  result->info.ai_protocol = hints ? hints->ai_protocol : 0;
  result->info.ai_addrlen = n;
  result->info.ai_addr = (struct sockaddr *)&result->address;
  *out = &result->info;
  return 0;
}

void freeaddrinfo(struct addrinfo *list) {
  while (list != NULL) {
    struct addrinfo *next = list->ai_next;
    __blitz_heap_free(list);
    list = next;
  }
}

int getnameinfo(const struct sockaddr *restrict address, socklen_t n, char *restrict name, socklen_t name_size,
                char *restrict service, socklen_t service_size, int flags) {
  __blitz_check_read(address, n);
  if (name != NULL && name_size > 0) {
    if (!inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, name, name_size))
      return EAI_OVERFLOW;
  }
  if (service != NULL && service_size > 0)
    snprintf(service, service_size, "%u", ntohs(((const struct sockaddr_in *)address)->sin_port));
  return 0;
}
