/* SPDX-License-Identifier: MIT */
/*
 * witness.h -- a program that knows the true type of all that it allocates, and
 * asks the runtime about each object.
 *
 * SAW(p, "type") after each allocation.  What has another type is a mistake and
 * ends the program with 1; the last line says how many had theirs.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccallocs/runtime.h"

static int witness_seen, witness_typed, witness_wrong;

static void witness(const char *place, const void *p, const char *want) {
  static int (*describe)(const void *, struct cca_object *);
  struct cca_object object;
  if (!describe)
    *(void **)&describe = dlsym(RTLD_DEFAULT, "cca_describe");
  witness_seen++;
  if (!describe || describe(p, &object) != CCA_OK || object.start != p) {
    fprintf(stderr, "%s: no object\n", place);
    witness_wrong++;
  } else if (!object.type ? strcmp(object.site_class, want) == 0
                          : strcmp(object.type, want) == 0) {
    witness_typed++;
  } else if (strcmp(object.site_class, "untyped")) {
    fprintf(stderr, "%s: %s, not %s\n", place,
            object.type ? object.type : object.site_class, want);
    witness_wrong++;
  } else {
    fprintf(stderr, "%s: %s: %s\n", place, want, object.reason);
  }
}

#define WITNESS_(line) #line
#define WITNESS(line) WITNESS_(line)
#define SAW(p, want) witness(__FILE__ ":" WITNESS(__LINE__), p, want)

static int witness_end(void) {
  printf("%d of %d typed, %d wrong\n", witness_typed, witness_seen,
         witness_wrong);
  return witness_wrong != 0;
}
