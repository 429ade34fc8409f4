/* SPDX-License-Identifier: MIT */
/*
 * bench-symbols.c -- look-ups a second, from a table that is there.
 *
 * bench-symbols MODULE [LOOKUPS]: ask for all frames of random addresses with
 * lines, and print look-ups a second of one core's time, and frames a look-up.
 * Before that, the lines of a thousand of them are compared with what a walk
 * over all lines of the module says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ccallocs/symbols.h"

enum { FRAMES = 64, CHECKED = 1000 };

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A random number less than LIMIT; always the same ones. */
static uint64_t chance(uint64_t *state, uint64_t limit) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (*state >> 33) % limit;
}

static uint64_t random_offset(const struct cca_symbols_module *module,
                              uint64_t *state) {
  for (;;) {
    uint32_t lines = cca_symbols_line_count(module);
    struct cca_line_info line =
        cca_symbols_line(module, (uint32_t)chance(state, lines));
    if (line.file && line.size)
      return line.offset + chance(state, line.size);
  }
}

static int is_right(const struct cca_symbols_module *module, uint64_t offset) {
  struct cca_frame frame;
  struct cca_line_info line = {0};
  size_t count;
  for (uint32_t i = 0; i < cca_symbols_line_count(module); i++) {
    struct cca_line_info next = cca_symbols_line(module, i);
    if (next.offset > offset)
      break;
    line = next;
  }
  int result = cca_symbols_find(module, offset, &frame, 1, &count);
  return (result == CCA_OK || result == CCA_ERR_NO_LINE) && count &&
         frame.line == line.line && !strcmp(frame.file, line.file);
}

int main(int argc, char **argv) {
  size_t lookups = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000000;
  struct cca_symbols *symbols;
  struct cca_symbols_module *module;
  struct cca_error err;
  uint64_t state = 1;
  if (argc < 2 || cca_symbols_open(&symbols, NULL, &err) < 0 ||
      cca_symbols_load(symbols, argv[1], NULL, &module, &err) < 0) {
    fprintf(stderr, "usage: bench-symbols MODULE [LOOKUPS]\n");
    return 2;
  }
  if (!cca_symbols_line_count(module)) {
    fprintf(stderr, "bench-symbols: %s: it has no lines\n", argv[1]);
    return 2;
  }
  for (int i = 0; i < CHECKED; i++)
    if (!is_right(module, random_offset(module, &state))) {
      fprintf(stderr, "bench-symbols: a wrong answer\n");
      return 1;
    }

  enum { ASKED = 1 << 16 };
  static uint64_t offsets[ASKED];
  struct cca_frame frames[FRAMES];
  size_t count, all = 0;
  for (size_t i = 0; i < ASKED; i++)
    offsets[i] = random_offset(module, &state);
  double before = cpu_seconds();
  for (size_t i = 0; i < lookups; i++) {
    cca_symbols_find(module, offsets[i % ASKED], frames, FRAMES, &count);
    all += count;
  }
  double seconds = cpu_seconds() - before;
  printf("%s: %zu lines, %.2f million look-ups a second, %.2f frames each\n",
         argv[1], (size_t)cca_symbols_line_count(module),
         (double)lookups / seconds / 1e6, (double)all / (double)lookups);
  cca_symbols_unload(module);
  cca_symbols_close(symbols);
  return 0;
}
