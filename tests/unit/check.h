/* SPDX-License-Identifier: MIT */
/*
 * check.h -- the whole unit test harness.
 *
 * A failed check is printed with its place and the test goes on; check_done()
 * is main()'s result.  A test in which nothing was checked has failed.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

static unsigned check_count, check_failures;

static inline int check_report(int ok, const char *file, int line) {
  check_count++;
  if (!ok) {
    check_failures++;
    fprintf(stderr, "%s:%d: ", file, line);
  }
  return ok;
}

/* CONDITION holds. */
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!check_report(!!(condition), __FILE__, __LINE__))                      \
      fprintf(stderr, "not so: %s\n", #condition);                             \
  } while (0)

/* The unsigned numbers GOT and WANT are equal. */
#define CHECK_U(got, want)                                                     \
  do {                                                                         \
    unsigned long long got_ = (got), want_ = (want);                           \
    if (!check_report(got_ == want_, __FILE__, __LINE__))                      \
      fprintf(stderr, "%s is %llu, not %llu\n", #got, got_, want_);            \
  } while (0)

/* The strings GOT and WANT are equal; NULL equals NULL only. */
#define CHECK_STR(got, want)                                                   \
  do {                                                                         \
    const char *got_ = (got), *want_ = (want);                                 \
    int same_ = got_ && want_ ? !strcmp(got_, want_) : got_ == want_;          \
    if (!check_report(same_, __FILE__, __LINE__))                              \
      fprintf(stderr, "%s is \"%s\", not \"%s\"\n", #got,                      \
              got_ ? got_ : "(null)", want_ ? want_ : "(null)");               \
  } while (0)

/* Run one test function and say its name if a check in it failed. */
#define RUN(test)                                                              \
  do {                                                                         \
    unsigned failures_ = check_failures, count_ = check_count;                 \
    test();                                                                    \
    CHECK(check_count > count_);                                               \
    if (check_failures > failures_)                                            \
      fprintf(stderr, "FAIL %s\n", #test);                                     \
  } while (0)

static inline int check_done(void) {
  printf("%u checks, %u failed\n", check_count, check_failures);
  return check_failures || !check_count;
}

#endif
