/* A parser of a small tunnel protocol: ethernet-like frames, options as TLVs, fragments that are put together, a table of flows. */
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#include <stdbool.h>
extern unsigned char nondet_uchar(void);
extern unsigned short nondet_ushort(void);

#define MAX_FRAME 48
#define MAX_FLOWS 6
#define MAX_OPTS 5
#define MAX_FRAGS 4
#define MAX_NAME 12
#define FRAG_BYTES 8

enum status { OK = 0, SHORT, BAD_VERSION, BAD_CHECKSUM, BAD_OPTION, TOO_MANY, NO_FLOW, DUPLICATE };
enum opt_kind { OPT_END = 0, OPT_NOP = 1, OPT_MTU = 2, OPT_NAME = 3, OPT_TIME = 4, OPT_ROUTE = 5, OPT_KEY = 6 };

struct option {
  uint8_t kind;
  uint8_t len;
  uint16_t at;
};

struct header {
  uint8_t version;
  uint8_t flags;
  uint16_t length;
  uint16_t flow;
  uint16_t checksum;
  uint8_t hops;
  uint8_t proto;
};

struct fragment {
  bool used;
  uint8_t index;
  uint8_t len;
  uint8_t data[FRAG_BYTES];
};

struct flow {
  bool used;
  uint16_t id;
  uint16_t mtu;
  uint32_t packets;
  uint32_t bytes;
  char name[MAX_NAME];
  struct fragment frags[MAX_FRAGS];
  uint8_t whole[MAX_FRAGS * FRAG_BYTES];
  uint8_t whole_len;
};

struct stats {
  uint32_t frames;
  uint32_t errors[8];
  uint32_t by_proto[16];
  uint32_t options[8];
};

struct parser {
  const uint8_t *frame;
  uint16_t frame_len;
  uint16_t pos;
  struct header hdr;
  struct option opts[MAX_OPTS];
  uint8_t nopts;
  struct flow flows[MAX_FLOWS];
  struct flow *current;
  struct stats stats;
  enum status last;
};

static void parser_init(struct parser *p) {
  memset(p, 0, sizeof *p);
  p->last = OK;
}

static bool have(const struct parser *p, uint16_t n) { return p->frame_len - p->pos >= n; }

static bool get8(struct parser *p, uint8_t *out) {
  if (!have(p, 1))
    return false;
  *out = p->frame[p->pos++];
  return true;
}

static bool get16(struct parser *p, uint16_t *out) {
  uint8_t hi, lo;
  if (!have(p, 2))
    return false;
  get8(p, &hi);
  get8(p, &lo);
  *out = (uint16_t)(hi << 8 | lo);
  return true;
}

