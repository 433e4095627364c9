/* A tokenizer and evaluator with tables: character classes, a transition table, keywords, symbols, an operand stack. */
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#include <stdbool.h>
extern char nondet_char(void);

#define MAX_SYMBOLS 6
#define MAX_IDENT 8
#define MAX_DEPTH 6

enum cls { C_OTHER, C_SPACE, C_ALPHA, C_DIGIT, C_OP, C_QUOTE, C_LPAREN, C_RPAREN, C_END, CLASSES };
enum state { S_START, S_IDENT, S_NUMBER, S_STRING, S_OP, S_DONE, S_ERROR, STATES };
enum kind { T_NONE, T_IDENT, T_NUMBER, T_STRING, T_OP, T_LPAREN, T_RPAREN, T_KEYWORD, T_END, T_ERROR };

static const uint8_t next_state[STATES][CLASSES] = {
    [S_START] = {S_ERROR, S_START, S_IDENT, S_NUMBER, S_OP, S_STRING, S_DONE, S_DONE, S_DONE},
    [S_IDENT] = {S_DONE, S_DONE, S_IDENT, S_IDENT, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE},
    [S_NUMBER] = {S_DONE, S_DONE, S_ERROR, S_NUMBER, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE},
    [S_STRING] = {S_STRING, S_STRING, S_STRING, S_STRING, S_STRING, S_DONE, S_STRING, S_STRING, S_ERROR},
    [S_OP] = {S_DONE, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE},
    [S_DONE] = {S_DONE, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE, S_DONE},
    [S_ERROR] = {S_ERROR, S_ERROR, S_ERROR, S_ERROR, S_ERROR, S_ERROR, S_ERROR, S_ERROR, S_ERROR},
};

static const uint8_t usual_classes[256] = {
    [0] = C_END,        ['a' ... 'z'] = C_ALPHA, ['A' ... 'Z'] = C_ALPHA, ['_'] = C_ALPHA, ['0' ... '9'] = C_DIGIT, [' '] = C_SPACE, ['\t'] = C_SPACE,
    ['\n'] = C_SPACE,   ['+'] = C_OP,            ['-'] = C_OP,            ['*'] = C_OP,    ['/'] = C_OP,            ['%'] = C_OP,    ['='] = C_OP,
    ['<'] = C_OP,       ['>'] = C_OP,            ['"'] = C_QUOTE,         ['\''] = C_QUOTE, ['('] = C_LPAREN,       [')'] = C_RPAREN,
};

struct keyword {
  const char *text;
  uint8_t len;
  uint8_t id;
};

static const struct keyword keywords[] = {{"let", 3, 1}, {"if", 2, 2}, {"do", 2, 3}, {"end", 3, 4}};

struct token {
  enum kind kind;
  uint8_t begin, len;
  uint8_t keyword;
  int32_t value;
};

struct symbol {
  char name[MAX_IDENT];
  uint8_t len;
  bool set;
  int32_t value;
};

struct lexer {
  const char *text;
  uint8_t len, at;
  const uint8_t *classes;
  struct token tok;
  uint16_t errors;
};

struct machine {
  struct lexer lex;
  struct symbol symbols[MAX_SYMBOLS];
  uint8_t nsymbols;
  int32_t operands[MAX_DEPTH];
  char operators[MAX_DEPTH];
  uint8_t nops, nvals;
  uint8_t depth;
  uint32_t counts[10];
  int32_t result;
};

static void lexer_init(struct lexer *l, const char *text, uint8_t len) {
  memset(l, 0, sizeof *l);
  l->text = text;
  l->len = len;
  l->classes = usual_classes;
}

static enum cls peek(const struct lexer *l) {
  if (l->at >= l->len)
    return C_END;
  return (enum cls)l->classes[(unsigned char)l->text[l->at]];
}

