/* SPDX-License-Identifier: MIT */
/*
 * ccallocs/symbols.h -- functions, files and lines of addresses in modules.
 *
 *     struct cca_symbols *symbols;
 *     struct cca_symbols_module *module;
 *     struct cca_frame frames[16];
 *     size_t count;
 *     if (cca_symbols_open(&symbols, NULL, &err) < 0 ||
 *         cca_symbols_load(symbols, "libfoo.so", NULL, &module, &err) < 0) ...
 *     int result = cca_symbols_find(module, 0x1139, frames, 16, &count);
 *     if (result == CCA_OK || result == CCA_ERR_NO_LINE) puts(frames[0].name);
 *
 * A module is an executable or a shared object; an address in it is an
 * *offset*: what it is in the file, which is the address in a process less
 * where the module was loaded (dlpi_addr of dl_iterate_phdr()).  It may also be
 * a relocatable object, whose sections have no addresses: they then lie one
 * behind the other, and cca_symbols_section() says where.
 *
 * When a module is loaded, its ELF symbols and DWARF are made into one table
 * (docs/symbols-format.md); the file is not needed any more afterwards.  That
 * is done in this process, or by a symbol server, which is asked and not waited
 * for; its tables are memory that all who ask for the same module share.
 *
 * Queries:   read that table in place.  They allocate nothing, take no lock,
 *            make no system call, and may be made from a signal handler.
 *            Arrays are the caller's; what does not fit is counted.
 * Ownership: strings are borrowed from the module; they live until
 *            cca_symbols_unload().
 * Threads:   a loaded module never changes: any number of threads may ask.
 *            The other functions are for one thread at a time.
 * Results:   CCA_OK or a negative enum cca_error_code.
 */
#ifndef CCALLOCS_SYMBOLS_H
#define CCALLOCS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "ccallocs/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cca_symbols;        /* where symbols come from */
struct cca_symbols_module; /* the table of one module */

struct cca_symbols_options {
  size_t size; /* of this struct; what is behind it counts as 0 */

  /* NULL: tables are made in this process.  Else the path of the socket of an
   * `allocs symserver`, which makes them; "": the usual one.  Borrowed until
   * cca_symbols_close(). */
  const char *server;

  /* With a server, how long cca_symbols_load() waits for a table, in
   * milliseconds; 0: it does not; negative: as long as it takes. */
  int timeout_ms;

  /* With a server, the program `allocs`, which is started if there is none: it
   * then serves all of the user's processes until nobody has asked it for five
   * minutes.  A name without a slash is looked for in PATH; NULL: "allocs"; "":
   * nothing is ever started.  Not waited for either; it becomes no child of
   * this process.  Borrowed until cca_symbols_close(). */
  const char *start;
};

/* A function at an address: the one whose code it is, or one around it, into
 * which that was inlined. */
struct cca_frame {
  const char *name;   /* as linkers know it; NULL: not known */
  const char *pretty; /* the same for people: demangled; NULL as NAME is */
  const char *file;   /* NULL: not known; absolute if the compiler knew it so */
  uint32_t line;      /* 0: not known */
  uint32_t column;    /* 0: not known */
  uint32_t inlined;   /* 1: into the next frame; its call is that one's line */
  uint64_t start;     /* offset of the first byte of its (first) code */
  uint64_t size;      /* bytes from there; 0: not known */
};

enum cca_symbol_type {
  CCA_SYMBOL_TYPE_OTHER,    /* a label */
  CCA_SYMBOL_TYPE_FUNCTION, /* a function */
  CCA_SYMBOL_TYPE_OBJECT    /* a variable */
};

enum cca_symbol_scope {
  CCA_SYMBOL_SCOPE_LOCAL, /* known in its unit only */
  CCA_SYMBOL_SCOPE_GLOBAL,
  CCA_SYMBOL_SCOPE_WEAK
};

/* A symbol of the module. */
struct cca_symbol_info {
  const char *name;   /* as linkers know it */
  const char *pretty; /* demangled, or the same */
  uint64_t offset;
  uint64_t size;  /* bytes; 0: not known */
  uint32_t type;  /* enum cca_symbol_type */
  uint32_t scope; /* enum cca_symbol_scope */
};

/* The bytes from OFFSET on that were made from one place in the source. */
struct cca_line_info {
  uint64_t offset;
  uint64_t size;    /* bytes to the next one */
  const char *file; /* NULL: nothing is known of them */
  uint32_t line;    /* 0: made for no line */
  uint32_t column;  /* 0: not known */
};

/* A section of the module that is loaded. */
struct cca_section_info {
  const char *name;
  uint64_t offset;
  uint64_t size; /* bytes; not 0 */
  uint32_t code; /* 1: it is code */
};

/*
 * Begin.  OPTIONS may be NULL.  On success stores an owned handle in *OUT, and
 * NULL otherwise.  Fails with CCA_ERR_MEMORY.
 */
CCA_API int cca_symbols_open(struct cca_symbols **out,
                             const struct cca_symbols_options *options,
                             struct cca_error *err);

/* End, after all modules were unloaded.  SYMBOLS may be NULL. */
CCA_API void cca_symbols_close(struct cca_symbols *symbols);

