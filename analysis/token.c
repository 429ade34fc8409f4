/* SPDX-License-Identifier: MIT */
/*
 * token.c -- preprocessed C as an array of tokens.
 *
 * One pass over the bytes with a stack of open brackets.  Words are looked up
 * by length first, since nearly every identifier of a program is none of them.
 * Digraphs count as the brackets that they stand for.  Cost is linear: 2.7 MB
 * of SQLite take about 15 ms.
 */
#include "analysis/token.h"

#include <string.h>

#include "base/map.h"
#include "base/text.h"

static const struct {
  const char *word;
  uint8_t kind;
} words[] = {
    {"sizeof", CCA_T_SIZEOF},
    {"__builtin_offsetof", CCA_T_OFFSETOF},
    {"typeof", CCA_T_TYPEOF},
    {"__typeof", CCA_T_TYPEOF},
    {"__typeof__", CCA_T_TYPEOF},
    {"typeof_unqual", CCA_T_TYPEOF},
    {"__typeof_unqual", CCA_T_TYPEOF},
    {"__typeof_unqual__", CCA_T_TYPEOF},
    {"alignof", CCA_T_TYPEOF},
    {"_Alignof", CCA_T_TYPEOF},
    {"__alignof", CCA_T_TYPEOF},
    {"__alignof__", CCA_T_TYPEOF},
    {"alignas", CCA_T_ATTRIBUTE},
    {"_Alignas", CCA_T_ATTRIBUTE},
    {"__attribute", CCA_T_ATTRIBUTE},
    {"__attribute__", CCA_T_ATTRIBUTE},
    {"__declspec", CCA_T_ATTRIBUTE},
    {"static_assert", CCA_T_ATTRIBUTE},
    {"_Static_assert", CCA_T_ATTRIBUTE},
    {"__builtin_constant_p", CCA_T_ATTRIBUTE},
    {"__builtin_types_compatible_p", CCA_T_ATTRIBUTE},
    {"__builtin_object_size", CCA_T_ATTRIBUTE},
    {"__builtin_dynamic_object_size", CCA_T_ATTRIBUTE},
    {"__builtin_assume_aligned", CCA_T_ATTRIBUTE},
    {"__builtin_prefetch", CCA_T_ATTRIBUTE},
    {"__builtin_shufflevector", CCA_T_ATTRIBUTE},
    {"asm", CCA_T_ASM},
    {"__asm", CCA_T_ASM},
    {"__asm__", CCA_T_ASM},
    {"_Generic", CCA_T_FIRST_CONSTANT},
    {"__builtin_choose_expr", CCA_T_FIRST_CONSTANT},
    {"struct", CCA_T_RECORD},
    {"union", CCA_T_RECORD},
    {"enum", CCA_T_ENUM},
    {"case", CCA_T_CASE},
    {"switch", CCA_T_SWITCH},
    {"goto", CCA_T_GOTO},
    {"return", CCA_T_RETURN},
    {"static", CCA_T_STATIC},
    {"_Thread_local", CCA_T_STATIC},
    {"thread_local", CCA_T_STATIC},
    {"__thread", CCA_T_STATIC},
    {"constexpr", CCA_T_STATIC},
    {"__extension__", CCA_T_EXTENSION},
    {"__real__", CCA_T_EXTENSION},
    {"__real", CCA_T_EXTENSION},
    {"__imag__", CCA_T_EXTENSION},
    {"__imag", CCA_T_EXTENSION},
    {"void", CCA_T_TYPEWORD},
    {"char", CCA_T_TYPEWORD},
    {"short", CCA_T_TYPEWORD},
    {"int", CCA_T_TYPEWORD},
    {"long", CCA_T_TYPEWORD},
    {"float", CCA_T_TYPEWORD},
    {"double", CCA_T_TYPEWORD},
    {"signed", CCA_T_TYPEWORD},
    {"__signed__", CCA_T_TYPEWORD},
    {"unsigned", CCA_T_TYPEWORD},
    {"_Bool", CCA_T_TYPEWORD},
    {"_Complex", CCA_T_TYPEWORD},
    {"__complex__", CCA_T_TYPEWORD},
    {"_Atomic", CCA_T_TYPEWORD},
    {"const", CCA_T_TYPEWORD},
    {"__const", CCA_T_TYPEWORD},
    {"volatile", CCA_T_TYPEWORD},
    {"__volatile__", CCA_T_TYPEWORD},
    {"__int128", CCA_T_TYPEWORD},
};

