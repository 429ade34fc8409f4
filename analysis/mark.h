/* SPDX-License-Identifier: MIT */
/*
 * mark.h -- make sizeof survive lowering.
 *
 * A C front end folds sizeof(struct foo) to 24.  Marking rewrites preprocessed
 * C so that each sizeof that stands where no constant is required becomes the
 * address of a variable, which no pass can fold and whose debug information is
 * the operand's type.  The text is lowered and read, never executed.
 *
 * What a reader of the IR finds (f is the enclosing function, N is unique in
 * the unit):
 *
 *   @f.__cca_sizeof_N      internal global; its DIGlobalVariable's type is a
 *                          pointer to the operand's type.  The mark's value is
 *                          `ptrtoint (ptr @f.__cca_sizeof_N to iSIZE)`.
 *                          The debug type is there for every operand: char[4]
 *                          for "abc", an array without a constant count for a
 *                          variable length array, none (void) for sizeof(void),
 *                          a subroutine type for a function.
 *
 *   @f.__cca_offsetof_N    likewise for offsetof.  Its type is a struct without
 *                          a name with two members: `type`, a pointer to the
 *                          record, and `end`, a pointer to char[OFFSET + 1].
 *                          offsetof(S, a[n]) becomes
 *                          offsetof(S, a[0]) + n * sizeof(element), both
 * marked.
 *
 *   call void @__cca_init(ptr @v, ptr %copy)
 *                          the initialiser of the static object @v is, field by
 *                          field, what is stored in the local %copy.  For an
 *                          object at file scope the call stands in a function
 *                          @__cca_init_N that nobody calls and that holds
 *                          nothing else; for a static local it stands in the
 *                          function itself, in a block guarded by a load of
 *                          @__cca_never.  The copy is named __cca_of_v in the
 *                          debug information.  Only objects whose initialiser
 *                          holds a mark have one; compound literals in it are
 *                          locals of their own.
 *
 * All these names, __cca_init, __cca_init_N, __cca_never and the marks, are
 * ours and must not reach a summary; so must no call to __cca_init.
 *
 * Not marked, because a constant is required or nothing is evaluated: array
 * bounds, subscripts, designators (but the arguments of a call inside them
 * are), case labels, enumerators, bit-field widths and whatever else is in a
 * record's body, static assertions, operands of sizeof, typeof, alignof,
 * alignas, of attributes and of asm, the controlling expression of _Generic,
 * what some builtins demand constant.  Not marked either: a comparison with
 * another constant (`sizeof(long) == 8` chooses code, it makes no size), a
 * switch head, a discarded `(void)sizeof x`, and an offsetof that is
 * subtracted (container_of).
 *
 * Not part of marking, but of the same pass: the arguments of gcc's attribute
 * malloc(deallocator, n) become blanks, since clang knows it without only; and
 * in text from gcc nothing is _Atomic, since gcc's <stdatomic.h> expands to
 * functions that clang has for other types only.
 *
 * Lines and columns of what is not a mark stay those of the input: each mark
 * is followed by a line marker and the blanks that lead back to its column.
 */
#ifndef CCA_MARK_H
#define CCA_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define CCA_MARK_SIZEOF "__cca_sizeof_"
#define CCA_MARK_OFFSETOF "__cca_offsetof_"
#define CCA_MARK_INIT "__cca_init"
#define CCA_MARK_NEVER "__cca_never"
#define CCA_MARK_COPY "__cca_of_"

enum cca_mark_kind { CCA_MARKED_SIZEOF, CCA_MARKED_OFFSETOF };

#define CCA_MARK_IN_PLACE UINT32_MAX

/* Places are offsets into the preprocessed text. */
struct cca_mark {
  enum cca_mark_kind kind;
  bool dropped;        /* clang refused it: leave it as it was written */
  uint32_t begin, end; /* the whole expression */
  /* What it is of: a type or expression, without its outer parentheses; for
   * offsetof, the record. */
  uint32_t operand, operand_end;
  uint32_t member; /* offsetof: the member begins here and ends at end - 1 */
  /* offsetof(T, m[n]): its brackets; 0 without them. */
  uint32_t index, index_end;
  uint32_t text_line;      /* newlines of the text before its last token */
  uint32_t file;           /* what line markers say: the file, ... */
  uint32_t line, line_end; /* ... the first and the last line in it */
  uint32_t thunk; /* index of the static initialiser, or CCA_MARK_IN_PLACE */
};

struct cca_marks;

/*
 * Find the marks of the LEN bytes of preprocessed C at TEXT, which must outlive
 * the result.  FROM_GCC: gcc has preprocessed it.  Never fails: text that is
 * not C (brackets that do not match) has no marks.  The result is owned by the
 * caller.
 */
struct cca_marks *cca_marks_find(const char *text, size_t len, bool from_gcc);
void cca_marks_free(struct cca_marks *marks);

/* The marks in the order of the text; borrowed.  COUNT may not be NULL. */
const struct cca_mark *cca_marks_list(const struct cca_marks *marks,
                                      size_t *count);

/*
 * Drop every mark that touches line LINE of FILE, as line markers count them;
 * if there is none, those in static initialisers that reach over that line; if
 * there is none either, the nearest ones up to five lines away.
 * Returns how many there were.
 */
size_t cca_marks_drop(struct cca_marks *marks, const char *file,
                      size_t file_len, uint32_t line);

/* Drop all marks that are left; how many. */
size_t cca_marks_drop_all(struct cca_marks *marks);

/* Append the text, with all marks that are not dropped, to OUT. */
void cca_marks_apply(const struct cca_marks *marks, struct cca_text *out);

#endif
