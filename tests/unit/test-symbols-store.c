/* libs: cca_symbols_store */
/* SPDX-License-Identifier: MIT */
/*
 * test-symbols-store.c -- a symbol table is found again for the bytes that it
 * was made of, and never where one byte of it or of them is another, or where
 * somebody else could have written it; and only what is good for later is kept.
 *
 * The table is tests/fuzz/corpus/assemble/symbols.txt, that of a module of 4096
 * bytes.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "tools/cache-store.h"
#include "tools/symbols-store.h"

enum { MODULE_SIZE = 4096 };

static char folder[] = "/tmp/cca-store.XXXXXX";
static char own[100], shared[100], module[100], file[400];
static struct cca_text text, image;
static struct cca_table table;
static struct stat then;

/* The table as the corpus has it, but with PARTS. */
static void make_table(const char *parts) {
  static const char was[] = "parts=symbols,debug\n";
  struct cca_text changed = {0};
  struct cca_table_error err = {.text = ""};
  const char *at = strstr(text.data, was);
  CHECK(at != NULL);
  cca_text_add(&changed, text.data, (size_t)(at - text.data));
  cca_text_addf(&changed, "parts=%s\n%s", parts, at + strlen(was));
  cca_text_release(&image);
  CHECK_U(cca_text_assemble(changed.data, changed.len, &image, &err),
          CCA_TABLE_OK);
  CHECK_U(
      cca_table_open(&table, &cca_symbols_schema, image.data, image.len, &err),
      CCA_TABLE_OK);
  cca_text_release(&changed);
}

