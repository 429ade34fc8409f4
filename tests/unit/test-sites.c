/* libs: cca_sites */
/* SPDX-License-Identifier: MIT */
/*
 * test-sites.c -- the join copes with any object; on real ones, tests/analysis
 * uses it as a tool:
 *
 *   test-sites [-c] [-t] OBJECT <CALLS
 *
 * where a line of CALLS is `function line column callee`, `*` for an indirect
 * call.  Prints for each row `function:line callee section flags`, in the
 * order of the code; with -c `function:line:column`, with -t how long it took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/sites.h"
#include "check.h"
#include "tiny-elf.h"

/* ------------------------------------------------------------------ tests */

/* f: call g; jmp g; jmp f; ret; g: ret -- in one section.  The jump to f is a
 * loop. */
static const unsigned char code[] = {0xe8, 11,   0,    0,    0,    0xe9,
                                     6,    0,    0,    0,    0xe9, 0xf1,
                                     0xff, 0xff, 0xff, 0xc3, 0xc3};

static struct cca_text make_object(void) {
  struct cca_text symbols = {0}, out = {0};
  static const char names[] = "\0f\0g";
  static const struct {
    unsigned name, info, section, value, size;
  } table[] = {{0, 0, 0, 0, 0}, {1, 0x12, 1, 0, 16}, {3, 0x02, 1, 16, 1}};
  for (unsigned i = 0; i < 3; i++) {
    struct cca_elf order = {0};
    unsigned char entry[24] = {0};
    cca_elf_put32(&order, entry, table[i].name);
    entry[4] = (unsigned char)table[i].info;
    cca_elf_put16(&order, entry + 6, (uint16_t)table[i].section);
    cca_elf_put64(&order, entry + 8, table[i].value);
    cca_elf_put64(&order, entry + 16, table[i].size);
    cca_text_add(&symbols, entry, sizeof entry);
  }
  const struct tiny_section sections[] = {
      {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, sizeof code, 0,
       0},
      {".symtab", SHT_SYMTAB, 0, symbols.data, symbols.len, 3, 3},
      {".strtab", SHT_STRTAB, 0, names, sizeof names, 0, 0},
  };
  struct tiny_elf elf = {true, false, ET_REL, sections, 3, 0};
  tiny_elf_make(&elf, &out);
  cca_text_release(&symbols);
  return out;
}

static const struct cca_site_call two_calls[] = {
    {"f", 1, 1, "g", NULL},
    {"f", 2, 1, "g", NULL},
    {"f", 3, 1, "other", NULL},
};

static void test_joins_in_order_without_lines(void) {
  struct cca_text object = make_object();
  struct cca_sites sites;
  CHECK_STR(cca_sites_join(&sites, object.data, object.len, two_calls, 3),
            NULL);
  CHECK_U(sites.code_calls, 2);
  CHECK_U(sites.joined_calls, 2);
  CHECK_U(sites.rows.count, 2);
  CHECK_U(sites.rows.items[0].call, 0);
  CHECK_U(sites.rows.items[0].offset, 5);
  CHECK_U(sites.rows.items[0].flags, CCA_SITE_FLAGS_AMBIGUOUS);
  CHECK_U(sites.rows.items[1].call, 1);
  CHECK_U(sites.rows.items[1].offset, 10);
  CHECK_U(sites.rows.items[1].index, 1);
  CHECK_STR(sites.rows.items[1].section, ".text");
  CHECK_U(sites.rows.items[1].flags,
          CCA_SITE_FLAGS_TAIL | CCA_SITE_FLAGS_AMBIGUOUS);
  cca_sites_release(&sites);

  /* One call of the source for two of the code: copies, or not. */
  CHECK_STR(cca_sites_join(&sites, object.data, object.len, two_calls, 1),
            NULL);
  CHECK_U(sites.rows.count, 2);
  CHECK_U(sites.rows.items[0].flags, CCA_SITE_FLAGS_AMBIGUOUS);
  CHECK_U(sites.rows.items[1].call, 0);
  CHECK_U(sites.rows.items[1].flags,
          CCA_SITE_FLAGS_TAIL | CCA_SITE_FLAGS_AMBIGUOUS);
  cca_sites_release(&sites);

  /* None for either. */
  CHECK_STR(cca_sites_join(&sites, object.data, object.len, two_calls + 2, 1),
            NULL);
  CHECK_U(sites.code_calls, 2);
  CHECK_U(sites.rows.count, 0);
  cca_sites_release(&sites);
  cca_text_release(&object);
}

