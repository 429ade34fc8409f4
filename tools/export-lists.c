/* SPDX-License-Identifier: MIT */
/*
 * export-lists.c -- a list, and the variables of liballocs.
 *
 * liballocs has a letter for each parameter: `p` a pointer, `z` a size_t, `i`
 * an int; a capital for the parameter that matters: the size from which the
 * type is read, the block that is given back.  Then `p`, the result.  There is
 * no letter for anything else.
 */
#include "export.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- The list ---- */

/* The deallocation functions that get ALLOC's blocks, most calls first. */
static void add_freed_by(const struct cca_table *table,
                         const struct cca_alloc *alloc, struct cca_text *out) {
  const char *name = cca_table_string(table, alloc->name);
  bool any = false;
  for (uint32_t i = 0; i < cca_giveback_count(table); i++) {
    struct cca_giveback pair = cca_giveback_at(table, i);
    if (strcmp(cca_table_string(table, pair.allocator), name) != 0)
      continue;
    cca_text_adds(out, any ? "," : "");
    cca_export_name(out, cca_table_string(table, pair.deallocator));
    any = true;
  }
  if (!any)
    cca_text_adds(out, "-");
}

void cca_export_list(const struct cca_export *export, struct cca_text *out) {
  const struct cca_table *table = export->table;
  cca_text_adds(out, "# name\tkind\tsize_args\tfree\n");
  for (int group = 0; group < CCA_GROUP_COUNT; group++) {
    const struct cca_rows *rows = &export->report->groups[group];
    for (uint32_t i = 0; i < rows->count; i++) {
      struct cca_alloc alloc = cca_alloc_at(table, rows->items[i]);
      cca_export_name(out, cca_table_string(table, alloc.name));
      cca_text_addf(out, "\t%s\t", cca_kind_name(alloc.kind));
      for (uint32_t a = 0; a < alloc.args_count; a++)
        cca_text_addf(out, "%s%u", a ? "," : "",
                      cca_index_at(table, alloc.args_first + a).value);
      cca_text_adds(out, alloc.args_count ? "\t" : "-\t");
      if (alloc.kind == CCA_KIND_FREE)
        cca_text_addf(out, "%u", alloc.via_param);
      else
        add_freed_by(table, &alloc, out);
      cca_text_adds(out, "\n");
    }
  }
}

/* ---- liballocs ---- */

/* Is parameter PARAM in each alternative of the expression SIZE? */
static bool is_in_all(const char *size, uint32_t param) {
  char name[16];
  int len = snprintf(name, sizeof name, "p%u", param);
  for (const char *at = size, *next; at; at = next) {
    next = strstr(at, " | ");
    const char *end = next ? next : at + strlen(at);
    bool found = false;
    for (const char *p = strstr(at, name); p && p < end;
         p = strstr(p + 1, name))
      found |= strspn(p + len, "0123456789") == 0;
    if (!found)
      return false;
    next = next ? next + 3 : NULL;
  }
  return true;
}

/*
 * The parameter from which liballocs reads the type.  In p4 * p5 | 4 * p4 it is
 * p4, which each alternative multiplies by some count; else the last one, as
 * in calloc.
 */
static uint32_t element_size(const struct cca_table *table,
                             const struct cca_alloc *alloc) {
  const char *size = cca_table_string(table, alloc->size);
  uint32_t i = alloc->args_count, last = 0;
  while (i-- > 0) {
    uint32_t param = cca_index_at(table, alloc->args_first + i).value;
    if (is_in_all(size, param))
      return param;
    last = param > last ? param : last;
  }
  return last;
}

/* The signature of ALLOC, whose parameter CAPITAL matters, or NULL with why
 * not in *REASON. */
static const char *signature(const struct cca_export *export,
                             const struct cca_alloc *alloc, uint32_t capital,
                             const char *result, struct cca_arena *arena,
                             const char **reason) {
  const struct cca_prototype *p = cca_export_prototype(export, alloc);
  struct cca_text text = {0};
  *reason = NULL;
  if (!p)
    *reason = "its name is none of C";
  else if (!p->is_known)
    *reason = p->reason ? p->reason : "its type is not known";
  else if (capital >= p->param_count)
    *reason = "it is declared without the parameter that matters";
  if (*reason)
    return NULL;
  cca_text_addf(&text, "%s(", p->name);
  for (size_t i = 0; i < p->param_count; i++) {
    const struct cca_prototype_param *param = &p->params[i];
    char letter = param->class == CCA_PROTOTYPE_POINTER ? 'p'
                  : param->class == CCA_PROTOTYPE_INTEGER
                      ? (param->bytes > 4 ? 'z' : 'i')
                      : 0;
    if (!letter)
      *reason = "liballocs has no letter for one of its parameters";
    letter = i == capital ? (char)(letter - 'a' + 'A') : letter;
    cca_text_add(&text, &letter, 1);
  }
  cca_text_addf(&text, ")%s", result);
  const char *kept = *reason ? NULL : cca_arena_strdup(arena, text.data);
  cca_text_release(&text);
  return kept;
}

