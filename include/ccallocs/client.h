/* SPDX-License-Identifier: MIT */
/*
 * ccallocs/client.h -- tools that plug into the runtime: clients.
 *
 *     #include <ccallocs/client.h>
 *     static uint64_t objects;
 *     static void allocated(void *data,
 *                           const struct cca_client_object *object) {
 *       __atomic_fetch_add(&objects, 1, __ATOMIC_RELAXED);
 *     }
 *     const struct cca_client cca_client = {
 *         CCA_CLIENT_INTERFACE, .id = "org.example.count", .version = "1",
 *         .allocated = allocated,
 *     };
 *
 * A client is told what happens to the heap of the process that it is in, and
 * asks of what type that is.  It is a shared library with the variable
 * cca_client, which `allocs run --client=LIBRARY` brings into a program; or the
 * program itself, which links libccallocs-runtime (`pkg-config --libs
 * cc-allocs-runtime`) and calls cca_client_register().  docs/clients.md shows
 * how to make one.
 *
 * Events come to the functions of struct cca_client; those that are NULL are
 * not wanted.  The same event is given to all clients, in the order in which
 * they were registered.
 *
 * Threads:   an event comes in the thread in which it happens.  Those of one
 *            thread come one after the other; those of several, at once.
 * What an event may do: it comes in the middle of whatever the program does,
 *            with its locks held and perhaps those of libc (an allocation of
 *            dlopen(), of a buffer of stdio), and perhaps in a signal handler.
 *            So it may call all of this header and of ccallocs/runtime.h but
 *            cca_client_register(), and what may be called in a signal handler;
 *            and malloc() and free(), but not where the program itself may not.
 *            It waits for no lock that is ever held around a call of malloc()
 *            or by a thread that it may have interrupted; it returns; it
 *            neither forks nor ends the process, and closes no module.
 *            begin(), forked() and end() come outside of such places; they
 *            may also use stdio, files and locks.
 * Inside an event nothing is an event: what a client allocates, resizes and
 *            frees there is typed and counted like all else, and no client is
 *            told.  Outside of an event, in a thread of its own, it is part of
 *            the program.
 * What is missed: objects from before the client was registered, and from
 *            before the runtime was; their frees do come.  What happens in a
 *            signal handler that interrupted an event is not told either.  So
 *            who keeps a table takes an object that is not in it for one that
 *            was missed.
 * Lifetime:  once registered, a client stays until the process ends; its
 *            library is never closed.  Objects, modules and sites are given as
 *            arguments that live until the function returns.  Strings are
 *            borrowed; they live as long as the process, even if the module
 *            that they are about is closed.
 * Errors:    a client that is refused is not told anything, and the process
 *            goes on without it.  errno is after an event what it was before.
 */
#ifndef CCALLOCS_CLIENT_H
#define CCALLOCS_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "ccallocs/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The version of this interface: major, in the upper half, and minor.  Events
 * are added behind the last, in a new minor version; a client works with every
 * runtime of its major version, if the runtime knows all events that it wants.
 * Within a major version the other structs stay as they are.
 */
#define CCA_CLIENT_VERSION (1u << 16 | 0u)

/* What every struct cca_client begins with. */
#define CCA_CLIENT_INTERFACE CCA_CLIENT_VERSION, sizeof(struct cca_client)

/* No module, no row. */
#define CCA_CLIENT_NONE UINT32_MAX

/* An object of the heap. */
struct cca_client_object {
  void *start;
  size_t size;   /* bytes that were asked for */
  uint32_t site; /* number of the call that it is of: cca_client_site() */
};

struct cca_client_cache; /* see "Caches", below */

/* All of it is read once, when the client is registered. */
struct cca_client {
  uint32_t interface; /* CCA_CLIENT_INTERFACE: these two */
  uint32_t size;

  /* Whose: one to 63 printable characters of ASCII without spaces, such as a
   * domain's name backwards and a word.  There is one client of each id in a
   * process.  And which of its versions: in the same way. */
  const char *id, *version;

  /*
   * The client was registered.  OPTIONS is what was given with it, "" if
   * nothing was, and lives as long as the process.  *DATA is NULL and may be
   * set: each function is given it.  Returns CCA_OK, or negative and why in
   * ERR->text: it does not want to, and is refused.
   */
  int (*begin)(const char *options, void **data, struct cca_error *err);

  /* The process ends, by exit() or _exit(); nothing comes afterwards.  It comes
   * in a destructor: those of the client's own library may have run. */
  void (*end)(void *data);

  /* This is the child of fork(), with one thread, in which nothing else has
   * come yet.  It has all that there was in its parent, and will be told its
   * own end.  What vfork() makes is its parent until it is another program. */
  void (*forked)(void *data);

  /* Somebody wants to know what there is now: the signal of `allocs run
   * --signal` has come.  It comes in the handler of the signal. */
  void (*snapshot)(void *data);

