/* SPDX-License-Identifier: MIT */
/*
 * symbols-store.h -- symbol tables in the folders of caches (docs/caches.md):
 * what one run had made, the next one maps.
 *
 * Memory: base/memory.h.  Nothing here reads ELF.
 */
#ifndef CCA_SYMBOLS_STORE_H
#define CCA_SYMBOLS_STORE_H

#include <sys/stat.h>

#include "runtime/cache-file.h"

/* The name of the table's area in its cache file. */
#define CCA_SYMBOLS_AREA "symbols"

/*
 * Which bytes the file at PATH has by now, as docs/cache-format.md, "Symbol
 * tables", says it.  PATH is borrowed by *OUT; BUILD_ID, in hexadecimal, is
 * what the caller knows, and "" if it has none.  *STATUS is the file's.  False:
 * there is no regular file, or it cannot be read.
 */
bool cca_symbols_identify(const char *path, const char *build_id,
                          struct cca_identity *out, struct stat *status);

/* A table that is mapped. */
struct cca_symbols_kept {
  struct cca_cache_file file;
  struct cca_table table;
};

/*
 * Find the table of the module IS in FOLDER.  CCA_CACHE_USED, and KEPT is
 * released by cca_cache_file_release() of its file; or why not, and there is
 * nothing to release.
 */
enum cca_cache_reason cca_symbols_find_kept(const char *folder,
                                            enum cca_cache_trust trust,
                                            const struct cca_identity *is,
                                            struct cca_symbols_kept *kept);

/* Put TABLE, which was made of the module IS, into FOLDER.  False: it is not
 * there, which costs nothing but time. */
bool cca_symbols_keep(const char *folder, const struct cca_identity *is,
                      const struct cca_table *table);

#endif
