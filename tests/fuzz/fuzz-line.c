/* libs: cca_link */
/* SPDX-License-Identifier: MIT */
/*
 * fuzz-line.c -- a linker's command line, zero bytes between the arguments, is
 * read to its end: there are no more inputs than arguments, each is a string,
 * and --defsym gives pairs.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linker_plugin/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  const char **args = calloc(size + 1, sizeof *args);
  size_t count = 0;
  memcpy(text, data, size);
  text[size] = '\0';
  for (size_t at = 0; at < size; at += strlen(text + at) + 1) {
    if (text[at] == '@') /* would read the files of whoever runs this */
      text[at] = '-';
    args[count++] = text + at;
  }

  struct cca_line line;
  cca_line_parse(&line, count, args);
  if (line.inputs.count > count || line.defsyms.count % 2 != 0 || !line.output)
    abort();
  for (size_t i = 0; i < line.inputs.count; i++)
    if (strlen(line.inputs.items[i].name) > size)
      abort();
  cca_line_release(&line);
  free(args);
  free(text);
  return 0;
}
