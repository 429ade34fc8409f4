/* SPDX-License-Identifier: MIT */
/*
 * symbolize.c -- `allocs symbolize`: functions and lines of addresses, with the
 * options and the output of addr2line.
 *
 * In:    addresses, as arguments or a line each on standard input.
 * Out:   for each what addr2line would print.
 * Holds: whoever writes one address and waits for the answer gets it: what was
 *        read is answered before more is read.
 *
 * The table of the file is one that an earlier command has left, or made now;
 * it is left for the next one when all was answered.  Nothing is ever said of
 * that: without a cache there is the same, later.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "allocs.h"
#include "base/file.h"
#include "base/response.h"
#include "cache-store.h"
#include "ccallocs/symbols.h"
#include "symbols-store.h"
#include "symbols/build.h"
#include "symbols/lookup.h"

static const char help[] =
    "usage: allocs symbolize [OPTION...] [ADDRESS...]\n"
    "\n"
    "Write the source file and line of each ADDRESS, a hexadecimal number; of "
    "those\n"
    "on standard input, one a line, if there is none.  Options and output are "
    "those\n"
    "of addr2line.\n"
    "\n"
    "  -e, --exe FILE         the executable or object; a.out\n"
    "  -f, --functions        the function as well\n"
    "  -i, --inlines          the places to which an inlined function belongs "
    "as well\n"
    "  -C, --demangle         names of C++ as in the source\n"
    "  -a, --addresses        the address as well\n"
    "  -p, --pretty-print     everything about a place on one line\n"
    "  -s, --basenames        files without their folders\n"
    "  -j, --section NAME     addresses count from the start of this section\n"
    "  -o, --output TABLE     write all that is known of FILE to TABLE, which "
    "can be\n"
    "                         given in its place\n"
    "      --server PATH      ask the allocs symserver with this socket; "
    "empty: "
    "the\n"
    "                         usual one; it is started if there is none\n"
    "      --no-start         but not that\n"
    "      --wait SECONDS     how long it may take to answer; 60\n"
    "      --cache DIR        where what was read of FILE is kept for the next "
    "time,\n"
    "                         as allocs run does; ~/.cache/cc-allocs\n"
    "      --no-cache         keep nothing, and use nothing that was kept\n"
    "  -b, --target NAME      has no effect, as have -r and -R\n"
    "      --help             this text\n"
    "\n"
    "Words from a file may stand for options: @FILE.\n"
    "\n"
    "Exit status: 0 done, also if nothing is known of an address; 2 wrong "
    "usage, or\n"
    "FILE cannot be read or is none of these.\n";

enum { MAX_FRAMES = 256 };

struct asked {
  const char *file, *section, *output;
  const char *server; /* NULL: none */
  bool no_start;
  unsigned wait_ms;
  const char *cache; /* NULL: the usual one */
  bool no_cache;
  bool functions, inlines, demangle, addresses, pretty, basenames;
};

/* Returns negative to go on with the addresses at argv[optind], or the exit
 * status. */
static int parse(struct asked *asked, int argc, char **argv) {
  enum { SERVER = 256, NO_START, WAIT, CACHE, NO_CACHE };
  static const struct option longs[] = {
      {"addresses", no_argument, NULL, 'a'},
      {"target", required_argument, NULL, 'b'},
      {"demangle", optional_argument, NULL, 'C'},
      {"exe", required_argument, NULL, 'e'},
      {"functions", no_argument, NULL, 'f'},
      {"inlines", no_argument, NULL, 'i'},
      {"server", required_argument, NULL, SERVER},
      {"no-start", no_argument, NULL, NO_START},
      {"wait", required_argument, NULL, WAIT},
      {"cache", required_argument, NULL, CACHE},
      {"no-cache", no_argument, NULL, NO_CACHE},
      {"section", required_argument, NULL, 'j'},
      {"output", required_argument, NULL, 'o'},
      {"pretty-print", no_argument, NULL, 'p'},
      {"basenames", no_argument, NULL, 's'},
      {"recurse-limit", no_argument, NULL, 'R'},
      {"no-recurse-limit", no_argument, NULL, 'r'},
      {"help", no_argument, NULL, 'h'},
      {0}};
  int option;
  opterr = 0;
  while ((option =
              getopt_long(argc, argv, ":ab:Ce:fij:o:psrRh", longs, NULL)) != -1)
    switch (option) {
    case 'a':
      asked->addresses = true;
      break;
    case 'b':
    case 'r':
    case 'R':
      break;
    case 'C':
      asked->demangle = true;
      break;
    case 'e':
      asked->file = optarg;
      break;
    case 'f':
      asked->functions = true;
      break;
    case 'i':
      asked->inlines = true;
      break;
    case 'j':
      asked->section = optarg;
      break;
    case 'o':
      asked->output = optarg;
      break;
    case 'p':
      asked->pretty = true;
      break;
    case SERVER:
      asked->server = optarg;
      break;
    case NO_START:
      asked->no_start = true;
      break;
    case WAIT:
      if (cca_parse_wait("symbolize", "wait", optarg, &asked->wait_ms) < 0)
        return CCA_EXIT_ERROR;
      break;
    case CACHE:
      asked->cache = optarg;
      asked->no_cache = false;
      break;
    case NO_CACHE:
      asked->no_cache = true;
      break;
    case 's':
      asked->basenames = true;
      break;
    case 'h':
      return cca_show_help(help);
    default:
      cca_complain_option(option, argv);
      return CCA_EXIT_ERROR;
    }
  return -1;
}

