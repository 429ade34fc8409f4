/* SPDX-License-Identifier: MIT */
/*
 * mark.c -- which sizeofs become addresses?
 *
 * Input:     the tokens of a preprocessed unit.
 * Output:    the extents of all marks, and the static initialisers (thunks)
 *            that hold some of them.
 * Invariant: a mark stands where C allows any expression; where tokens cannot
 *            tell, clang's refusal drops it later.
 *
 * One walk over the tokens with a stack of brackets.  Each frame knows whether
 * a sizeof in it can be marked in place, needs a thunk, or must stay; a brace
 * that holds statements also knows whether the declaration that is being read
 * has static storage, so that its `=` begins a constant initialiser.  What can
 * hold no mark at all (record bodies, attributes, case labels, ...) is jumped
 * over by the partner of its bracket.  No types are needed: the extent of an
 * operand follows from the grammar of unary expressions alone.
 *
 * Against a parse with libclang, tokens found all marks but those in square
 * brackets, for a twentieth of the time.
 */
#include "analysis/mark.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mark-scan.h"

/* How a sizeof at this place can be marked. */
enum mode { KEEP, IN_PLACE, THUNK };

/* What the innermost open bracket means. */
struct frame {
  enum mode mode; /* outside initialisers of static objects */
  enum mode
      arguments; /* what the arguments of a call get, where mode is KEEP */
  bool block;    /* a brace, or the file, that holds declarations */
  bool file_scope;
  bool is_static;      /* this declaration has static storage */
  bool in_initialiser; /* past its `=` */
  uint32_t first_thunk;
};

struct scan {
  struct cca_marks *out;
  const struct cca_token *t; /* all tokens, CCA_T_END last */
  struct cca_vec(struct frame) stack;
};

static struct frame *top(struct scan *s) {
  return &s->stack.items[s->stack.count - 1];
}

static enum mode mode_here(struct scan *s) {
  return top(s)->in_initialiser ? THUNK : top(s)->mode;
}

/* ---- extents ---- */

static bool is_prefix(uint8_t kind, const char *text) {
  return kind == '*' || kind == '&' || kind == '-' || kind == '+' ||
         kind == '!' || kind == '~' || kind == CCA_T_PLUSPLUS ||
         kind == CCA_T_EXTENSION || (kind == CCA_T_LOGIC && *text == '&');
}

/* Is the parenthesis at I surely a cast, given what it holds and what follows?
 * Where it might be either, it is an operand. */
static bool is_cast(const struct cca_token *t, uint32_t i) {
  uint32_t close = t[i].match;
  if (t[close + 1].kind == '{')
    return false; /* a compound literal */
  uint8_t first = t[i + 1].kind, next = t[close + 1].kind;
  if (t[close - 1].kind == '*' || first == CCA_T_TYPEWORD ||
      first == CCA_T_RECORD || first == CCA_T_ENUM)
    return true;
  return next == CCA_T_IDENT || next == CCA_T_NUMBER || next == CCA_T_STRING ||
         next == CCA_T_CHAR || next == '!' || next == '~';
}

static uint32_t postfix_end(const struct cca_token *t, uint32_t i) {
  for (;;)
    switch (t[i].kind) {
    case '(':
    case '[':
      i = t[i].match + 1;
      break;
    case '.':
    case CCA_T_ARROW:
      if (t[i + 1].kind != CCA_T_IDENT)
        return i;
      i += 2;
      break;
    case CCA_T_PLUSPLUS:
      i++;
      break;
    default:
      return i;
    }
}

/* The token after the operand that begins at I; I itself if there is none. */
static uint32_t operand_end(const struct cca_tokens *tokens, uint32_t i) {
  const struct cca_token *t = tokens->list.items;
  uint32_t begin = i;
  bool casts = false; /* a cast expression may stand here, not only a unary */
  for (;;) {
    if (is_prefix(t[i].kind, tokens->text + t[i].begin)) {
      casts = true;
      i++;
    } else if (casts && t[i].kind == '(' && is_cast(t, i)) {
      i = t[i].match + 1;
    } else if (t[i].kind == CCA_T_SIZEOF || t[i].kind == CCA_T_TYPEOF) {
      casts = false;
      i++;
    } else {
      break;
    }
  }
  switch (t[i].kind) {
  case '(':
    i = t[i].match + 1;
    if (t[i].kind == '{')
      i = t[i].match + 1;
    return postfix_end(t, i);
  case CCA_T_STRING:
    while (t[i].kind == CCA_T_STRING)
      i++;
    return postfix_end(t, i);
  case CCA_T_IDENT:
  case CCA_T_NUMBER:
  case CCA_T_CHAR:
  case CCA_T_FIRST_CONSTANT:
  case CCA_T_OFFSETOF:
  case CCA_T_ATTRIBUTE: /* a builtin */
    return postfix_end(t, i + 1);
  default:
    return begin;
  }
}