/*
 * Load the symbols of the module in the file at PATH.  BUILD_ID, in
 * hexadecimal, is that of the module which is meant, such as one that a process
 * has mapped; NULL: whichever is there.
 *
 * On success stores an owned module in *OUT, and NULL otherwise:
 *   CCA_ERR_NO_MODULE  there is no such file, or it cannot be read (see errno)
 *   CCA_ERR_NOT_ELF    it is no executable, shared or relocatable object, or
 *                      broken
 *   CCA_ERR_STALE      its build id is another one: it was replaced
 *   CCA_ERR_CORRUPT    it is a symbol table, and broken
 *   CCA_ERR_VERSION    ... of a major version that is not ours
 *   CCA_ERR_MEMORY
 * PATH may also be a symbol table, as `allocs symbolize --output` writes them.
 * A module without any symbols is loaded: everything is CCA_ERR_NOT_FOUND in
 * it.  Debug information is also taken from files that belong to the module
 * (build id, debug link), and from the servers of DEBUGINFOD_URLS, if set.
 *
 * In this process it takes time and memory, which are those of the file's debug
 * information; if memory ends within elfutils, the process ends.
 *
 * With a server there are also these:
 *   CCA_ERR_NOT_READY    it was asked; *OUT is a module whose queries say this
 *                        until cca_symbols_wait() finds its table
 *   CCA_ERR_TIMED_OUT    the same, after timeout_ms of the options
 *   CCA_ERR_SERVER_GONE  there is no server, and none could be started (it has
 *                        five seconds); or it ended meanwhile
 */
CCA_API int cca_symbols_load(struct cca_symbols *symbols, const char *path,
                             const char *build_id,
                             struct cca_symbols_module **out,
                             struct cca_error *err);

/*
 * With a server: look whether the table of MODULE is there, and wait for it at
 * most TIMEOUT_MS milliseconds (0: not; negative: as long as it takes). Returns
 * CCA_OK, from when on queries are answered; CCA_ERR_NOT_READY if TIMEOUT_MS is
 * 0, or CCA_ERR_TIMED_OUT; or what cca_symbols_load() returns where it fails,
 * which stays: unload the module, and load it again.  Queries may be made
 * meanwhile.  A child of fork() gets no table that its parent asked for.
 */
CCA_API int cca_symbols_wait(struct cca_symbols_module *module, int timeout_ms,
                             struct cca_error *err);

/* Release MODULE, which may be NULL, and all that is borrowed from it. */
CCA_API void cca_symbols_unload(struct cca_symbols_module *module);

/*
 * Is the file still the one that was loaded?  CCA_OK; CCA_ERR_STALE: there is
 * another one, or it was changed (by its time of change: new rights or links
 * count too); CCA_ERR_NO_MODULE: there is none.  Asks the file system; what was
 * loaded can be used in any case.
 */
CCA_API int cca_symbols_check(const struct cca_symbols_module *module);

/* The build id in hexadecimal, lower case; "": it has none, or is not ready. */
CCA_API const char *
cca_symbols_build_id(const struct cca_symbols_module *module);

/*
 * What is at OFFSET?  Stores up to ROOM frames in FRAMES, the innermost first,
 * and in *COUNT how many there are, which may be more.  FRAMES may be NULL if
 * ROOM is 0.
 *   CCA_OK             frames[0] has file and line
 *   CCA_ERR_NO_LINE    its line is not known, and the file may not be; the name
 *                      is valid
 *   CCA_ERR_NOT_FOUND  nothing is known; *COUNT is 0
 * With a server, what cca_symbols_wait() returned last if that was not CCA_OK,
 * and *COUNT is 0; the next two functions likewise. Where lines are known and
 * no function is, there is one frame without name.
 */
CCA_API int cca_symbols_find(const struct cca_symbols_module *module,
                             uint64_t offset, struct cca_frame *frames,
                             size_t room, size_t *count);

/*
 * The symbols called NAME: exactly so, as linkers know it or as people do.
 * Stores up to ROOM of them in OUT, in the order of their offsets, and in
 * *COUNT how many there are.  CCA_OK, or CCA_ERR_NOT_FOUND with *COUNT 0.
 * By the linker's name in time log(n); if there is none, all are looked at.
 */
CCA_API int cca_symbols_lookup(const struct cca_symbols_module *module,
                               const char *name, struct cca_symbol_info *out,
                               size_t room, size_t *count);

/* As cca_symbols_lookup(), of all whose name of either kind matches PATTERN, in
 * which `*` stands for any characters, also none, and `?` for one. */
CCA_API int cca_symbols_match(const struct cca_symbols_module *module,
                              const char *pattern, struct cca_symbol_info *out,
                              size_t room, size_t *count);

/* All symbols, in the order of their offsets.  Pre: I is less than the count.
 */
CCA_API uint32_t cca_symbols_count(const struct cca_symbols_module *module);
CCA_API struct cca_symbol_info
cca_symbols_symbol(const struct cca_symbols_module *module, uint32_t i);

/* All lines, in the order of their offsets.  Pre: I is less than the count. */
CCA_API uint32_t
cca_symbols_line_count(const struct cca_symbols_module *module);
CCA_API struct cca_line_info
cca_symbols_line(const struct cca_symbols_module *module, uint32_t i);

/* All sections that are loaded, in the order of the file.  Pre: I is less than
 * the count, which is 0 of a table that has none. */
CCA_API uint32_t
cca_symbols_section_count(const struct cca_symbols_module *module);
CCA_API struct cca_section_info
cca_symbols_section(const struct cca_symbols_module *module, uint32_t i);

/* 1: MODULE is a relocatable object; 0: not, or it is not ready. */
CCA_API int cca_symbols_is_relocatable(const struct cca_symbols_module *module);

#ifdef __cplusplus
}
#endif

#endif
