/* SPDX-License-Identifier: MIT */
/*
 * archive.h -- walk the members of an ar archive in memory.
 *
 *     struct cca_archive a;
 *     struct cca_archive_member m;
 *     if (cca_archive_open(&a, bytes, len))
 *       while (cca_archive_next(&a, &m)) ...
 *     if (a.wrong) puts(a.wrong);
 *
 * Plain and thin; names of the System V, GNU and BSD kinds.  Symbol tables and
 * the table of long names are not members.  libelf's walk was not taken: it
 * cannot tell a thin archive, and trusts the sizes in the headers.
 *
 * Ownership: members' content is borrowed from the bytes; allocates nothing.
 */
#ifndef CCA_ARCHIVE_H
#define CCA_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

struct cca_archive {
  const unsigned char *bytes;
  size_t len;
  bool thin;
  const unsigned char *long_names; /* NULL: none seen yet */
  size_t long_names_len;
  size_t next;       /* header of the next member */
  const char *wrong; /* why the walk ended early; NULL: it did not */
  size_t wrong_at;   /* at this byte */
};

struct cca_archive_member {
  const unsigned char *name; /* not terminated */
  size_t name_len;
  size_t header_at, content_at;
  const unsigned char *content; /* NULL in a thin archive: NAME is its path */
  size_t len;
  size_t origin; /* thin: header of the member in archive NAME; 0: none */
};

/* Is this an archive?  Only then is *ARCHIVE filled. */
bool cca_archive_open(struct cca_archive *archive, const void *bytes,
                      size_t len);

/* The next member; false at the end, or when something is wrong. */
bool cca_archive_next(struct cca_archive *archive,
                      struct cca_archive_member *member);

#endif