/* Does [I, END) define a tag or enumerators?  A copy would hide them. */
static bool defines_names(const struct cca_token *t, uint32_t i, uint32_t end) {
  for (; i < end; i++)
    if ((t[i].kind == CCA_T_RECORD && t[i + 1].kind == CCA_T_IDENT &&
         t[i + 2].kind == '{') ||
        (t[i].kind == CCA_T_ENUM &&
         (t[i + 1].kind == '{' ||
          (t[i + 1].kind == CCA_T_IDENT && t[i + 2].kind == '{'))))
      return true;
  return false;
}

/* ---- expressions that are no sizes ---- */

static bool begins_expression(uint8_t kind) {
  return kind == '(' || kind == CCA_T_LOGIC || kind == '=' || kind == ',' ||
         kind == '?' || kind == ':' || kind == '{' || kind == ';' ||
         kind == '!' || kind == CCA_T_RETURN;
}

static bool ends_expression(uint8_t kind) {
  return kind == ')' || kind == CCA_T_LOGIC || kind == '?' || kind == ':' ||
         kind == ',' || kind == ';' || kind == '}';
}

/* If a comparison of two constants begins with the sizeof [I, END), or ends
 * with it, the token after the comparison; else I. */
static uint32_t constant_test_end(const struct cca_tokens *tokens, uint32_t i,
                                  uint32_t end) {
  const struct cca_token *t = tokens->list.items;
  if (i == 0)
    return i;
  if (begins_expression(t[i - 1].kind) && t[end].kind == CCA_T_COMPARE) {
    uint32_t right = end + 2;
    if (t[end + 1].kind == CCA_T_SIZEOF)
      right = operand_end(tokens, end + 2);
    else if (t[end + 1].kind != CCA_T_NUMBER)
      return i;
    return ends_expression(t[right].kind) ? right : i;
  }
  if (i > 2 && t[i - 1].kind == CCA_T_COMPARE &&
      t[i - 2].kind == CCA_T_NUMBER && begins_expression(t[i - 3].kind) &&
      ends_expression(t[end].kind))
    return end;
  return i;
}

static bool is_discarded(const struct cca_tokens *tokens, uint32_t i) {
  const struct cca_token *t = tokens->list.items;
  if (i >= 2 && t[i - 1].kind == '(' && t[i - 2].kind == CCA_T_SWITCH)
    return true;
  return i >= 3 && t[i - 1].kind == ')' && t[i - 3].kind == '(' &&
         cca_token_is(tokens, &t[i - 2], "void");
}

/* ---- marks ---- */

static struct cca_mark *add_mark(struct scan *s, enum cca_mark_kind kind,
                                 uint32_t begin, uint32_t end) {
  const struct cca_tokens *tokens = &s->out->tokens;
  const struct cca_token *last = &s->t[end - 1];
  struct cca_token_place from = cca_tokens_place(tokens, s->t[begin].line);
  struct cca_token_place to = cca_tokens_place(tokens, last->line);
  struct cca_mark mark = {
      .kind = kind,
      .begin = s->t[begin].begin,
      .end = last->begin + last->len,
      .file = from.file,
      .text_line = last->line,
      .line = from.line,
      .line_end =
          to.file == from.file && to.line > from.line ? to.line : from.line,
      .thunk = mode_here(s) == IN_PLACE ? CCA_MARK_IN_PLACE
                                        : (uint32_t)s->out->thunks.count - 1,
  };
  cca_vec_push(&s->out->marks, mark);
  return &s->out->marks.items[s->out->marks.count - 1];
}

/* Handle the sizeof at I; returns the token after it. */
static uint32_t scan_sizeof(struct scan *s, uint32_t i) {
  const struct cca_tokens *tokens = &s->out->tokens;
  const struct cca_token *t = s->t;
  uint32_t first = i + 1, end = operand_end(tokens, first);
  if (end == first)
    return first;
  if (mode_here(s) == KEEP || is_discarded(tokens, i) ||
      defines_names(t, first, end))
    return end;
  uint32_t test = constant_test_end(tokens, i, end);
  if (test != i)
    return test;

  struct cca_mark *mark = add_mark(s, CCA_MARKED_SIZEOF, i, end);
  bool stripped = t[first].kind == '(' && t[first].match == end - 1 &&
                  t[first + 1].kind != '{';
  mark->operand = stripped ? t[first].begin + t[first].len : t[first].begin;
  mark->operand_end = stripped ? t[end - 1].begin : mark->end;
  return end;
}

