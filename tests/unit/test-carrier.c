/* libs: cca_summaries */
/* SPDX-License-Identifier: MIT */
/*
 * test-carrier.c -- every kind of file yields the tables it carries, or the
 * reason why there is none; a broken one is refused and never read out of
 * bounds.
 *
 * Images are copied into blocks of exactly their size, so that under
 * AddressSanitizer a reader that strays by one byte is caught.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "summaries/bitcode.h"
#include "summaries/carrier.h"
#include "tiny-elf.h"

static const unsigned char code[] = {0xc3, 0x90, 0x90, 0x90};
static const char bitcode[] = {'B', 'C', (char)0xc0, (char)0xde, 0, 0, 0, 0};

/* --------------------------------------------------------- made for tests */

static struct cca_text make_summary(const char *source) {
  struct cca_text out = {0};
  struct cca_builder *b = cca_builder_new(&cca_summary_schema);
  struct cca_unit unit = {.source = cca_builder_string(b, source),
                          .producer = cca_builder_string(b, "cc-allocs 1")};
  cca_unit_add(b, unit);
  CHECK(cca_builder_finish(b, &out, NULL) == CCA_TABLE_OK);
  cca_builder_free(b);
  return out;
}

static struct cca_text make_classification(const char *producer) {
  struct cca_text out = {0};
  struct cca_builder *b = cca_builder_new(&cca_classification_schema);
  struct cca_module module = {.producer = cca_builder_string(b, producer)};
  cca_module_add(b, module);
  CHECK(cca_builder_finish(b, &out, NULL) == CCA_TABLE_OK);
  cca_builder_free(b);
  return out;
}

static void pad(struct cca_text *text, size_t align) {
  while (text->len % align)
    cca_text_add(text, "", 1);
}

static struct cca_text make_object(const void *summary, size_t len) {
  const struct tiny_section sections[] = {
      {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, 4, 0, 0},
      {".cc_allocs", SHT_PROGBITS, SHF_EXCLUDE, summary, len, 0, 0},
  };
  struct tiny_elf elf = {true, false, ET_REL, sections, summary ? 2 : 1, 0};
  struct cca_text out = {0};
  tiny_elf_make(&elf, &out);
  return out;
}

static struct cca_text object_of(const char *source) {
  struct cca_text summary = make_summary(source);
  struct cca_text object = make_object(summary.data, summary.len);
  cca_text_release(&summary);
  return object;
}

static void add_note(struct cca_text *notes, const char *owner, uint32_t type,
                     const void *bytes, size_t len) {
  struct cca_elf order = {0};
  unsigned char header[12];
  cca_elf_put32(&order, header, (uint32_t)strlen(owner) + 1);
  cca_elf_put32(&order, header + 4, (uint32_t)len);
  cca_elf_put32(&order, header + 8, type);
  cca_text_add(notes, header, 12);
  cca_text_add(notes, owner, strlen(owner) + 1);
  pad(notes, 4);
  cca_text_add(notes, bytes, len);
  pad(notes, 4);
}

static struct cca_text make_module(const struct cca_text *notes) {
  const struct tiny_section sections[] = {
      {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, 4, 0, 0},
      {".note", SHT_NOTE, SHF_ALLOC, notes->data, notes->len, 0, 0},
  };
  struct tiny_elf elf = {true, false, ET_DYN, sections, 2, 2};
  struct cca_text out = {0};
  tiny_elf_make(&elf, &out);
  return out;
}

static void add_header(struct cca_text *archive, const char *name, size_t len) {
  if (archive->len % 2)
    cca_text_adds(archive, "\n");
  cca_text_addf(archive, "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", name, "0", "0", "0",
                "644", len);
}

static void add_member(struct cca_text *archive, const char *name,
                       const void *bytes, size_t len) {
  add_header(archive, name, len);
  cca_text_add(archive, bytes, len);
}

/* --------------------------------------------------------------- the list */

