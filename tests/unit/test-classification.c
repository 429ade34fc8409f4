/* libs: ccallocs cca_summaries */
/* SPDX-License-Identifier: MIT */
/*
 * test-classification.c -- the public reader gives back what a classification
 * says, and refuses what is none, with the right code.
 */
#include <stdio.h>
#include <unistd.h>

#include "ccallocs/classification.h"
#include "check.h"
#include "summaries/note.h"
#include "summaries/table.h"
#include "tiny-elf.h"

/* One function, two sites with return addresses 0x100 and 0x200, one unit
 * missing. */
static struct cca_text make_table(void) {
  struct cca_text out = {0};
  struct cca_builder *b = cca_builder_new(&cca_classification_schema);
  struct cca_module module = cca_module_init();
  module.producer = cca_builder_string(b, "test");
  cca_module_add(b, module);

  struct cca_file file = {.name = cca_builder_string(b, "pool.c")};
  struct cca_index arg = {.value = 3};
  struct cca_alloc alloc = cca_alloc_init();
  alloc.name = cca_builder_string(b, "pool_get");
  alloc.unit = alloc.size = cca_builder_string(b, "p3");
  alloc.file = cca_file_add(b, file);
  alloc.line = 7;
  alloc.kind = CCA_KIND_POOL;
  alloc.args_first = cca_index_add(b, arg);
  alloc.args_count = 1;
  alloc.via = CCA_VIA_OUT_PARAMETER;
  alloc.via_param = 2;
  alloc.offset = 16;
  alloc.certainty = CCA_CERTAINTY_CARVED;
  cca_alloc_add(b, alloc);

  struct cca_type type = cca_type_init();
  type.name = cca_builder_string(b, "struct foo");
  type.kind = CCA_TYPE_KIND_STRUCT;
  struct cca_allocsite site = cca_allocsite_init();
  site.unit = cca_builder_string(b, "main.c");
  site.callee = alloc.name;
  site.line = 30;
  site.class = CCA_SITE_CLASS_TYPED;
  site.of = cca_type_add(b, type);
  site.shape = CCA_SIZE_SHAPE_ONE;
  uint32_t first = cca_allocsite_add(b, site);
  site.class = CCA_SITE_CLASS_PASS_THROUGH;
  site.of = CCA_NONE;
  uint32_t second = cca_allocsite_add(b, site);
  struct cca_address address = {.value = 0x100, .site = first};
  cca_address_add(b, address);
  address = (struct cca_address){.value = 0x200, .site = second};
  cca_address_add(b, address);

  struct cca_missing missing = {.unit = cca_builder_string(b, "hand.s"),
                                .reason = cca_builder_string(b, "no C")};
  cca_missing_add(b, missing);
  CHECK(cca_builder_finish(b, &out, NULL) == CCA_TABLE_OK);
  cca_builder_free(b);
  return out;
}

/* A shared object with TABLE in a note of OWNER. */
static struct cca_text make_module(const struct cca_text *table,
                                   const char *owner) {
  struct cca_text note = {0}, out = {0};
  struct cca_elf order = {0};
  unsigned char header[12];
  cca_elf_put32(&order, header, (uint32_t)strlen(owner) + 1);
  cca_elf_put32(&order, header + 4, (uint32_t)table->len);
  cca_elf_put32(&order, header + 8, CCA_NOTE_CLASSIFICATION);
  cca_text_add(&note, header, sizeof header);
  cca_text_add(&note, owner, strlen(owner) + 1);
  while (note.len % 4)
    cca_text_add(&note, "", 1);
  cca_text_add(&note, table->data, table->len);

  const struct tiny_section sections[] = {
      {".note.cc-allocs", SHT_NOTE, SHF_ALLOC, note.data, note.len, 0, 0}};
  struct tiny_elf elf = {true, false, ET_DYN, sections, 1, 1};
  tiny_elf_make(&elf, &out);
  cca_text_release(&note);
  return out;
}

static struct cca_text make_good(void) {
  struct cca_text table = make_table();
  struct cca_text module = make_module(&table, CCA_NOTE_OWNER);
  cca_text_release(&table);
  return module;
}

static void check_contents(const struct cca_classification *c) {
  CHECK_U(cca_classification_function_count(c), 1);
  struct cca_function_info f = cca_classification_function(c, 0);
  CHECK_STR(f.name, "pool_get");
  CHECK_STR(f.file, "pool.c");
  CHECK_U(f.line, 7);
  CHECK_STR(f.kind, "pool");
  CHECK_STR(f.size, "p3");
  CHECK_U(f.size_arg_count, 1);
  CHECK_U(cca_classification_size_arg(c, 0, 0), 3);
  CHECK_STR(f.via, "out-parameter");
  CHECK_U(f.via_parameter, 2);
  CHECK(f.offset == 16);
  CHECK_STR(f.certainty, "carved");

  CHECK_U(cca_classification_site_count(c), 2);
  struct cca_site_info site = cca_classification_site(c, 0);
  CHECK_STR(site.unit, "main.c");
  CHECK_STR(site.file, NULL);
  CHECK_STR(site.callee, "pool_get");
  CHECK_STR(site.site_class, "typed");
  CHECK_STR(site.type, "struct foo");
  CHECK_STR(site.shape, "one");
  CHECK_STR(site.used_as, NULL);
  site = cca_classification_site(c, 1);
  CHECK_STR(site.site_class, "pass-through");
  CHECK_STR(site.type, NULL);

  CHECK_U(cca_classification_missing_count(c), 1);
  CHECK_STR(cca_classification_missing(c, 0).unit, "hand.s");
  CHECK_STR(cca_classification_missing(c, 0).reason, "no C");
}

