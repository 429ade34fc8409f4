/* SPDX-License-Identifier: MIT */
/*
 * dump.c -- `allocs dump` and `allocs assemble`: tables as text, and back.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocs.h"
#include "base/file.h"
#include "input.h"

static const char dump_help[] =
    "usage: allocs dump FILE...\n"
    "\n"
    "Write every summary, classification, symbol table and cache in the FILEs "
    "as\n"
    "text, each after a line `# NAME'.  FILE is an object, archive, shared "
    "object,\n"
    "executable or table file.  docs/table-format.md describes the text; "
    "allocs\n"
    "assemble reads one back.\n"
    "\n"
    "Exit status: 0 done, 1 a FILE has no table (standard error says why), 2 "
    "wrong\n"
    "usage, or a FILE cannot be read or is broken.\n";

static const char assemble_help[] =
    "usage: allocs assemble [-o OUT] FILE\n"
    "\n"
    "Read the text of one table from FILE (- is standard input) and write it "
    "as a\n"
    "table file, which the other commands read, to OUT or to standard output.\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage, a file cannot be read or written, or "
    "the\n"
    "text is wrong (standard error says in which line).\n";

/* If FILE is a symbol table or a cache, append it to OUT, or say what is wrong
 * with it, and return true with the exit status. */
static bool dump_table(const char *file, struct cca_text *out, int *status) {
  struct cca_text image = {0};
  struct cca_table table;
  struct cca_table_error err = {0};
  bool is_one = false;
  if (!cca_file_read(file, SIZE_MAX, &image)) {
    int wrong = cca_table_open(&table, &cca_symbols_schema, image.data,
                               image.len, &err);
    if (wrong == CCA_TABLE_ERR_MAGIC)
      wrong = cca_table_open(&table, &cca_cache_schema, image.data, image.len,
                             &err);
    is_one = wrong != CCA_TABLE_ERR_MAGIC;
    *status = wrong ? CCA_EXIT_ERROR : CCA_EXIT_OK;
    if (!wrong) {
      cca_text_addf(out, "# %s\n", file);
      cca_text_dump(&table, out);
    } else if (is_one) {
      cca_complain("dump", "%s: corrupt table at byte %zu: %s", file,
                   err.offset, err.text);
    }
  }
  cca_text_release(&image);
  return is_one;
}

/* Append what FILE carries to OUT; returns its exit status. */
static int dump_file(struct cca_input *input, const char *file,
                     struct cca_text *out) {
  int status = CCA_EXIT_OK;
  if (dump_table(file, out, &status))
    return status;
  status = CCA_EXIT_OK;
  size_t first = cca_input_add(input, file);
  if (first == input->count) {
    cca_complain("dump", "%s: no table in it", file);
    return CCA_EXIT_NOTHING;
  }
  for (size_t i = first; i < input->count; i++) {
    const struct cca_carrier_item *item = &input->items[i];
    if (item->table) {
      cca_text_addf(out, "# %s\n", item->name);
      cca_text_dump(item->table, out);
      continue;
    }
    cca_complain("dump", "%s: %s%s", item->name, item->reason,
                 cca_input_advice(item));
    int worse = cca_input_is_broken(item) ? CCA_EXIT_ERROR : CCA_EXIT_NOTHING;
    if (status < worse)
      status = worse;
  }
  return status;
}

int cca_dump_main(int argc, char **argv) {
  int status = cca_parse_output(argc, argv, dump_help, NULL);
  if (status >= 0)
    return status;
  if (optind == argc) {
    cca_complain("dump", "no FILE is given; allocs dump --help says which");
    return CCA_EXIT_ERROR;
  }
  status = CCA_EXIT_OK;
  for (int i = optind; i < argc; i++) {
    struct cca_input input = {0};
    struct cca_text out = {0};
    int now = dump_file(&input, argv[i], &out);
    if (cca_print("dump", out.data, out.len) != CCA_EXIT_OK)
      now = CCA_EXIT_ERROR;
    if (status < now)
      status = now;
    cca_text_release(&out);
    cca_input_release(&input);
  }
  return status;
}

int cca_write_file(const char *path, const struct cca_text *bytes) {
  char *temporary = NULL;
  struct stat old;
  bool exists = stat(path, &old) == 0;
  if (asprintf(&temporary, "%s.XXXXXX", path) < 0)
    return ENOMEM;
  int file = exists && !S_ISREG(old.st_mode) ? open(path, O_WRONLY | O_CLOEXEC)
                                             : mkostemp(temporary, O_CLOEXEC);
  bool plain = !exists || S_ISREG(old.st_mode);
  int error = file < 0 ? errno : 0;
  for (size_t at = 0; !error && at < bytes->len;) {
    ssize_t done = write(file, bytes->data + at, bytes->len - at);
    if (done > 0)
      at += (size_t)done;
    else if (errno != EINTR)
      error = errno;
  }
  if (!error && plain) {
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(file, exists ? old.st_mode & 07777 : 0666 & ~mask) < 0)
      error = errno;
  }
  if (file >= 0 && close(file) < 0 && !error)
    error = errno;
  if (plain && file >= 0) {
    if (!error && rename(temporary, path) < 0)
      error = errno;
    if (error)
      unlink(temporary);
  }
  free(temporary);
  return error;
}

/* Append standard input to OUT; returns 0 or an errno value. */
static int read_standard_input(struct cca_text *out) {
  for (;;) {
    char block[65536];
    ssize_t got = read(STDIN_FILENO, block, sizeof block);
    if (got == 0)
      return 0;
    if (got > 0)
      cca_text_add(out, block, (size_t)got);
    else if (errno != EINTR)
      return errno;
  }
}

/* What is wrong with the rows as a whole has no line. */
static void complain_of_text(const char *file,
                             const struct cca_table_error *err) {
  if (err->offset)
    cca_complain("assemble", "%s:%zu: %s", file, err->offset, err->text);
  else
    cca_complain("assemble", "%s: %s", file, err->text);
}

int cca_assemble_main(int argc, char **argv) {
  const char *out = NULL;
  int status = cca_parse_output(argc, argv, assemble_help, &out);
  if (status >= 0)
    return status;
  if (optind + 1 != argc) {
    cca_complain("assemble", "give one FILE, or - for standard input");
    return CCA_EXIT_ERROR;
  }
  if (!cca_may_write_table("assemble", out))
    return CCA_EXIT_ERROR;

  const char *file = argv[optind];
  struct cca_text text = {0}, image = {0};
  struct cca_table_error err = {0};
  int error = strcmp(file, "-") ? cca_file_read(file, SIZE_MAX, &text)
                                : read_standard_input(&text);
  status = CCA_EXIT_ERROR;
  if (error)
    cca_complain("assemble", "%s: cannot read it: %s", file, strerror(error));
  else if (cca_text_assemble(text.data ? text.data : "", text.len, &image,
                             &err) < 0)
    complain_of_text(file, &err);
  else
    status = cca_write_table("assemble", out, &image);
  cca_text_release(&text);
  cca_text_release(&image);
  return status;
}