/* A module of SIZE bytes, of which one is X. */
static void make_module(size_t size, char x) {
  char bytes[MODULE_SIZE + 1] = "a module";
  bytes[MODULE_SIZE / 2] = x;
  int out = open(module, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  CHECK(write(out, bytes, size) == (ssize_t)size);
  close(out);
  CHECK_U(stat(module, &then), 0);
}

static struct cca_symbols_store store_of(const char *mine, const char *ours) {
  return (struct cca_symbols_store){mine, ours, true};
}

static bool keep(void) {
  const struct cca_symbols_store store = store_of(own, NULL);
  return cca_symbols_keep(&store, module, &then, &table);
}

/* What is said when STORE is asked for the module with BUILD_ID. */
static const char *asked(struct cca_symbols_store store, const char *build_id) {
  struct cca_symbols_kept kept;
  enum cca_cache_reason reason =
      cca_symbols_find_kept(&store, module, build_id, &kept);
  if (reason == CCA_CACHE_USED) {
    CHECK(kept.table.len == image.len &&
          !memcmp(kept.table.image, image.data, image.len));
    cca_cache_file_release(&kept.file);
  }
  return cca_cache_word(reason);
}
static const char *found(void) { return asked(store_of(own, NULL), NULL); }

/* ---- */

static void test_kept_and_found(void) {
  struct cca_cache_list list = {0};
  CHECK_STR(asked(store_of(NULL, NULL), NULL), "off");
  CHECK_STR(found(), "folder"); /* there is none yet */
  CHECK(keep());
  CHECK_STR(found(), "used");
  CHECK_STR(asked(store_of(own, NULL), "00ff"), "used");
  CHECK_STR(asked(store_of(own, NULL), "00fe"), "rebuilt");
  CHECK_STR(asked(store_of(own, NULL), ""), "rebuilt");
  /* Which file that is. */
  cca_cache_list_read(&list, own, CCA_CACHE_OWN);
  CHECK_U(list.count, 1);
  CHECK(list.items[0].symbols && !strcmp(list.items[0].program, module));
  snprintf(file, sizeof file, "%s/%s", own, list.items[0].name);
  cca_cache_list_release(&list);
}

/* The module: each of its bytes counts. */
static void test_other_bytes(void) {
  make_module(MODULE_SIZE, 'y');
  CHECK_STR(found(), "changed");
  CHECK_STR(asked(store_of(own, NULL), "00fe"), "rebuilt");
  make_module(MODULE_SIZE + 1, 'x');
  CHECK_STR(found(), "changed");
  make_module(MODULE_SIZE - 1, 'x');
  CHECK_STR(found(), "changed");
  CHECK_U(unlink(module), 0);
  CHECK_STR(found(), "unidentified");
  CHECK_U(mkfifo(module, 0600), 0);
  CHECK_STR(found(), "unidentified"); /* and nobody waited */
  CHECK_U(unlink(module), 0);
  make_module(0, 'x');
  CHECK_STR(found(), "unidentified");
  make_module(MODULE_SIZE, 'x');
  CHECK_STR(found(), "used");
}

static unsigned char bytes[1 << 16];
static size_t size;

static void read_file(void) {
  int in = open(file, O_RDONLY);
  ssize_t got = read(in, bytes, sizeof bytes);
  CHECK(got > MODULE_SIZE && got < (ssize_t)sizeof bytes);
  size = got > 0 ? (size_t)got : 0;
  close(in);
}

static void test_every_truncation_is_refused(void) {
  read_file();
  int out = open(file, O_WRONLY);
  for (size_t len = size; len-- > 0;) {
    CHECK_U(ftruncate(out, (off_t)len), 0);
    const char *says = found();
    CHECK(!strcmp(says, "size") || !strcmp(says, "cut"));
  }
  CHECK(pwrite(out, bytes, size, 0) == (ssize_t)size);
  CHECK_STR(found(), "used");
  CHECK_U(ftruncate(out, (off_t)size + 1), 0); /* and longer */
  CHECK_STR(found(), "cut");
  CHECK_U(ftruncate(out, (off_t)size), 0);
  close(out);
}

/* One bit of each byte, and another value. */
static void test_every_byte_change_is_refused(void) {
  int out = open(file, O_WRONLY);
  unsigned chance = 1;
  for (size_t at = 0; at < size; at++)
    for (int turn = 0; turn < 2; turn++) {
      chance = chance * 1103515245 + 12345;
      unsigned char other =
          bytes[at] ^ (turn ? 1 + chance / 65536 % 255 : 1u << at % 8);
      CHECK(pwrite(out, &other, 1, (off_t)at) == 1);
      const char *says = found();
      CHECK(!strcmp(says, "checksum") || !strcmp(says, "cut") ||
            !strcmp(says, "format"));
      CHECK(pwrite(out, &bytes[at], 1, (off_t)at) == 1);
    }
  CHECK_STR(found(), "used");
  close(out);
}

/* The same where the checksum is made again: nothing that is used is broken,
 * and nothing leads out of the file. */
static void test_no_lie_can_hurt(void) {
  int out = open(file, O_WRONLY);
  unsigned used = 0, broken = 0;
  for (size_t at = 0; at + CCA_CACHE_FOOTER < size; at++) {
    struct cca_symbols_kept kept;
    const struct cca_symbols_store store = store_of(own, NULL);
    unsigned char before = bytes[at], sum[8];
    bytes[at] ^= 0x81;
    cca_save_8(sum, cca_cache_sum(0, bytes, size - 8));
    CHECK(pwrite(out, &bytes[at], 1, (off_t)at) == 1);
    CHECK(pwrite(out, sum, 8, (off_t)size - 8) == 8);
    enum cca_cache_reason reason =
        cca_symbols_find_kept(&store, module, NULL, &kept);
    used += reason == CCA_CACHE_USED;
    broken += reason == CCA_CACHE_BROKEN;
    if (reason == CCA_CACHE_USED) {
      struct cca_table again;
      CHECK_U(cca_table_open(&again, &cca_symbols_schema, kept.table.image,
                             kept.table.len, NULL),
              CCA_TABLE_OK);
      cca_cache_file_release(&kept.file);
    }
    bytes[at] = before;
    CHECK(pwrite(out, &bytes[at], 1, (off_t)at) == 1);
  }
  CHECK(used > 50 && broken > 500); /* a name may be another, a zero may not */
  CHECK(pwrite(out, bytes, size, 0) == (ssize_t)size);
  CHECK_STR(found(), "used");
  close(out);
}

static void test_who_could_have_written_it(void) {
  char other[120];
  snprintf(other, sizeof other, "%s/other", folder);
  CHECK_U(chmod(file, 0620), 0);
  CHECK_STR(found(), "mode");
  CHECK_U(chmod(file, 0600), 0);
  CHECK_U(link(file, other), 0);
  CHECK_STR(found(), "links");
  CHECK_U(unlink(file) + symlink(other, file), 0);
  CHECK_STR(found(), "kind");
  CHECK(keep()); /* the link is replaced, not followed */
  CHECK_STR(found(), "used");
  CHECK_U(unlink(other), 0);
  CHECK_U(chmod(own, 0770), 0);
  CHECK_STR(found(), "folder-mode");
  CHECK(!keep());
  CHECK_U(chmod(own, 0700), 0);
  CHECK_U(rename(own, other) + symlink(other, own), 0);
  CHECK_STR(found(), "folder");
  CHECK(!keep());
  CHECK_U(unlink(own) + rename(other, own), 0);
  CHECK_STR(found(), "used");
  if (geteuid() != 0)
    return; /* only the superuser can give files away */
  CHECK_U(chown(file, 65534, (gid_t)-1), 0);
  CHECK_STR(found(), "owner");
  CHECK_U(chown(file, 0, (gid_t)-1) + chown(own, 65534, (gid_t)-1), 0);
  CHECK_STR(found(), "folder-owner");
  CHECK(!keep());
  CHECK_U(chown(own, 0, (gid_t)-1), 0);
  CHECK_STR(found(), "used");
}

/* The shared folder is asked where the user's has nothing good, and not
 * written. */
static void test_shared(void) {
  CHECK_U(rename(own, shared), 0);
  CHECK_STR(asked(store_of(own, NULL), NULL), "folder");
  CHECK_STR(asked(store_of(own, shared), NULL), "used");
  CHECK_STR(asked(store_of(NULL, shared), NULL), "used");
  make_module(MODULE_SIZE, 'y');
  CHECK_STR(asked(store_of(NULL, shared), NULL), "changed");
  CHECK_STR(asked(store_of(own, shared), NULL), "folder"); /* the user's says */
  const struct cca_symbols_store store = store_of(NULL, shared);
  CHECK(!cca_symbols_keep(&store, module, &then, &table));
  make_module(MODULE_SIZE, 'x');
  CHECK_STR(asked(store_of(NULL, shared), NULL), "used");
  CHECK_U(rename(shared, own), 0);
}

static void test_what_is_worth_it(void) {
  struct cca_symbols_store store = store_of(own, NULL);
  CHECK_U(unlink(file), 0);
  store.keep = false;
  CHECK(!cca_symbols_keep(&store, module, &then, &table));
  make_table("symbols");
  CHECK(!keep());
  make_table("symbols,debug,partial");
  CHECK(!keep());
  make_table("debug");
  struct stat before = then;
  then.st_ino++; /* it is another one by now */
  CHECK(!keep());
  then = before;
  make_module(MODULE_SIZE + 1, 'x'); /* or longer than what was read */
  CHECK(!keep());
  make_module(MODULE_SIZE, 'x');
  CHECK_STR(found(), "absent");
  CHECK(keep());
  CHECK_STR(found(), "used");
}

int main(void) {
  const char *source = getenv("CCA_SOURCE");
  struct cca_text path = {0};
  cca_text_addf(&path, "%s/tests/fuzz/corpus/assemble/symbols.txt",
                source ? source : ".");
  CHECK_U(cca_file_read(path.data, 1 << 20, &text), 0);
  cca_text_release(&path);
  make_table("symbols,debug");
  CHECK(mkdtemp(folder) != NULL);
  snprintf(own, sizeof own, "%s/own", folder);
  snprintf(shared, sizeof shared, "%s/shared", folder);
  snprintf(module, sizeof module, "%s/module", folder);
  make_module(MODULE_SIZE, 'x');
  RUN(test_kept_and_found);
  RUN(test_other_bytes);
  RUN(test_every_truncation_is_refused);
  RUN(test_every_byte_change_is_refused);
  RUN(test_no_lie_can_hurt);
  RUN(test_who_could_have_written_it);
  RUN(test_shared);
  RUN(test_what_is_worth_it);
  cca_text_release(&text);
  cca_text_release(&image);
  unlink(file);
  unlink(module);
  CHECK_U(rmdir(own), 0);
  CHECK_U(rmdir(folder), 0);
  return check_done();
}
