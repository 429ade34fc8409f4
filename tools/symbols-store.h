/* SPDX-License-Identifier: MIT */
/*
 * symbols-store.h -- symbol tables in the folders of caches (docs/caches.md):
 * what one command had made, the next one maps.
 *
 * Memory: where there is none, nothing is found or kept.  Nothing here reads
 * ELF, prints, or waits for anybody.
 */
#ifndef CCA_SYMBOLS_STORE_H
#define CCA_SYMBOLS_STORE_H

#include <sys/stat.h>

#include "runtime/cache-file.h"

/* The name of the table's area in its cache file. */
#define CCA_SYMBOLS_AREA "symbols"

/*
 * Which bytes the file at PATH has by now, as docs/cache-format.md, "Symbol
 * tables", says it, but for the build id; *STATUS is the file's behind that.
 * PATH is borrowed by *OUT.  False: there is no regular file, or it cannot be
 * read.
 */
bool cca_symbols_identify(const char *path, struct cca_identity *out,
                          struct stat *status);

/* Where tables are kept. */
struct cca_symbols_store {
  const char *own, *shared; /* folders: the user's, and one that is asked then;
                               NULL: none */
  bool keep;                /* may new ones be put into the first */
};

/* A table that is mapped. */
struct cca_symbols_kept {
  struct cca_cache_file file;
  struct cca_table table;
};

/*
 * Find the table of the module whose file is at PATH, an absolute one, and has
 * BUILD_ID, in hexadecimal ("": it has none; NULL: whichever it has).
 * CCA_CACHE_USED, and KEPT is released by cca_cache_file_release() of its file;
 * or why not, and there is nothing to release.
 */
enum cca_cache_reason
cca_symbols_find_kept(const struct cca_symbols_store *store, const char *path,
                      const char *build_id, struct cca_symbols_kept *kept);

/*
 * Keep TABLE for the next one who asks, if STORE may, and it is worth it: if it
 * has debug information, all that there is, and is not too large, and the file
 * at PATH, of which it was made, is as *THEN, which was asked before the file
 * was read.  False: it is not there, which costs nothing but time.
 */
bool cca_symbols_keep(const struct cca_symbols_store *store, const char *path,
                      const struct stat *then, const struct cca_table *table);

#endif