/* What was found, a line for each item. */
static struct cca_text list(struct cca_carrier *c) {
  struct cca_text out = {0};
  cca_text_adds(&out, "");
  for (size_t i = 0; i < cca_carrier_count(c); i++) {
    const struct cca_carrier_item *item = cca_carrier_item(c, i);
    CHECK(!item->table == !!item->reason);
    CHECK((item->kind == CCA_CARRIER_MISSING) == !item->table);
    cca_text_addf(&out, "%s#%u ", item->name, item->part);
    if (item->kind == CCA_CARRIER_SUMMARY)
      cca_text_addf(
          &out, "summary of %s\n",
          cca_table_string(item->table, cca_unit_at(item->table, 0).source));
    else if (item->kind == CCA_CARRIER_CLASSIFICATION)
      cca_text_addf(&out, "classification by %s\n",
                    cca_table_string(item->table,
                                     cca_module_at(item->table, 0).producer));
    else
      cca_text_addf(&out, "missing: %s\n", item->reason);
  }
  return out;
}

static void check_carrier(struct cca_carrier *c, const char *want) {
  struct cca_text got = list(c);
  CHECK_STR(got.data, want);
  cca_text_release(&got);
  cca_carrier_free(c);
}

/* BYTES, called x, carry what the lines of WANT say. */
static void check_bytes(const void *bytes, size_t len, const char *want) {
  struct cca_carrier *c = cca_carrier_new(NULL);
  unsigned char *copy = malloc(len ? len : 1);
  memcpy(copy, bytes, len);
  cca_carrier_add_bytes(c, "x", copy, len);
  check_carrier(c, want);
  free(copy);
}

static void check_text(struct cca_text bytes, const char *want) {
  check_bytes(bytes.data, bytes.len, want);
  cca_text_release(&bytes);
}

/* ---------------------------------------------------------------- objects */

static void test_object(void) {
  check_text(object_of("a.c"), "x#0 summary of a.c\n");
  check_text(make_object(NULL, 0), "x#0 missing: object without a summary\n");
}

static void test_joined_object(void) {
  struct cca_text all = make_summary("a.c"), b = make_summary("dir/b.c");
  pad(&all, 8);
  cca_text_add(&all, b.data, b.len);
  pad(&all, 8);
  struct cca_text object = make_object(all.data, all.len);
  check_text(object, "x#0 summary of a.c\nx#1 summary of dir/b.c\n");

  /* The second is broken: the first still counts. */
  all.data[all.len - b.len - (8 - b.len % 8) % 8] ^= 0x20;
  object = make_object(all.data, all.len);
  struct cca_carrier *c = cca_carrier_new(NULL);
  cca_carrier_add_bytes(c, "x", object.data, object.len);
  CHECK_U(cca_carrier_count(c), 2);
  CHECK(cca_carrier_item(c, 0)->kind == CCA_CARRIER_SUMMARY);
  CHECK(cca_carrier_item(c, 1)->why == CCA_CARRIER_CORRUPT);
  cca_carrier_free(c);
  cca_text_release(&object);
  cca_text_release(&all);
  cca_text_release(&b);
}

static void test_other_version(void) {
  struct cca_text object = object_of("a.c");
  struct cca_carrier *c = cca_carrier_new("cc-allocs 2");
  cca_carrier_add_bytes(c, "x", object.data, object.len);
  CHECK(cca_carrier_item(c, 0)->why == CCA_CARRIER_VERSION);
  check_carrier(c, "x#0 missing: summary by cc-allocs 1\n");
  c = cca_carrier_new("cc-allocs 1");
  cca_carrier_add_bytes(c, "x", object.data, object.len);
  check_carrier(c, "x#0 summary of a.c\n");
  cca_text_release(&object);
}

/* ld -r has joined summaries of three versions: each is said or read by itself,
 * and the way to the next is the size that it has itself. */
