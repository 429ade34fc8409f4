/* libs: cca_symbols_build */
/* SPDX-License-Identifier: MIT */
/*
 * test-steps.c -- ranges that lie over each other become "from here on", also
 * where they do not nest.
 */
#include "check.h"
#include "summaries/table.h"
#include "symbols/steps.h"

static void step(void *context, uint32_t start, uint32_t value) {
  cca_text_addf(context, value == CCA_NONE ? "%u- " : "%u:%u ", start, value);
}

/* What COUNT ranges come to, in their order and in the opposite one. */
static void check(const struct cca_range *ranges, size_t count,
                  const char *want) {
  for (int reversed = 0; reversed < 2; reversed++) {
    struct cca_ranges copy = {0};
    struct cca_text got = {0};
    cca_text_adds(&got, "");
    for (size_t i = 0; i < count; i++)
      cca_vec_push(&copy, ranges[reversed ? count - 1 - i : i]);
    cca_steps_make(&copy, step, &got);
    CHECK_STR(got.data, want);
    cca_vec_release(&copy);
    cca_text_release(&got);
  }
}
#define CHECK_STEPS(want, ...)                                                 \
  check((const struct cca_range[]){__VA_ARGS__},                               \
        sizeof((const struct cca_range[]){__VA_ARGS__}) /                      \
            sizeof(struct cca_range),                                          \
        want)

static void test_apart_and_adjacent(void) {
  check(NULL, 0, "");
  CHECK_STEPS("10:1 20- ", {10, 20, 0, 1});
  CHECK_STEPS("0:1 5- 7:2 9- ", {0, 5, 0, 1}, {7, 9, 0, 2});
  CHECK_STEPS("0:1 5:2 9- ", {0, 5, 0, 1}, {5, 9, 0, 2});
  CHECK_STEPS("0:1 9- ", {0, 5, 0, 1}, {5, 9, 0, 1}); /* no value twice */
}

static void test_nested(void) {
  CHECK_STEPS("0:1 2:2 4:3 6:2 8:1 10- ", {0, 10, 0, 1}, {2, 8, 1, 2},
              {4, 6, 2, 3});
  CHECK_STEPS("0:3 4:2 6:1 9- ", {0, 9, 0, 1}, {0, 6, 1, 2}, {0, 4, 2, 3});
  CHECK_STEPS("0:1 2:2 9- ", {0, 9, 0, 1}, {2, 9, 1, 2}); /* end together */
}

/* Those of broken files: the one that begins last is above, and what it covers
 * is seen again behind it. */
static void test_crossing(void) {
  CHECK_STEPS("0:1 5:2 15- ", {0, 10, 0, 1}, {5, 15, 0, 2});
  CHECK_STEPS("0:1 2:2 4:3 12:2 14:1 20- ", {0, 20, 0, 1}, {2, 14, 0, 2},
              {4, 12, 0, 3});
  CHECK_STEPS("0:1 2:2 4:3 12:1 20- ", {0, 20, 0, 1}, {2, 6, 0, 2},
              {4, 12, 0, 3}); /* 2 has ended under 3 */
}

static void test_ties(void) {
  CHECK_STEPS("0:7 9- ", {0, 9, 0, 3}, {0, 9, 0, 7});
  CHECK_STEPS("0:3 9- ", {0, 9, 1, 3}, {0, 9, 0, 7}); /* the rank comes first */
  CHECK_STEPS("4294967290:1 4294967295- ", {4294967290u, 4294967295u, 0, 1});
}

int main(void) {
  RUN(test_apart_and_adjacent);
  RUN(test_nested);
  RUN(test_crossing);
  RUN(test_ties);
  return check_done();
}