/*
 * An offset is a size where it is added to something, or is all there is: in
 * an initialiser that has no other sign of it (a table of fields) it is not
 * marked, nor where it is taken off an address.
 */
static bool offset_is_size(struct scan *s, uint32_t i, uint32_t end) {
  const struct cca_token *t = s->t;
  uint8_t before = i ? t[i - 1].kind : CCA_T_END, after = t[end].kind;
  if (before == '-')
    return false;
  if (mode_here(s) == IN_PLACE || before == '+' || after == '+')
    return true;
  return before == '=' && after == ';';
}

/* Handle the __builtin_offsetof at I; returns the token after it. */
static uint32_t scan_offsetof(struct scan *s, uint32_t i) {
  const struct cca_token *t = s->t;
  if (t[i + 1].kind != '(')
    return i + 1;
  uint32_t close = t[i + 1].match, end = close + 1, comma = i + 2;
  while (comma < close && t[comma].kind != ',')
    comma = strchr("([{", t[comma].kind) ? t[comma].match + 1 : comma + 1;
  if (mode_here(s) == KEEP || comma >= close || !offset_is_size(s, i, end) ||
      defines_names(t, i + 2, comma))
    return end;

  /* At most one subscript that is no number, and that the last. */
  uint32_t index = 0;
  for (uint32_t j = comma + 1; j < close; j++)
    if (t[j].kind == '[') {
      bool number = t[j].match == j + 2 && t[j + 1].kind == CCA_T_NUMBER;
      if (!number && t[j].match != close - 1)
        return end;
      if (!number)
        index = j;
      j = t[j].match;
    }
  struct cca_mark *mark = add_mark(s, CCA_MARKED_OFFSETOF, i, end);
  mark->operand = t[i + 2].begin;
  mark->operand_end = t[comma].begin;
  mark->member = t[comma].begin + t[comma].len;
  if (index) {
    mark->index = t[index].begin;
    mark->index_end = t[close - 1].begin;
  }
  return end;
}

/* ---- declarations ---- */

/* The name declared by the declarator that ends before EQUAL, or 0. */
static uint32_t declared_name(const struct cca_token *t, uint32_t equal) {
  uint32_t i = equal;
  while (i > 0)
    switch (t[--i].kind) {
    case ']':
      i = t[i].match;
      break;
    case ')': {
      uint32_t open = t[i].match;
      uint8_t inside = t[open + 1].kind;
      uint8_t before = open ? t[open - 1].kind : CCA_T_END;
      if (before == CCA_T_ATTRIBUTE || before == CCA_T_ASM)
        i = open - 1;
      else if (inside != '*' && inside != '(' &&
               (before == ')' || before == ']'))
        i = open; /* the parameters of what stands in parentheses */
      break;      /* else look inside: (*name) */
    }
    case CCA_T_IDENT:
      return i;
    default:
      return 0;
    }
  return 0;
}

/* The `=` at I of a static object: its marks belong to a thunk from here on. */
static void begin_initialiser(struct scan *s, uint32_t i) {
  uint32_t name = declared_name(s->t, i);
  if (!name)
    return;
  struct frame *frame = top(s);
  struct cca_thunk thunk = {
      .file_scope = frame->file_scope,
      .depth = (uint32_t)s->stack.count,
      .name = s->t[name].begin,
      .name_len = s->t[name].len,
      .begin = s->t[i + 1].begin,
      .begin_line = s->t[i + 1].line,
  };
  frame->in_initialiser = true;
  cca_vec_push(&s->out->thunks, thunk);
}

static void end_initialiser(struct scan *s, uint32_t i) {
  struct frame *frame = top(s);
  if (!frame->in_initialiser)
    return;
  const struct cca_token *last = &s->t[i - 1];
  struct cca_thunk *thunk = &s->out->thunks.items[s->out->thunks.count - 1];
  thunk->end = last->begin + last->len;
  frame->in_initialiser = false;
}

/* The `;` at I: the thunks of this declaration go behind it. */
static void end_declaration(struct scan *s, uint32_t i) {
  struct frame *frame = top(s);
  end_initialiser(s, i);
  for (size_t n = frame->first_thunk; n < s->out->thunks.count; n++) {
    struct cca_thunk *thunk = &s->out->thunks.items[n];
    if (thunk->depth != s->stack.count)
      continue; /* of an inner block, and placed there */
    thunk->after = s->t[i].begin + s->t[i].len;
    thunk->after_line = s->t[i].line;
  }
  frame->first_thunk = (uint32_t)s->out->thunks.count;
  frame->is_static = frame->file_scope;
}

