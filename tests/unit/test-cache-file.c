/* libs: cca_cache */
/* SPDX-License-Identifier: MIT */
/*
 * test-cache-file.c -- a file is read only if nobody else could have written
 * it, and is there as a whole or not at all.
 */
#include "runtime/cache-file.h"

#include "cache.h"
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static char folder[] = "/tmp/cca-cache.XXXXXX";
#define NAME "0123456789abcdef.cache"
static char path[200], other[200];

/* What opening NAME in the folder says. */
static const char *opens(enum cca_cache_trust trust) {
  enum cca_cache_reason why;
  int at = cca_cache_folder(folder, trust, &why);
  if (at < 0)
    return cca_cache_word(why);
  struct cca_cache_file file;
  errno = 7;
  why = cca_cache_file_open(&file, at, NAME, trust);
  CHECK_U(errno, 7);
  if (why == CCA_CACHE_USED) {
    struct cca_cache cache;
    CHECK(cca_cache_open(&cache, file.image, file.len, NULL) == CCA_CACHE_USED);
    cca_cache_file_release(&file);
  } else {
    CHECK(file.file == -1 && !file.image);
  }
  close(at);
  return cca_cache_word(why);
}

static bool publish(void) {
  size_t size;
  unsigned char *bytes = make_cache(&size);
  enum cca_cache_reason why;
  int at = cca_cache_folder(folder, CCA_CACHE_OWN, &why);
  bool good = at >= 0 && cca_cache_publish(at, NAME, bytes, size, getpid());
  if (at >= 0)
    close(at);
  free(bytes);
  return good;
}

static void test_published_and_read(void) {
  struct stat status;
  CHECK_STR(opens(CCA_CACHE_OWN), "absent");
  CHECK(publish());
  CHECK_STR(opens(CCA_CACHE_OWN), "used");
  CHECK(publish()); /* over the one that is there */
  CHECK_STR(opens(CCA_CACHE_OWN), "used");
  CHECK(stat(path, &status) == 0);
  CHECK_U(status.st_mode, S_IFREG | 0600);
}

static void test_the_folder(void) {
  enum cca_cache_reason why;
  static const struct {
    mode_t mode;
    const char *says;
  } modes[] = {{0700, "used"},        {0755, "used"},
               {0770, "folder-mode"}, {0702, "folder-mode"},
               {0777, "folder-mode"}, {01777, "folder-mode"}};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    chmod(folder, modes[i].mode);
    CHECK_STR(opens(CCA_CACHE_OWN), modes[i].says);
    CHECK(publish() == !strcmp(modes[i].says, "used"));
  }
  chmod(folder, 0700);
  CHECK(symlink(folder, other) == 0);
  CHECK(cca_cache_folder(other, CCA_CACHE_OWN, &why) == -1);
  CHECK_STR(cca_cache_word(why), "folder");
  unlink(other);
  CHECK(cca_cache_folder(".", CCA_CACHE_OWN, &why) == -1);
  CHECK_STR(cca_cache_word(why), "folder"); /* not absolute */
  CHECK(cca_cache_folder(path, CCA_CACHE_OWN, &why) == -1);
  CHECK_STR(cca_cache_word(why), "folder"); /* a file */
}

static void test_the_file(void) {
  static const struct {
    mode_t mode;
    const char *says;
  } modes[] = {{0600, "used"}, {0644, "used"}, {0620, "mode"}, {0602, "mode"}};
  CHECK(publish());
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    chmod(path, modes[i].mode);
    CHECK_STR(opens(CCA_CACHE_OWN), modes[i].says);
  }
  chmod(path, 0600);
  CHECK(link(path, other) == 0);
  CHECK_STR(opens(CCA_CACHE_OWN), "links");
  CHECK(unlink(path) == 0 && symlink(other, path) == 0);
  CHECK_STR(opens(CCA_CACHE_OWN), "kind");
  CHECK(publish()); /* the link is replaced, not followed */
  CHECK_STR(opens(CCA_CACHE_OWN), "used");
  CHECK(unlink(other) == 0 && unlink(path) == 0);
  CHECK(mkfifo(path, 0600) == 0);
  CHECK_STR(opens(CCA_CACHE_OWN), "kind"); /* and nobody waited */
  CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
  CHECK_STR(opens(CCA_CACHE_OWN), "kind");
  CHECK(!publish());
  CHECK(rmdir(path) == 0);
  int file = open(path, O_WRONLY | O_CREAT, 0600);
  CHECK_STR(opens(CCA_CACHE_OWN), "size");
  CHECK(ftruncate(file, CCA_CACHE_MAX + 1ll) == 0);
  CHECK_STR(opens(CCA_CACHE_OWN), "size");
  close(file);
  CHECK(publish());
  CHECK_STR(opens(CCA_CACHE_OWN), "used");
}

/* Only the superuser can give files away. */
static void test_owners(void) {
  if (geteuid() != 0) {
    CHECK_STR(opens(CCA_CACHE_SHARED), "used");
    return;
  }
  CHECK(chown(path, 65534, (gid_t)-1) == 0);
  CHECK_STR(opens(CCA_CACHE_OWN), "owner");
  CHECK_STR(opens(CCA_CACHE_SHARED), "owner");
  CHECK(chown(path, 0, (gid_t)-1) == 0 && chown(folder, 65534, 65534) == 0);
  CHECK_STR(opens(CCA_CACHE_OWN), "folder-owner");
  CHECK_STR(opens(CCA_CACHE_SHARED), "folder-owner");
  CHECK(chown(folder, 0, 0) == 0);
  /* Another user may share what the superuser has, and not have it as his. */
  chmod(folder, 0755);
  chmod(path, 0644);
  CHECK(seteuid(65534) == 0);
  CHECK_STR(opens(CCA_CACHE_OWN), "folder-owner");
  CHECK_STR(opens(CCA_CACHE_SHARED), "used");
  CHECK(!publish());
  CHECK(seteuid(0) == 0);
}

/* A writer that died has left its part; that of the same number stays too, and
 * nothing is written over it. */
static void test_what_a_dead_writer_left(void) {
  char part[240];
  snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
  CHECK(publish());
  CHECK(symlink(other, part) == 0);
  CHECK(!publish());
  CHECK(access(other, F_OK) < 0); /* not through the link */
  CHECK_STR(opens(CCA_CACHE_OWN), "used");
  unlink(part);
  CHECK(publish());
}

int main(void) {
  if (!mkdtemp(folder))
    return 1;
  snprintf(path, sizeof path, "%s/" NAME, folder);
  snprintf(other, sizeof other, "%s-other", folder);
  RUN(test_published_and_read);
  RUN(test_the_folder);
  RUN(test_the_file);
  RUN(test_owners);
  RUN(test_what_a_dead_writer_left);
  unlink(path);
  rmdir(folder);
  return check_done();
}
