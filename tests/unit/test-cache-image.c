/* libs: cca_cache -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc */
/* SPDX-License-Identifier: MIT */
/*
 * test-cache-image.c -- a cache is read back as it was made; what was cut or
 * changed is refused, and for what the process is not, with its own reason.
 */
#include "cache.h"
#include "image.h"

/* From a block of exactly SIZE bytes, without allocating, and all of it. */
static enum cca_cache_reason read_cache(const void *file, size_t size,
                                        struct cca_table_error *err) {
  unsigned char *copy = malloc(size ? size : 1);
  memcpy(copy, file, size);
  struct cca_cache cache;
  size_t before = allocations, area;
  enum cca_cache_reason reason = cca_cache_open(&cache, copy, size, err);
  if (reason == CCA_CACHE_USED) {
    touch_table(&cache.table);
    CHECK(cca_cache_area(&cache, 0, "none of this name", &area) == NULL);
  }
  CHECK_U(allocations, before);
  free(copy);
  return reason;
}

static void test_reads_back(void) {
  size_t size, len;
  unsigned char *file = make_cache(&size);
  struct cca_cache cache;
  CHECK_U(size, 4096 + 2 * 4096 + 32);
  CHECK_STR(cca_cache_word(read_cache(file, size, NULL)), "used");
  CHECK(cca_cache_open(&cache, file, size, NULL) == CCA_CACHE_USED);
  CHECK_U(cca_cache_module_count(&cache.table), 3);
  struct cca_cache_module m = cca_cache_module_at(&cache.table, 1);
  CHECK_STR(cca_table_string(&cache.table, m.path), "/lib/liba.so");
  CHECK_STR(cca_table_string(&cache.table, m.build_id), "");
  CHECK_U(m.digest, 12);
  struct cca_cache_call call = cca_cache_call_at(&cache.table, 1);
  CHECK_U(call.unwind, 10);
  CHECK_U(cca_cache_binding_at(&cache.table, call.binding).word, 0x4008);
  const char *mine = cca_cache_area(&cache, CCA_NONE, "mine", &len);
  CHECK_U(len, 12);
  CHECK(mine && !memcmp(mine, "twelve bytes", 12));
  CHECK_U((size_t)((const unsigned char *)mine - file) % 4096, 0);
  CHECK(cca_cache_area(&cache, 0, "words", &len) != NULL);
  CHECK_U(len, 5);
  CHECK(cca_cache_area(&cache, 0, "mine", &len) == NULL);
  size_t again;
  unsigned char *second = make_cache(&again);
  CHECK_U(again, size);
  CHECK(!memcmp(file, second, size)); /* the same bytes */
  free(second);
  free(file);
}

static void test_every_truncation_is_refused(void) {
  size_t size;
  unsigned char *file = make_cache(&size);
  for (size_t len = 0; len < size; len++) {
    enum cca_cache_reason reason = read_cache(file, len, NULL);
    CHECK(reason == (len < 4096 + 32 ? CCA_CACHE_SIZE : CCA_CACHE_CUT));
  }
  free(file);
}

static void test_every_byte_change_is_refused(void) {
  size_t size;
  unsigned char *file = make_cache(&size);
  struct cca_cache cache;
  for (size_t at = 0; at < size; at++) {
    unsigned char good = file[at];
    enum cca_cache_reason want = at < size - 32   ? CCA_CACHE_CHECKSUM
                                 : at < size - 24 ? CCA_CACHE_CUT
                                 : at < size - 20 ? CCA_CACHE_FORMAT
                                 : at < size - 16 ? CCA_CACHE_CHECKSUM
                                 : at < size - 8  ? CCA_CACHE_CUT
                                                  : CCA_CACHE_CHECKSUM;
    bool all = true;
    /* In the zeros behind areas, bit by bit. */
    for (unsigned other = 1; other < 256;
         other = at < 1024 || size - at <= 32 ? other + 1 : 2 * other) {
      file[at] = (unsigned char)(good ^ other);
      all = all && cca_cache_open(&cache, file, size, NULL) == want;
    }
    CHECK(all);
    file[at] = good;
  }
  CHECK(cca_cache_open(&cache, file, size, NULL) == CCA_CACHE_USED);
  free(file);
}