static void test_joined_with_other_versions(void) {
  struct cca_text all = make_summary("a.c");
  struct cca_text b = make_summary("b.c"), c = make_summary("c.c");
  size_t first = all.len;
  all.data[12] = 1;
  b.data[12] = 9;
  cca_text_add(&all, b.data, b.len);
  cca_text_add(&all, c.data, c.len);
  struct cca_text want = {0};
  cca_text_addf(&want,
                "x#0 missing: compiled by an older cc-allocs (summary version "
                "1.0, we read 2); compile it again\n"
                "x#1 missing: another format at byte %zu: summary version 9.0, "
                "we read 2\n"
                "x#2 summary of c.c\n",
                first + 12);
  struct cca_text object = make_object(all.data, all.len);
  check_bytes(object.data, object.len, want.data);

  /* A size that cannot be leads nowhere. */
  static const unsigned char wrong[][4] = {
      {0, 0, 0, 0}, {24, 0, 0, 0}, {36, 0, 0, 0}, {0, 0, 0, 0x40}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    memcpy(all.data + 16, wrong[i], 4);
    check_text(make_object(all.data, all.len),
               "x#0 missing: compiled by an older cc-allocs (summary version "
               "1.0, we read 2); compile it again\n");
  }
  cca_text_release(&object);
  cca_text_release(&want);
  cca_text_release(&all);
  cca_text_release(&b);
  cca_text_release(&c);
}

/* Data without pointers contributes nothing; with pointers it does. */
static void test_object_without_code(void) {
  struct tiny_section sections[] = {
      {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, code, 4, 0, 0},
      {".rela.data", SHT_RELA, 0, NULL, 0, 0, 1},
      {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, 0, 0, 0},
  };
  static const char relocation[24];
  struct tiny_elf elf = {true, false, ET_REL, sections, 3, 0};
  struct cca_text out = {0};
  tiny_elf_make(&elf, &out);
  check_text(out, "");

  sections[1].bytes = relocation;
  sections[1].size = sizeof relocation;
  out = (struct cca_text){0};
  tiny_elf_make(&elf, &out);
  check_text(out, "x#0 missing: object without a summary\n");

  sections[1].name = ".rela.eh_frame";
  sections[0].name = ".eh_frame";
  out = (struct cca_text){0};
  tiny_elf_make(&elf, &out);
  check_text(out, "");

  sections[0].name = ".gnu.lto_.decls.1";
  sections[0].flags = SHF_EXCLUDE;
  out = (struct cca_text){0};
  tiny_elf_make(&elf, &out);
  check_text(out, "x#0 missing: GIMPLE object without a summary\n");
}

static void test_no_object(void) {
  check_bytes(bitcode, sizeof bitcode,
              "x#0 missing: bitcode object without a summary\n");
  check_bytes("\xde\xc0\x17\x0b", 4,
              "x#0 missing: bitcode object without a summary\n");
  check_bytes("GROUP ( libc.so.6 )", 19, "x#0 missing: not an ELF file\n");
  check_bytes("", 0, "x#0 missing: not an ELF file\n");
}

static void test_bitcode(void) {
  struct cca_text summary = make_summary("a.c"), object = {0};
  cca_text_add(&object, "BC\xc0\xde", 4);
  cca_bitcode_add(&object, "a block of somebody else's", 26);
  object.data[4] ^= 4; /* 98 */
  size_t len = object.len;
  cca_bitcode_add(&object, summary.data, summary.len);
  check_bytes(object.data, object.len, "x#0 summary of a.c\n");
  check_bytes(object.data, len,
              "x#0 missing: bitcode object without a summary\n");
  object.data[object.len - 12] ^= 0x20;
  check_text(object, "x#0 missing: corrupt table at byte 112: the string table "
                     "is not terminated\n");
  cca_text_release(&summary);
}

/* ---------------------------------------------------------------- modules */

