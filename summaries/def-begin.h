/* SPDX-License-Identifier: MIT */
/*
 * def-begin.h -- stands before the .def files: what their user left
 * undefined expands to nothing, and every FIELD becomes COLUMNs, which are
 * what a row is made of:
 *
 *   COLUMN(name, KIND, detail)
 *
 * KIND is STR, U32, I32, I64, HEX, VARIANT (detail: NONE), ENUM, FLAGS (the
 * enumeration), REF, OPT, FIRST or COUNT (the chunk).  FIRST and COUNT come in
 * this order and together are a range.
 *
 * No include guard: it is there to be included again.
 */
#ifndef ENUM_BEGIN
#define ENUM_BEGIN(E, e)
#endif
#ifndef ENUM
#define ENUM(E, N, n, value)
#endif
#ifndef ENUM_END
#define ENUM_END(E, e)
#endif
#ifndef FLAGS_BEGIN
#define FLAGS_BEGIN(F, f)
#endif
#ifndef FLAG
#define FLAG(F, N, n, bit)
#endif
#ifndef FLAGS_END
#define FLAGS_END(F, f)
#endif
#ifndef NODE_OP
#define NODE_OP(N, n, value, a, b) ENUM(OP, N, n, value)
#endif
#ifndef CHUNK
#define CHUNK(id, NAME, name)
#endif
#ifndef COLUMN
#define COLUMN(name, KIND, detail)
#endif
#ifndef END
#define END(NAME, name)
#endif

#define FIELD(name, KIND) COLUMN(name, KIND, NONE)
#define FIELD_ENUM(name, e) COLUMN(name, ENUM, e)
#define FIELD_FLAGS(name, f) COLUMN(name, FLAGS, f)
#define FIELD_REF(name, NAME) COLUMN(name, REF, NAME)
#define FIELD_OPT(name, NAME) COLUMN(name, OPT, NAME)
#define FIELD_RANGE(name, NAME)                                                \
  COLUMN(name##_first, FIRST, NAME) COLUMN(name##_count, COUNT, NAME)