/* ---- the walk ---- */

static void open_bracket(struct scan *s, uint32_t i) {
  struct frame *outer = top(s);
  struct frame frame = {.mode = mode_here(s), .arguments = outer->arguments};
  uint8_t kind = s->t[i].kind, before = i ? s->t[i - 1].kind : CCA_T_END;
  if (kind == '{' && outer->file_scope && !outer->in_initialiser) {
    frame.mode = IN_PLACE; /* a function's body */
    frame.block = true;
  } else if (kind == '{') {
    frame.block = frame.mode == IN_PLACE;
  } else if (kind == '[') {
    frame.arguments = frame.mode == IN_PLACE ? IN_PLACE : outer->arguments;
    frame.mode = KEEP;
  } else if (frame.mode == KEEP && before == CCA_T_IDENT) {
    frame.mode = outer->arguments; /* f(...) inside a subscript */
  }
  frame.first_thunk = (uint32_t)s->out->thunks.count;
  cca_vec_push(&s->stack, frame);
}

/* After struct, union or enum at I: past the body, if there is one. */
static uint32_t skip_body(const struct cca_token *t, uint32_t i) {
  uint32_t j = i + 1;
  for (;;)
    if (t[j].kind == CCA_T_ATTRIBUTE && t[j + 1].kind == '(')
      j = t[j + 1].match + 1;
    else if (t[j].kind == '[' && t[j + 1].kind == '[')
      j = t[j].match + 1;
    else
      break;
  if (t[j].kind == CCA_T_IDENT)
    j++;
  if (t[i].kind == CCA_T_ENUM && t[j].kind == ':') /* enum e : short { */
    do
      j++;
    while (t[j].kind == CCA_T_IDENT || t[j].kind == CCA_T_TYPEWORD);
  return t[j].kind == '{' ? t[j].match + 1 : i + 1;
}

/* After a case at I: the `:` that ends the label. */
static uint32_t skip_label(const struct cca_token *t, uint32_t i) {
  unsigned questions = 0;
  for (i++; t[i].kind != CCA_T_END && t[i].kind != ';'; i++)
    if (t[i].kind == '(' || t[i].kind == '[' || t[i].kind == '{')
      i = t[i].match;
    else if (t[i].kind == '}')
      break; /* no label after all */
    else if (t[i].kind == '?')
      questions++;
    else if (t[i].kind == ':' && questions-- == 0)
      break;
  return i;
}

/* After a word at I whose parentheses hold no marks: past them. */
static uint32_t skip_parentheses(const struct cca_token *t, uint32_t i) {
  uint32_t j = i + 1;
  if (t[i].kind == CCA_T_ASM) /* asm volatile goto inline ( */
    while (t[j].kind == CCA_T_TYPEWORD || t[j].kind == CCA_T_GOTO ||
           t[j].kind == CCA_T_IDENT)
      j++;
  return t[j].kind == '(' ? t[j].match + 1 : i + 1;
}

/* _Generic(type selector, ...), __builtin_choose_expr(constant, ...): push the
 * parenthesis and go on behind the first argument. */
static uint32_t skip_first_argument(struct scan *s, uint32_t i) {
  const struct cca_token *t = s->t;
  if (t[i + 1].kind != '(')
    return i + 1;
  uint32_t close = t[i + 1].match, j = i + 2;
  open_bracket(s, i + 1);
  while (j < close && t[j].kind != ',')
    j = t[j].kind == '(' || t[j].kind == '[' || t[j].kind == '{'
            ? t[j].match + 1
            : j + 1;
  return j;
}

static void scan_tokens(struct scan *s) {
  const struct cca_token *t = s->t;
  struct frame file = {.mode = KEEP,
                       .arguments = KEEP,
                       .block = true,
                       .file_scope = true,
                       .is_static = true};
  cca_vec_push(&s->stack, file);
  for (uint32_t i = 0; t[i].kind != CCA_T_END;) {
    switch (t[i].kind) {
    case CCA_T_SIZEOF:
      i = scan_sizeof(s, i);
      continue;
    case CCA_T_OFFSETOF:
      i = scan_offsetof(s, i);
      continue;
    case CCA_T_TYPEOF:
    case CCA_T_ATTRIBUTE:
    case CCA_T_ASM:
      i = skip_parentheses(t, i);
      continue;
    case CCA_T_RECORD:
    case CCA_T_ENUM:
      i = skip_body(t, i);
      continue;
    case CCA_T_CASE:
      i = skip_label(t, i);
      continue;
    case CCA_T_FIRST_CONSTANT:
      i = skip_first_argument(s, i);
      continue;
    case '[':
      if (t[i + 1].kind == '[' && t[i].match == t[i + 1].match + 1) {
        i = t[i].match + 1; /* [[attribute]] */
        continue;
      }
      /* fall through */
    case '(':
    case '{':
      open_bracket(s, i);
      break;
    case '}':
    case ')':
    case ']':
      s->stack.count--; /* never the file's: brackets match */
      break;
    case CCA_T_STATIC:
      if (top(s)->block)
        top(s)->is_static = true;
      break;
    case '=':
      if (top(s)->block && top(s)->is_static && !top(s)->in_initialiser)
        begin_initialiser(s, i);
      break;
    case ',':
      end_initialiser(s, i);
      break;
    case ';':
      if (top(s)->block)
        end_declaration(s, i);
      break;
    }
    i++;
  }
}

