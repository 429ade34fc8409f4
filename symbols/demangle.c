/* SPDX-License-Identifier: MIT */
/*
 * demangle.c -- names of C++ as people write them.
 *
 * The system's C++ library does it (__cxa_demangle).  It is loaded when the
 * first such name is met: programs in C do without it, and so do machines
 * without C++, where names stay as linkers know them.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gather.h"

/* Longer names are left alone: what they stand for can be longer by far. */
enum { MAX_LINKAGE = 8192 };

static char *(*demangle)(const char *linkage, char *out, size_t *len,
                         int *status);

static void load(void) {
  static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
  for (size_t i = 0; !demangle && i < sizeof libraries / sizeof *libraries;
       i++) {
    void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (library)
      *(void **)&demangle = dlsym(library, "__cxa_demangle");
  }
}

char *cca_demangle(const char *linkage) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (linkage[0] != '_' || linkage[1] != 'Z' || strlen(linkage) > MAX_LINKAGE)
    return NULL;
  pthread_once(&once, load);
  int status;
  return demangle ? demangle(linkage, NULL, NULL, &status) : NULL;
}