  /* OBJECT is new: by malloc(), calloc(), memalign() or one of their kin.  What
   * is in it is what the program will find. */
  void (*allocated)(void *data, const struct cca_client_object *object);

  /* OBJECT will be freed when the last client has returned. */
  void (*freed)(void *data, const struct cca_client_object *object);

  /*
   * OBJECT will be resized: in this thread resized() comes next, and until then
   * there is no object here.  Its place may be that of another one before.
   */
  void (*resizing)(void *data, const struct cca_client_object *object);

  /* What was BEFORE is AFTER now, perhaps elsewhere, and perhaps of another
   * site.  If there was no memory, it is what it was, and AFTER is equal.
   * At BEFORE->start may be anything by now. */
  void (*resized)(void *data, const struct cca_client_object *before,
                  const struct cca_client_object *after);

  /*
   * A module is there: cca_client_module() knows it.  It comes for all that
   * were there before, too, right after begin().  The runtime looks at the link
   * map when a call from an unknown place allocates, and around dlclose(): a
   * module comes before the first object of any of its sites, but not at once
   * when it is opened, and not at all if nobody looked until it was closed.
   */
  void (*module_loaded)(void *data, uint32_t module);

  /* The module is not there any more, and another may have its place.  Its
   * number and its sites stay.  It comes before any module_loaded() of one that
   * took its place. */
  void (*module_unloaded)(void *data, uint32_t module);

  /* The following are about caches; CACHE lives as long as the process. */

  /*
   * An earlier process with the same modules and clients has left a cache.
   * cca_client_area() has what this client kept in it, to be looked at, and
   * neither written nor called.  Returns CCA_OK, or negative: it is not to be
   * used, not by the runtime either, and nothing more comes of it.  Comes at
   * most once: when all libraries of --client were registered, or, to a client
   * of the program, in cca_client_register().
   */
  int (*validate)(void *data, struct cca_client_cache *cache);

  /*
   * No client had anything against it (one that the program registers later
   * still may have, and then cca_client_area() finds nothing any more).  Until
   * this returns, the client may write into all of its areas; what it writes is
   * this process's own. Afterwards it may write into writable ones, and call
   * executable ones; they stay where they are until the process ends.
   */
  void (*patch)(void *data, struct cca_client_cache *cache);

  /* A cache is about to be written: cca_client_keep() adds areas to it.  What
   * is not added again is not kept.  At the end of the process it comes before
   * end(); otherwise perhaps in a signal handler. */
  void (*keep)(void *data, struct cca_client_cache *cache);
};

/* What a library has to have, to be a client. */
extern CCA_API const struct cca_client cca_client;

/*
 * Register CLIENT, which is borrowed for the call; OPTIONS, which may be NULL,
 * is copied.  Calls its begin(), and, if a cache is used, validate() and
 * patch().  The module with its functions stays, also after dlclose().
 *
 * Returns CCA_OK, or, and ERR says why:
 *   CCA_ERR_VERSION    made for another major version of the interface, or it
 *                      wants events that this runtime does not have
 *   CCA_ERR_CORRUPT    its size, id or version breaks a rule
 *   CCA_ERR_REFUSED    one of this id is there, or begin() did not want to
 *   CCA_ERR_MEMORY     there are 16 already, or no memory
 *   CCA_ERR_NOT_READY  the runtime stands aside: it has found no malloc that it
 *                      can work with
 * Threads: any.  Not in an event, and not in a signal handler.
 */
CCA_API int cca_client_register(const struct cca_client *client,
                                const char *options, struct cca_error *err);

/* ---- What the runtime knows ---- */

/*
 * A call that objects are of, which has a number; numbers are never used again.
 * Either it is a site of its module's classification, and ROW says which; or it
 * is a place about which no more is known than UNKNOWN says.
 */
struct cca_client_site {
  uint32_t
      module;   /* number of the one with the call; CCA_CLIENT_NONE: unknown */
  uint32_t row; /* of ALLOCSITE; CCA_CLIENT_NONE: it is a place */

  /* Of a place: "no-site", "unlisted", "ambiguous", "inside", "no-unwind",
   * "signal", "deep", "broken", "size"; "" of a site. docs/snapshot.schema.json
   * and allocs-run(1) say what they mean. */
  const char *unknown;
  uint64_t address; /* of a place: where the call returns to, less where the
                       module is loaded */
  uint32_t inside;  /* "inside": number of the module that allocated for itself,
                       else CCA_CLIENT_NONE */

  /* Of a site; else "", 0. */
  const char *site_class; /* "typed", "bytes", "pass_through", "untyped" */
  const char *shape;      /* "one", "array", "flexible", "header", "several",
                             "unknown": docs/classification-format.md */
  uint32_t types;         /* that it may be of: cca_client_site_type() */
  uint64_t header;        /* shape "header": bytes before the elements */
  const char *file;       /* ""; unknown */
  uint32_t line, column;  /* 0: unknown */
  const char *function;   /* in which the call stands */
  const char *callee;     /* that it calls */
  const char *reason;     /* untyped: why */

