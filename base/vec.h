/* SPDX-License-Identifier: MIT */
/*
 * vec.h -- growable arrays of any element type.
 *
 *     struct cca_vec(uint32_t) ids = {0};
 *     cca_vec_push(&ids, 7);
 *     for (size_t i = 0; i < ids.count; i++) use(ids.items[i]);
 *     cca_vec_release(&ids);
 *
 * Two vectors of one element type are distinct anonymous types; give the type
 * a name where one crosses a function.  Memory: base/memory.h, never NULL.
 */
#ifndef CCA_VEC_H
#define CCA_VEC_H

#include <stdlib.h>

#include "memory.h"

#define cca_vec(type)                                                          \
  {                                                                            \
    type *items;                                                               \
    size_t count, room;                                                        \
  }

/* Make room for at least N more elements. */
#define cca_vec_reserve(v, n)                                                  \
  ((v)->room - (v)->count < (size_t)(n)                                        \
       ? (void)((v)->room = (v)->count + (size_t)(n) + (v)->room / 2 + 4,      \
                (v)->items = cca_realloc((v)->items, (v)->room,                \
                                         sizeof *(v)->items))                  \
       : (void)0)

#define cca_vec_push(v, value)                                                 \
  (cca_vec_reserve(v, 1), (void)((v)->items[(v)->count++] = (value)))

/* Move all of FROM, which is empty afterwards, to the end of V. */
#define cca_vec_join(v, from)                                                  \
  do {                                                                         \
    cca_vec_reserve(v, (from)->count);                                         \
    for (size_t cca_i = 0; cca_i < (from)->count; cca_i++)                     \
      (v)->items[(v)->count++] = (from)->items[cca_i];                         \
    cca_vec_release(from);                                                     \
  } while (0)

#define cca_vec_release(v)                                                     \
  (free((v)->items), (void)((v)->items = NULL, (v)->count = (v)->room = 0))

#endif
