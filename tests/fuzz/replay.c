/* SPDX-License-Identifier: MIT */
/*
 * replay.c -- run a fuzz target over a corpus, without a fuzzing engine.
 *
 * In:   folders and files; each file is one input.
 * Out:  0 if the target came back from all of them.
 *
 * Beside each input, every truncation of it and a few changes of each of its
 * bytes are run too, so that a reader which forgot one check is caught in an
 * ordinary test run.  Every input lies in a heap block of exactly its own
 * size: under AddressSanitizer one byte too far is seen.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Longer inputs are run as they are: the work is quadratic. */
enum { MUTATE_LIMIT = 16384 };

static unsigned long inputs, runs;

static void run_copy(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy)
    abort();
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
  runs++;
}

static void run_input(uint8_t *data, size_t size) {
  static const uint8_t changes[] = {0x01, 0x80, 0xff};
  inputs++;
  run_copy(data, size);
  if (size > MUTATE_LIMIT)
    return;
  for (size_t length = 0; length < size; length++)
    run_copy(data, length);
  for (size_t at = 0; at < size; at++)
    for (size_t i = 0; i < sizeof changes; i++) {
      data[at] ^= changes[i];
      run_copy(data, size);
      data[at] ^= changes[i];
    }
}

static int run_file(const char *path) {
  FILE *file = fopen(path, "rb");
  struct stat status;
  if (!file || fstat(fileno(file), &status)) {
    perror(path);
    return 1;
  }
  size_t size = (size_t)status.st_size;
  uint8_t *data = malloc(size + 1);
  if (!data || fread(data, 1, size, file) != size) {
    perror(path);
    return 1;
  }
  fclose(file);
  run_input(data, size);
  free(data);
  return 0;
}

static int run_path(const char *path) {
  struct dirent **names;
  int count = scandir(path, &names, NULL, alphasort), status = 0;
  if (count < 0)
    return run_file(path);
  for (int i = 0; i < count; i++) {
    char inner[4096];
    snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
    if (names[i]->d_name[0] != '.')
      status |= run_path(inner);
    free(names[i]);
  }
  free(names);
  return status;
}

int main(int argc, char **argv) {
  int status = 0;
  for (int i = 1; i < argc; i++)
    status |= run_path(argv[i]);
  printf("%lu inputs, %lu runs\n", inputs, runs);
  return status || !inputs;
}
