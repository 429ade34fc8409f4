/* SPDX-License-Identifier: MIT */
/*
 * map.c -- read a link map: which section of which object went where?
 *
 * In:    the text that -Map makes, by any of four linkers.
 * Out:   (object, section) -> (address, size) for each input section in it.
 * Holds: a slice handed out lies inside the text, on one line; nothing else in
 *        a map, whatever it holds, is worse than a line that is skipped.
 *
 * GNU ld and gold write (the name alone on its line if it is long)
 *      .text.main     0x0000000000001129       0x11 a.o
 *      .text.long_enough
 *                     0x000000000000113a        0x4 libh.a(h.o)
 * where discarded sections stand first, at address 0: these are left out, and
 * the headings need not be known, which are in the user's language.
 * lld, all hexadecimal but the alignment, and mold, whose sizes are decimal:
 *             16e9             16e9       11     1         a.o:(.text.main)
 *           0x1659         17     1         a.o:(.text.main)
 * with output sections in the first column of names, input sections eight
 * further in, and symbols sixteen.
 */
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "map.h"

/* A line, or what is left of it. */
struct slice {
  const char *at, *end;
};

static void skip_blanks(struct slice *s) {
  while (s->at < s->end && *s->at == ' ')
    s->at++;
}

/* Digits in BASE, after "0x" if PREFIX; the number is modulo 2^64. */
static bool take_number(struct slice *s, unsigned base, bool prefix,
                        uint64_t *number) {
  const char *start;
  if (prefix) {
    if (s->end - s->at < 2 || s->at[0] != '0' || s->at[1] != 'x')
      return false;
    s->at += 2;
  }
  *number = 0;
  for (start = s->at; s->at < s->end; s->at++) {
    unsigned char c = (unsigned char)*s->at;
    unsigned digit = c >= '0' && c <= '9'   ? c - '0' + 0u
                     : c >= 'a' && c <= 'f' ? c - 'a' + 10u
                                            : 99u;
    if (digit >= base)
      break;
    *number = *number * base + digit;
  }
  return s->at > start;
}

/* "0xADDRESS   0xSIZE OBJECT" up to the end of the line. */
static bool take_gnu_place(struct slice s, struct cca_link_map_entry *entry) {
  if (!take_number(&s, 16, true, &entry->address))
    return false;
  const char *blank = s.at;
  skip_blanks(&s);
  if (s.at == blank || !take_number(&s, 16, true, &entry->size) ||
      s.end - s.at < 2 || *s.at != ' ')
    return false;
  entry->object = s.at + 1;
  entry->object_len = (size_t)(s.end - s.at) - 1;
  return true;
}

struct reader {
  void (*each)(void *, const struct cca_link_map_entry *);
  void *context;
  struct slice name; /* GNU: a section's name that stood alone on its line */
};

static void hand_out(struct reader *r, struct cca_link_map_entry *entry,
                     const char *section, size_t len) {
  entry->section = section;
  entry->section_len = len;
  if (entry->address != 0 && len > 0)
    r->each(r->context, entry);
}

static void read_gnu_line(struct reader *r, struct slice line) {
  struct cca_link_map_entry entry;
  struct slice name = r->name, rest = line;
  r->name = (struct slice){0};

  skip_blanks(&rest);
  if (name.at && rest.at - line.at > 1) {
    if (take_gnu_place(rest, &entry))
      hand_out(r, &entry, name.at, (size_t)(name.end - name.at));
    return;
  }
  if (rest.at - line.at != 1 || rest.at == rest.end || *rest.at == '*')
    return;
  /* The name ends where blanks and a place begin. */
  for (const char *at = rest.at;
       (at = memmem(at, (size_t)(rest.end - at), " 0x", 3)); at++) {
    if (!take_gnu_place((struct slice){at + 1, rest.end}, &entry))
      continue;
    while (at > rest.at && at[-1] == ' ')
      at--;
    hand_out(r, &entry, rest.at, (size_t)(at - rest.at));
    return;
  }
  r->name = rest;
}

/* "        OBJECT:(SECTION)" up to the end of the line. */
static void take_column(struct reader *r, struct slice s,
                        struct cca_link_map_entry *entry) {
  static const char indent[] = "        ";
  const size_t skip = sizeof indent; /* and the blank that ends a column */
  size_t len = (size_t)(s.end - s.at);
  if (len < skip + 5 || s.at[0] != ' ' ||
      memcmp(s.at + 1, indent, skip - 1) != 0 || s.at[skip] == ' ' ||
      s.end[-1] != ')')
    return;
  s.at += skip;
  for (const char *at = s.end - 2; at > s.at; at--)
    if (at[-1] == ':' && at[0] == '(') {
      entry->object = s.at;
      entry->object_len = (size_t)(at - 1 - s.at);
      if (entry->object_len > 0)
        hand_out(r, entry, at + 1, (size_t)(s.end - 2 - at));
      return;
    }
}

static void read_lld_line(struct reader *r, struct slice line) {
  struct cca_link_map_entry entry;
  uint64_t load, alignment;
  skip_blanks(&line);
  if (!take_number(&line, 16, false, &entry.address))
    return;
  skip_blanks(&line);
  if (!take_number(&line, 16, false, &load))
    return;
  skip_blanks(&line);
  if (!take_number(&line, 16, false, &entry.size))
    return;
  skip_blanks(&line);
  if (take_number(&line, 10, false, &alignment))
    take_column(r, line, &entry);
}

static void read_mold_line(struct reader *r, struct slice line) {
  struct cca_link_map_entry entry;
  uint64_t alignment;
  skip_blanks(&line);
  if (!take_number(&line, 16, true, &entry.address))
    return;
  skip_blanks(&line);
  if (!take_number(&line, 10, false, &entry.size))
    return;
  skip_blanks(&line);
  if (take_number(&line, 10, false, &alignment))
    take_column(r, line, &entry);
}

void cca_link_map_read(enum cca_linker_kind kind, const char *text, size_t len,
                       void (*each)(void *context,
                                    const struct cca_link_map_entry *entry),
                       void *context) {
  struct reader reader = {.each = each, .context = context};
  const char *end = cca_text_end(text, len);
  while (text < end) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    struct slice line = {text, newline ? newline : end};
    if (kind == CCA_LINKER_LLD)
      read_lld_line(&reader, line);
    else if (kind == CCA_LINKER_MOLD)
      read_mold_line(&reader, line);
    else
      read_gnu_line(&reader, line);
    text = newline ? newline + 1 : end;
  }
}
