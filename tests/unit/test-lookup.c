/* libs: cca_symbols -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc */
/* SPDX-License-Identifier: MIT */
/*
 * test-lookup.c -- what a symbol table answers: function, inlined functions,
 * line, symbol; each result there is; and that no question allocates.
 *
 * The table is tests/fuzz/corpus/assemble/symbols.txt.
 */
#include <stdlib.h>

#include "base/file.h"
#include "image.h"
#include "symbols/lookup.h"

static struct cca_text image;
static struct cca_table table;

static void open_table(void) {
  struct cca_text path = {0}, text = {0};
  struct cca_table_error err = {.text = ""};
  const char *source = getenv("CCA_SOURCE");
  cca_text_addf(&path, "%s/tests/fuzz/corpus/assemble/symbols.txt",
                source ? source : ".");
  CHECK_U(cca_file_read(path.data, 1 << 20, &text), 0);
  CHECK_U(cca_text_assemble(text.data, text.len, &image, &err), CCA_TABLE_OK);
  CHECK_STR(err.text, "");
  CHECK_U(
      cca_table_open(&table, &cca_symbols_schema, image.data, image.len, &err),
      CCA_TABLE_OK);
  cca_text_release(&path);
  cca_text_release(&text);
}

/* "result: name file:line:column start+size, ..." of OFFSET, with ROOM. */
static const char *at(uint64_t offset, size_t room) {
  static char text[1000];
  struct cca_frame frames[8] = {0};
  size_t count = 77, before = allocations;
  int result = cca_lookup_address(&table, offset, frames, room, &count);
  CHECK_U(allocations, before);
  int len = snprintf(text, sizeof text, "%d:", result);
  for (size_t i = 0; i < count && i < room; i++)
    len += snprintf(
        text + len, sizeof text - (size_t)len, " %s|%s %s:%u:%u %llx+%llx%s",
        frames[i].name ?: "?", frames[i].pretty ?: "?", frames[i].file ?: "?",
        frames[i].line, frames[i].column, (unsigned long long)frames[i].start,
        (unsigned long long)frames[i].size, frames[i].inlined ? " in" : "");
  if (count > room)
    snprintf(text + len, sizeof text - (size_t)len, " of %zu", count);
  return text;
}

static void test_address(void) {
  CHECK_STR(at(0x1100, 8), "0: main|main /src/a.c:11:0 1100+80");
  CHECK_STR(at(0x1118, 8), "0: put|put /src/a.h:7:1 1118+8 in"
                           " _ZN1a3getEv|a::get() /src/a.h:4:0 1110+20 in"
                           " main|main /src/a.c:12:3 1100+80");
  CHECK_STR(at(0x111f, 1), "0: put|put /src/a.h:7:1 1118+8 in of 3");
  CHECK_STR(at(0x1118, 0), "0: of 3");
  CHECK_STR(at(0x112f, 8), /* a line that is none, but the file is known */
            "-7: _ZN1a3getEv|a::get() /src/a.h:0:0 1110+20 in"
            " main|main /src/a.c:12:3 1100+80");
  CHECK_STR(at(0x1130, 8), "0: main|main /src/a.c:13:0 1100+80");
  CHECK_STR(at(0x1180, 8), "0: ?|? /src/a.c:13:0 1180+20");
}

static void test_symbols_without_lines(void) {
  CHECK_STR(at(0x11a0, 8), "-7: _ZN1a3getEv|a::get() ?:0:0 1180+40");
  CHECK_STR(at(0x11c5, 8), "-7: put|put ?:0:0 11c0+0");
  CHECK_STR(at(0x2007, 8), "-7: data|data ?:0:0 2000+8");
}

static void test_nothing_there(void) {
  CHECK_STR(at(0x10ff, 8), "-3:"); /* before the first of all */
  CHECK_STR(at(0x1200, 8), "-3:");
  CHECK_STR(at(0x2008, 8), "-3:");
  CHECK_STR(at(0x2fff, 8), "-3:");
  CHECK_STR(at(0x3000, 8), "-3:"); /* outside of the module */
  CHECK_STR(at(0xfff, 8), "-3:");
  CHECK_STR(at(UINT64_MAX, 8), "-3:");
  CHECK_STR(at(0x100001118, 8), "-3:"); /* no other one's lowest 32 bits */
}

