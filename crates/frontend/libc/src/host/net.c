/* Sockets on the host: a machine without a network. select and poll see every descriptor ready.
 * direction: fewer, a network */
#define _GNU_SOURCE
#include "libc.h"
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol) {
  __blitz_fewer("socket: a network");
  return fail(EAFNOSUPPORT);
}
int socketpair(int domain, int type, int protocol, int fds[2]) {
  __blitz_fewer("socketpair: a network");
  return fail(EAFNOSUPPORT);
}
int bind(int fd, const struct sockaddr *address, socklen_t n) { return fail(ENOTSOCK); }
int listen(int fd, int backlog) { return fail(ENOTSOCK); }
int connect(int fd, const struct sockaddr *address, socklen_t n) { return fail(ENOTSOCK); }
int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict n) { return fail(ENOTSOCK); }
int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict n, int flags) { return fail(ENOTSOCK); }
int shutdown(int fd, int how) { return fail(ENOTSOCK); }
int getpeername(int fd, struct sockaddr *restrict address, socklen_t *restrict n) { return fail(ENOTSOCK); }
int getsockname(int fd, struct sockaddr *restrict address, socklen_t *restrict n) { return fail(ENOTSOCK); }
int setsockopt(int fd, int level, int option, const void *value, socklen_t n) { return fail(ENOTSOCK); }
int getsockopt(int fd, int level, int option, void *restrict value, socklen_t *restrict n) { return fail(ENOTSOCK); }
ssize_t recv(int fd, void *p, size_t n, int flags) { return fail(ENOTSOCK); }
ssize_t recvfrom(int fd, void *restrict p, size_t n, int flags, struct sockaddr *restrict address, socklen_t *restrict length) {
  return fail(ENOTSOCK);
}
ssize_t recvmsg(int fd, struct msghdr *message, int flags) { return fail(ENOTSOCK); }
ssize_t send(int fd, const void *p, size_t n, int flags) { return fail(ENOTSOCK); }
ssize_t sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *address, socklen_t length) {
  return fail(ENOTSOCK);
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) { return fail(ENOTSOCK); }

static int count(const fd_set *set, int n) {
  int total = 0;
  for (int fd = 0; set != NULL && fd < n; fd++)
    total += FD_ISSET(fd, set) != 0;
  return total;
}

int select(int n, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others, struct timeval *restrict wait) {
  if (others != NULL)
    FD_ZERO(others);
  return count(reads, n) + count(writes, n);
}
int pselect(int n, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
            const struct timespec *restrict wait, const sigset_t *restrict mask) {
  return select(n, reads, writes, others, NULL);
}

int poll(struct pollfd *fds, nfds_t n, int wait) {
  int total = 0;
  for (nfds_t i = 0; i < n; i++) {
    fds[i].revents = fds[i].fd < 0 ? 0 : fds[i].events & (POLLIN | POLLOUT);
    total += fds[i].revents != 0;
  }
  return total;
}
int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *wait, const sigset_t *mask) { return poll(fds, n, 0); }

struct hostent *gethostbyname(const char *name) {
  __blitz_fewer("gethostbyname: a network");
  h_errno = HOST_NOT_FOUND;
  return NULL;
}
struct hostent *gethostbyname2(const char *name, int family) { return gethostbyname(name); }
struct hostent *gethostbyaddr(const void *address, socklen_t n, int family) { return gethostbyname(""); }
int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict out) {
  __blitz_fewer("getaddrinfo: a network");
  return EAI_NONAME;
}
void freeaddrinfo(struct addrinfo *list) {}
int getnameinfo(const struct sockaddr *restrict address, socklen_t n, char *restrict name, socklen_t name_size,
                char *restrict service, socklen_t service_size, int flags) {
  __blitz_fewer("getnameinfo: a network");
  return EAI_NONAME;
}