static void test_module(void) {
  struct cca_text table = make_classification("cc-allocs 1"), notes = {0};
  add_note(&notes, "GNU", 3, "0123456789abcdef0123", 20);
  check_text(make_module(&notes),
             "x#0 missing: module without a classification\n");
  /* Behind a note that a walker would mis-measure (mold, gold). */
  cca_text_add(&notes, "\0\0\0\0", 4);
  add_note(&notes, "cc-allocs", 1, table.data, table.len);
  check_text(make_module(&notes), "x#0 classification by cc-allocs 1\n");
  /* Another type, another owner are not ours. */
  notes.len = 0;
  add_note(&notes, "cc-allocs", 2, table.data, table.len);
  add_note(&notes, "cc-allocz", 1, table.data, table.len);
  check_text(make_module(&notes),
             "x#0 missing: module without a classification\n");
  /* In the format of another version. */
  notes.len = 0;
  table.data[12] = 1;
  add_note(&notes, "cc-allocs", 1, table.data, table.len);
  check_text(make_module(&notes),
             "x#0 missing: linked by an older cc-allocs (classification "
             "version 1.0, we read 2); link it again\n");
  notes.len = 0;
  table.data[12] = 3;
  add_note(&notes, "cc-allocs", 1, table.data, table.len);
  check_text(make_module(&notes),
             "x#0 missing: another format at byte 12: classification version "
             "3.0, we read 2\n");
  table.data[12] = 2;
  /* Longer than the segment. */
  notes.len = 0;
  add_note(&notes, "cc-allocs", 1, table.data, table.len);
  struct cca_text module = make_module(&notes);
  struct cca_elf elf;
  struct cca_elf_segment segment;
  CHECK_STR(cca_elf_open(&elf, module.data, module.len), NULL);
  CHECK(cca_elf_segment_at(&elf, 0, &segment));
  module.data[segment.offset + 7] = 1;
  check_text(module, "x#0 missing: corrupt note: longer than its segment\n");
  cca_text_release(&table);
  cca_text_release(&notes);
}

/* --------------------------------------------------------------- archives */

static void test_archive(void) {
  struct cca_text a = object_of("a.c"), b = object_of("b.c"), ar = {0};
  cca_text_adds(&ar, "!<arch>\n");
  add_member(&ar, "/", "\0\0\0\0", 4);
  add_member(&ar, "//", "a_rather_long_name.o/\n", 22);
  add_member(&ar, "a.o/", a.data, a.len);
  add_member(&ar, "/0", b.data, b.len);
  size_t second = ar.len - b.len;
  add_member(&ar, "plain.o", bitcode, 8);
  add_member(&ar, "odd", "odd", 3);
  add_header(&ar, "#1/8", 8 + a.len);
  cca_text_add(&ar, "bsd.o\0\0\0", 8);
  cca_text_add(&ar, a.data, a.len);
  check_bytes(ar.data, ar.len,
              "x(a.o)#0 summary of a.c\n"
              "x(a_rather_long_name.o)#0 summary of b.c\n"
              "x(plain.o)#0 missing: bitcode object without a summary\n"
              "x(odd)#0 missing: not an ELF file\n"
              "x(bsd.o)#0 summary of a.c\n");

  /* One member of it, as a linker names it. */
  FILE *file = fopen("one.a", "wb");
  CHECK(file && fwrite(ar.data, 1, ar.len, file) == ar.len);
  fclose(file);
  struct cca_carrier *c = cca_carrier_new(NULL);
  cca_carrier_add_member(c, "one.a", second);
  cca_carrier_add_member(c, "one.a", second + 1);
  check_carrier(c,
                "one.a(a_rather_long_name.o)#0 summary of b.c\n"
                "one.a#0 missing: corrupt archive: no member begins there\n");

  struct cca_text outer = {0};
  cca_text_adds(&outer, "!<arch>\n");
  add_member(&outer, "in.a/", ar.data, 8 + 60 + 4 + 60 + 22 + 60 + a.len);
  check_text(outer, "x(in.a)(a.o)#0 summary of a.c\n");
  check_bytes("!<arch>\n", 8, "");
  cca_text_release(&a);
  cca_text_release(&b);
  cca_text_release(&ar);
}

static void test_thin_archive(void) {
  struct cca_text a = object_of("a.c"), ar = {0};
  mkdir("sub", 0755);
  FILE *file = fopen("sub/a.o", "wb");
  CHECK(file && fwrite(a.data, 1, a.len, file) == a.len);
  fclose(file);
  cca_text_adds(&ar, "!<thin>\n");
  add_member(&ar, "//", "a.o/\ngone.o/\nt.a/\n", 18);
  add_header(&ar, "/0", a.len);
  add_header(&ar, "/5", a.len);
  add_header(&ar, "/13", a.len);
  file = fopen("sub/t.a", "wb");
  CHECK(file && fwrite(ar.data, 1, ar.len, file) == ar.len);
  fclose(file);
  struct cca_carrier *c = cca_carrier_new(NULL);
  cca_carrier_add_file(c, "sub/t.a");
  check_carrier(c,
                "sub/t.a(a.o)#0 summary of a.c\n"
                "sub/t.a(gone.o)#0 missing: cannot read it: No such file or "
                "directory\n"
                "sub/t.a(t.a)#0 missing: corrupt archive: an archive as member "
                "of a thin archive\n");
  /* In memory there is no folder to look in. */
  ar.len -= 60;
  check_bytes(ar.data, ar.len,
              "x(a.o)#0 missing: the member of a thin archive is not here\n"
              "x(gone.o)#0 missing: the member of a thin archive is not "
              "here\n");
  cca_text_release(&a);
  cca_text_release(&ar);
}

