/* libs: cca_base */
/* SPDX-License-Identifier: MIT */
/*
 * test-same-file.c -- a file that was changed, replaced, or given other rights
 * is not the same, whatever its name, size and time say; one that was only read
 * is.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"

static char folder[] = "/tmp/cca-same.XXXXXX";
static char path[100], other[100];
static struct stat then;

/* The file system's clock, which goes in steps, has gone on: what is done from
 * here on has another time. */
static void let_time_pass(void) {
  struct stat status;
  do {
    int file = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(write(file, "x", 1) == 1);
    CHECK_U(fstat(file, &status), 0);
    close(file);
  } while (status.st_ctim.tv_sec == then.st_ctim.tv_sec &&
           status.st_ctim.tv_nsec == then.st_ctim.tv_nsec);
}

static void put(const char *name, const char *text) {
  int file = open(name, O_WRONLY | O_CREAT, 0600);
  CHECK(write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
}

static void look(void) {
  CHECK_U(stat(path, &then), 0);
  let_time_pass();
}

static bool is_same(void) {
  struct stat now;
  CHECK_U(stat(path, &now), 0);
  return cca_file_is_same(&then, &now);
}

static void test_read(void) {
  char byte;
  look();
  int file = open(path, O_RDONLY);
  CHECK(read(file, &byte, 1) == 1);
  close(file);
  CHECK(is_same());
}

/* As many bytes, and its time set back. */
static void test_written(void) {
  look();
  put(path, "ONE");
  struct timespec times[2] = {then.st_atim, then.st_mtim};
  CHECK_U(utimensat(AT_FDCWD, path, times, 0), 0);
  CHECK(!is_same());
}

/* Another one of the same size and time, in its place. */
static void test_replaced(void) {
  look();
  struct timespec times[2] = {then.st_atim, then.st_mtim};
  put(other, "TWO");
  CHECK_U(truncate(other, 3), 0);
  CHECK_U(utimensat(AT_FDCWD, other, times, 0), 0);
  CHECK_U(rename(other, path), 0);
  CHECK(!is_same());
}

static void test_longer(void) {
  look();
  CHECK_U(truncate(path, 4), 0);
  CHECK(!is_same());
}

static void test_other_rights(void) {
  look();
  CHECK_U(chmod(path, 0640), 0);
  CHECK(!is_same());
}

/* Each of what is compared, by itself. */
static void test_each(void) {
  struct stat now;
  look();
#define DIFFERS(field)                                                         \
  now = then;                                                                  \
  CHECK(cca_file_is_same(&then, &now));                                        \
  now.field++;                                                                 \
  CHECK(!cca_file_is_same(&then, &now))
  DIFFERS(st_dev);
  DIFFERS(st_ino);
  DIFFERS(st_size);
  DIFFERS(st_mtim.tv_sec);
  DIFFERS(st_mtim.tv_nsec);
  DIFFERS(st_ctim.tv_sec);
  DIFFERS(st_ctim.tv_nsec);
}

int main(void) {
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/file", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  put(path, "one");
  RUN(test_read);
  RUN(test_written);
  RUN(test_replaced);
  RUN(test_longer);
  RUN(test_other_rights);
  RUN(test_each);
  unlink(path);
  unlink(other);
  CHECK_U(rmdir(folder), 0);
  return check_done();
}
