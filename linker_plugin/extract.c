/* SPDX-License-Identifier: MIT */
/*
 * extract.c -- which objects and archive members will lld or mold link?
 *
 * In:    the command line.
 * Out:   the objects on it, and of archives the members that somebody needs,
 *        in the order of the line.
 * Holds: nothing is opened but what the line names, or a linker script on it.
 *
 * These two linkers tell nobody what they take until the map is written, and
 * by then the note's size is fixed.  So their search is repeated here, which
 * does not depend on the order of archives: a member comes in when it is the
 * first to define a symbol that something already in refers to, not weakly.
 * Of what link-time optimisation reads, the summary names the symbols.  Should
 * the search differ from theirs in some corner, a unit too many has dead rows,
 * and one too few is missing: the link does not depend on it.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "extract.h"
#include "summaries/bitcode.h"
#include "summaries/carrier.h"
#include "summaries/elf.h"

enum { MAX_SCRIPT = 1 << 16 };

struct candidate {
  struct cca_input_file *file;
  const struct cca_input_member *member; /* NULL: the file itself */
  const unsigned char *bytes;
  size_t len;
  bool is_in;
};

struct search {
  struct cca_inputs *inputs;
  const struct cca_line *line;
  struct cca_vec(struct candidate) all; /* in the order of the line */
  struct cca_vec(uint32_t) queue;       /* are in; references to be looked at */
  struct cca_map offers;  /* symbol: 1 + index of the first that defines it */
  struct cca_map defined; /* symbols that need nobody */
  struct cca_map scripts; /* by path: linker scripts that were read */
};

/* Symbols ------------------------------------------------------------------ */

typedef void visit_symbol(struct search *, uint32_t candidate,
                          const struct cca_elf_symbol *);

static void visit_row(visit_symbol *each, struct search *s, uint32_t candidate,
                      const char *name, enum cca_linkage linkage) {
  struct cca_elf_symbol symbol = {
      .name = name, .binding = STB_GLOBAL, .section = 1};
  if (linkage == CCA_LINKAGE_INTERNAL)
    return;
  if (linkage == CCA_LINKAGE_UNDEFINED || linkage == CCA_LINKAGE_AVAILABLE)
    symbol.section = SHN_UNDEF;
  each(s, candidate, &symbol);
}

/* The symbols of bitcode, or of an object with GIMPLE alone, whose own symbol
 * table says nothing: those that its summary names. */
static void each_of_summary(const unsigned char *bytes, size_t len,
                            visit_symbol *each, struct search *s,
                            uint32_t candidate) {
  struct cca_carrier *carrier = cca_carrier_new(NULL);
  cca_carrier_add_bytes(carrier, "", bytes, len);
  for (size_t i = 0; i < cca_carrier_count(carrier); i++) {
    const struct cca_table *t = cca_carrier_item(carrier, i)->table;
    for (uint32_t f = 0; t && f < cca_func_count(t); f++) {
      struct cca_func row = cca_func_at(t, f);
      visit_row(each, s, candidate, cca_table_string(t, row.symbol),
                row.linkage);
    }
    for (uint32_t g = 0; t && g < cca_global_count(t); g++) {
      struct cca_global row = cca_global_at(t, g);
      visit_row(each, s, candidate, cca_table_string(t, row.symbol),
                row.linkage);
    }
  }
  cca_carrier_free(carrier);
}

static void each_global(const unsigned char *bytes, size_t len,
                        visit_symbol *each, struct search *s,
                        uint32_t candidate) {
  struct cca_elf elf;
  struct cca_elf_section table, strings;
  struct cca_elf_symbol symbol;
  if (cca_bitcode_is(bytes, len)) {
    each_of_summary(bytes, len, each, s, candidate);
    return;
  }
  if (!cca_elf_is(bytes, len) || cca_elf_open(&elf, bytes, len) != NULL)
    return;
  uint32_t wanted = elf.type == ET_DYN ? SHT_DYNSYM : SHT_SYMTAB;
  for (uint32_t i = 1; i < elf.section_count; i++) {
    if (!cca_elf_section_at(&elf, i, &table) || table.type != wanted ||
        table.link >= elf.section_count ||
        !cca_elf_section_at(&elf, table.link, &strings))
      continue;
    uint64_t count = cca_elf_symbol_count(&elf, &table);
    for (uint64_t k = table.info; k < count; k++)
      if (!cca_elf_symbol_at(&elf, &table, &strings, NULL, k, &symbol) ||
          symbol.binding == STB_LOCAL || symbol.name[0] == '\0')
        continue;
      else if (strcmp(symbol.name, "__gnu_lto_slim") == 0)
        each_of_summary(bytes, len, each, s, candidate);
      else
        each(s, candidate, &symbol);
  }
}