/* Is there a section of the name that was asked for? */
static bool has_section(const struct asked *asked,
                        const struct cca_table *table) {
  for (uint32_t i = 0; i < cca_section_count(table); i++)
    if (!strcmp(cca_lookup_section(table, i).name, asked->section))
      return true;
  return false;
}

/* What is at ADDRESS: of the section that was asked for; in an object, of the
 * first one with code that is long enough and of which something is known. */
static int find(const struct asked *asked, const struct cca_table *table,
                uint64_t address, struct cca_frame *frames, size_t *count) {
  size_t room = asked->inlines ? MAX_FRAMES : 1;
  int result = CCA_ERR_NOT_FOUND;
  if (!asked->section &&
      !(cca_image_at(table, 0).parts & CCA_PARTS_RELOCATABLE))
    return cca_lookup_address(table, address, frames, room, count);
  for (uint32_t i = 0;
       i < cca_section_count(table) && result == CCA_ERR_NOT_FOUND; i++) {
    struct cca_section_info section = cca_lookup_section(table, i);
    if (address < section.size &&
        (asked->section ? !strcmp(section.name, asked->section) : section.code))
      result = cca_lookup_address(table, section.offset + address, frames, room,
                                  count);
  }
  return result;
}

static void write_frame(const struct asked *asked,
                        const struct cca_frame *frame, struct cca_text *out) {
  const char *name = asked->demangle ? frame->pretty : frame->name;
  const char *file = frame->file ? frame->file : "??";
  if (asked->functions) {
    cca_text_adds(out, name ? name : "??");
    cca_text_adds(out, asked->pretty ? " at " : "\n");
  }
  if (asked->basenames && strrchr(file, '/'))
    file = strrchr(file, '/') + 1;
  cca_text_adds(out, file);
  if (frame->line)
    cca_text_addf(out, ":%u\n", frame->line);
  else
    cca_text_adds(out, ":?\n");
}

static void answer(const struct asked *asked, const struct cca_table *table,
                   uint64_t address, struct cca_text *out) {
  static struct cca_frame frames[MAX_FRAMES];
  size_t count;
  if (asked->addresses)
    cca_text_addf(out, "0x%016llx%s", (unsigned long long)address,
                  asked->pretty ? ": " : "\n");
  int result = find(asked, table, address, frames, &count);
  if (result == CCA_ERR_NOT_FOUND) {
    if (asked->functions)
      cca_text_adds(out, asked->pretty ? "?? " : "??\n");
    cca_text_adds(out, "??:0\n");
    return;
  }
  for (size_t i = 0; i < (asked->inlines ? count : 1); i++) {
    if (i && asked->pretty)
      cca_text_adds(out, " (inlined by) ");
    write_frame(asked, &frames[i], out);
  }
}

static int flush(struct cca_text *out) {
  int status = cca_print("symbolize", out->data, out->len);
  out->len = 0;
  return status;
}

/* Answer a line of standard input after the other. */
static int answer_input(const struct asked *asked,
                        const struct cca_table *table) {
  struct cca_text out = {0};
  char block[65536];
  size_t len = 0;
  int status = CCA_EXIT_OK;
  for (bool more = true; more && status == CCA_EXIT_OK;) {
    ssize_t got = read(STDIN_FILENO, block + len, sizeof block - 1 - len);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      cca_complain("symbolize", "cannot read standard input: %s",
                   strerror(errno));
      status = CCA_EXIT_ERROR;
    }
    more = got > 0;
    len += got > 0 ? (size_t)got : 0;
    bool full = len == sizeof block - 1 && !memchr(block, '\n', len);
    if (len && (full || (!more && block[len - 1] != '\n')))
      block[len++] = '\n'; /* the last line need not have one */
    char *line = block, *end;
    while ((end = memchr(line, '\n', len - (size_t)(line - block)))) {
      *end = 0;
      answer(asked, table, strtoull(line, NULL, 16), &out);
      if (out.len > sizeof block && flush(&out) != CCA_EXIT_OK)
        status = CCA_EXIT_ERROR;
      line = end + 1;
    }
    len -= (size_t)(line - block);
    memmove(block, line, len);
    if (flush(&out) != CCA_EXIT_OK)
      status = CCA_EXIT_ERROR;
  }
  cca_text_release(&out);
  return status;
}