enum { WORD_MAX = 32, WORDS = sizeof words / sizeof words[0] };

/* Words of each length, chained by index + 1; 0 ends. */
struct word_index {
  uint8_t first[WORD_MAX], next[WORDS];
};

static void word_index_init(struct word_index *index) {
  memset(index, 0, sizeof *index);
  for (size_t i = WORDS; i-- > 0;) {
    size_t len = strlen(words[i].word);
    index->next[i] = index->first[len];
    index->first[len] = (uint8_t)(i + 1);
  }
}

static uint8_t word_kind(const struct word_index *index, const char *s,
                         size_t len) {
  if (len >= WORD_MAX)
    return CCA_T_IDENT;
  for (size_t i = index->first[len]; i; i = index->next[i - 1])
    if (words[i - 1].word[0] == s[0] && !memcmp(words[i - 1].word, s, len))
      return words[i - 1].kind;
  return CCA_T_IDENT;
}

static bool is_word_byte(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$' || c >= 0x80 ||
         c == '\\'; /* \u1234 in an identifier */
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The end of the string or character constant that opens at P. */
static const char *quoted_end(const char *p, const char *end) {
  char quote = *p++;
  while (p < end && *p != quote && *p != '\n') {
    if (*p == '\\' && end - p > 1)
      p++;
    p++;
  }
  return p < end && *p == quote ? p + 1 : p;
}

/* A preprocessing number: 1.5e+10, 0x1p-3, 1'000. */
static const char *number_end(const char *p, const char *end) {
  for (; p < end; p++) {
    if ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]))
      continue;
    if (*p == '\'' && end - p > 1 && is_word_byte((unsigned char)p[1]))
      continue;
    if (!is_word_byte((unsigned char)*p) && *p != '.')
      break;
  }
  return p;
}

/* Kind and length of the punctuator at P. */
static uint8_t punctuator(const char *p, const char *end, uint32_t *len) {
  char a = p[0], b = end - p > 1 ? p[1] : 0, c = end - p > 2 ? p[2] : 0;
  *len = 2;
  switch (a) {
  case '\0':
    *len = 1;
    return ' ';
  case '-':
    if (b == '>')
      return CCA_T_ARROW;
    /* fall through */
  case '+':
    if (b == a)
      return CCA_T_PLUSPLUS;
    break;
  case '&':
  case '|':
    if (b == a)
      return CCA_T_LOGIC;
    break;
  case '<':
    if (b == ':')
      return '[';
    if (b == '%')
      return '{';
    /* fall through */
  case '>':
    if (b == a) {
      *len = c == '=' ? 3 : 2;
      return CCA_T_OPERATOR;
    }
    *len = b == '=' ? 2 : 1;
    return CCA_T_COMPARE;
  case ':':
    if (b == '>')
      return ']';
    break;
  case '%':
    if (b == '>')
      return '}';
    break;
  case '=':
  case '!':
    if (b == '=')
      return CCA_T_COMPARE;
    break;
  case '.':
    if (b == '.' && c == '.') {
      *len = 3;
      return CCA_T_OPERATOR;
    }
    break;
  }
  if (b == '=' && strchr("+-*/%&|^", a))
    return CCA_T_OPERATOR;
  *len = 1;
  return (unsigned char)a < 128 ? (uint8_t)a : ' ';
}

/* Read `# 12 "file"` or `#line 12 "file"`; other directives say nothing. */
static void line_marker(struct cca_tokens *tokens, struct cca_map *names,
                        const char *p, const char *end, uint32_t line) {
  struct cca_token_marker marker = {.line = line + 1};
  p++;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  if (end - p > 4 && !memcmp(p, "line", 4))
    p += 4;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  if (p == end || !is_digit(*p))
    return;
  for (; p < end && is_digit(*p); p++)
    marker.number = marker.number * 10 + (uint32_t)(*p - '0');
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  marker.file = tokens->markers.items[tokens->markers.count - 1].file;
  if (p < end && *p == '"') {
    const char *close = quoted_end(p, end);
    struct cca_token_file file = {p + 1, (size_t)(close - p) - 1};
    if (file.len && file.name[file.len - 1] == '"')
      file.len--;
    bool is_new;
    uint32_t *id = cca_map_at(names, file.name, file.len, &is_new);
    if (is_new) {
      *id = (uint32_t)tokens->files.count;
      cca_vec_push(&tokens->files, file);
    }
    marker.file = *id;
  }
  cca_vec_push(&tokens->markers, marker);
}

