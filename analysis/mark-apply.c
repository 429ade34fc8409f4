/* SPDX-License-Identifier: MIT */
/*
 * mark-apply.c -- write the text anew, with its marks.
 *
 * Input:     the preprocessed text, the marks and thunks that mark.c found.
 * Output:    text that clang accepts as C of the same meaning, but for the
 *            values of the marks; mark.h says what it looks like.
 * Invariant: whatever is not a mark keeps its file, line and column, and with
 *            no mark left the output is the input.
 *
 * A mark is longer than what it replaces.  So it ends its line, and a line
 * marker and blanks lead back to where the source went on.  Operands are copied
 * as they are, line markers and comments' newlines included.
 */
#include "analysis/mark-scan.h"

#include <string.h>

struct writer {
  const struct cca_marks *in;
  struct cca_text *out;
};

/* The text from BEGIN to END, with blanks for what clang must not see. */
static void copy(struct writer *w, uint32_t begin, uint32_t end) {
  const struct cca_marks *in = w->in;
  size_t low = 0, high = in->blanks.count;
  while (low < high) { /* the first one at or behind BEGIN */
    size_t middle = low + (high - low) / 2;
    if (in->blanks.items[middle].begin < begin)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < in->blanks.count && in->blanks.items[low].end <= end; low++) {
    const struct cca_blank *blank = &in->blanks.items[low];
    cca_text_add(w->out, in->tokens.text + begin, blank->begin - begin);
    begin = blank->begin;
    if (blank->text) {
      cca_text_adds(w->out, blank->text);
      begin = blank->end;
    }
    for (; begin < blank->end; begin++)
      cca_text_add(w->out, in->tokens.text[begin] == '\n' ? "\n" : " ", 1);
  }
  cca_text_add(w->out, in->tokens.text + begin, end - begin);
}

/* Make what follows stand where byte AT of the text stands; LINE is its line
 * in the text.  WITH_FILE where the file may be another than before. */
static void go_to(struct writer *w, uint32_t at, uint32_t line,
                  bool with_file) {
  const struct cca_tokens *tokens = &w->in->tokens;
  struct cca_token_place place = cca_tokens_place(tokens, line);
  cca_text_addf(w->out, "\n# %u", place.line);
  if (with_file) {
    const struct cca_token_file *file = &tokens->files.items[place.file];
    cca_text_adds(w->out, " \"");
    cca_text_add(w->out, file->name, file->len);
    cca_text_adds(w->out, "\"");
  }
  cca_text_adds(w->out, "\n");
  uint32_t column = 0;
  if (at < tokens->len && tokens->text[at] == '\n')
    return;
  while (at - column > 0 && tokens->text[at - column - 1] != '\n')
    column++;
  cca_text_addf(w->out, "%*s", (int)column, "");
}

static void write_sizeof(struct writer *w, const struct cca_mark *m,
                         uint32_t n) {
  cca_text_adds(w->out, "({static __typeof__(");
  copy(w, m->operand, m->operand_end);
  cca_text_addf(w->out,
                ")*" CCA_MARK_SIZEOF
                "%u;(__typeof__(sizeof 0))&" CCA_MARK_SIZEOF "%u;})",
                n, n);
}

static void write_offsetof(struct writer *w, const struct cca_mark *m,
                           uint32_t n) {
  uint32_t member_end = m->index ? m->index : m->end - 1;
  cca_text_adds(w->out, m->index ? "(({" : "({");
  cca_text_adds(w->out, "static struct{__typeof__(");
  copy(w, m->operand, m->operand_end);
  cca_text_adds(w->out, ")*type;char(*end)[__builtin_offsetof(");
  copy(w, m->operand, m->operand_end);
  cca_text_adds(w->out, ",");
  copy(w, m->member, member_end);
  cca_text_addf(w->out,
                "%s)+1];}" CCA_MARK_OFFSETOF
                "%u;(__typeof__(sizeof 0))&" CCA_MARK_OFFSETOF "%u;})",
                m->index ? "[0]" : "", n, n);
  if (!m->index)
    return;
  /* + (n) * sizeof ((T *)0)->member[0] */
  cca_text_adds(w->out, "+(");
  copy(w, m->index + 1, m->index_end);
  cca_text_addf(w->out, ")*({static __typeof__(((");
  copy(w, m->operand, m->operand_end);
  cca_text_adds(w->out, "*)0)->");
  copy(w, m->member, member_end);
  cca_text_addf(w->out,
                "[0])*" CCA_MARK_SIZEOF
                "%u_element;(__typeof__(sizeof 0))&" CCA_MARK_SIZEOF
                "%u_element;}))",
                n, n);
}

