/* SPDX-License-Identifier: MIT */
/*
 * export-header.c -- a C header that tells gcc and clang what was found.
 *
 * It is included before the first line of every unit of the program, so it
 * must compile there, and must not change what the program means.  Both decide
 * what it says:
 *
 * - prototypes.c finds declarations that are right in all units, in types that
 *   need no header.  A function whose name is a macro by then is skipped.
 * - `alloc_size` is a promise that the result is not used beyond that size:
 *   _FORTIFY_SOURCE ends programs that break it.  So it is given only where the
 *   size is exactly a parameter or the product of two.  A constant that is the
 *   size in some cases is a floor or a limit, and its callers have asked for
 *   the parameter.  What allocates more and tells its caller through a
 *   pointer to a number must not have it.
 * - `malloc` promises more, that nothing else points to the block and that
 *   the block points to nothing; the classification does not say that.
 *
 * It is a system header, in which no flags of the program cause warnings; but
 * for gcc's -Wredundant-decls, which is about the declarations that follow and
 * is turned off.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* ---- Sizes ---- */

struct size {
  uint32_t count; /* of parameters: 0, 1 or 2 */
  uint32_t params[2];
};

/* The parameter `pN` at TEXT, LEN bytes; false if it is something else. */
static bool read_param(const char *text, size_t len, uint32_t *param) {
  if (len < 2 || len > 4 || *text != 'p')
    return false;
  *param = 0;
  for (size_t i = 1; i < len; i++) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    *param = *param * 10 + (uint32_t)(text[i] - '0');
  }
  return true;
}

static bool is_constant(const char *text, size_t len) {
  static const char sizeof_[] = "sizeof(";
  size_t digits = strspn(text, "0123456789");
  if (digits >= len)
    return true;
  size_t name = sizeof sizeof_ - 1;
  return len > name && !strncmp(text, sizeof_, name) &&
         memchr(text, ')', len) == text + len - 1;
}

/*
 * SIZE, the expression of a classification, if it is a parameter or a product
 * of two, but for alternatives that are constant.  Anything else has no
 * parameters here.
 */
static struct size read_size(const char *size) {
  static const char or [] = " | ", times[] = " * ";
  struct size found = {0};
  for (const char *at = size, *next; at; at = next) {
    const char *end = strstr(at, or);
    next = end ? end + sizeof or -1 : NULL;
    size_t len = end ? (size_t)(end - at) : strlen(at);
    if (is_constant(at, len))
      continue;
    struct size one = {0};
    const char *star = strstr(at, times);
    size_t first = star && star < at + len ? (size_t)(star - at) : len;
    size_t second = first < len ? first + sizeof times - 1 : len;
    if (!read_param(at, first, &one.params[0]))
      return (struct size){0};
    one.count = 1;
    if (second < len) {
      if (!read_param(at + second, len - second, &one.params[1]))
        return (struct size){0};
      one.count = 2;
    }
    if (found.count && memcmp(&one, &found, sizeof one) != 0)
      return (struct size){0};
    found = one;
  }
  return found;
}

/* ---- Which functions ---- */

/* May the parameters of SIZE be named in an attribute of P?  NULL, or why
 * not. */
static const char *check_params(const struct cca_prototype *p,
                                struct size size) {
  for (uint32_t i = 0; i < size.count; i++)
    if (size.params[i] >= p->param_count ||
        p->params[size.params[i]].class != CCA_PROTOTYPE_INTEGER)
      return "a parameter of its size is no integer";
  for (size_t i = 0; i < p->param_count; i++)
    if (p->params[i].to_number)
      return "it may tell its caller, through a pointer to a number, of more "
             "memory than was asked for";
  return NULL;
}

/* Why ALLOC cannot be in the header; NULL, *SIZE and *P if it can. */
static const char *refuse(const struct cca_export *export,
                          const struct cca_alloc *alloc, struct size *size,
                          const struct cca_prototype **p) {
  if (alloc->flags & CCA_ALLOC_FLAGS_POINTER)
    return "it is a function pointer";
  if (alloc->via != CCA_VIA_RETURN)
    return "its result comes back through a parameter";
  *size = read_size(cca_table_string(export->table, alloc->size));
  if (!size->count)
    return "its size is no parameter, and no product of two";
  *p = cca_export_prototype(export, alloc);
  if (!*p)
    return "its name is none of C";
  if (!(*p)->text)
    return (*p)->reason;
  if (!(*p)->returns_pointer)
    return "it returns no pointer";
  return check_params(*p, *size);
}