static void test_refuses(void) {
  struct cca_text object = make_object();
  struct cca_sites sites;
  object.data[16] = ET_CORE;
  CHECK_STR(cca_sites_join(&sites, object.data, object.len, two_calls, 2),
            "neither an object nor a linked module");
  CHECK_U(sites.rows.count, 0);
  CHECK_STR(cca_sites_join(&sites, object.data, 3, two_calls, 2),
            "not an ELF file");
  cca_text_release(&object);
}

/* From blocks of exactly their size, for AddressSanitizer. */
static void test_any_damage_is_survived(void) {
  struct cca_text object = make_object();
  struct cca_sites sites;
  unsigned rows = 0;
  for (size_t len = 0; len < object.len; len++) {
    char *bad = malloc(len ? len : 1);
    memcpy(bad, object.data, len);
    CHECK(cca_sites_join(&sites, bad, len, two_calls, 3) != NULL);
    cca_sites_release(&sites);
    free(bad);
  }
  for (size_t at = 0; at < object.len; at++)
    for (unsigned bit = 0; bit < 8; bit++) {
      char *bad = malloc(object.len);
      memcpy(bad, object.data, object.len);
      bad[at] = (char)(bad[at] ^ 1 << bit);
      if (!cca_sites_join(&sites, bad, object.len, two_calls, 3))
        for (size_t i = 0; i < sites.rows.count; i++)
          rows += sites.rows.items[i].call < 3;
      cca_sites_release(&sites);
      free(bad);
    }
  CHECK(rows > 1000);
  cca_text_release(&object);
}

/* ------------------------------------------------------------------- tool */

static void print_rows(const struct cca_sites *sites,
                       const struct cca_site_calls *calls, bool columns) {
  for (size_t i = 0; i < sites->rows.count; i++) {
    const struct cca_site_row *row = &sites->rows.items[i];
    const struct cca_site_call *call = &calls->items[row->call];
    printf("%s:%u", call->function, call->line);
    if (columns)
      printf(":%u", call->column);
    printf(" %s %s%s%s%s\n", call->callee ? call->callee : "*", row->section,
           row->flags & CCA_SITE_FLAGS_INLINED ? " inlined" : "",
           row->flags & CCA_SITE_FLAGS_TAIL ? " tail" : "",
           row->flags & CCA_SITE_FLAGS_AMBIGUOUS ? " ambiguous" : "");
  }
}

static int tool(const char *path, bool columns, bool timed) {
  struct cca_site_calls calls = {0};
  char function[512], callee[512];
  unsigned line, column;
  while (scanf("%511s %u %u %511s", function, &line, &column, callee) == 4)
    cca_vec_push(&calls, ((struct cca_site_call){
                             strdup(function), line, column,
                             strcmp(callee, "*") ? strdup(callee) : NULL,
                             NULL}));
  struct cca_text object = {0};
  char buffer[65536];
  FILE *file = fopen(path, "rb");
  if (!file)
    return 2;
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
    cca_text_add(&object, buffer, got);
  fclose(file);

  struct cca_sites sites;
  clock_t start = clock();
  const char *wrong =
      cca_sites_join(&sites, object.data, object.len, calls.items, calls.count);
  if (wrong) {
    puts(wrong);
    return 1;
  }
  if (timed)
    fprintf(stderr, "%u of %u calls in %.0f ms\n", sites.joined_calls,
            sites.code_calls,
            (double)(clock() - start) * 1000 / CLOCKS_PER_SEC);
  print_rows(&sites, &calls, columns);
  cca_sites_release(&sites);
  cca_text_release(&object);
  cca_vec_release(&calls);
  return 0;
}

int main(int argc, char **argv) {
  bool columns = argc > 2 && !strcmp(argv[1], "-c");
  bool timed = argc > 2 && !strcmp(argv[argc - 2], "-t");
  if (argc > 1)
    return tool(argv[argc - 1], columns, timed);
  RUN(test_joins_in_order_without_lines);
  RUN(test_refuses);
  RUN(test_any_damage_is_survived);
  return check_done();
}