static uint16_t checksum(const uint8_t *data, unsigned len) {
  uint32_t sum = 0;
  for (unsigned i = 0; i + 1 < len; i += 2)
    sum += (uint32_t)(data[i] << 8 | data[i + 1]);
  if (len & 1)
    sum += (uint32_t)data[len - 1] << 8;
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

static enum status parse_header(struct parser *p) {
  struct header *h = &p->hdr;
  if (!get8(p, &h->version) || !get8(p, &h->flags))
    return SHORT;
  if (h->version != 4 && h->version != 6)
    return BAD_VERSION;
  if (!get16(p, &h->length) || !get16(p, &h->flow) || !get16(p, &h->checksum))
    return SHORT;
  if (!get8(p, &h->hops) || !get8(p, &h->proto))
    return SHORT;
  if (h->length > p->frame_len)
    return SHORT;
  if (h->flags & 0x80) {
    uint16_t sum = checksum(p->frame, 6);
    if (sum != h->checksum)
      return BAD_CHECKSUM;
  }
  p->stats.by_proto[h->proto & 15]++;
  return OK;
}

static enum status parse_options(struct parser *p) {
  p->nopts = 0;
  if (!(p->hdr.flags & 1))
    return OK;
  for (int i = 0; i < 8; i++) {
    uint8_t kind, len = 0;
    if (!get8(p, &kind))
      return SHORT;
    if (kind == OPT_END)
      return OK;
    if (kind == OPT_NOP)
      continue;
    if (!get8(p, &len))
      return SHORT;
    if (kind > OPT_KEY)
      return BAD_OPTION;
    if (!have(p, len))
      return SHORT;
    if (p->nopts >= MAX_OPTS)
      return TOO_MANY;
    p->opts[p->nopts].kind = kind;
    p->opts[p->nopts].len = len;
    p->opts[p->nopts].at = p->pos;
    p->nopts++;
    p->stats.options[kind]++;
    p->pos += len;
  }
  return TOO_MANY;
}

static struct flow *find_flow(struct parser *p, uint16_t id) {
  for (int i = 0; i < MAX_FLOWS; i++)
    if (p->flows[i].used && p->flows[i].id == id)
      return &p->flows[i];
  return NULL;
}

static struct flow *new_flow(struct parser *p, uint16_t id) {
  for (int i = 0; i < MAX_FLOWS; i++) {
    struct flow *f = &p->flows[i];
    if (f->used)
      continue;
    memset(f, 0, sizeof *f);
    f->used = true;
    f->id = id;
    f->mtu = 32;
    return f;
  }
  return NULL;
}

static void drop_flow(struct parser *p, struct flow *f) {
  f->used = false;
  for (int i = 0; i < MAX_FRAGS; i++)
    f->frags[i].used = false;
  if (p->current == f)
    p->current = NULL;
}

static enum status apply_name(struct parser *p, struct flow *f, const struct option *o) {
#ifdef BUG
  if (o->len > MAX_NAME)
#else
  if (o->len >= MAX_NAME)
#endif
    return BAD_OPTION;
  memcpy(f->name, p->frame + o->at, o->len);
  f->name[o->len] = 0;
  return OK;
}

static enum status apply_options(struct parser *p, struct flow *f) {
  for (unsigned i = 0; i < p->nopts; i++) {
    const struct option *o = &p->opts[i];
    enum status s;
    switch (o->kind) {
    case OPT_MTU:
      if (o->len != 2)
        return BAD_OPTION;
      f->mtu = (uint16_t)(p->frame[o->at] << 8 | p->frame[o->at + 1]);
      break;
    case OPT_NAME:
      s = apply_name(p, f, o);
      if (s != OK)
        return s;
      break;
    case OPT_ROUTE:
      if (o->len < 2 || (o->len & 1))
        return BAD_OPTION;
      break;
    case OPT_KEY:
      if (o->len == 0)
        return BAD_OPTION;
      if (p->frame[o->at] == 0xff)
        drop_flow(p, f);
      break;
    default:
      break;
    }
  }
  return OK;
}

static enum status add_fragment(struct parser *p, struct flow *f) {
  uint8_t index, len;
  if (!get8(p, &index) || !get8(p, &len))
    return SHORT;
  if (len > FRAG_BYTES || !have(p, len))
    return SHORT;
  for (int i = 0; i < MAX_FRAGS; i++)
    if (f->frags[i].used && f->frags[i].index == index)
      return DUPLICATE;
  for (int i = 0; i < MAX_FRAGS; i++) {
    struct fragment *g = &f->frags[i];
    if (g->used)
      continue;
    g->used = true;
    g->index = index;
    g->len = len;
    memcpy(g->data, p->frame + p->pos, len);
    p->pos += len;
    return OK;
  }
  return TOO_MANY;
}

static const struct fragment *fragment_at(const struct flow *f, uint8_t index) {
  for (int i = 0; i < MAX_FRAGS; i++)
    if (f->frags[i].used && f->frags[i].index == index)
      return &f->frags[i];
  return NULL;
}

static enum status join(struct parser *p, struct flow *f) {
  unsigned at = 0;
  for (uint8_t i = 0; i < MAX_FRAGS; i++) {
    const struct fragment *g = fragment_at(f, i);
    if (!g)
      break;
    for (unsigned k = 0; k < g->len; k++)
      f->whole[at + k] = g->data[k];
    at += g->len;
  }
  f->whole_len = (uint8_t)at;
  if (f->whole_len > 4 && f->whole[0] == 'S' && f->whole[1] == f->whole[2])
    f->bytes = 0;
  p->stats.frames++;
  return OK;
}

static enum status handle(struct parser *p) {
  enum status s = parse_header(p);
  if (s != OK)
    return s;
  s = parse_options(p);
  if (s != OK)
    return s;
  struct flow *f = find_flow(p, p->hdr.flow);
  if (!f) {
    if (!(p->hdr.flags & 2))
      return NO_FLOW;
    f = new_flow(p, p->hdr.flow);
    if (!f)
      return TOO_MANY;
  }
  p->current = f;
  s = apply_options(p, f);
  if (s != OK)
    return s;
  if (!p->current)
    return OK;
  f->packets++;
  f->bytes += p->hdr.length;
  if (p->hdr.flags & 4) {
    s = add_fragment(p, f);
    if (s != OK)
      return s;
  }
  if (p->hdr.flags & 8)
    return join(p, f);
  return OK;
}

static void receive(struct parser *p, const uint8_t *frame, uint16_t len) {
  p->frame = frame;
  p->frame_len = len;
  p->pos = 0;
  p->last = handle(p);
  if (p->last != OK)
    p->stats.errors[p->last]++;
  p->frame = NULL;
}

static unsigned report(const struct parser *p) {
  unsigned sum = 0;
  for (int i = 0; i < MAX_FLOWS; i++) {
    const struct flow *f = &p->flows[i];
    if (!f->used)
      continue;
    sum += (unsigned)strlen(f->name);
    sum += f->packets + f->mtu;
  }
  for (int i = 0; i < 8; i++)
    sum += p->stats.errors[i];
  return sum;
}

int main(void) {
  static struct parser p;
  unsigned total = 0;
  parser_init(&p);
  for (int n = 0; n < FRAMES; n++) {
    uint8_t frame[MAX_FRAME];
    for (int row = 0; row < MAX_FRAME / 8; row++)
      for (int i = 0; i < 8; i++)
        frame[row * 8 + i] = nondet_uchar();
    uint16_t len = nondet_ushort();
    if (len > MAX_FRAME)
      len = MAX_FRAME;
    receive(&p, frame, len);
    total += report(&p);
  }
  return total > 100000;
}