static void offer(struct search *s, uint32_t candidate,
                  const struct cca_elf_symbol *symbol) {
  if (symbol->section == SHN_UNDEF)
    return;
  uint32_t *first =
      cca_map_at(&s->offers, symbol->name, strlen(symbol->name), NULL);
  if (*first == 0)
    *first = candidate + 1;
}

static void define(struct search *s, uint32_t candidate,
                   const struct cca_elf_symbol *symbol) {
  (void)candidate;
  if (symbol->section != SHN_UNDEF)
    cca_map_at(&s->defined, symbol->name, strlen(symbol->name), NULL);
}

static void take(struct search *s, uint32_t candidate) {
  struct candidate *c = &s->all.items[candidate];
  if (c->is_in)
    return;
  c->is_in = true;
  each_global(c->bytes, c->len, define, s, candidate);
  cca_vec_push(&s->queue, candidate);
}

static void need(struct search *s, const char *name) {
  if (cca_map_find(&s->defined, name, strlen(name)))
    return;
  const uint32_t *first = cca_map_find(&s->offers, name, strlen(name));
  if (first)
    take(s, *first - 1);
}

/* A reference, by its own name or by what --wrap makes of it. */
static void refer(struct search *s, uint32_t candidate,
                  const struct cca_elf_symbol *symbol) {
  (void)candidate;
  if (symbol->section != SHN_UNDEF || symbol->binding == STB_WEAK)
    return;
  for (size_t i = 0; i < s->line->wraps.count; i++)
    if (strcmp(s->line->wraps.items[i], symbol->name) == 0)
      need(s, cca_arena_printf(&s->inputs->arena, "__wrap_%s", symbol->name));
  need(s, strncmp(symbol->name, "__real_", 7) == 0 ? symbol->name + 7
                                                   : symbol->name);
}

/* Files -------------------------------------------------------------------- */

static struct cca_input_file *find_library(struct search *s,
                                           const struct cca_line_input *input) {
  struct cca_arena *a = &s->inputs->arena;
  const char *exact = input->name[0] == ':' ? input->name + 1 : NULL;
  for (size_t i = 0; i < s->line->library_paths.count; i++) {
    const char *dir = s->line->library_paths.items[i], *root = "";
    if (dir[0] == '=') {
      dir++;
      root = s->line->sysroot ? s->line->sysroot : "";
    }
    for (int archive = exact || input->is_static; archive < 2; archive++) {
      const char *path =
          exact ? cca_arena_printf(a, "%s%s/%s", root, dir, exact)
                : cca_arena_printf(a, "%s%s/lib%s.%s", root, dir, input->name,
                                   archive ? "a" : "so");
      struct cca_input_file *file = cca_inputs_file(s->inputs, path);
      if (file->bytes)
        return file;
    }
  }
  return NULL;
}

static void add_candidate(struct search *s, struct cca_input_file *file,
                          const struct cca_input_member *member, bool lazy) {
  struct candidate c = {.file = file,
                        .member = member,
                        .bytes = member ? member->bytes : file->bytes,
                        .len = member ? member->len : file->len};
  if (member && !member->bytes) { /* of a thin archive */
    c.file = cca_inputs_member_file(s->inputs, file, member);
    c.member = NULL;
    c.bytes = c.file->bytes;
    c.len = c.file->len;
  }
  if (!c.bytes)
    return;
  uint32_t number = (uint32_t)s->all.count;
  cca_vec_push(&s->all, c);
  if (lazy)
    each_global(c.bytes, c.len, offer, s, number);
  else
    take(s, number);
}

static void add_input(struct search *s, const struct cca_line_input *input,
                      struct cca_input_file *file);

/* The next word of a linker script, or one character that is none, at *TEXT;
 * its length, 0 at END. */
static size_t next_word(const char **text, const char *end) {
  const char *at = *text;
  for (;;) {
    while (at < end && strchr(" \t\r\n,;\"", *at) && *at != '\0')
      at++;
    if (end - at < 2 || at[0] != '/' || at[1] != '*')
      break;
    const char *over = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
    at = over ? over + 2 : end;
  }
  *text = at;
  const char *stop = at;
  while (stop < end && *stop != '\0' && !strchr(" \t\r\n,;\"()", *stop))
    stop++;
  return stop > at ? (size_t)(stop - at) : at < end;
}

/* A file that a linker script in the folder of SCRIPT names. */
static struct cca_input_file *find_named(struct search *s, const char *script,
                                         const char *name) {
  struct cca_arena *a = &s->inputs->arena;
  struct cca_input_file *file = cca_inputs_file(s->inputs, name);
  const char *slash = strrchr(script, '/');
  if (!file->bytes && name[0] != '/' && slash)
    file = cca_inputs_file(
        s->inputs,
        cca_arena_printf(a, "%.*s/%s", (int)(slash - script), script, name));
  if (!file->bytes && name[0] != '/') {
    struct cca_line_input named = {.name = cca_arena_printf(a, ":%s", name)};
    file = find_library(s, &named);
  }
  return file;
}

