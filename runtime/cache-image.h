/* SPDX-License-Identifier: MIT */
/*
 * cache-image.h -- a cache file as bytes: check one, compare it with a process,
 * make one.  docs/cache-format.md specifies them.
 *
 * Memory:  allocates nothing; an open cache borrows its image.
 * Threads: an open cache never changes.  Signals: any function here.
 */
#ifndef CCA_CACHE_IMAGE_H
#define CCA_CACHE_IMAGE_H

#include "summaries/table.h"

#include <stdbool.h>

enum { CCA_CACHE_PAGE = 4096, CCA_CACHE_FOOTER = 32, CCA_CACHE_MAX = 1 << 30 };

/* Why a cache is not used.  Numbers are in nobody's file; words are
 * (cca_cache_word()), and so stay. */
enum cca_cache_reason {
  CCA_CACHE_USED,
  CCA_CACHE_OFF,          /* none was asked for */
  CCA_CACHE_RIGHTS,       /* the program has other rights than its user */
  CCA_CACHE_FOLDER,       /* there is no folder of that name, or it is a link */
  CCA_CACHE_FOLDER_OWNER, /* it is another user's */
  CCA_CACHE_FOLDER_MODE,  /* others may write into it */
  CCA_CACHE_ABSENT,       /* no file for a program with such modules */
  CCA_CACHE_KIND,         /* a symbolic link, or no regular file */
  CCA_CACHE_OWNER,        /* another user's file */
  CCA_CACHE_MODE,         /* others may write to it */
  CCA_CACHE_LINKS,        /* it has a second name */
  CCA_CACHE_SIZE,         /* of a size that no cache has */
  CCA_CACHE_CUT,          /* it has no end, or not there */
  CCA_CACHE_FORMAT,       /* of another version of the format */
  CCA_CACHE_CHECKSUM,     /* bytes were changed */
  CCA_CACHE_BROKEN,       /* it breaks a rule of the format */
  CCA_CACHE_RUNTIME,      /* another version of the runtime wrote it */
  CCA_CACHE_OPTIONS,      /* other options, or another machine */
  CCA_CACHE_CLIENTS,      /* other clients are there */
  CCA_CACHE_CLIENT_VERSION,
  CCA_CACHE_CLIENT_REBUILT,
  CCA_CACHE_VETOED,       /* a client would not have it */
  CCA_CACHE_MODULES,      /* other modules, or in another order */
  CCA_CACHE_REBUILT,      /* a module was built anew */
  CCA_CACHE_CHANGED,      /* a module has its build id, but other bytes */
  CCA_CACHE_UNIDENTIFIED, /* nothing says which build a module is */
  CCA_CACHE_ROOM,         /* no memory, or it could not be read */
  CCA_CACHE_REASONS
};

/* One word, and a sentence for people; never NULL. */
const char *cca_cache_word(enum cca_cache_reason reason);
const char *cca_cache_text(enum cca_cache_reason reason);

/* The checksum of LEN bytes at BYTES. */
uint64_t cca_cache_sum(uint64_t seed, const void *bytes, size_t len);

/* ---- Reading ---- */

struct cca_cache {
  const unsigned char *image;
  size_t len;
  struct cca_table table;
};

/*
 * Check the cache at IMAGE (LEN bytes: all of a file), as a whole, and open it.
 * Returns CCA_CACHE_USED, or a reason from CCA_CACHE_SIZE to CCA_CACHE_BROKEN;
 * then *ERR, which may be NULL, says what is broken.
 */
enum cca_cache_reason cca_cache_open(struct cca_cache *cache, const void *image,
                                     size_t len, struct cca_table_error *err);

/* The area NAME of CLIENT (a row of CACHE_CLIENT, or CCA_NONE); NULL: there is
 * none.  *SIZE is in bytes.  It begins on a page of the file. */
const void *cca_cache_area(const struct cca_cache *cache, uint32_t client,
                           const char *name, size_t *size);

/* ---- What a process is ---- */

enum { CCA_BUILD_ID_MAX = 32 }; /* bytes; longer ones are cut */

struct cca_identity {
  const char *path; /* borrowed */
  char build_id[2 * CCA_BUILD_ID_MAX + 1];
  uint64_t digest;
  uint64_t span;
  bool known; /* it has a build id, or bytes that stay */
};

/* A client and the build of its library. */
struct cca_cache_tool {
  const char *id, *version; /* borrowed */
  char build_id[2 * CCA_BUILD_ID_MAX + 1];
  bool late; /* the program registers it by itself */
};

struct cca_cache_key {
  const char *runtime;
  uint64_t options;
  const struct cca_identity *modules; /* those at start */
  uint32_t module_count;
  const struct cca_cache_tool *clients; /* sorted by id; late ones last */
  uint32_t client_count;
  const char
      *client_list; /* which clients were asked for, before they are there */
};

/* May CACHE be used by a process with the runtime, options and modules of KEY?
 * CCA_CACHE_USED or why not; *WHICH is the module of KEY that the reason is
 * about, or CCA_NONE. */
enum cca_cache_reason cca_cache_match(const struct cca_cache *cache,
                                      const struct cca_cache_key *key,
                                      uint32_t *which);

/* The same of its clients but the late ones, when they are there; *WHICH is one
 * of them. */
enum cca_cache_reason cca_cache_match_clients(const struct cca_cache *cache,
                                              const struct cca_cache_key *key,
                                              uint32_t *which);

/* The same of CLIENT, a late one; *ROW is that of CACHE if it may be used. */
enum cca_cache_reason cca_cache_match_late(const struct cca_cache *cache,
                                           const struct cca_cache_tool *client,
                                           uint32_t *row);

/* NUMBER in 16 hexadecimal digits. */
void cca_cache_digits(uint64_t number, char to[16]);

/* The name of the file for a process like KEY: of its modules' paths and of
 * which clients were asked for, so that what was built anew finds what it was.
 */
enum { CCA_CACHE_NAME = 16 + sizeof ".cache" };
void cca_cache_name(const struct cca_cache_key *key, char name[CCA_CACHE_NAME]);

/* ---- Writing ---- */

struct cca_cache_blob {
  uint32_t client; /* row of clients, or CCA_NONE */
  const char *name;
  enum cca_area_kind kind;
  const void *bytes;
  uint32_t size;
};

/* Rows as they will be; of their fields, strings and positions are filled in by
 * the writer. */
struct cca_cache_content {
  const struct cca_cache_key *key; /* its modules are all, late ones too */
  const struct cca_cache_module *modules;
  const struct cca_cache_call *calls;
  const struct cca_cache_binding *bindings;
  const struct cca_cache_blob *blobs; /* those of one client in one row */
  uint32_t call_count, binding_count, blob_count;
};

/* How many bytes the file has; 0: more than it may. */
size_t cca_cache_size(const struct cca_cache_content *content);

/* Make it in OUT, which has SIZE bytes, all zero. */
void cca_cache_make(const struct cca_cache_content *content, unsigned char *out,
                    size_t size);

#endif