/* The text between BEGIN and END with the marks from *NEXT on that belong to
 * THUNK (or are CCA_MARK_IN_PLACE); *NEXT ends behind END. */
static void write_marked(struct writer *w, uint32_t begin, uint32_t end,
                         uint32_t thunk, size_t *next) {
  const struct cca_marks *in = w->in;
  for (; *next < in->marks.count && in->marks.items[*next].begin < end;
       ++*next) {
    const struct cca_mark *m = &in->marks.items[*next];
    if (m->dropped || m->thunk != thunk)
      continue;
    copy(w, begin, m->begin);
    if (m->kind == CCA_MARKED_SIZEOF)
      write_sizeof(w, m, (uint32_t)*next);
    else
      write_offsetof(w, m, (uint32_t)*next);
    go_to(w, m->end, m->text_line, false);
    begin = m->end;
  }
  copy(w, begin, end);
}

/* A second life for the initialiser of a static object; its first mark is
 * *NEXT, which ends behind its last. */
static void write_thunk(struct writer *w, uint32_t n, size_t *next) {
  const struct cca_thunk *t = &w->in->thunks.items[n];
  const char *name = w->in->tokens.text + t->name;
  int len = (int)t->name_len;
  if (t->file_scope)
    cca_text_addf(
        w->out,
        "static __attribute__((__used__))void " CCA_MARK_INIT "_%u(void){", n);
  else
    cca_text_adds(w->out, "{extern const volatile int " CCA_MARK_NEVER
                          ";if(" CCA_MARK_NEVER "){");
  cca_text_adds(w->out, "extern void " CCA_MARK_INIT
                        "(const volatile void*,const volatile void*);");
  cca_text_addf(w->out, "__typeof__(%.*s)" CCA_MARK_COPY "%.*s=", len, name,
                len, name);
  go_to(w, t->begin, t->begin_line, true);
  write_marked(w, t->begin, t->end, n, next);
  cca_text_addf(w->out, ";" CCA_MARK_INIT "(&%.*s,&" CCA_MARK_COPY "%.*s);%s",
                len, name, len, name, t->file_scope ? "}" : "}}");
}

/* Is there a mark of thunk N from mark FROM on that is not dropped? */
static bool thunk_is_wanted(const struct cca_marks *in, uint32_t n,
                            size_t *from) {
  while (*from < in->marks.count && in->marks.items[*from].thunk != n &&
         in->marks.items[*from].begin < in->thunks.items[n].end)
    ++*from;
  for (size_t i = *from; i < in->marks.count && in->marks.items[i].thunk == n;
       i++)
    if (!in->marks.items[i].dropped)
      return true;
  return false;
}

void cca_marks_apply(const struct cca_marks *marks, struct cca_text *out) {
  struct writer w = {.in = marks, .out = out};
  size_t next = 0, thunk_mark = 0;
  uint32_t at = 0;
  for (uint32_t n = 0; n < marks->thunks.count; n++) {
    const struct cca_thunk *t = &marks->thunks.items[n];
    if (!t->after || !thunk_is_wanted(marks, n, &thunk_mark))
      continue;
    write_marked(&w, at, t->after, CCA_MARK_IN_PLACE, &next);
    at = t->after;
    write_thunk(&w, n, &thunk_mark);
    go_to(&w, t->after, t->after_line, true);
  }
  write_marked(&w, at, (uint32_t)marks->tokens.len, CCA_MARK_IN_PLACE, &next);
}