static void test_unreadable(void) {
  struct cca_carrier *c = cca_carrier_new(NULL);
  cca_carrier_add_file(c, "none.o");
  cca_carrier_add_file(c, ".");
  cca_carrier_add_file(c, "/dev/null");
  check_carrier(c,
                "none.o#0 missing: cannot read it: No such file or directory\n"
                ".#0 missing: cannot read it: not a regular file\n"
                "/dev/null#0 missing: cannot read it: not a regular file\n");
}

/* ------------------------------------------------------------ broken input */

/* One row per check: bytes of an archive of one member, an object at 68. */
static const struct {
  size_t at;
  const char *bytes;
  const char *want;
} broken_archive[] = {
    {8, "/1 ", "x#0 missing: corrupt archive at byte 8: bad member name\n"},
    {8, "/x ", "x#0 missing: corrupt archive at byte 8: bad member name\n"},
    {8, "#1/99999999",
     "x#0 missing: corrupt archive at byte 8: bad member "
     "name\n"},
    {8, "    ", "x#0 missing: corrupt archive at byte 8: bad member name\n"},
    {8, "__.SYMDEF", ""},
    {56, "x", "x#0 missing: corrupt archive at byte 8: bad member size\n"},
    {62, "1", "x#0 missing: corrupt archive at byte 8: bad member size\n"},
    {56, "9999999999",
     "x#0 missing: corrupt archive at byte 8: member cut "
     "off\n"},
    {66, "'", "x#0 missing: corrupt archive at byte 8: bad member header\n"},
    {68, "?", "x(a.o)#0 missing: not an ELF file\n"},
    {68 + 4, "\3",
     "x(a.o)#0 missing: corrupt object: ELF header: unknown "
     "class\n"},
    {68 + 16, "\4", "x(a.o)#0 missing: neither an object nor a module\n"},
    {68 + 58, "\1",
     "x(a.o)#0 missing: corrupt object: ELF header: bad size of "
     "section headers\n"},
    {68 + 44, "\1",
     "x(a.o)#0 missing: corrupt object: section header table: "
     "outside the file\n"},
    {68 + 62, "\7",
     "x(a.o)#0 missing: corrupt object: section 1 lies outside "
     "the file\n"},
};

static void test_refuses(void) {
  struct cca_text a = object_of("a.c"), ar = {0};
  cca_text_adds(&ar, "!<arch>\n");
  add_member(&ar, "a.o/", a.data, a.len);
  for (size_t i = 0; i < sizeof broken_archive / sizeof broken_archive[0];
       i++) {
    struct cca_text bad = {0};
    cca_text_add(&bad, ar.data, ar.len);
    memcpy(bad.data + broken_archive[i].at, broken_archive[i].bytes,
           strlen(broken_archive[i].bytes));
    if (broken_archive[i].at == 8 && bad.data[8] == ' ')
      memset(bad.data + 8, ' ', 16);
    check_text(bad, broken_archive[i].want);
  }
  /* A header without its end. */
  check_bytes(ar.data, 8 + 59,
              "x#0 missing: corrupt archive at byte 8: member header cut "
              "off\n");
  cca_text_release(&a);
  cca_text_release(&ar);
}

static void test_empty_section(void) {
  const struct tiny_section sections[] = {
      {".cc_allocs", SHT_PROGBITS, SHF_EXCLUDE, "", 0, 0, 0}};
  struct tiny_elf elf = {true, false, ET_REL, sections, 1, 0};
  struct cca_text out = {0};
  tiny_elf_make(&elf, &out);
  check_text(out, "x#0 missing: corrupt object: its section .cc_allocs is "
                  "empty\n");
}