static void find_keyword(struct lexer *l) {
  struct token *t = &l->tok;
  for (unsigned i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (keywords[i].len == t->len && memcmp(keywords[i].text, l->text + t->begin, t->len) == 0) {
      t->kind = T_KEYWORD;
      t->keyword = keywords[i].id;
    }
}

static void number(struct lexer *l) {
  struct token *t = &l->tok;
  int32_t v = 0;
  for (unsigned i = 0; i < t->len; i++) {
    if (v > 100000)
      break;
    v = v * 10 + (l->text[t->begin + i] - '0');
  }
  t->value = v;
}

static void lex(struct lexer *l) {
  struct token *t = &l->tok;
  memset(t, 0, sizeof *t);
  while (l->at < l->len && peek(l) == C_SPACE)
    l->at++;
  t->begin = l->at;
  enum cls c = peek(l);
  if (c == C_END) {
    t->kind = T_END;
    return;
  }
  if (c == C_LPAREN || c == C_RPAREN) {
    t->kind = c == C_LPAREN ? T_LPAREN : T_RPAREN;
    t->len = 1;
    l->at++;
    return;
  }
  enum state s = S_START, before = S_START;
  while (s != S_DONE && s != S_ERROR) {
    before = s;
    s = (enum state)next_state[s][peek(l)];
    if (s == S_DONE || s == S_ERROR)
      break;
    l->at++;
  }
  if (s == S_ERROR) {
    t->kind = T_ERROR;
    l->errors++;
    l->at = l->len;
    return;
  }
  t->len = (uint8_t)(l->at - t->begin);
  switch (before) {
  case S_IDENT:
    t->kind = T_IDENT;
    find_keyword(l);
    break;
  case S_NUMBER:
    t->kind = T_NUMBER;
    number(l);
    break;
  case S_STRING:
    t->kind = T_STRING;
    l->at++;
    break;
  case S_OP:
    t->kind = T_OP;
    break;
  default:
    t->kind = T_ERROR;
    break;
  }
}

static struct symbol *lookup(struct machine *m, const char *name, uint8_t len) {
  for (unsigned i = 0; i < m->nsymbols; i++) {
    struct symbol *s = &m->symbols[i];
    if (s->len == len && memcmp(s->name, name, len) == 0)
      return s;
  }
  return NULL;
}

static struct symbol *define(struct machine *m, const char *name, uint8_t len) {
  struct symbol *s = lookup(m, name, len);
  if (s)
    return s;
  if (m->nsymbols >= MAX_SYMBOLS)
    return NULL;
  s = &m->symbols[m->nsymbols++];
#ifdef BUG
  s->len = len;
  memcpy(s->name, name, len);
#else
  s->len = len < MAX_IDENT ? len : MAX_IDENT - 1;
  memcpy(s->name, name, s->len);
#endif
  s->set = false;
  return s;
}

static int prec(char op) {
  switch (op) {
  case '*':
  case '/':
  case '%':
    return 3;
  case '+':
  case '-':
    return 2;
  case '<':
  case '>':
    return 1;
  default:
    return 0;
  }
}

static int32_t apply(char op, int32_t a, int32_t b) {
  int64_t r;
  switch (op) {
  case '+':
    r = (int64_t)a + b;
    break;
  case '-':
    r = (int64_t)a - b;
    break;
  case '*':
    r = (int64_t)(a & 0xffff) * (b & 0xffff);
    break;
  case '/':
    r = b > 0 ? a / b : 0;
    break;
  case '%':
    r = b > 0 ? a % b : 0;
    break;
  case '<':
    r = a < b;
    break;
  case '>':
    r = a > b;
    break;
  default:
    r = b;
    break;
  }
  return (int32_t)(r & 0x7fffffff);
}

static bool reduce(struct machine *m) {
  if (m->nops == 0 || m->nvals < 2)
    return false;
  char op = m->operators[--m->nops];
  int32_t b = m->operands[--m->nvals];
  int32_t a = m->operands[--m->nvals];
  m->operands[m->nvals++] = apply(op, a, b);
  return true;
}

static bool push_operand(struct machine *m, int32_t v) {
  if (m->nvals >= MAX_DEPTH)
    return false;
  m->operands[m->nvals++] = v;
  return true;
}

static bool push_operator(struct machine *m, char op) {
  while (m->nops > 0 && m->operators[m->nops - 1] != '(' && prec(m->operators[m->nops - 1]) >= prec(op))
    if (!reduce(m))
      return false;
  if (m->nops >= MAX_DEPTH)
    return false;
  m->operators[m->nops++] = op;
  return true;
}

static bool close(struct machine *m) {
  while (m->nops > 0 && m->operators[m->nops - 1] != '(')
    if (!reduce(m))
      return false;
  if (m->nops == 0)
    return false;
  m->nops--;
  return true;
}

static bool take(struct machine *m) {
  struct lexer *l = &m->lex;
  struct token *t = &l->tok;
  struct symbol *s;
  m->counts[t->kind]++;
  switch (t->kind) {
  case T_NUMBER:
    return push_operand(m, t->value);
  case T_IDENT:
    s = define(m, l->text + t->begin, t->len);
    return s && push_operand(m, s->set ? s->value : 0);
  case T_STRING:
    return push_operand(m, t->len);
  case T_OP:
    return push_operator(m, l->text[t->begin]);
  case T_LPAREN:
    if (m->nops >= MAX_DEPTH)
      return false;
    m->operators[m->nops++] = '(';
    m->depth++;
    return true;
  case T_RPAREN:
    return close(m);
  case T_KEYWORD:
    if (t->keyword == 1 && m->nsymbols > 0) {
      m->symbols[m->nsymbols - 1].set = true;
      m->symbols[m->nsymbols - 1].value = m->nvals ? m->operands[m->nvals - 1] : 0;
    }
    return true;
  default:
    return false;
  }
}

static bool run(struct machine *m, const char *text, uint8_t len) {
  memset(m, 0, sizeof *m);
  lexer_init(&m->lex, text, len);
  for (int n = 0; n <= TEXT; n++) {
    lex(&m->lex);
    if (m->lex.tok.kind == T_END)
      break;
    if (!take(m))
      return false;
  }
  while (m->nops > 0)
    if (!reduce(m))
      return false;
  m->result = m->nvals ? m->operands[m->nvals - 1] : 0;
  return true;
}

int main(void) {
  static struct machine m;
  char text[TEXT + 1];
  for (int i = 0; i < TEXT; i++)
    text[i] = nondet_char();
  text[TEXT] = 0;
  if (!run(&m, text, TEXT))
    return 1;
  return m.result == 42;
}