  /* Of a site that calls another module's function: 1, and what that call was
   * seen to be bound to ("unmet", "unbound", "unknown", "silent", "no",
   * "allocates"), and the number of that module, or CCA_CLIENT_NONE. */
  uint32_t imported;
  const char *binding;
  uint32_t definer;
};

/* A type, of one element. */
struct cca_client_type {
  const char *name;  /* in C */
  uint64_t identity; /* equal for equal types in all modules; 0: none */
  uint64_t size;     /* bytes; 0: unknown */
};

/* What was counted in all the life of a process; its parent's live objects are
 * the first of a forked child. */
struct cca_client_counts {
  uint64_t objects, bytes;             /* allocated */
  uint64_t freed_objects, freed_bytes; /* of those */
};

struct cca_client_module {
  const char *path;       /* as the loader has it; the first is the program */
  uint64_t bias;          /* address where its offset 0 is */
  uint64_t start, end;    /* its bytes: from START to before END */
  const char *classified; /* "yes", "no", "broken", "older", "newer" */
  uint32_t first_site;    /* its sites have the numbers from this on, in the */
  uint32_t sites;         /* order of their rows */
  uint32_t missing;       /* units that had no summary when it was linked */
  uint32_t functions;     /* allocation functions that it defines */
  uint32_t closed;        /* 1: it is not there any more */
  const unsigned char *build_id; /* the bytes of its build id, and how many; */
  uint32_t build_id_size;        /* 0: it has none, or one of more than 32 */
};

/*
 * How many there are; their numbers are 0 to that, and more may come at any
 * time.  The functions below return CCA_OK and fill *OUT, or CCA_ERR_NOT_FOUND:
 * there is none of that number, and *OUT is as it was.
 *
 * They take no lock and allocate nothing: any thread, signal handlers too.
 * Counts are read while others count.
 */
CCA_API uint32_t cca_client_site_count(void);
CCA_API uint32_t cca_client_module_count(void);

CCA_API int cca_client_site(uint32_t site, struct cca_client_site *out);

/* Type I of the site. */
CCA_API int cca_client_site_type(uint32_t site, uint32_t i,
                                 struct cca_client_type *out);

CCA_API int cca_client_site_counts(uint32_t site,
                                   struct cca_client_counts *out);

CCA_API int cca_client_module(uint32_t module, struct cca_client_module *out);

/* ---- Caches ---- */

/*
 * What a process concluded about its modules can be kept for the next one with
 * the same modules and the same clients (docs/caches.md): clients of the same
 * id, version and build of their libraries.  A client can keep data of its own
 * with it, in areas.
 */

enum cca_client_area_kind {
  CCA_CLIENT_AREA_READ_ONLY,  /* shared by all processes that have it mapped */
  CCA_CLIENT_AREA_EXECUTABLE, /* the same; code that runs wherever it lies */
  CCA_CLIENT_AREA_WRITABLE    /* what a process writes is its own */
};

struct cca_client_area {
  const char *name; /* as an id is; one of each of a client */
  uint32_t kind;    /* enum cca_client_area_kind */
  void *bytes;      /* begin at a page */
  size_t size;
};

/*
 * The client's area NAME of the cache that is used.  CCA_OK and fills *OUT; or
 * CCA_ERR_NOT_FOUND: there is none, no cache is used, or the system lets none
 * be executed where the cache is.
 * In validate(), patch() and later; any thread, signal handlers too.
 */
CCA_API int cca_client_area(const struct cca_client_cache *cache,
                            const char *name, struct cca_client_area *out);

/*
 * Add AREA, which is copied, to the cache that is about to be written.
 *   CCA_ERR_NOT_READY  not in keep()
 *   CCA_ERR_CORRUPT    its name, kind or size (1 to 2^28 bytes) breaks a rule,
 * or there is one of its name CCA_ERR_MEMORY     there are 16 already, or no
 * memory
 */
CCA_API int cca_client_keep(struct cca_client_cache *cache,
                            const struct cca_client_area *area);

/*
 * The client has something else to keep than the cache that is used: at the end
 * of the process a new one is written, even if the runtime has nothing new.
 * Where caches are not written at the end, nothing happens.
 */
CCA_API void cca_client_renew(struct cca_client_cache *cache);

/*
 * Can what is known of the calls of SITE be kept?  CCA_OK; CCA_ERR_NOT_FOUND:
 * there is no such site; CCA_ERR_REFUSED: it is a place, of a module of which
 * no build is known, or was forbidden.  Whether a cache will be written is
 * another question.
 */
CCA_API int cca_client_can_keep(uint32_t site);

/* Keep nothing of the calls of SITE, and nothing of what a cache has of them:
 * who comes after this process finds out by itself.  CCA_OK, or
 * CCA_ERR_NOT_FOUND.  Any thread, signal handlers too. */
CCA_API int cca_client_do_not_keep(uint32_t site);

#ifdef __cplusplus
}
#endif

#endif