/* ---- The header ---- */

struct header {
  struct cca_vec(const char *) tags;
  struct cca_text functions, left_out;
};

static void add_function(const struct cca_export *export, struct header *header,
                         const struct cca_alloc *alloc) {
  struct size size;
  const struct cca_prototype *p;
  const char *reason = refuse(export, alloc, &size, &p);
  if (reason) {
    cca_text_adds(&header->left_out, " * ");
    cca_export_left_out(export, &header->left_out, alloc, reason);
    cca_text_adds(&header->left_out, "\n");
    return;
  }
  for (size_t i = 0; i < p->tag_count; i++)
    cca_vec_push(&header->tags, p->tags[i]);
  cca_text_addf(&header->functions, "\n#ifndef %s\n%s\n    __attribute__((",
                p->name, p->text);
  if (size.count == 2)
    cca_text_addf(&header->functions, "__alloc_size__(%u, %u)",
                  size.params[0] + 1, size.params[1] + 1);
  else
    cca_text_addf(&header->functions, "__alloc_size__(%u)", size.params[0] + 1);
  cca_text_adds(&header->functions, "));\n#endif\n");
}

static int compare_strings(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_tags(struct header *header, struct cca_text *out) {
  const char **tags = header->tags.items;
  if (header->tags.count)
    qsort(tags, header->tags.count, sizeof *tags, compare_strings);
  for (size_t i = 0; i < header->tags.count; i++)
    if (!i || strcmp(tags[i], tags[i - 1]))
      cca_text_addf(out, "%s;\n", tags[i]);
}

static void add_count(struct cca_text *out, const struct cca_report *report,
                      enum cca_report_group group, const char *remark) {
  uint32_t count = report->groups[group].count;
  if (count)
    cca_text_addf(out, " * %u %s: %s\n", count,
                  cca_report_group_name(group, count != 1), remark);
}

void cca_export_header(const struct cca_export *export, struct cca_text *out) {
  const struct cca_report *report = export->report;
  const struct cca_rows *rows = &report->groups[CCA_GROUP_ALLOCATION];
  struct header header = {0};
  for (uint32_t i = 0; i < rows->count; i++) {
    struct cca_alloc alloc = cca_alloc_at(export->table, rows->items[i]);
    add_function(export, &header, &alloc);
  }
  static const char no_size[] = "no parameter is their size";
  add_count(&header.left_out, report, CCA_GROUP_FACTORY, no_size);
  add_count(&header.left_out, report, CCA_GROUP_LOOKALIKE, no_size);
  add_count(&header.left_out, report, CCA_GROUP_DEALLOCATION,
            "an attribute would say that nothing else releases these blocks");

  cca_text_adds(out, "/*\n * How much the allocation functions of ");
  cca_export_name(out, report->name);
  cca_text_adds(
      out, " allocate.\n"
           " * Made by `allocs export --format=header'; compile the program's "
           "C units\n"
           " * with -include and the name of this file.\n"
           " */\n"
           "#if !defined __ASSEMBLER__ && !defined __cplusplus && defined "
           "__GNUC__\n"
           "#pragma GCC system_header\n"
           "#ifndef __clang__ /* a second declaration, that is the point */\n"
           "#pragma GCC diagnostic ignored \"-Wredundant-decls\"\n"
           "#endif\n");
  if (header.tags.count)
    cca_text_adds(out, "\n");
  add_tags(&header, out);
  cca_text_add(out, header.functions.data, header.functions.len);
  cca_text_adds(out, "\n#endif\n");
  if (header.left_out.len) {
    cca_text_adds(out, "\n/*\n * Left out:\n *\n");
    cca_text_adds(out, header.left_out.data);
    cca_text_adds(out, " */\n");
  }
  cca_vec_release(&header.tags);
  cca_text_release(&header.functions);
  cca_text_release(&header.left_out);
}
