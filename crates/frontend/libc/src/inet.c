/* <arpa/inet.h>, <netdb.h>: addresses as text, byte order, and the small tables of services and protocols.
 * direction: exact, but for tables of the machine */
#define _GNU_SOURCE
#include "libc.h"
#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <string.h>

#undef htonl
#undef htons
#undef ntohl
#undef ntohs
uint32_t htonl(uint32_t x) { return __builtin_bswap32(x); }
uint32_t ntohl(uint32_t x) { return __builtin_bswap32(x); }
uint16_t htons(uint16_t x) { return __builtin_bswap16(x); }
uint16_t ntohs(uint16_t x) { return __builtin_bswap16(x); }

const struct in6_addr in6addr_any = {{{0}}};
const struct in6_addr in6addr_loopback = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}};

/* One to four numbers with dots between them, the last of which fills what is left. */
int inet_aton(const char *s, struct in_addr *out) {
  uint32_t parts[4] = {0};
  int n = 0;
  for (;;) {
    char *end;
    if (*s < '0' || *s > '9')
      return 0;
    unsigned long value = strtoul(s, &end, 0);
    if (value > 0xffffffff)
      return 0;
    parts[n++] = (uint32_t)value;
    s = end;
    if (*s != '.')
      break;
    if (n == 4)
      return 0;
    s++;
  }
  if (*s != 0 && *s != ' ' && !(*s >= '\t' && *s <= '\r'))
    return 0;
  uint32_t address = parts[n - 1];
  if (n > 1 && address >> (8 * (5 - n)) != 0)
    return 0;
  for (int i = 0; i < n - 1; i++) {
    if (parts[i] > 255)
      return 0;
    address |= parts[i] << (24 - 8 * i);
  }
  if (out != NULL)
    out->s_addr = htonl(address);
  return 1;
}

in_addr_t inet_addr(const char *s) {
  struct in_addr address;
  return inet_aton(s, &address) ? address.s_addr : INADDR_NONE;
}

in_addr_t inet_network(const char *s) {
  struct in_addr address;
  return inet_aton(s, &address) ? ntohl(address.s_addr) : INADDR_NONE;
}

char *inet_ntoa(struct in_addr address) {
  static char text[16];
  const unsigned char *b = (const unsigned char *)&address;
  snprintf(text, sizeof text, "%d.%d.%d.%d", b[0], b[1], b[2], b[3]);
  return text;
}

/* Exactly four decimal numbers without leading zeros. */
static int parse4(const char *s, unsigned char out[4]) {
  for (int i = 0; i < 4; i++) {
    unsigned value = 0, digits = 0;
    for (; *s >= '0' && *s <= '9'; s++, digits++) {
      if (digits == 3)
        return 0;
      if (digits > 0 && value == 0)
        return 0;
      value = value * 10 + (unsigned)(*s - '0');
      if (value > 255)
        return 0;
    }
    if (digits == 0)
      return 0;
    out[i] = (unsigned char)value;
    if (i < 3 && *s++ != '.')
      return 0;
  }
  return *s == 0;
}

