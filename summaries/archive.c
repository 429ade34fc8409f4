/* SPDX-License-Identifier: MIT */
/*
 * archive.c -- ar archives: a magic string, then members, each a header of 60
 * characters and its content, padded to an even offset.
 *
 * The name field says what a member is:
 *   `/`, `/SYM64/`, `__.SYMDEF…`  symbol table
 *   `//`                          the long names, each ended by `/` newline
 *   `/N`                          the long name at byte N of that table
 *   `/N:M`                        the same, in a thin archive: the member whose
 *                                 header is at byte M of the archive so named
 *   `#1/N`                        BSD: the name is the content's first N bytes
 *   `name/` or `name`             a short name
 * In a thin archive only the tables have content; the size in the header of
 * any other member is that of the file somewhere else.
 */
#include "archive.h"

#include <ar.h>
#include <stdint.h>
#include <string.h>

static const char thin_magic[] = "!<thin>\n";

bool cca_archive_open(struct cca_archive *archive, const void *bytes,
                      size_t len) {
  if (len < SARMAG)
    return false;
  bool thin = memcmp(bytes, thin_magic, SARMAG) == 0;
  if (!thin && memcmp(bytes, ARMAG, SARMAG) != 0)
    return false;
  *archive = (struct cca_archive){
      .bytes = bytes, .len = len, .thin = thin, .next = SARMAG};
  return true;
}

/* The decimal number at the start of LEN characters of TEXT, *USED of them;
 * false if there is none or it is beyond any file's size. */
static bool number(const char *text, size_t len, size_t *value, size_t *used) {
  size_t n = 0, i = 0;
  for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
    if (n > (SIZE_MAX / 4) / 10)
      return false;
    n = n * 10 + (size_t)(text[i] - '0');
  }
  *value = n;
  *used = i;
  return i > 0;
}

static bool blank(const char *text, size_t len) {
  while (len && text[len - 1] == ' ')
    len--;
  return len == 0;
}

static bool stop(struct cca_archive *archive, size_t at, const char *wrong) {
  archive->wrong = wrong;
  archive->wrong_at = at;
  archive->next = archive->len;
  return false;
}

/* Set MEMBER's name to the one at offset AT of the long names. */
static bool long_name(const struct cca_archive *archive, size_t at,
                      struct cca_archive_member *member) {
  if (!archive->long_names || at >= archive->long_names_len)
    return false;
  const unsigned char *name = archive->long_names + at;
  const unsigned char *end = memchr(name, '\n', archive->long_names_len - at);
  if (!end)
    return false;
  member->name = name;
  member->name_len = (size_t)(end - name);
  if (member->name_len && name[member->name_len - 1] == '/')
    member->name_len--;
  return member->name_len;
}

/* BSD: the first LEN bytes of the content are the name. */
static bool leading_name(struct cca_archive_member *member, size_t len) {
  if (!member->content || len > member->len)
    return false;
  member->name = member->content;
  member->name_len = strnlen((const char *)member->content, len);
  member->content += len;
  member->content_at += len;
  member->len -= len;
  return member->name_len;
}

enum what { MEMBER, SYMBOLS, LONG_NAMES, BAD_NAME };

/* Understand the 16 characters NAME; content is still where it was. */
static enum what read_name(const struct cca_archive *archive, const char *name,
                           struct cca_archive_member *member) {
  const size_t width = sizeof((struct ar_hdr *)0)->ar_name;
  size_t value, used;
  member->origin = 0;
  if (name[0] == '/' && blank(name + 1, width - 1))
    return SYMBOLS;
  if (memcmp(name, "/SYM64/", 7) == 0 && blank(name + 7, width - 7))
    return SYMBOLS;
  if (memcmp(name, "//", 2) == 0 && blank(name + 2, width - 2))
    return LONG_NAMES;
  if (name[0] == '/') {
    if (!number(name + 1, width - 1, &value, &used) ||
        !long_name(archive, value, member))
      return BAD_NAME;
    const char *rest = name + 1 + used;
    size_t left = width - 1 - used;
    if (archive->thin && left && *rest == ':') {
      if (!number(rest + 1, left - 1, &member->origin, &used))
        return BAD_NAME;
      rest += 1 + used;
      left -= 1 + used;
    }
    return blank(rest, left) ? MEMBER : BAD_NAME;
  }
  if (memcmp(name, "#1/", 3) == 0) {
    if (!number(name + 3, width - 3, &value, &used) ||
        !leading_name(member, value))
      return BAD_NAME;
  } else {
    member->name = (const unsigned char *)name;
    member->name_len = width;
    while (member->name_len && name[member->name_len - 1] == ' ')
      member->name_len--;
    if (member->name_len && name[member->name_len - 1] == '/')
      member->name_len--;
    if (!member->name_len)
      return BAD_NAME;
  }
  return member->name_len >= 9 && memcmp(member->name, "__.SYMDEF", 9) == 0
             ? SYMBOLS
             : MEMBER;
}

bool cca_archive_next(struct cca_archive *archive,
                      struct cca_archive_member *member) {
  const size_t header_len = sizeof(struct ar_hdr); /* characters only: 60 */
  for (;;) {
    size_t at = archive->next, used;
    if (at >= archive->len)
      return false;
    const char *header = (const char *)archive->bytes + at;
    if (header_len > archive->len - at)
      return stop(archive, at, "member header cut off");
    if (memcmp(header + offsetof(struct ar_hdr, ar_fmag), ARFMAG, 2) != 0)
      return stop(archive, at, "bad member header");
    const size_t width = sizeof((struct ar_hdr *)0)->ar_size;
    const char *size = header + offsetof(struct ar_hdr, ar_size);
    if (!number(size, width, &member->len, &used) ||
        !blank(size + used, width - used))
      return stop(archive, at, "bad member size");

    /* Thin: the tables begin with / but not with a number. */
    bool elsewhere = archive->thin && !(header[0] == '/' &&
                                        (header[1] < '0' || header[1] > '9'));
    member->header_at = at;
    member->content_at = at + header_len;
    member->content = NULL;
    archive->next = member->content_at;
    if (!elsewhere) {
      if (member->len > archive->len - member->content_at)
        return stop(archive, at, "member cut off");
      member->content = archive->bytes + member->content_at;
      archive->next += member->len;
    }
    archive->next += archive->next & 1;

    switch (read_name(archive, header, member)) {
    case MEMBER:
      return true;
    case SYMBOLS:
      break;
    case LONG_NAMES:
      archive->long_names = member->content;
      archive->long_names_len = member->len;
      break;
    case BAD_NAME:
      return stop(archive, at, "bad member name");
    }
  }
}
