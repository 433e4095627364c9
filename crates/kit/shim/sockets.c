/* Sockets: descriptors of /dev/null; what peers send comes with the call that reads it. Where the program reads through streams
   it is a file with all of it, which all connections share as they share the order of what is read. */
#ifdef SOCKETS
static unsigned char is_socket[1024];
static int stream_descriptor(void) {
  static FILE *sent;
  const struct blitz_input *bytes = find("connection", 1, "socket", 0);
  if (bytes == NULL)
    return open("/dev/null", O_RDWR);
  if (sent == NULL && (sent = tmpfile()) != NULL) {
    fwrite(bytes->bytes, 1, bytes->size, sent);
    fflush(sent);
    lseek(fileno(sent), 0, SEEK_SET);
  }
  return sent == NULL ? -1 : dup(fileno(sent));
}
static int new_socket(void) {
  int fd = stream_descriptor();
  if (fd >= 0 && fd < 1024)
    is_socket[fd] = 1;
  return fd;
}
static ssize_t receive(const char *function, unsigned call, void *p, size_t n) {
  const struct blitz_input *bytes = find(function, call, "socket", 0);
  size_t got = bytes ? bytes->size < n ? bytes->size : n : 0;
  memcpy(p, bytes ? bytes->bytes : "", got);
  return (ssize_t)got;
}
#endif
#ifdef WRAP_socket
int __wrap_socket(int domain, int type, int protocol) {
  COUNT;
  return choice("socket", calls, "socket fails", EMFILE, EAFNOSUPPORT, EMFILE) < 0 ? -1 : new_socket();
}
#endif
#ifdef WRAP_bind
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t n) {
  COUNT;
  return choice("bind", calls, "bind fails", EADDRINUSE, EACCES, EACCES);
}
#endif
#ifdef WRAP_listen
int __wrap_listen(int fd, int backlog) { return 0; }
#endif
#ifdef WRAP_setsockopt
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t n) { return 0; }
#endif
#ifdef WRAP_connect
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t n) {
  COUNT;
  return choice("connect", calls, "connect fails", ECONNREFUSED, ETIMEDOUT, EINPROGRESS);
}
#endif
#ifdef WRAP_accept
int __wrap_accept(int fd, struct sockaddr *address, socklen_t *n) {
  COUNT;
  if (choice("accept", calls, "accept fails", EAGAIN, ECONNABORTED, EINTR) < 0)
    return -1;
  if (address && n)
    memset(address, 0, *n);
  return new_socket();
}
#endif
#ifdef WRAP_recv
ssize_t __wrap_recv(int fd, void *p, size_t n, int flags) {
  COUNT;
  if (number("recv", calls, "recv fails"))
    return errno = EAGAIN, -1;
  return receive("recv", calls, p, n);
}
#endif
#ifdef WRAP_read
ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n) {
  COUNT;
  return fd >= 0 && fd < 1024 && is_socket[fd] ? receive("read", calls, p, n) : __real_read(fd, p, n);
}
#endif
#ifdef WRAP_send
ssize_t __wrap_send(int fd, const void *p, size_t n, int flags) {
  COUNT;
  if (number("send", calls, "send fails"))
    return errno = ECONNRESET, -1;
  return (ssize_t)n;
}
#endif
