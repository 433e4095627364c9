/* A server's side of a session protocol: sessions in an array of structs, windows, retransmission slots, timers, a small routing table. */
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#include <stdbool.h>
#include <assert.h>
extern unsigned char nondet_uchar(void);
extern unsigned short nondet_ushort(void);

#define SESSIONS 5
#define WINDOW 4
#define PAYLOAD 6
#define TIMERS 8
#define ROUTES 4

enum st { CLOSED, SYN_SEEN, OPEN, CLOSING, ST_COUNT };
enum msg { M_SYN, M_ACK, M_DATA, M_FIN, M_RST, M_PING, M_ROUTE, M_COUNT };

struct message {
  uint8_t type, session;
  uint16_t seq, ack;
  uint8_t len;
  uint8_t data[PAYLOAD];
};

struct slot {
  bool full;
  uint16_t seq;
  uint8_t len;
  uint8_t tries;
  uint8_t data[PAYLOAD];
};

struct session {
  uint8_t state;
  uint16_t peer;
  uint16_t next_seq, expected;
  struct slot window[WINDOW];
  uint8_t in_flight;
  int8_t timer;
  uint32_t received;
  uint8_t buffer[WINDOW * PAYLOAD];
  uint8_t buffered;
};

struct timer {
  bool on;
  uint8_t session;
  uint16_t due;
};

struct route {
  uint8_t prefix, bits, via, metric;
};

struct server {
  struct session sessions[SESSIONS];
  struct timer timers[TIMERS];
  struct route routes[ROUTES];
  uint8_t nroutes;
  uint16_t clock;
  uint32_t by_type[M_COUNT];
  uint32_t bad;
  uint8_t *log;
  uint16_t log_len, log_cap;
};

static bool server_init(struct server *s) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < SESSIONS; i++)
    s->sessions[i].timer = -1;
  s->log_cap = 16;
  s->log = malloc(s->log_cap);
  return s->log != NULL;
}

static void log_byte(struct server *s, uint8_t v) {
  if (s->log_len >= s->log_cap)
    s->log_len = 0;
  s->log[s->log_len++] = v;
}

static int timer_start(struct server *s, uint8_t session, uint16_t after) {
  for (int i = 0; i < TIMERS; i++)
    if (!s->timers[i].on) {
      s->timers[i].on = true;
      s->timers[i].session = session;
      s->timers[i].due = (uint16_t)(s->clock + after);
      return i;
    }
  return -1;
}

static void timer_stop(struct server *s, struct session *c) {
#ifdef BUG
  s->timers[c->timer].on = false;
#else
  if (c->timer >= 0)
    s->timers[c->timer].on = false;
#endif
  c->timer = -1;
}

static void session_reset(struct server *s, struct session *c) {
  timer_stop(s, c);
  memset(c, 0, sizeof *c);
  c->timer = -1;
  c->state = CLOSED;
}

static bool on_syn(struct server *s, struct session *c, const struct message *m) {
  if (c->state == OPEN)
    return false;
  c->state = SYN_SEEN;
  c->peer = m->ack;
  c->expected = (uint16_t)(m->seq + 1);
  c->next_seq = (uint16_t)(m->seq ^ 0x5555);
  if (c->timer < 0)
    c->timer = (int8_t)timer_start(s, m->session, 10);
  return true;
}

static struct slot *slot_of(struct session *c, uint16_t seq) {
  for (int i = 0; i < WINDOW; i++)
    if (c->window[i].full && c->window[i].seq == seq)
      return &c->window[i];
  return NULL;
}

static struct slot *free_slot(struct session *c) {
  for (int i = 0; i < WINDOW; i++)
    if (!c->window[i].full)
      return &c->window[i];
  return NULL;
}

static bool on_ack(struct server *s, struct session *c, const struct message *m) {
  if (c->state == CLOSED)
    return false;
  if (c->state == SYN_SEEN) {
    if (m->ack != c->next_seq)
      return false;
    c->state = OPEN;
    if (c->timer >= 0)
      timer_stop(s, c);
    return true;
  }
  struct slot *w = slot_of(c, m->ack);
  if (!w)
    return false;
  w->full = false;
  c->in_flight--;
  if (c->in_flight == 0)
    timer_stop(s, c);
  return true;
}

static void deliver(struct session *c, const uint8_t *data, uint8_t len) {
  if ((unsigned)c->buffered + len > sizeof c->buffer)
    c->buffered = 0;
  for (unsigned i = 0; i < len; i++)
    c->buffer[c->buffered + i] = data[i];
  c->buffered = (uint8_t)(c->buffered + len);
  c->received += len;
}

