/* SPDX-License-Identifier: MIT */
/*
 * symbolize.c -- `allocs symbolize`: functions and lines of addresses, with the
 * options and the output of addr2line.
 *
 * In:    addresses, as arguments or a line each on standard input.
 * Out:   for each what addr2line would print.
 * Holds: whoever writes one address and waits for the answer gets it: what was
 *        read is answered before more is read.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocs.h"
#include "base/file.h"
#include "base/response.h"
#include "ccallocs/symbols.h"
#include "symbols/build.h"

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
  bool functions, inlines, demangle, addresses, pretty, basenames;
};

/* Returns negative to go on with the addresses at argv[optind], or the exit
 * status. */
static int parse(struct asked *asked, int argc, char **argv) {
  enum { SERVER = 256, NO_START };
  static const struct option longs[] = {
      {"addresses", no_argument, NULL, 'a'},
      {"target", required_argument, NULL, 'b'},
      {"demangle", optional_argument, NULL, 'C'},
      {"exe", required_argument, NULL, 'e'},
      {"functions", no_argument, NULL, 'f'},
      {"inlines", no_argument, NULL, 'i'},
      {"server", required_argument, NULL, SERVER},
      {"no-start", no_argument, NULL, NO_START},
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
                        const struct cca_symbols_module *module) {
  for (uint32_t i = 0; i < cca_symbols_section_count(module); i++)
    if (!strcmp(cca_symbols_section(module, i).name, asked->section))
      return true;
  return false;
}

/* What is at ADDRESS: of the section that was asked for; in an object, of the
 * first one with code that is long enough and of which something is known. */
static int find(const struct asked *asked,
                const struct cca_symbols_module *module, uint64_t address,
                struct cca_frame *frames, size_t *count) {
  size_t room = asked->inlines ? MAX_FRAMES : 1;
  int result = CCA_ERR_NOT_FOUND;
  if (!asked->section && !cca_symbols_is_relocatable(module))
    return cca_symbols_find(module, address, frames, room, count);
  for (uint32_t i = 0;
       i < cca_symbols_section_count(module) && result == CCA_ERR_NOT_FOUND;
       i++) {
    struct cca_section_info section = cca_symbols_section(module, i);
    if (address < section.size &&
        (asked->section ? !strcmp(section.name, asked->section) : section.code))
      result = cca_symbols_find(module, section.offset + address, frames, room,
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

static void answer(const struct asked *asked,
                   const struct cca_symbols_module *module, uint64_t address,
                   struct cca_text *out) {
  static struct cca_frame frames[MAX_FRAMES];
  size_t count;
  if (asked->addresses)
    cca_text_addf(out, "0x%016llx%s", (unsigned long long)address,
                  asked->pretty ? ": " : "\n");
  int result = find(asked, module, address, frames, &count);
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
                        const struct cca_symbols_module *module) {
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
      answer(asked, module, strtoull(line, NULL, 16), &out);
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
  cca_complain("symbolize", "%s: %s%s", asked->file, err->text,
               err->status == CCA_ERR_SERVER_GONE
                   ? "; start one by allocs symserver"
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

static int answer_all(const struct asked *asked, char **addresses) {
  struct cca_symbols *symbols;
  struct cca_symbols_module *module = NULL;
  struct cca_error err;
  struct cca_text out = {0};
  char *own = cca_file_beside_program("allocs");
  struct cca_symbols_options options = {.size = sizeof options,
                                        .server = asked->server,
                                        .timeout_ms = -1,
                                        .start = asked->no_start ? "" : own};
  int status = cca_symbols_open(&symbols, &options, &err);
  if (status == CCA_OK)
    status = cca_symbols_load(symbols, asked->file, NULL, &module, &err);
  if (status < 0) {
    complain_of_file(asked, &err);
    status = CCA_EXIT_ERROR;
  } else if (asked->section && !has_section(asked, module)) {
    cca_complain("symbolize", "%s: it has no section %s", asked->file,
                 asked->section);
    status = CCA_EXIT_ERROR;
  } else if (*addresses) {
    for (; *addresses; addresses++)
      answer(asked, module, strtoull(*addresses, NULL, 16), &out);
    status = flush(&out);
  } else {
    status = answer_input(asked, module);
  }
  cca_text_release(&out);
  cca_symbols_unload(module);
  cca_symbols_close(symbols);
  free(own);
  return status;
}

int cca_symbolize_main(int argc, char **argv) {
  struct asked asked = {.file = "a.out"};
  struct cca_response words = {0};
  struct cca_arena arena = {0};
  cca_response_expand(&words, &arena, (const char *const *)argv, (size_t)argc);
  cca_vec_push(&words.args, NULL);
  char **args = (char **)words.args.items;
  int status = parse(&asked, (int)words.args.count - 1, args);
  if (status < 0)
    status =
        asked.output ? write_table(&asked) : answer_all(&asked, args + optind);
  cca_vec_release(&words.args);
  cca_arena_release(&arena);
  return status;
}