static void complain_of_file(const struct asked *asked,
                             const struct cca_error *err) {
  cca_complain(
      "symbolize", "%s: %s%s", asked->file, err->text,
      err->status == CCA_ERR_SERVER_GONE ? "; start one by allocs symserver"
      : err->status == CCA_ERR_TIMED_OUT || err->status == CCA_ERR_NOT_READY
          ? "; --wait gives it more time"
          : "; give an executable or object with -e");
}

static int write_table(const struct asked *asked) {
  struct cca_text image = {0};
  struct cca_error err;
  int status = CCA_EXIT_ERROR;
  if (cca_symbols_build(asked->file, &image, &err) < 0)
    complain_of_file(asked, &err);
  else
    status = cca_write_table("symbolize", asked->output, &image);
  cca_text_release(&image);
  return status;
}

static int answer_all(const struct asked *asked, const struct cca_table *table,
                      char **addresses) {
  struct cca_text out = {0};
  if (asked->section && !has_section(asked, table)) {
    cca_complain("symbolize", "%s: it has no section %s", asked->file,
                 asked->section);
    return CCA_EXIT_ERROR;
  }
  if (!*addresses)
    return answer_input(asked, table);
  for (; *addresses; addresses++)
    answer(asked, table, strtoull(*addresses, NULL, 16), &out);
  int status = flush(&out);
  cca_text_release(&out);
  return status;
}

/* Can memory not be refused to this process?  What elfutils has none for it
 * takes as not there: such a table may be an answer, but not for later. */
static bool has_all_memory(void) {
  static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
  struct cca_text mode = {0};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit limit;
    if (getrlimit(limits[i], &limit) < 0 || limit.rlim_cur != RLIM_INFINITY)
      return false;
  }
  /* 2: no more than there is; in all other modes it ends the process. */
  bool known = !cca_file_read("/proc/sys/vm/overcommit_memory", 16, &mode);
  bool all = known && mode.len && *mode.data != '2';
  cca_text_release(&mode);
  return all;
}

/* Have the table made, answer from it, and leave it in STORE, as that of PATH
 * (NULL: there is no such file). */
static int answer_anew(const struct asked *asked, char **addresses,
                       const struct cca_symbols_store *store,
                       const char *path) {
  struct cca_symbols *symbols;
  struct cca_symbols_module *module = NULL;
  struct cca_error err;
  struct stat then = {0};
  char *own = cca_file_beside_program("allocs");
  struct cca_symbols_options options = {.size = sizeof options,
                                        .server = asked->server,
                                        .timeout_ms = (int)asked->wait_ms,
                                        .start = asked->no_start ? "" : own};
  bool is_there = path && stat(path, &then) == 0;
  int status = cca_symbols_open(&symbols, &options, &err);
  if (status == CCA_OK)
    status = cca_symbols_load(symbols, asked->file, NULL, &module, &err);
  if (status < 0) {
    complain_of_file(asked, &err);
    status = CCA_EXIT_ERROR;
  } else {
    const struct cca_table *table = cca_symbols_table(module);
    status = answer_all(asked, table, addresses);
    if (is_there && (asked->server || has_all_memory()) &&
        cca_symbols_keep(store, path, &then, table))
      cca_cache_keep_small(store->own);
  }
  cca_symbols_unload(module);
  cca_symbols_close(symbols);
  free(own);
  return status;
}

static int answer_with_cache(const struct asked *asked, char **addresses) {
  struct cca_symbols_kept kept;
  char *own = NULL, *shared = NULL, *path = realpath(asked->file, NULL);
  int status;
  if (!asked->no_cache && !cca_cache_homes(asked->cache, &own, &shared)) {
    cca_complain("symbolize", "--cache: %s: %s", asked->cache, strerror(errno));
    free(path);
    return CCA_EXIT_ERROR;
  }
  const struct cca_symbols_store store = {own, shared, true};
  if (path &&
      cca_symbols_find_kept(&store, path, NULL, &kept) == CCA_CACHE_USED) {
    status = answer_all(asked, &kept.table, addresses);
    cca_cache_file_release(&kept.file);
  } else {
    status = answer_anew(asked, addresses, &store, path);
  }
  free(own);
  free(shared);
  free(path);
  return status;
}

int cca_symbolize_main(int argc, char **argv) {
  struct asked asked = {.file = "a.out", .wait_ms = 60000};
  struct cca_response words = {0};
  struct cca_arena arena = {0};
  cca_response_expand(&words, &arena, (const char *const *)argv, (size_t)argc);
  cca_vec_push(&words.args, NULL);
  char **args = (char **)words.args.items;
  int status = parse(&asked, (int)words.args.count - 1, args);
  if (status < 0)
    status = asked.output ? write_table(&asked)
                          : answer_with_cache(&asked, args + optind);
  cca_vec_release(&words.args);
  cca_arena_release(&arena);
  return status;
}