/* What a checksum that was made again does not hide: by byte, in the order of
 * the file. */
static void test_rules_of_the_layout(void) {
  static const struct {
    size_t at; /* from the start, or with ~ from the end */
    unsigned char value;
    enum cca_cache_reason reason;
    const char *text;
  } rules[] = {
      {12, 1, CCA_CACHE_FORMAT, ""},
      {24, 1, CCA_CACHE_FORMAT, ""},
      {3 * 4096 + 12, 1, CCA_CACHE_CHECKSUM, ""}, /* reserved */
      {4095, 1, CCA_CACHE_BROKEN, "what follows the table is not zero"},
      {4096 + 12, 1, CCA_CACHE_BROKEN, "what follows an area is not zero"},
      {8192 + 5, 1, CCA_CACHE_BROKEN, "what follows an area is not zero"},
      {4096 + 11, 1, CCA_CACHE_USED, ""}, /* the twin: in it, what it likes */
  };
  size_t size;
  unsigned char *file = make_cache(&size);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    struct cca_table_error err;
    unsigned char *at = file + rules[i].at, good = *at;
    *at = rules[i].value;
    sum_again(file, size);
    CHECK_STR(cca_cache_word(read_cache(file, size, &err)),
              cca_cache_word(rules[i].reason));
    if (*rules[i].text)
      CHECK_STR(err.text, rules[i].text);
    *at = good;
  }
  free(file);
}

/* Areas that overlap, leave a gap, or lead out of the file. */
static void test_areas_stay_where_they_are(void) {
  size_t size;
  unsigned char *file = make_cache(&size);
  struct cca_cache cache;
  CHECK(cca_cache_open(&cache, file, size, NULL) == CCA_CACHE_USED);
  size_t row =
      (size_t)(cca_table_row(&cache.table, CCA_CHUNK_CACHE_AREA, 0) - file);
  static const struct {
    size_t at;
    uint32_t value;
  } changes[] = {{12, 0},          {12, 2}, {16, 4097},   {16, 0},
                 {16, 0xffffffff}, {52, 3}, {56, 0xffff}, {52, 0xffffffff}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    uint32_t good = cca_load_4(file + row + changes[i].at);
    cca_save_4(file + row + changes[i].at, changes[i].value);
    sum_again(file, size);
    struct cca_table_error err = {.text = ""};
    CHECK(read_cache(file, size, &err) == CCA_CACHE_BROKEN);
    CHECK(strstr(err.text, "area") || strstr(err.text, "pages"));
    cca_save_4(file + row + changes[i].at, good);
  }
  sum_again(file, size);
  CHECK(read_cache(file, size, NULL) == CCA_CACHE_USED);

  /* A page that no area has. */
  struct cca_table_error err = {.text = ""};
  unsigned char *longer = calloc(1, size + 4096);
  memcpy(longer, file, size - 32);
  memcpy(longer + size - 32 + 4096, file + size - 32, 32);
  cca_save_8(longer + size + 4096 - 16, size + 4096);
  sum_again(longer, size + 4096);
  CHECK(read_cache(longer, size + 4096, &err) == CCA_CACHE_BROKEN);
  CHECK_STR(err.text, "more pages than areas need");
  free(longer);
  free(file);
}