struct cca_marks *cca_marks_find(const char *text, size_t len, bool from_gcc) {
  struct cca_marks *marks = cca_calloc(1, sizeof *marks);
  cca_tokens_read(&marks->tokens, text, len);
  cca__marks_find_blanks(marks, from_gcc);
  struct scan scan = {.out = marks, .t = marks->tokens.list.items};
  scan_tokens(&scan);
  cca_vec_release(&scan.stack);
  cca_vec_release(&marks->tokens.list); /* places need the markers only */
  return marks;
}

void cca_marks_free(struct cca_marks *marks) {
  if (!marks)
    return;
  cca_tokens_release(&marks->tokens);
  cca_vec_release(&marks->marks);
  cca_vec_release(&marks->thunks);
  cca_vec_release(&marks->blanks);
  free(marks);
}

const struct cca_mark *cca_marks_list(const struct cca_marks *marks,
                                      size_t *count) {
  *count = marks->marks.count;
  return marks->marks.items;
}

enum { NEAR = 5 }; /* lines */
#define FAR UINT32_MAX

/* A place as clang names it. */
struct place {
  const char *file;
  size_t file_len;
  uint32_t line;
};

static bool is_file(const struct cca_marks *marks, uint32_t file,
                    const struct place *at) {
  const struct cca_token_file *f = &marks->tokens.files.items[file];
  return f->len == at->file_len && !memcmp(f->name, at->file, f->len);
}

/* Lines between the mark and the place; FAR if it is another file. */
static uint32_t distance(const struct cca_marks *marks,
                         const struct cca_mark *m, const struct place *at) {
  if (!is_file(marks, m->file, at))
    return FAR;
  return at->line < m->line       ? m->line - at->line
         : at->line > m->line_end ? at->line - m->line_end
                                  : 0;
}

static bool thunk_is_at(const struct cca_marks *marks, const struct cca_mark *m,
                        const struct place *at) {
  if (m->thunk == CCA_MARK_IN_PLACE)
    return false;
  const struct cca_thunk *t = &marks->thunks.items[m->thunk];
  struct cca_token_place from = cca_tokens_place(&marks->tokens, t->begin_line);
  struct cca_token_place to = cca_tokens_place(&marks->tokens, t->after_line);
  return at->line >= from.line && is_file(marks, from.file, at) &&
         (to.file != from.file || at->line <= to.line);
}

/* Drop the marks at this distance, or FAR: of the thunks that are there. */
static size_t drop_at(struct cca_marks *marks, const struct place *at,
                      uint32_t lines) {
  size_t dropped = 0;
  for (size_t i = 0; i < marks->marks.count; i++) {
    struct cca_mark *m = &marks->marks.items[i];
    if (m->dropped || (lines == FAR ? !thunk_is_at(marks, m, at)
                                    : distance(marks, m, at) != lines))
      continue;
    m->dropped = true;
    dropped++;
  }
  return dropped;
}

/* In a statement of several lines, clang may name another than the mark's. */
size_t cca_marks_drop(struct cca_marks *marks, const char *file,
                      size_t file_len, uint32_t line) {
  struct place at = {file, file_len, line};
  size_t dropped = drop_at(marks, &at, 0);
  if (!dropped)
    dropped = drop_at(marks, &at, FAR);
  for (uint32_t lines = 1; lines <= NEAR && !dropped; lines++)
    dropped = drop_at(marks, &at, lines);
  return dropped;
}

size_t cca_marks_drop_all(struct cca_marks *marks) {
  size_t dropped = 0;
  for (size_t i = 0; i < marks->marks.count; i++) {
    dropped += !marks->marks.items[i].dropped;
    marks->marks.items[i].dropped = true;
  }
  return dropped;
}