static void test_reads_memory(void) {
  struct cca_text module = make_good();
  struct cca_classification *c;
  struct cca_error err = {.status = 1};
  CHECK(cca_classification_open_mem(&c, module.data, module.len, &err) ==
        CCA_OK);
  CHECK(err.status == CCA_OK);
  check_contents(c);
  cca_classification_free(c);
  cca_text_release(&module);
}

static void test_reads_a_file(void) {
  struct cca_text module = make_good();
  struct cca_classification *c;
  char path[] = "/tmp/cca-test-XXXXXX";
  int file = mkstemp(path);
  CHECK(write(file, module.data, module.len) == (ssize_t)module.len);
  close(file);
  CHECK(cca_classification_open(&c, path, NULL) == CCA_OK);
  unlink(path);
  check_contents(c);
  cca_classification_free(c);
  cca_text_release(&module);
}

static void test_only_exact_addresses_have_a_site(void) {
  struct cca_text module = make_good();
  struct cca_classification *c;
  CHECK(cca_classification_open_mem(&c, module.data, module.len, NULL) ==
        CCA_OK);
  CHECK(cca_classification_find_address(c, 0x100) == 0);
  CHECK(cca_classification_find_address(c, 0x200) == 1);
  CHECK(cca_classification_find_address(c, 0) == CCA_NO_SITE);
  CHECK(cca_classification_find_address(c, 0x101) == CCA_NO_SITE);
  CHECK(cca_classification_find_address(c, 0x201) == CCA_NO_SITE);
  CHECK(cca_classification_find_address(c, UINT64_MAX) == CCA_NO_SITE);
  cca_classification_free(c);
  cca_text_release(&module);
}

/* Open LEN bytes and expect STATUS and TEXT, and no classification. */
static void check_refused(const void *image, size_t len, int status,
                          const char *text) {
  struct cca_classification *c = (void *)&c;
  struct cca_error err = {.text = ""};
  CHECK(cca_classification_open_mem(&c, image, len, &err) == status);
  CHECK(c == NULL);
  CHECK(err.status == status);
  CHECK_STR(err.text, text);
}

static void test_refuses_what_is_none(void) {
  struct cca_text table = make_table();
  struct cca_text other = make_module(&table, "cc-alloc5");
  check_refused(other.data, other.len, CCA_ERR_NOT_FOUND, "no classification");
  check_refused(NULL, 0, CCA_ERR_NOT_ELF, "not an ELF file");
  check_refused(table.data, table.len, CCA_ERR_NOT_ELF, "not an ELF file");
  cca_text_release(&other);

  struct cca_text none = {0};
  struct cca_text empty = make_module(&none, CCA_NOTE_OWNER);
  struct cca_classification *c;
  struct cca_error err;
  CHECK(cca_classification_open_mem(&c, empty.data, empty.len, &err) ==
        CCA_ERR_CORRUPT);
  cca_text_release(&empty);
  cca_text_release(&table);
}

static void test_refuses_other_versions(void) {
  struct cca_text table = make_table();
  for (char major = 1; major <= 3; major += 2) {
    char text[] = "classification version 1.0, we read 2";
    text[sizeof "classification version"] = (char)('0' + major);
    table.data[12] = major;
    struct cca_text module = make_module(&table, CCA_NOTE_OWNER);
    check_refused(module.data, module.len, CCA_ERR_VERSION, text);
    cca_text_release(&module);
  }
  cca_text_release(&table);
}

static void test_refuses_missing_files(void) {
  struct cca_classification *c;
  struct cca_error err;
  CHECK(cca_classification_open(&c, "/nonexistent/prog", &err) == CCA_ERR_IO);
  CHECK(c == NULL);
  CHECK_STR(err.text, "/nonexistent/prog: No such file or directory");
  CHECK(cca_classification_open(&c, "/", &err) == CCA_ERR_IO);
  CHECK_STR(err.text, "/: not a regular file");
  CHECK(cca_classification_open(&c, "/dev/null", &err) == CCA_ERR_IO);
  cca_classification_free(NULL);
}

static void test_no_truncation_or_byte_can_hurt(void) {
  struct cca_text module = make_good();
  struct cca_classification *c;
  for (size_t len = 0; len < module.len; len++) {
    char *copy = malloc(len + !len);
    memcpy(copy, module.data, len);
    if (cca_classification_open_mem(&c, copy, len, NULL) == CCA_OK)
      check_contents(c);
    cca_classification_free(c);
    free(copy);
  }
  for (size_t at = 0; at < module.len; at++) {
    char *copy = malloc(module.len);
    memcpy(copy, module.data, module.len);
    copy[at] = (char)~copy[at];
    if (cca_classification_open_mem(&c, copy, module.len, NULL) == CCA_OK) {
      for (uint32_t i = 0; i < cca_classification_function_count(c); i++)
        CHECK(strlen(cca_classification_function(c, i).name) < module.len);
      for (uint32_t i = 0; i < cca_classification_site_count(c); i++)
        CHECK(strlen(cca_classification_site(c, i).callee) < module.len);
      cca_classification_find_address(c, 0x100);
    }
    cca_classification_free(c);
    free(copy);
  }
  cca_text_release(&module);
}

int main(void) {
  RUN(test_reads_memory);
  RUN(test_reads_a_file);
  RUN(test_only_exact_addresses_have_a_site);
  RUN(test_refuses_what_is_none);
  RUN(test_refuses_other_versions);
  RUN(test_refuses_missing_files);
  RUN(test_no_truncation_or_byte_can_hurt);
  return check_done();
}