/* Each thing that a process may be instead has its own reason. */
static void test_each_difference_has_its_reason(void) {
  size_t size;
  unsigned char *file = make_cache(&size);
  struct cca_cache cache;
  CHECK(cca_cache_open(&cache, file, size, NULL) == CCA_CACHE_USED);
  uint32_t which;
  CHECK(cca_cache_match(&cache, &cache_key, &which) == CCA_CACHE_USED);
  CHECK_U(which, CCA_NONE);
  struct cca_cache_key key;
  struct cca_identity modules[3];
  struct cca_cache_tool clients[2];
#define DIFFERS(change, expected, about)                                       \
  do {                                                                         \
    key = cache_key;                                                           \
    memcpy(modules, cache_modules, sizeof modules);                            \
    memcpy(clients, cache_clients, sizeof cache_clients);                      \
    clients[1] = (struct cca_cache_tool){"zeal", "1", "", false};              \
    key.modules = modules;                                                     \
    key.clients = clients;                                                     \
    change;                                                                    \
    enum cca_cache_reason why_ = cca_cache_match(&cache, &key, &which);        \
    if (why_ == CCA_CACHE_USED)                                                \
      why_ = cca_cache_match_clients(&cache, &key, &which);                    \
    CHECK_STR(cca_cache_word(why_), expected);                                 \
    CHECK_U(which, about);                                                     \
  } while (0)
  DIFFERS((void)0, "used", CCA_NONE);
  DIFFERS(key.runtime = "cc-allocs 0.2", "runtime", CCA_NONE);
  DIFFERS(key.options++, "options", CCA_NONE);
  DIFFERS(key.client_count = 0, "clients", CCA_NONE);
  DIFFERS(key.client_count = 2, "clients", CCA_NONE);
  DIFFERS(clients[0].id = "peaks", "clients", 0);
  DIFFERS(clients[0].version = "4", "client-version", 0);
  DIFFERS(clients[0].build_id[0] = 'd', "client-rebuilt", 0);
  DIFFERS(key.module_count = 1, "modules", CCA_NONE);
  DIFFERS(key.module_count = 3, "modules", 2);
  DIFFERS(modules[1].path = "/lib/libb.so", "modules", 1);
  DIFFERS(modules[0].build_id[1] = '2', "rebuilt", 0);
  DIFFERS(modules[0].digest++, "changed", 0);
  DIFFERS(modules[0].span++, "changed", 0);
  DIFFERS(modules[1].digest++, "rebuilt", 1);
  DIFFERS(modules[1].known = false, "unidentified", 1);
  free(file);
}

/* Who is registered later is looked for among those who were, not among those
 * who were there from the start. */
static void test_late_clients(void) {
  static const struct {
    struct cca_cache_tool is;
    const char *says;
  } cases[] = {
      {{"own", "1", "#ab", true}, "used"},
      {{"own", "2", "#ab", true}, "client-version"},
      {{"own", "1", "#ac", true}, "client-rebuilt"},
      {{"other", "1", "#ab", true}, "clients"},
      {{"leaks", "3", "c0ffee", true}, "clients"},
  };
  size_t size;
  unsigned char *file = make_cache(&size);
  struct cca_cache cache;
  CHECK(cca_cache_open(&cache, file, size, NULL) == CCA_CACHE_USED);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t row;
    CHECK_STR(cca_cache_word(cca_cache_match_late(&cache, &cases[i].is, &row)),
              cases[i].says);
    if (i == 0)
      CHECK_U(row, 1);
  }
  free(file);
}

/* The name says which modules and clients, and not which build of them. */
static void test_names(void) {
  char name[CCA_CACHE_NAME], other[CCA_CACHE_NAME];
  struct cca_cache_key key = cache_key;
  struct cca_identity modules[2] = {cache_modules[0], cache_modules[1]};
  cca_cache_name(&cache_key, name);
  CHECK_U(strlen(name), 22);
  CHECK_STR(name + 16, ".cache");
  key.modules = modules;
  modules[0].build_id[0] = 'f';
  modules[1].digest++;
  cca_cache_name(&key, other);
  CHECK_STR(other, name);
  modules[1].path = "/lib/libb.so";
  cca_cache_name(&key, other);
  CHECK(strcmp(other, name) != 0);
  key = cache_key;
  key.client_list = "";
  cca_cache_name(&key, other);
  CHECK(strcmp(other, name) != 0);
}

static void test_every_reason_has_words(void) {
  for (unsigned i = 0; i < CCA_CACHE_REASONS; i++) {
    CHECK(cca_cache_word(i) && *cca_cache_word(i));
    CHECK(cca_cache_text(i) && *cca_cache_text(i));
    for (unsigned k = 0; k < i; k++)
      CHECK(strcmp(cca_cache_word(i), cca_cache_word(k)) != 0);
  }
}

int main(void) {
  RUN(test_reads_back);
  RUN(test_every_truncation_is_refused);
  RUN(test_every_byte_change_is_refused);
  RUN(test_rules_of_the_layout);
  RUN(test_areas_stay_where_they_are);
  RUN(test_each_difference_has_its_reason);
  RUN(test_late_clients);
  RUN(test_names);
  RUN(test_every_reason_has_words);
  return check_done();
}
