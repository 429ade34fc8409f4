/* libs: cca_symbols */
/* SPDX-License-Identifier: MIT */
/*
 * test-symbols.c -- ccallocs/symbols.h in process, of this very program: every
 * result, and what becomes of a module when its file changes.
 */
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include "ccallocs/symbols.h"
#include "check.h"

static volatile int counter;
enum { INNER_LINE = __LINE__ + 2, OUTER_LINE = __LINE__ + 5 };
static inline __attribute__((always_inline)) int inner(void) {
  return counter++;
}
__attribute__((noinline)) int outer_of_test(void);
__attribute__((noinline)) int outer_of_test(void) { return inner() + 1; }

static struct cca_symbols *symbols;
static char program[4096], copy[] = "/tmp/cca-symbols.XXXXXX";

static int find_program(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uint64_t *)base = info->dlpi_addr; /* the program is the first one */
  return 1;
}

/* Write the first LEN bytes of this program, or all, to COPY. */
static void write_copy(size_t len) {
  static char bytes[1 << 24];
  FILE *from = fopen(program, "rb"), *to = fopen(copy, "wb");
  size_t all = fread(bytes, 1, sizeof bytes, from);
  CHECK(all > 4096 && all < sizeof bytes);
  CHECK_U(fwrite(bytes, 1, len < all ? len : all, to), len < all ? len : all);
  fclose(from);
  fclose(to);
}

static struct cca_symbols_module *load(const char *path, const char *build_id,
                                       int want) {
  struct cca_symbols_module *module = (void *)-1;
  struct cca_error err = {.text = ""};
  int status = cca_symbols_load(symbols, path, build_id, &module, &err);
  CHECK_U((unsigned)status, (unsigned)want);
  CHECK((module != NULL) == (status == CCA_OK));
  CHECK((*err.text != 0) == (status < 0));
  return module;
}

static void test_own_functions(void) {
  struct cca_symbols_module *module = load(program, NULL, CCA_OK);
  struct cca_frame frames[4];
  struct cca_symbol_info symbol;
  size_t count;
  uint64_t base = 0;
  dl_iterate_phdr(find_program, &base);
  CHECK_U(cca_symbols_lookup(module, "outer_of_test", &symbol, 1, &count), 0);
  CHECK_U(count, 1);
  CHECK_U(symbol.offset, (uint64_t)(uintptr_t)outer_of_test - base);
  CHECK_U(symbol.type, CCA_SYMBOL_TYPE_FUNCTION);
  CHECK_U(symbol.scope, CCA_SYMBOL_SCOPE_GLOBAL);

  /* Somewhere in it is inner(), called in its only line. */
  unsigned inlined = 0;
  for (uint64_t at = 0; at < symbol.size; at++) {
    CHECK_U(cca_symbols_find(module, symbol.offset + at, frames, 4, &count), 0);
    CHECK_STR(frames[count - 1].name, "outer_of_test");
    CHECK_U(frames[count - 1].line, OUTER_LINE);
    CHECK_U(frames[count - 1].start, symbol.offset);
    CHECK_U(frames[count - 1].size, symbol.size);
    CHECK_STR(strrchr(frames[0].file, '/'), "/test-symbols.c");
    if (count == 1)
      continue;
    inlined++;
    CHECK_U(count, 2);
    CHECK_STR(frames[0].name, "inner");
    CHECK_U(frames[0].line, INNER_LINE);
    CHECK_U(frames[0].inlined, 1);
  }
  CHECK(inlined > 0);

  CHECK_U(cca_symbols_match(module, "outer_of_t*", &symbol, 1, &count), 0);
  CHECK_U(count, 1);
  CHECK_U((unsigned)cca_symbols_find(module, 0, frames, 4, &count),
          (unsigned)CCA_ERR_NOT_FOUND);
  CHECK_U((unsigned)cca_symbols_lookup(module, "inner", &symbol, 1, &count),
          (unsigned)CCA_ERR_NOT_FOUND); /* it is nowhere by itself */

  uint64_t last = 0;
  for (uint32_t i = 0; i < cca_symbols_count(module); i++) {
    symbol = cca_symbols_symbol(module, i);
    CHECK(symbol.offset >= last);
    last = symbol.offset;
  }
  struct cca_line_info line = {0};
  uint32_t i = 0;
  while (i < cca_symbols_line_count(module) && line.line != OUTER_LINE)
    line = cca_symbols_line(module, i++);
  CHECK_U(line.line, OUTER_LINE);
  cca_symbols_unload(module);
}

static void test_which_module(void) {
  struct cca_symbols_module *module = load(program, NULL, CCA_OK);
  char id[200], upper[200];
  snprintf(id, sizeof id, "%s", cca_symbols_build_id(module));
  CHECK(strlen(id) >= 16);
  for (size_t i = 0; i <= strlen(id); i++)
    upper[i] = (char)(id[i] >= 'a' && id[i] <= 'f' ? id[i] - 'a' + 'A' : id[i]);
  cca_symbols_unload(module);
  cca_symbols_unload(load(program, id, CCA_OK));
  cca_symbols_unload(load(program, upper, CCA_OK));
  load(program, "", CCA_ERR_STALE);
  id[0] = (char)(id[0] == '0' ? '1' : '0');
  load(program, id, CCA_ERR_STALE);
}

static void test_no_module(void) {
  load("/nonexistent/module", NULL, CCA_ERR_NO_MODULE);
  CHECK_U((unsigned)errno, ENOENT);
  load("/", NULL, CCA_ERR_NOT_ELF);
  load("/dev/null", NULL, CCA_ERR_NOT_ELF);
  write_copy(60);
  load(copy, NULL, CCA_ERR_NOT_ELF);

  /* Nothing is left of it but where its segments would be. */
  struct cca_frame frame;
  size_t count;
  write_copy(1000);
  struct cca_symbols_module *module = load(copy, NULL, CCA_OK);
  CHECK_U((unsigned)cca_symbols_find(module, 0x1000, &frame, 1, &count),
          (unsigned)CCA_ERR_NOT_FOUND);
  CHECK_U(count, 0);
  CHECK_U(cca_symbols_count(module), 0);
  cca_symbols_unload(module);
}

static void test_file_changes(void) {
  struct cca_frame frame;
  struct cca_symbol_info symbol;
  size_t count;
  write_copy(SIZE_MAX);
  struct cca_symbols_module *module = load(copy, NULL, CCA_OK);
  CHECK_U(cca_symbols_check(module), CCA_OK);
  write_copy(5000);
  CHECK_U((unsigned)cca_symbols_check(module), (unsigned)CCA_ERR_STALE);
  unlink(copy);
  CHECK_U((unsigned)cca_symbols_check(module), (unsigned)CCA_ERR_NO_MODULE);
  /* What was loaded stays good. */
  CHECK_U(cca_symbols_lookup(module, "outer_of_test", &symbol, 1, &count), 0);
  CHECK_U(cca_symbols_find(module, symbol.offset, &frame, 1, &count), 0);
  cca_symbols_unload(module);
}

int main(void) {
  struct cca_error err;
  CHECK(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
  CHECK(close(mkstemp(copy)) == 0);
  CHECK_U(cca_symbols_open(&symbols, NULL, &err), CCA_OK);
  RUN(test_own_functions);
  RUN(test_which_module);
  RUN(test_no_module);
  RUN(test_file_changes);
  cca_symbols_close(symbols);
  cca_symbols_unload(NULL);
  cca_symbols_close(NULL);
  return check_done();
}
