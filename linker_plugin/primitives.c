/* SPDX-License-Identifier: MIT */
/*
 * primitives.c -- read the data file of libc's functions.
 *
 * One line a function: its name, then properties; `#` begins a comment.  The
 * format is specified in docs/primitives.md.  This is the only place where
 * names of functions enter the solver.
 */
#include "model.h"

#include <stdio.h>
#include <string.h>

struct word {
  const char *text;
  size_t len;
};

static struct word next_word(const char **at, const char *end) {
  while (*at < end && (**at == ' ' || **at == '\t'))
    ++*at;
  struct word word = {*at, 0};
  while (*at < end && **at != ' ' && **at != '\t')
    ++*at;
  word.len = (size_t)(*at - word.text);
  return word;
}

static bool word_is(struct word word, const char *text) {
  return word.len == strlen(text) && memcmp(word.text, text, word.len) == 0;
}

/* KEY=N, N at most two digits. */
static bool number_after(struct word word, const char *key, uint8_t *out) {
  size_t len = strlen(key);
  if (word.len <= len || word.len > len + 2 || memcmp(word.text, key, len) != 0)
    return false;
  unsigned value = 0;
  for (size_t i = len; i < word.len; i++) {
    if (word.text[i] < '0' || word.text[i] > '9')
      return false;
    value = value * 10 + (unsigned)(word.text[i] - '0');
  }
  *out = (uint8_t)value;
  return true;
}

static bool size_property(struct word word, uint8_t size[2]) {
  const char *star = memchr(word.text, '*', word.len);
  if (!star)
    return number_after(word, "size=", &size[0]);
  struct word left = {word.text, (size_t)(star - word.text)};
  struct word right = {star + 1, word.len - left.len - 1};
  return number_after(left, "size=", &size[0]) &&
         number_after(right, "", &size[1]);
}

static bool kind_word(struct word word, uint8_t *kind) {
  for (uint32_t k = CCA_KIND_MALLOC; k <= CCA_KIND_DUP; k++)
    if (word_is(word, cca_kind_name(k))) {
      *kind = (uint8_t)k;
      return true;
    }
  return false;
}

static bool property(struct word word, struct cca_primitive *p) {
  if (kind_word(word, &p->kind))
    return p->allocates = true;
  if (word_is(word, "zeroed"))
    return p->zeroed = true;
  return size_property(word, p->size) || number_after(word, "out=", &p->out) ||
         number_after(word, "block=", &p->block) ||
         number_after(word, "frees=", &p->frees) ||
         number_after(word, "returns=", &p->returns) ||
         number_after(word, "inside=", &p->inside) ||
         number_after(word, "writes=", &p->writes) ||
         number_after(word, "copies=", &p->copies) ||
         number_after(word, "fills=", &p->fills) ||
         number_after(word, "length=", &p->length) ||
         number_after(word, "file=", &p->file);
}

int cca__primitives_parse(struct cca_primitives *primitives,
                          struct cca_arena *arena, const char *text, size_t len,
                          struct cca_table_error *err) {
  const char *end = cca_text_end(text, len);
  for (size_t line = 1; text < end; line++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    const char *next = stop ? stop + 1 : end;
    stop = stop ? stop : end;
    const char *comment = memchr(text, '#', (size_t)(stop - text));
    stop = comment ? comment : stop;

    struct word name = next_word(&text, stop);
    if (name.len) {
      struct cca_primitive p = {
          .name = cca_arena_strndup(arena, name.text, name.len),
          .size = {CCA_NO_ROOT, CCA_NO_ROOT},
          .out = CCA_NO_ROOT,
          .block = CCA_NO_ROOT,
          .frees = CCA_NO_ROOT,
          .returns = CCA_NO_ROOT,
          .inside = CCA_NO_ROOT,
          .writes = CCA_NO_ROOT,
          .copies = CCA_NO_ROOT,
          .fills = CCA_NO_ROOT,
          .length = CCA_NO_ROOT,
          .file = CCA_NO_ROOT};
      for (struct word w; (w = next_word(&text, stop)).len;)
        if (!property(w, &p)) {
          if (err) {
            *err = (struct cca_table_error){.status = CCA_TABLE_ERR_CORRUPT,
                                            .offset = line};
            snprintf(err->text, sizeof err->text, "%s: unknown property '%.*s'",
                     p.name, (int)(w.len > 40 ? 40 : w.len), w.text);
          }
          return CCA_TABLE_ERR_CORRUPT;
        }
      uint32_t *slot = cca_map_at(&primitives->by_name, p.name, name.len, NULL);
      if (*slot) /* a later line replaces an earlier one */
        primitives->list.items[*slot - 1] = p;
      else {
        cca_vec_push(&primitives->list, p);
        *slot = (uint32_t)primitives->list.count;
      }
    }
    text = next;
  }
  return 0;
}
