/* SPDX-License-Identifier: MIT */
/*
 * token.h -- preprocessed C as an array of tokens.
 *
 * No values and no types: where each token is, which of the few words that
 * matter to mark.c it is, and for each bracket where its partner is.  Lines
 * that begin with # are no tokens; line markers among them are kept, so that
 * any place can be named as a compiler would name it.
 */
#ifndef CCA_TOKEN_H
#define CCA_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* A punctuator of one character is that character. */
enum cca_token_kind {
  CCA_T_END = 0,
  CCA_T_IDENT = 128,
  CCA_T_NUMBER,
  CCA_T_STRING,
  CCA_T_CHAR,
  CCA_T_ARROW,    /* -> */
  CCA_T_PLUSPLUS, /* ++ and -- */
  CCA_T_LOGIC,    /* && and || */
  CCA_T_COMPARE,  /* == != < > <= >= */
  CCA_T_OPERATOR, /* << >> ... ## and all assignments but = */

  /* Words, by what they do to the scanner. */
  CCA_T_SIZEOF,
  CCA_T_OFFSETOF,  /* __builtin_offsetof */
  CCA_T_TYPEOF,    /* and alignof: the operand is not evaluated */
  CCA_T_ATTRIBUTE, /* and alignas, static_assert, some builtins: constants */
  CCA_T_ASM,
  CCA_T_FIRST_CONSTANT, /* _Generic, __builtin_choose_expr */
  CCA_T_RECORD,         /* struct, union */
  CCA_T_ENUM,
  CCA_T_CASE,
  CCA_T_SWITCH,
  CCA_T_GOTO,
  CCA_T_RETURN,
  CCA_T_STATIC,    /* static, thread-local, constexpr: a constant initialiser */
  CCA_T_EXTENSION, /* __extension__, __real__, __imag__: prefix operators */
  CCA_T_TYPEWORD,  /* int, const, ...: begins nothing but a type */
};

struct cca_token {
  uint32_t begin, len;
  uint32_t line;  /* lines of the text before it */
  uint32_t match; /* brackets: index of the partner */
  uint8_t kind;   /* enum cca_token_kind */
};

/* From line LINE of the text on, lines are NUMBER, NUMBER + 1, ... of FILE. */
struct cca_token_marker {
  uint32_t line, number, file;
};

struct cca_token_file {
  const char *name; /* as written between the quotes; borrowed from the text */
  size_t len;
};

struct cca_tokens {
  const char *text; /* borrowed */
  size_t len;
  struct cca_vec(struct cca_token) list;           /* CCA_T_END is the last */
  struct cca_vec(struct cca_token_marker) markers; /* never empty */
  struct cca_vec(struct cca_token_file) files;     /* file 0 has no name */
};

/*
 * Split the LEN bytes at TEXT, which must outlive the result.  Returns false,
 * and no tokens, if the text is over 2 GiB or its brackets do not match.
 * Release the result in both cases.
 */
bool cca_tokens_read(struct cca_tokens *tokens, const char *text, size_t len);
void cca_tokens_release(struct cca_tokens *tokens);

/* Where line LINE of the text says that it is. */
struct cca_token_place {
  uint32_t file, line;
};
struct cca_token_place cca_tokens_place(const struct cca_tokens *tokens,
                                        uint32_t line);

/* Is token T spelled WORD? */
bool cca_token_is(const struct cca_tokens *tokens, const struct cca_token *t,
                  const char *word);

#endif
