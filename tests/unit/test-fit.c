/* libs: cca_sites */
/* SPDX-License-Identifier: MIT */
/*
 * test-fit.c -- a section is found again where all of its calls fit, and
 * nowhere if that is in two places or in none.
 */
#include "analysis/fit.h"
#include "check.h"
#include "tiny-elf.h"

/* The linked code: calls in section 1, which is at address 0. */
static const struct {
  uint64_t offset;
  const char *function, *callee;
  bool tail;
} linked[] = {
    {0x105, "f", "malloc@plt", false},
    {0x120, "f", "free", false},
    {0x205, "g.part.0", "malloc", false},
    {0x220, "g", "free", false},
    {0x305, "f", "malloc", false},
    {0x321, "f", "free", false},
    {0x405, "h", NULL, true},
};

struct want {
  uint32_t offset;
  const char *function, *callee;
  bool tail;
};

/* The addresses of COUNT calls of one section, as text. */
static const char *fit(const struct want *wants, size_t count) {
  static char text[200];
  static const unsigned char bytes[0x500];
  const struct tiny_section sections[] = {{".text", SHT_PROGBITS,
                                           SHF_ALLOC | SHF_EXECINSTR, bytes,
                                           sizeof bytes, 0, 0}};
  struct tiny_elf made = {true, false, ET_DYN, sections, 1, 0};
  struct cca_text image = {0};
  struct cca_elf elf;
  struct cca_code code = {{0}, {0}};
  struct cca_fit_call calls[4] = {{0}};
  tiny_elf_make(&made, &image);
  CHECK_STR(cca_elf_open(&elf, image.data, image.len), NULL);
  for (size_t i = 0; i < sizeof linked / sizeof *linked; i++) {
    struct cca_code_call call = {1,
                                 linked[i].offset,
                                 linked[i].function,
                                 (uint32_t)code.names.count,
                                 linked[i].callee != NULL,
                                 linked[i].tail};
    cca_vec_push(&code.calls, call);
    if (linked[i].callee)
      cca_vec_push(&code.names, linked[i].callee);
  }
  for (size_t i = 0; i < count; i++)
    calls[i] = (struct cca_fit_call){.section = 9,
                                     .offset = wants[i].offset,
                                     .function = wants[i].function,
                                     .callee = wants[i].callee,
                                     .tail = wants[i].tail};
  cca_fit(&code, &elf, calls, count);
  text[0] = '\0';
  for (size_t i = 0; i < count; i++)
    sprintf(text + strlen(text), "%s%lx", i ? " " : "",
            (unsigned long)calls[i].address);
  cca_code_release(&code);
  cca_text_release(&image);
  return text;
}
#define FIT(...)                                                               \
  fit((const struct want[]){__VA_ARGS__},                                      \
      sizeof((const struct want[]){__VA_ARGS__}) / sizeof(struct want))

static void test_fits(void) {
  /* By the distance, though the same calls are in f elsewhere. */
  CHECK_STR(FIT({5, "f", "malloc", false}, {0x20, "f", "free", false}),
            "105 120");
  CHECK_STR(FIT({5, "f", "malloc", false}, {0x21, "f", "free", false}),
            "305 321");
  /* By the function, clones of which count as it. */
  CHECK_STR(FIT({5, "g", "malloc", false}), "205");
  /* An indirect jump alone, and with its neighbours. */
  CHECK_STR(FIT({0, "h", NULL, true}), "405");
  CHECK_STR(FIT({0x305, "f", "malloc", false}, {0x405, "h", NULL, true}),
            "305 405");
}

static void test_does_not_fit(void) {
  CHECK_STR(FIT({5, "f", "malloc", false}), "0"); /* in two places */
  CHECK_STR(FIT({5, "f", "malloc", false}, {0x22, "f", "free", false}), "0 0");
  CHECK_STR(FIT({5, "f", "calloc", false}), "0");
  CHECK_STR(FIT({5, "h", NULL, false}), "0"); /* no jump is a call */
  /* It would begin before the section does. */
  CHECK_STR(FIT({0x306, "g", "malloc", false}), "0");
}

static void test_inlined(void) {
  /* In no function of that name: it was inlined, and only the rest decides. */
  CHECK_STR(FIT({5, "inlined", "malloc", false}, {0x21, "f", "free", false}),
            "305 321");
  CHECK_STR(FIT({5, "inlined", "malloc", false}), "0"); /* three places */
}

int main(void) {
  RUN(test_fits);
  RUN(test_does_not_fit);
  RUN(test_inlined);
  return check_done();
}