static unsigned hex_value(char c) {
  unsigned letter = ((unsigned char)c | 32u) - 'a', digit = (unsigned char)c - (unsigned)'0';
  return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

/* Groups of hexadecimal digits; "::" stands for the zeros that are missing. */
static int parse6(const char *s, unsigned char out[16]) {
  unsigned char bytes[16] = {0};
  int n = 0, gap = -1;
  if (*s == ':' && *++s != ':')
    return 0;
  for (unsigned round = 0; *s != 0; round++) {
    CUT(round, 20, "an IPv6 address of more than 20 parts");
    if (*s == ':') {
      if (gap >= 0)
        return 0;
      gap = n;
      s++;
      continue;
    }
    const char *group = s;
    unsigned value = 0;
    int digits = 0;
    for (; hex_value(*s) < 16 && digits < 5; s++, digits++)
      value = value << 4 | hex_value(*s);
    if (*s == '.' && n <= 12 && parse4(group, bytes + n)) {
      n += 4;
      break;
    }
    if (digits == 0 || digits > 4 || n > 14)
      return 0;
    bytes[n++] = (unsigned char)(value >> 8);
    bytes[n++] = (unsigned char)value;
    if (*s == ':') {
      s++;
      if (*s == 0)
        return 0;
    } else if (*s != 0) {
      return 0;
    }
  }
  if (gap >= 0) {
    if (n == 16)
      return 0;
    memmove(bytes + 16 - (n - gap), bytes + gap, (size_t)(n - gap));
    memset(bytes + gap, 0, (size_t)(16 - n));
  } else if (n != 16) {
    return 0;
  }
  memcpy(out, bytes, 16);
  return 1;
}

int inet_pton(int family, const char *restrict s, void *restrict out) {
  unsigned char bytes[16];
  if (family != AF_INET && family != AF_INET6)
    return fail(EAFNOSUPPORT);
  if (!(family == AF_INET ? parse4(s, bytes) : parse6(s, bytes)))
    return 0;
  memcpy(out, bytes, family == AF_INET ? 4 : 16);
  return 1;
}

/* The longest run of at least two zero groups is written as "::". */
static void format6(const unsigned char *b, char *text) {
  int best = -1, best_n = 1;
  for (int i = 0, run = 0; i < 8; i++) {
    run = b[2 * i] == 0 && b[2 * i + 1] == 0 ? run + 1 : 0;
    if (run > best_n) {
      best_n = run;
      best = i - run + 1;
    }
  }
  int mapped = best == 0 && (best_n == 6 || (best_n == 5 && b[10] == 0xff && b[11] == 0xff));
  for (int i = 0; i < 8; i++) {
    if (i == best) {
      *text++ = ':';
      if (i == 0)
        *text++ = ':';
      i += best_n - 1;
      continue;
    }
    if (i == 6 && mapped) {
      sprintf(text, "%d.%d.%d.%d", b[12], b[13], b[14], b[15]);
      return;
    }
    text += sprintf(text, "%x", b[2 * i] << 8 | b[2 * i + 1]);
    if (i < 7)
      *text++ = ':';
  }
  *text = 0;
}

const char *inet_ntop(int family, const void *restrict address, char *restrict out, socklen_t n) {
  char text[INET6_ADDRSTRLEN + 8];
  const unsigned char *b = address;
  if (family == AF_INET)
    sprintf(text, "%d.%d.%d.%d", b[0], b[1], b[2], b[3]);
  else if (family == AF_INET6)
    format6(b, text);
  else {
    errno = EAFNOSUPPORT;
    return NULL;
  }
  if (strlen(text) >= n) {
    errno = ENOSPC;
    return NULL;
  }
  return strcpy(out, text);
}

/* Tables. */

static char *no_aliases[1];
struct service_row {
  char *name;
  int port;
  char *protocol;
};
static const struct service_row services[] = {
    {"ftp", 21, "tcp"},  {"ssh", 22, "tcp"},   {"telnet", 23, "tcp"}, {"smtp", 25, "tcp"},  {"time", 37, "tcp"},
    {"domain", 53, "udp"}, {"tftp", 69, "udp"}, {"http", 80, "tcp"},   {"pop3", 110, "tcp"}, {"ntp", 123, "udp"},
    {"imap2", 143, "tcp"}, {"snmp", 161, "udp"}, {"https", 443, "tcp"}, {"syslog", 514, "udp"}, {"cvspserver", 2401, "tcp"},
};

static struct servent *give_service(const struct service_row *row) {
  static struct servent entry;
  entry = (struct servent){.s_name = row->name, .s_aliases = no_aliases, .s_port = htons((uint16_t)row->port), .s_proto = row->protocol};
  return &entry;
}

struct servent *getservbyname(const char *name, const char *protocol) {
  for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
    if (strcmp(services[i].name, name) == 0)
      return give_service(&services[i]);
  return NULL;
}

struct servent *getservbyport(int port, const char *protocol) {
  for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
    if (services[i].port == ntohs((uint16_t)port))
      return give_service(&services[i]);
  return NULL;
}

struct protoent *getprotobyname(const char *name) {
  static struct protoent entry;
  int number = strcmp(name, "tcp") == 0 ? IPPROTO_TCP : strcmp(name, "udp") == 0 ? IPPROTO_UDP : strcmp(name, "icmp") == 0 ? IPPROTO_ICMP : -1;
  if (number < 0)
    return NULL;
  entry = (struct protoent){.p_name = (char *)name, .p_aliases = no_aliases, .p_proto = number};
  return &entry;
}

struct protoent *getprotobynumber(int number) {
  static struct protoent entry;
  entry = (struct protoent){.p_name = number == IPPROTO_TCP ? "tcp" : "udp", .p_aliases = no_aliases, .p_proto = number};
  return number == IPPROTO_TCP || number == IPPROTO_UDP ? &entry : NULL;
}

static int current_h_errno;
int *__h_errno_location(void) { return &current_h_errno; }
const char *hstrerror(int code) { return code == HOST_NOT_FOUND ? "Unknown host" : "Resolver error"; }
void herror(const char *s) { fprintf(stderr, "%s: %s\n", s, hstrerror(current_h_errno)); }

const char *gai_strerror(int code) {
  switch (code) {
  case EAI_NONAME: return "Name or service not known";
  case EAI_AGAIN: return "Temporary failure in name resolution";
  case EAI_FAIL: return "Non-recoverable failure in name resolution";
  case EAI_FAMILY: return "ai_family not supported";
  case EAI_SERVICE: return "Servname not supported for ai_socktype";
  case EAI_MEMORY: return "Memory allocation failure";
  case EAI_SYSTEM: return "System error";
  default: return "Unknown error";
  }
}

unsigned if_nametoindex(const char *name) {
  if (strcmp(name, "lo") == 0)
    return 1;
  errno = ENODEV;
  return 0;
}
char *if_indextoname(unsigned index, char *name) {
  if (index == 1)
    return strcpy(name, "lo");
  errno = ENXIO;
  return NULL;
}
