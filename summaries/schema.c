/* SPDX-License-Identifier: MIT */
/*
 * schema.c -- the tables of schema.h, made from the .def files.
 */
#include "schema.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* Words by value.  A hole in an enumeration would be a NULL here, so there are
 * none: test-format-pages looks. */
#define ENUM_BEGIN(E, e) static const char *const words_of_##e[] = {
#define ENUM(E, N, n, value) [value] = #n,
#define ENUM_END(E, e)                                                         \
  }                                                                            \
  ;                                                                            \
  const char *cca_##e##_name(uint32_t value) {                                 \
    return value < COUNT_OF(words_of_##e) ? words_of_##e[value] : "?";         \
  }                                                                            \
  static const struct cca_words e##_words = {COUNT_OF(words_of_##e),           \
                                             words_of_##e};
#define FLAGS_BEGIN(F, f) static const char *const words_of_##f[] = {
#define FLAG(F, N, n, bit) [bit] = #n,
#define FLAGS_END(F, f)                                                        \
  }                                                                            \
  ;                                                                            \
  static const struct cca_words f##_words = {COUNT_OF(words_of_##f),           \
                                             words_of_##f};
#include "all.def"

const struct cca_words cca_op_words = {COUNT_OF(words_of_op), words_of_op};

/* What a column's detail says, by kind: chunk, words. */
#define DETAIL_STR(detail) 0, NULL
#define DETAIL_U32(detail) 0, NULL
#define DETAIL_I32(detail) 0, NULL
#define DETAIL_I64(detail) 0, NULL
#define DETAIL_HEX(detail) 0, NULL
#define DETAIL_VARIANT(detail) 0, NULL
#define DETAIL_ENUM(detail) 0, &detail##_words
#define DETAIL_FLAGS(detail) 0, &detail##_words
#define DETAIL_REF(detail) CCA_CHUNK_##detail, NULL
#define DETAIL_OPT(detail) CCA_CHUNK_##detail, NULL
#define DETAIL_FIRST(detail) CCA_CHUNK_##detail, NULL
#define DETAIL_COUNT(detail) CCA_CHUNK_##detail, NULL

#define CHUNK(id, NAME, name)                                                  \
  static const struct cca_column name##_columns[] = {
#define COLUMN(name, KIND, detail)                                             \
  {#name,                                                                      \
   sizeof #name -                                                              \
       (CCA_COLUMN_##KIND == CCA_COLUMN_FIRST ? sizeof "_first" : 1),          \
   CCA_COLUMN_##KIND, CCA_SIZE_OF_##KIND, DETAIL_##KIND(detail)},
#define END(NAME, name)                                                        \
  }                                                                            \
  ;                                                                            \
  _Static_assert(COUNT_OF(name##_columns) <= CCA_MAX_COLUMNS, #name);
#include "all.def"

/* A chunk in the list of its schema. */
#define LISTED(id, NAME, name)                                                 \
  [id] = {#name, sizeof(struct cca_wire_##name), COUNT_OF(name##_columns),     \
          name##_columns},

const struct cca_schema cca_summary_schema = {"summary",
                                              {'s', 'u', 'm', 'm'},
                                              2,
                                              0,
                                              CCA_CHUNK_UNIT,
                                              {
#define CHUNK LISTED
#include "def-begin.h"

#include "shared.def"

#include "summary.def"

#include "def-end.h"
                                              }};

const struct cca_schema cca_classification_schema = {"classification",
                                                     {'c', 'l', 'a', 's'},
                                                     2,
                                                     0,
                                                     CCA_CHUNK_MODULE,
                                                     {
#define CHUNK LISTED
#include "def-begin.h"

#include "shared.def"

#include "classification.def"

#include "def-end.h"
                                                     }};

const struct cca_schema cca_symbols_schema = {"symbols",
                                              {'s', 'y', 'm', 'b'},
                                              1,
                                              0,
                                              CCA_CHUNK_IMAGE,
                                              {
#define CHUNK LISTED
#include "def-begin.h"

#include "symbols.def"

#include "def-end.h"
                                              }};

const struct cca_schema cca_cache_schema = {"cache",
                                            {'c', 'a', 'c', 'h'},
                                            2,
                                            0,
                                            CCA_CHUNK_CACHE_HEAD,
                                            {
#define CHUNK LISTED
#include "def-begin.h"

#include "cache.def"

#include "def-end.h"
                                            }};

/* Operands of nodes. */
#define OPERAND_ZERO CCA_COLUMN_ZERO, 4, 0, NULL
#define OPERAND_U32 CCA_COLUMN_U32, 4, 0, NULL
#define OPERAND_INT_LOW CCA_COLUMN_INT_LOW, 4, 0, NULL
#define OPERAND_INT_HIGH CCA_COLUMN_INT_HIGH, 4, 0, NULL
#define OPERAND_NODE CCA_COLUMN_NODE, 4, CCA_CHUNK_NODE, NULL
#define OPERAND_REF(NAME) CCA_COLUMN_REF, 4, CCA_CHUNK_##NAME, NULL
#define OPERAND_FIRST(NAME) CCA_COLUMN_FIRST, 4, CCA_CHUNK_##NAME, NULL
#define OPERAND_COUNT(NAME) CCA_COLUMN_COUNT, 4, CCA_CHUNK_##NAME, NULL
#define OPERAND_ENUM_OF(e) CCA_COLUMN_ENUM, 4, 0, &e##_words

const struct cca_op_operands cca_ops[] = {
#define NODE_OP(N, n, value, a, b)                                             \
  [value] = {{"a", 1, OPERAND_##a}, {"b", 1, OPERAND_##b}},
#include "all.def"
};