/* "result count: name@offset+size type scope, ..." */
static const char *named(int (*ask)(const struct cca_table *, const char *,
                                    struct cca_symbol_info *, size_t, size_t *),
                         const char *name, size_t room) {
  static char text[1000];
  struct cca_symbol_info infos[8];
  size_t count = 77, before = allocations;
  int result = ask(&table, name, infos, room, &count);
  CHECK_U(allocations, before);
  int len = snprintf(text, sizeof text, "%d %zu:", result, count);
  for (size_t i = 0; i < count && i < room; i++)
    len += snprintf(
        text + len, sizeof text - (size_t)len, " %s@%llx+%llx %u %u",
        infos[i].pretty, (unsigned long long)infos[i].offset,
        (unsigned long long)infos[i].size, infos[i].type, infos[i].scope);
  return text;
}

static void test_names(void) {
  CHECK_STR(named(cca_lookup_name, "main", 8), "0 1: main@1100+80 1 1");
  CHECK_STR(named(cca_lookup_name, "put", 8), "0 1: put@11c0+0 0 0");
  CHECK_STR(named(cca_lookup_name, "data", 8), "0 1: data@2000+8 2 0");
  CHECK_STR(named(cca_lookup_name, "_ZN1a3getEv", 8),
            "0 1: a::get()@1180+40 1 2");
  CHECK_STR(named(cca_lookup_name, "a::get()", 8), "0 1: a::get()@1180+40 1 2");
  CHECK_STR(named(cca_lookup_name, "mai", 8), "-3 0:");
  CHECK_STR(named(cca_lookup_name, "main2", 8), "-3 0:");
  CHECK_STR(named(cca_lookup_name, "", 8), "-3 0:");
  CHECK_STR(named(cca_lookup_name, "ma*", 8), "-3 0:"); /* no pattern */
}

static void test_patterns(void) {
  CHECK_STR(named(cca_lookup_pattern, "m*n", 8), "0 1: main@1100+80 1 1");
  CHECK_STR(named(cca_lookup_pattern, "a::*", 8), "0 1: a::get()@1180+40 1 2");
  CHECK_STR(named(cca_lookup_pattern, "_Z*", 8), "0 1: a::get()@1180+40 1 2");
  CHECK_STR(named(cca_lookup_pattern, "*", 2),
            "0 4: main@1100+80 1 1 a::get()@1180+40 1 2");
  CHECK_STR(named(cca_lookup_pattern, "?a*a", 8), "0 1: data@2000+8 2 0");
  CHECK_STR(named(cca_lookup_pattern, "d*t*ta", 8), "-3 0:");
  CHECK_STR(named(cca_lookup_pattern, "????", 8),
            "0 2: main@1100+80 1 1 data@2000+8 2 0");
  CHECK_STR(named(cca_lookup_pattern, "main?", 8), "-3 0:");
  CHECK_STR(named(cca_lookup_pattern, "", 8), "-3 0:");
}

static void test_lines(void) {
  struct cca_line_info line = cca_lookup_line(&table, 1);
  CHECK_U(line.offset, 0x1110);
  CHECK_U(line.size, 8);
  CHECK_STR(line.file, "/src/a.h");
  CHECK_U(line.line, 3);
  CHECK_U(line.column, 9);
  line = cca_lookup_line(&table, 5); /* the last one goes to the end */
  CHECK_U(line.size, 0x2000 - 0x1a0);
  CHECK_STR(line.file, NULL);
}

int main(void) {
  open_table();
  RUN(test_address);
  RUN(test_symbols_without_lines);
  RUN(test_nothing_there);
  RUN(test_names);
  RUN(test_patterns);
  RUN(test_lines);
  cca_text_release(&image);
  return check_done();
}