struct variable {
  const char *name;
  struct cca_text words;
};

static void add_word(struct variable *variable, const char *word) {
  cca_text_addf(&variable->words, "%s%s", variable->words.len ? " " : "", word);
}

/* The allocation function whose blocks the deallocation function NAME gets most
 * often, if it is a pool; else NULL. */
static const char *pool_of(const struct cca_table *table, const char *name) {
  const char *best = NULL;
  for (uint32_t i = 0; !best && i < cca_giveback_count(table); i++) {
    struct cca_giveback pair = cca_giveback_at(table, i);
    if (!strcmp(cca_table_string(table, pair.deallocator), name))
      best = cca_table_string(table, pair.allocator);
  }
  for (uint32_t i = 0; best && i < cca_alloc_count(table); i++) {
    struct cca_alloc alloc = cca_alloc_at(table, i);
    if (alloc.kind == CCA_KIND_POOL &&
        !strcmp(cca_table_string(table, alloc.name), best))
      return best;
  }
  return NULL;
}

static void add_function(const struct cca_export *export, uint32_t row,
                         struct variable *variables, struct cca_text *left_out,
                         struct cca_arena *arena) {
  struct cca_alloc alloc = cca_alloc_at(export->table, row);
  const char *reason = NULL, *word = NULL;
  bool frees = alloc.kind == CCA_KIND_FREE;
  if (alloc.flags & CCA_ALLOC_FLAGS_POINTER)
    reason = "it is a function pointer; name the functions that it holds";
  else if (!frees && alloc.via != CCA_VIA_RETURN)
    reason = "its result comes back through a parameter";
  else if (!frees && !alloc.args_count)
    reason = "no parameter carries its size";
  else {
    uint32_t capital =
        frees ? alloc.via_param : element_size(export->table, &alloc);
    word = signature(export, &alloc, capital, frees ? "" : "p", arena, &reason);
  }
  const char *name = cca_table_string(export->table, alloc.name);
  const char *pool = frees ? pool_of(export->table, name) : NULL;
  if (word && pool)
    add_word(&variables[3], cca_arena_printf(arena, "%s->%s", word, pool));
  else if (word)
    add_word(&variables[frees ? 2 : alloc.kind == CCA_KIND_POOL], word);
  else {
    cca_text_adds(left_out, "#   ");
    cca_export_left_out(export, left_out, &alloc, reason);
    cca_text_adds(left_out, "\n");
  }
}

void cca_export_liballocs(const struct cca_export *export,
                          struct cca_text *out) {
  struct variable variables[] = {{"LIBALLOCS_ALLOC_FNS", {0}},
                                 {"LIBALLOCS_SUBALLOC_FNS", {0}},
                                 {"LIBALLOCS_FREE_FNS", {0}},
                                 {"LIBALLOCS_SUBFREE_FNS", {0}}};
  struct cca_text left_out = {0};
  struct cca_arena arena = {0};
  for (int group = 0; group < CCA_GROUP_COUNT; group++) {
    const struct cca_rows *rows = &export->report->groups[group];
    if (group == CCA_GROUP_ALLOCATION || group == CCA_GROUP_DEALLOCATION)
      for (uint32_t i = 0; i < rows->count; i++)
        add_function(export, rows->items[i], variables, &left_out, &arena);
  }
  cca_text_adds(out, "# liballocs: the allocation functions of ");
  cca_export_name(out, export->report->name);
  cca_text_adds(out, "\n# Made by `allocs export --format=liballocs'; to be "
                     "sourced by a shell.\n");
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    cca_text_addf(out, "export %s=\"%s\"\n", variables[i].name,
                  variables[i].words.len ? variables[i].words.data : "");
    cca_text_release(&variables[i].words);
  }
  if (left_out.len) {
    cca_text_adds(out, "# Left out:\n");
    cca_text_adds(out, left_out.data);
  }
  cca_text_release(&left_out);
  cca_arena_release(&arena);
}