/* Pair the bracket just pushed with its partner.  False if it has none. */
static bool match_bracket(struct cca_tokens *tokens, struct cca_token *t,
                          uint32_t *open) {
  uint32_t index = (uint32_t)(t - tokens->list.items);
  if (t->kind == '(' || t->kind == '[' || t->kind == '{') {
    t->match = *open; /* until it is closed: the bracket around it */
    *open = index;
    return true;
  }
  if (*open == UINT32_MAX)
    return false;
  struct cca_token *partner = &tokens->list.items[*open];
  char want = partner->kind == '(' ? ')' : partner->kind == '[' ? ']' : '}';
  if (t->kind != want)
    return false;
  t->match = *open;
  *open = partner->match;
  partner->match = index;
  return true;
}

bool cca_tokens_read(struct cca_tokens *tokens, const char *text, size_t len) {
  *tokens = (struct cca_tokens){.text = text, .len = len};
  cca_vec_push(&tokens->files, ((struct cca_token_file){"", 0}));
  cca_vec_push(&tokens->markers, ((struct cca_token_marker){0, 1, 0}));
  if (len > INT32_MAX)
    return false;
  cca_vec_reserve(&tokens->list, len / 4 + 1);

  struct word_index index;
  word_index_init(&index);
  struct cca_map names = {0};
  uint32_t line = 0, open = UINT32_MAX;
  bool at_line_begin = true, ok = true;
  const char *p = text, *end = cca_text_end(text, len);

  while (p < end && ok) {
    unsigned char c = (unsigned char)*p;
    if (c == '\n') {
      line++;
      at_line_begin = true;
      p++;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      p++;
      continue;
    }
    if (c == '#' && at_line_begin) {
      const char *eol = memchr(p, '\n', (size_t)(end - p));
      if (!eol)
        eol = end;
      line_marker(tokens, &names, p, eol, line);
      p = eol;
      continue;
    }
    at_line_begin = false;
    struct cca_token t = {.begin = (uint32_t)(p - text), .line = line};
    const char *stop;
    if (c == '"' || c == '\'') {
      stop = quoted_end(p, end);
      t.kind = c == '"' ? CCA_T_STRING : CCA_T_CHAR;
    } else if (is_digit(*p) || (c == '.' && end - p > 1 && is_digit(p[1]))) {
      stop = number_end(p + 1, end);
      t.kind = CCA_T_NUMBER;
    } else if (is_word_byte(c)) {
      stop = p;
      while (stop < end && is_word_byte((unsigned char)*stop))
        stop++;
      t.kind = word_kind(&index, p, (size_t)(stop - p));
      if (stop < end && (*stop == '"' || *stop == '\'') && stop - p <= 2 &&
          strchr("LuU", *p)) { /* L"x", u8"x" */
        t.kind = *stop == '"' ? CCA_T_STRING : CCA_T_CHAR;
        stop = quoted_end(stop, end);
      }
    } else {
      uint32_t n;
      t.kind = punctuator(p, end, &n);
      stop = p + n;
    }
    t.len = (uint32_t)(stop - p);
    p = stop;
    cca_vec_push(&tokens->list, t);
    if (strchr("()[]{}", t.kind))
      ok = match_bracket(tokens, &tokens->list.items[tokens->list.count - 1],
                         &open);
  }
  cca_map_release(&names);
  if (!ok || open != UINT32_MAX) {
    tokens->list.count = 0;
    ok = false;
  }
  cca_vec_push(&tokens->list,
               ((struct cca_token){.begin = (uint32_t)len, .line = line}));
  return ok;
}

void cca_tokens_release(struct cca_tokens *tokens) {
  cca_vec_release(&tokens->list);
  cca_vec_release(&tokens->markers);
  cca_vec_release(&tokens->files);
}

struct cca_token_place cca_tokens_place(const struct cca_tokens *tokens,
                                        uint32_t line) {
  size_t low = 0, high = tokens->markers.count;
  while (high - low > 1) { /* the last marker at or before LINE */
    size_t middle = low + (high - low) / 2;
    if (tokens->markers.items[middle].line <= line)
      low = middle;
    else
      high = middle;
  }
  const struct cca_token_marker *m = &tokens->markers.items[low];
  return (struct cca_token_place){m->file, m->number + (line - m->line)};
}

bool cca_token_is(const struct cca_tokens *tokens, const struct cca_token *t,
                  const char *word) {
  return strlen(word) == t->len &&
         !memcmp(tokens->text + t->begin, word, t->len);
}
