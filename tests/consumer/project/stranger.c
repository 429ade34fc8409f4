/* Print the allocation functions that a program says it has. */
#include <ccallocs/classification.h>
#include <stdio.h>

int main(int argc, char **argv) {
  struct cca_classification *c;
  struct cca_error err;
  if (argc != 2 || cca_classification_open(&c, argv[1], &err) < 0) {
    printf("%s\n", argc == 2 ? err.text : "usage: stranger FILE");
    return 1;
  }
  for (uint32_t i = 0; i < cca_classification_function_count(c); i++) {
    struct cca_function_info f = cca_classification_function(c, i);
    printf("%s %s\n", f.name, f.kind);
  }
  cca_classification_free(c);
  return 0;
}