/* A text is a linker script: the files in its INPUT ( ... ) and GROUP ( ... ),
 * AS_NEEDED ( ... ) among them, stand for it. */
static void add_script(struct search *s, const struct cca_line_input *input,
                       const struct cca_input_file *script) {
  bool is_new;
  cca_map_at(&s->scripts, script->path, strlen(script->path), &is_new);
  if (!is_new) /* it may name itself */
    return;
  const char *text = (const char *)script->bytes, *end = text + script->len;
  unsigned inside = 0; /* of parentheses; 0: of none that name files */
  bool lists = false;
  for (size_t len; (len = next_word(&text, end)) > 0; text += len) {
    if (*text == '(') {
      inside += lists || inside > 0;
    } else if (*text == ')') {
      inside -= inside > 0;
    } else if (inside > 0 && !(len == 9 && !memcmp(text, "AS_NEEDED", 9))) {
      struct cca_line_input named = *input;
      named.name = cca_arena_strndup(&s->inputs->arena, text, len);
      named.is_library = strncmp(named.name, "-l", 2) == 0;
      named.name += named.is_library ? 2 : 0;
      add_input(s, &named,
                named.is_library ? find_library(s, &named)
                                 : find_named(s, script->path, named.name));
    }
    lists = len == 5 &&
            (memcmp(text, "INPUT", 5) == 0 || memcmp(text, "GROUP", 5) == 0);
  }
}

static void add_input(struct search *s, const struct cca_line_input *input,
                      struct cca_input_file *file) {
  if (!file || !file->bytes)
    return;
  if (file->is_archive)
    for (size_t m = 0; m < file->members.count; m++)
      add_candidate(s, file, &file->members.items[m], !input->is_whole);
  else if (cca_elf_is(file->bytes, file->len) ||
           cca_bitcode_is(file->bytes, file->len))
    add_candidate(s, file, NULL, input->is_lazy);
  else if (file->len < MAX_SCRIPT)
    add_script(s, input, file);
}

void cca_extract(struct cca_inputs *inputs, const struct cca_line *line) {
  struct search search = {.inputs = inputs, .line = line}, *s = &search;

  /* What is in anyway, and what could come in. */
  for (size_t i = 0; i < line->inputs.count; i++) {
    const struct cca_line_input *input = &line->inputs.items[i];
    struct cca_input_file *file = input->is_library
                                      ? find_library(s, input)
                                      : cca_inputs_file(inputs, input->name);
    add_input(s, input, file);
  }

  /* Follow references until nothing more comes in. */
  for (size_t i = 0; i < line->roots.count; i++)
    need(s, line->roots.items[i]);
  for (size_t i = 0; i < line->defsyms.count / 2; i++)
    need(s, line->defsyms.items[2 * i + 1]);
  for (size_t i = 0; i < s->queue.count; i++) {
    const struct candidate c = s->all.items[s->queue.items[i]];
    each_global(c.bytes, c.len, refer, s, s->queue.items[i]);
  }

  for (size_t i = 0; i < s->all.count; i++)
    if (s->all.items[i].is_in)
      cca_inputs_add(inputs, s->all.items[i].file, s->all.items[i].member);
  cca_vec_release(&s->all);
  cca_vec_release(&s->queue);
  cca_map_release(&s->offers);
  cca_map_release(&s->defined);
  cca_map_release(&s->scripts);
}

void cca_extract_drop_unused(struct cca_inputs *inputs,
                             const struct cca_line *line) {
  struct cca_inputs needed;
  struct cca_map lazy = {0}; /* 1: needed */
  for (size_t i = 0; i < line->inputs.count; i++)
    if (line->inputs.items[i].is_lazy)
      cca_map_at(&lazy, line->inputs.items[i].name,
                 strlen(line->inputs.items[i].name), NULL);
  if (lazy.count == 0)
    return;

  size_t kept = 0;
  cca_inputs_init(&needed, inputs->sysroot);
  cca_extract(&needed, line);
  for (size_t i = 0; i < needed.list.count; i++)
    *cca_map_at(&lazy, needed.list.items[i].name,
                strlen(needed.list.items[i].name), NULL) = 1;
  for (size_t i = 0; i < inputs->list.count; i++) {
    struct cca_object input = inputs->list.items[i];
    const uint32_t *found = cca_map_find(&lazy, input.name, strlen(input.name));
    if (!found || *found == 1)
      inputs->list.items[kept++] = input;
  }
  inputs->list.count = kept;
  cca_inputs_release(&needed);
  cca_map_release(&lazy);
}