/* 65000 headers of one section must not cost 65000 times its size. */
static void test_overlapping_sections(void) {
  struct cca_text summary = make_summary("a.c"), out = {0};
  struct tiny_section sections[40];
  for (unsigned i = 0; i < 40; i++)
    sections[i] = (struct tiny_section){
        ".cc_allocs", SHT_PROGBITS, SHF_EXCLUDE, code, 4, 0, 0};
  sections[39].bytes = summary.data;
  sections[39].size = summary.len;
  struct tiny_elf elf = {true, false, ET_REL, sections, 40, 0};
  tiny_elf_make(&elf, &out);
  struct cca_elf order = {.is64 = true};
  unsigned char *p = (unsigned char *)out.data;
  unsigned char *headers = p + cca_elf_u64(&order, p + 40);
  for (unsigned i = 1; i < 40; i++)
    memcpy(headers + i * 64, headers + 40 * 64, 64);

  struct cca_carrier *c = cca_carrier_new(NULL);
  cca_carrier_add_bytes(c, "x", out.data, out.len);
  size_t count = cca_carrier_count(c);
  CHECK_U(count, out.len / summary.len + 1);
  CHECK_STR(cca_carrier_item(c, count - 1)->reason,
            "corrupt object: sections overlap");
  cca_carrier_free(c);
  cca_text_release(&summary);
  cca_text_release(&out);
}

/* List LEN bytes; returns whether anything but a summary came out. */
static bool spoilt(const char *bytes, size_t len) {
  struct cca_carrier *c = cca_carrier_new(NULL);
  unsigned char *copy = malloc(len ? len : 1);
  memcpy(copy, bytes, len);
  cca_carrier_add_bytes(c, "x", copy, len);
  bool good = cca_carrier_count(c) == 1 &&
              cca_carrier_item(c, 0)->kind != CCA_CARRIER_MISSING;
  struct cca_text text = list(c);
  cca_text_release(&text);
  cca_carrier_free(c);
  free(copy);
  return !good;
}

static void check_damage(const struct cca_text *good, size_t first_truncation) {
  CHECK(!spoilt(good->data, good->len));
  for (size_t len = first_truncation; len < good->len; len++)
    CHECK(spoilt(good->data, len));
  struct cca_text bad = {0};
  cca_text_add(&bad, good->data, good->len);
  unsigned count = 0;
  for (size_t at = 0; at < good->len; at++) {
    for (unsigned bit = 0; bit < 8; bit++) {
      bad.data[at] = (char)(good->data[at] ^ 1 << bit);
      count += spoilt(bad.data, bad.len);
    }
    bad.data[at] = good->data[at];
  }
  CHECK(count > good->len); /* most of the damage is noticed */
  cca_text_release(&bad);
}

static void test_truncations_and_single_bits(void) {
  struct cca_text a = object_of("a.c"), ar = {0}, notes = {0};
  check_damage(&a, 0);
  cca_text_adds(&ar, "!<arch>\n");
  add_member(&ar, "a.o/", a.data, a.len);
  check_damage(&ar, 0);
  struct cca_text table = make_classification("cc-allocs 1");
  add_note(&notes, "cc-allocs", 1, table.data, table.len);
  struct cca_text module = make_module(&notes);
  check_damage(&module, 0);
  cca_text_release(&a);
  cca_text_release(&ar);
  cca_text_release(&notes);
  cca_text_release(&table);
  cca_text_release(&module);
}

int main(void) {
  char folder[] = "/tmp/cca-carrier.XXXXXX";
  if (!mkdtemp(folder) || chdir(folder))
    return 1;
  RUN(test_object);
  RUN(test_joined_object);
  RUN(test_other_version);
  RUN(test_joined_with_other_versions);
  RUN(test_object_without_code);
  RUN(test_no_object);
  RUN(test_bitcode);
  RUN(test_module);
  RUN(test_archive);
  RUN(test_thin_archive);
  RUN(test_unreadable);
  RUN(test_refuses);
  RUN(test_empty_section);
  RUN(test_overlapping_sections);
  RUN(test_truncations_and_single_bits);
  static const char *const made[] = {"one.a", "sub/a.o", "sub/t.a", "sub"};
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
    remove(made[i]);
  CHECK(rmdir(folder) == 0);
  return check_done();
}
