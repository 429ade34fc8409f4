/* Ask the runtime what a pointer is. */
#include <ccallocs/runtime.h>
#include <stdio.h>
#include <stdlib.h>

struct thing {
  int a, b;
};

int main(void) {
  struct cca_object object;
  struct thing *thing = malloc(sizeof *thing);
  if (cca_describe(&thing->b, &object) != CCA_OK)
    return 1;
  printf("%s at +%zu\n", object.type ? object.type : object.site_class,
         object.offset);
  free(thing);
  return 0;
}