static bool echo(struct server *s, struct session *c, const struct message *m) {
  struct slot *w = free_slot(c);
  if (!w)
    return false;
  w->full = true;
  w->seq = c->next_seq++;
  w->len = m->len;
  w->tries = 0;
  memcpy(w->data, m->data, m->len);
  c->in_flight++;
  if (c->timer < 0)
    c->timer = (int8_t)timer_start(s, m->session, 5);
  return true;
}

static bool on_data(struct server *s, struct session *c, const struct message *m) {
  if (c->state != OPEN || m->seq != c->expected)
    return false;
  if (m->len > PAYLOAD)
    return false;
  c->expected++;
  deliver(c, m->data, m->len);
  log_byte(s, m->len);
  return echo(s, c, m);
}

static bool on_fin(struct server *s, struct session *c, const struct message *m) {
  if (c->state == CLOSED)
    return false;
  if (c->in_flight) {
    c->state = CLOSING;
    return true;
  }
  (void)m;
  session_reset(s, c);
  return true;
}

static bool on_rst(struct server *s, struct session *c, const struct message *m) {
  if (c->state == CLOSED)
    return false;
  if (m->seq != c->expected && c->state == OPEN)
    return false;
  if (c->timer >= 0)
    timer_stop(s, c);
  session_reset(s, c);
  return true;
}

static bool on_route(struct server *s, const struct message *m) {
  if (m->len < 4 || m->len > PAYLOAD)
    return false;
  uint8_t bits = m->data[1];
  if (bits > 8)
    return false;
  for (unsigned i = 0; i < s->nroutes; i++) {
    struct route *r = &s->routes[i];
    if (r->prefix == m->data[0] && r->bits == bits) {
      if (m->data[3] < r->metric) {
        r->via = m->data[2];
        r->metric = m->data[3];
      }
      return true;
    }
  }
  if (s->nroutes >= ROUTES)
    return false;
  struct route *r = &s->routes[s->nroutes++];
  r->prefix = m->data[0];
  r->bits = bits;
  r->via = m->data[2];
  r->metric = m->data[3];
  return true;
}

static const struct route *route_for(const struct server *s, uint8_t dest) {
  const struct route *best = NULL;
  for (unsigned i = 0; i < s->nroutes; i++) {
    const struct route *r = &s->routes[i];
    uint8_t mask = (uint8_t)(0xff00u >> r->bits);
    if ((dest & mask) == (r->prefix & mask) && (!best || r->bits > best->bits))
      best = r;
  }
  return best;
}

static void tick(struct server *s) {
  s->clock++;
  for (int i = 0; i < TIMERS; i++) {
    struct timer *t = &s->timers[i];
    if (!t->on || t->due != s->clock)
      continue;
    t->on = false;
    struct session *c = &s->sessions[t->session];
    c->timer = -1;
    for (int k = 0; k < WINDOW; k++)
      if (c->window[k].full && ++c->window[k].tries > 3)
        c->window[k].full = false;
  }
}

static bool dispatch(struct server *s, const struct message *m) {
  if (m->session >= SESSIONS || m->type >= M_COUNT)
    return false;
  struct session *c = &s->sessions[m->session];
  s->by_type[m->type]++;
  switch (m->type) {
  case M_SYN:
    return on_syn(s, c, m);
  case M_ACK:
    return on_ack(s, c, m);
  case M_DATA:
    return on_data(s, c, m);
  case M_FIN:
    return on_fin(s, c, m);
  case M_RST:
    return on_rst(s, c, m);
  case M_PING:
    return route_for(s, m->data[0]) != NULL;
  case M_ROUTE:
    return on_route(s, m);
  default:
    return false;
  }
}

static void receive(struct message *m) {
  m->type = nondet_uchar();
  m->session = nondet_uchar();
  m->seq = nondet_ushort();
  m->ack = nondet_ushort();
  m->len = nondet_uchar();
  for (int i = 0; i < PAYLOAD; i++)
    m->data[i] = nondet_uchar();
}

int main(void) {
  struct server *s = malloc(sizeof *s);
  if (!s)
    return 1;
  if (!server_init(s)) {
    free(s);
    return 1;
  }
  for (int n = 0; n < STEPS; n++) {
    struct message m;
    receive(&m);
    if (!dispatch(s, &m))
      s->bad++;
    tick(s);
  }
  free(s->log);
  free(s);
  return 0;
}
