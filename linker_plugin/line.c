/* SPDX-License-Identifier: MIT */
/*
 * line.c -- read a linker's command line.
 *
 * In:    the arguments that the compiler driver passes, response files and all.
 * Out:   struct cca_line.
 * Holds: an option's separate argument is never taken for an input, for every
 *        option in the tables below.
 *
 * The four linkers agree on the options that matter here, and on two habits:
 * a long option may begin with one dash or two, and its value may stand behind
 * "=" or in the next argument.  So a name is looked up among the long options
 * first, and only then its first letter among the short ones.
 */
#include <stdint.h>
#include <string.h>

#include "base/response.h"
#include "line.h"

enum option {
  OPT_SKIP, /* takes a value, which is of no interest */
  OPT_OUTPUT,
  OPT_MAP,
  OPT_DEPENDENCIES,
  OPT_SYSROOT,
  OPT_LIBRARY_PATH,
  OPT_LIBRARY,
  OPT_ROOT,
  OPT_WRAP,
  OPT_DEFSYM,
  OPT_SCRIPT,
  OPT_OFORMAT,
  OPT_ORPHANS,
  OPT_FORMAT,
  /* without a value: */
  OPT_FLAG,
  OPT_RELOCATABLE,
  OPT_STATIC,
  OPT_ONLY_ARCHIVES,
  OPT_SHARED_TOO,
  OPT_WHOLE,
  OPT_NOT_WHOLE,
  OPT_PUSH,
  OPT_POP,
  OPT_START_LIB,
  OPT_END_LIB,
  OPT_PRINT_MAP,
  OPT_CREF,
  OPT_SHOW_INPUTS,
  OPT_INFORMATION,
};

static const struct {
  const char *name;
  enum option option;
} long_options[] = {
    {"output", OPT_OUTPUT},
    {"Map", OPT_MAP},
    {"dependency-file", OPT_DEPENDENCIES},
    {"sysroot", OPT_SYSROOT},
    {"library-path", OPT_LIBRARY_PATH},
    {"library", OPT_LIBRARY},
    {"undefined", OPT_ROOT},
    {"require-defined", OPT_ROOT},
    {"entry", OPT_ROOT},
    {"init", OPT_ROOT},
    {"fini", OPT_ROOT},
    {"wrap", OPT_WRAP},
    {"defsym", OPT_DEFSYM},
    {"script", OPT_SCRIPT},
    {"default-script", OPT_SCRIPT},
    {"dT", OPT_SCRIPT},
    {"oformat", OPT_OFORMAT},
    {"orphan-handling", OPT_ORPHANS},
    {"format", OPT_FORMAT},
    {"Tbss", OPT_SKIP},
    {"Tdata", OPT_SKIP},
    {"Ttext", OPT_SKIP},
    {"Ttext-segment", OPT_SKIP},
    {"Trodata-segment", OPT_SKIP},
    {"Tldata-segment", OPT_SKIP},
    {"assert", OPT_SKIP},
    {"audit", OPT_SKIP},
    {"auxiliary", OPT_SKIP},
    {"chroot", OPT_SKIP},
    {"depaudit", OPT_SKIP},
    {"dynamic-linker", OPT_SKIP},
    {"dynamic-list", OPT_SKIP},
    {"exclude-libs", OPT_SKIP},
    {"export-dynamic-symbol", OPT_SKIP},
    {"export-dynamic-symbol-list", OPT_SKIP},
    {"filter", OPT_SKIP},
    {"compress-debug-sections", OPT_SKIP},
    {"emulation", OPT_SKIP},
    {"gpsize", OPT_SKIP},
    {"hash-style", OPT_SKIP},
    {"image-base", OPT_SKIP},
    {"just-symbols", OPT_SKIP},
    {"mllvm", OPT_SKIP},
    {"plugin", OPT_SKIP},
    {"plugin-opt", OPT_SKIP},
    {"retain-symbols-file", OPT_SKIP},
    {"rpath", OPT_SKIP},
    {"rpath-link", OPT_SKIP},
    {"section-start", OPT_SKIP},
    {"soname", OPT_SKIP},
    {"sort-section", OPT_SKIP},
    {"task-link", OPT_SKIP},
    {"thread-count", OPT_SKIP},
    {"trace-symbol", OPT_SKIP},
    {"version-script", OPT_SKIP},
    {"relocatable", OPT_RELOCATABLE},
    {"Ur", OPT_RELOCATABLE},
    {"static", OPT_STATIC},
    {"Bstatic", OPT_ONLY_ARCHIVES},
    {"dn", OPT_ONLY_ARCHIVES},
    {"non_shared", OPT_ONLY_ARCHIVES},
    {"Bdynamic", OPT_SHARED_TOO},
    {"dy", OPT_SHARED_TOO},
    {"call_shared", OPT_SHARED_TOO},
    {"whole-archive", OPT_WHOLE},
    {"no-whole-archive", OPT_NOT_WHOLE},
    {"push-state", OPT_PUSH},
    {"pop-state", OPT_POP},
    {"start-lib", OPT_START_LIB},
    {"end-lib", OPT_END_LIB},
    {"print-map", OPT_PRINT_MAP},
    {"cref", OPT_CREF},
    {"trace", OPT_SHOW_INPUTS},
    {"verbose", OPT_SHOW_INPUTS},
    {"version", OPT_INFORMATION},
    {"help", OPT_INFORMATION},
    {"target-help", OPT_INFORMATION},
    /* Long ones with one dash that would read as a short one with a value. */
    {"cref", OPT_FLAG},
    {"embedded-relocs", OPT_FLAG},
    {"emit-relocs", OPT_FLAG},
    {"enable-new-dtags", OPT_FLAG},
    {"export-dynamic", OPT_FLAG},
    {"omagic", OPT_FLAG},
    {"unique", OPT_FLAG},
    {"build-id", OPT_FLAG},
    {"fatal-warnings", OPT_FLAG},
};

/* Short options, whose value is glued on or the next argument. */
static const struct {
  char letter;
  enum option option;
} short_options[] = {
    {'o', OPT_OUTPUT}, {'L', OPT_LIBRARY_PATH}, {'l', OPT_LIBRARY},
    {'u', OPT_ROOT},   {'e', OPT_ROOT},         {'T', OPT_SCRIPT},
    {'b', OPT_FORMAT}, {'m', OPT_SKIP},         {'z', OPT_SKIP},
    {'h', OPT_SKIP},   {'y', OPT_SKIP},         {'A', OPT_SKIP},
    {'F', OPT_SKIP},   {'f', OPT_SKIP},         {'G', OPT_SKIP},
    {'I', OPT_SKIP},   {'P', OPT_SKIP},         {'R', OPT_SKIP},
    {'Y', OPT_SKIP},   {'c', OPT_SKIP},
};

/* One letter, no value. */
static const struct {
  char letter;
  enum option option;
} letters[] = {
    {'r', OPT_RELOCATABLE},
    {'i', OPT_RELOCATABLE},
    {'M', OPT_PRINT_MAP},
    {'t', OPT_SHOW_INPUTS},
};

/* What holds for the inputs that follow. */
struct state {
  bool only_archives, whole;
};

struct parser {
  struct cca_line *line;
  struct state now;
  struct cca_vec(struct state) pushed;
  bool lazy, binary, information;
};

/* Options ----------------------------------------------------------------- */

static void leave_untouched(struct parser *p, const char *why) {
  if (!p->line->why_untouched)
    p->line->why_untouched = why;
}

static void add_input(struct parser *p, const char *name, bool is_library) {
  if (p->binary) /* data, whatever is in it */
    return;
  struct cca_line_input input = {.name = name,
                                 .is_library = is_library,
                                 .is_static = p->now.only_archives,
                                 .is_whole = p->now.whole,
                                 .is_lazy = p->lazy};
  cca_vec_push(&p->line->inputs, input);
}

static void add_defsym(struct parser *p, const char *value) {
  const char *equals = strchr(value, '=');
  /* Only ALIAS=SYMBOL; other expressions are addresses. */
  if (!equals || equals == value ||
      equals[1 + strcspn(equals + 1, "+-*/()<>&|!~?: \t")] != '\0' ||
      (equals[1] >= '0' && equals[1] <= '9') || equals[1] == '\0')
    return;
  cca_vec_push(&p->line->defsyms, cca_arena_strndup(&p->line->arena, value,
                                                    (size_t)(equals - value)));
  cca_vec_push(&p->line->defsyms, equals + 1);
}

static void take_value(struct parser *p, enum option option,
                       const char *value) {
  struct cca_line *line = p->line;
  switch (option) {
  case OPT_OUTPUT:
    line->output = value;
    break;
  case OPT_MAP:
    line->map_on_stdout = strcmp(value, "-") == 0;
    line->map = value;
    break;
  case OPT_DEPENDENCIES:
    line->dependency_file = value;
    break;
  case OPT_SYSROOT:
    line->sysroot = value;
    break;
  case OPT_LIBRARY_PATH:
    cca_vec_push(&line->library_paths, value);
    break;
  case OPT_LIBRARY:
    add_input(p, value, true);
    break;
  case OPT_ROOT:
    cca_vec_push(&line->roots, value);
    break;
  case OPT_WRAP:
    cca_vec_push(&line->wraps, value);
    break;
  case OPT_DEFSYM:
    add_defsym(p, value);
    break;
  case OPT_SCRIPT:
    leave_untouched(p, "a linker script decides about the layout");
    break;
  case OPT_OFORMAT:
    leave_untouched(p, "--oformat");
    break;
  case OPT_ORPHANS:
    if (strcmp(value, "place") != 0)
      leave_untouched(p, "no section may be added");
    break;
  case OPT_FORMAT:
    p->binary = strcmp(value, "binary") == 0;
    break;
  default:
    break;
  }
}

static void take_flag(struct parser *p, enum option option) {
  struct cca_line *line = p->line;
  switch (option) {
  case OPT_RELOCATABLE:
    line->is_relocatable = true;
    break;
  case OPT_STATIC:
    line->is_static = true;
    p->now.only_archives = true;
    break;
  case OPT_ONLY_ARCHIVES:
    p->now.only_archives = true;
    break;
  case OPT_SHARED_TOO:
    p->now.only_archives = false;
    break;
  case OPT_WHOLE:
    p->now.whole = true;
    break;
  case OPT_NOT_WHOLE:
    p->now.whole = false;
    break;
  case OPT_PUSH:
    cca_vec_push(&p->pushed, p->now);
    break;
  case OPT_POP:
    if (p->pushed.count > 0)
      p->now = p->pushed.items[--p->pushed.count];
    break;
  case OPT_START_LIB:
    p->lazy = true;
    break;
  case OPT_END_LIB:
    p->lazy = false;
    break;
  case OPT_PRINT_MAP:
    line->map_on_stdout = true;
    break;
  case OPT_CREF:
    line->has_cref = true;
    break;
  case OPT_SHOW_INPUTS:
    line->shows_inputs = true;
    break;
  case OPT_INFORMATION:
    leave_untouched(p, "asked for information");
    break;
  default:
    break;
  }
}

/* Read option ARG; NEXT is what follows it, or NULL.  True if NEXT is its
 * value. */
static bool take_option(struct parser *p, const char *arg, const char *next) {
  const char *name = arg + (arg[1] == '-' ? 2 : 1);
  size_t len = strcspn(name, "=");
  const char *glued = name[len] == '=' ? name + len + 1 : NULL;

  for (size_t i = 0; len > 1 && i < sizeof long_options / sizeof *long_options;
       i++) {
    if (strlen(long_options[i].name) != len ||
        strncmp(long_options[i].name, name, len) != 0)
      continue;
    enum option option = long_options[i].option;
    if (option >= OPT_FLAG) {
      take_flag(p, option);
      return false;
    }
    if (glued || next)
      take_value(p, option, glued ? glued : next);
    return !glued;
  }

  if (arg[1] == '-')
    return false;
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
    if (letters[i].letter == arg[1] && arg[2] == '\0') {
      take_flag(p, letters[i].option);
      return false;
    }
  for (size_t i = 0; i < sizeof short_options / sizeof *short_options; i++)
    if (short_options[i].letter == arg[1]) {
      glued = arg[2] != '\0' ? arg + 2 : NULL;
      if (glued || next)
        take_value(p, short_options[i].option, glued ? glued : next);
      return !glued;
    }
  return false;
}

void cca_line_parse(struct cca_line *line, size_t count,
                    const char *const *args) {
  struct parser p = {.line = line};
  *line = (struct cca_line){.output = "a.out"};

  struct cca_response all = {0};
  cca_response_expand(&all, &line->arena, args, count);
  for (size_t i = 0; i < all.args.count; i++) {
    const char *arg = all.args.items[i];
    const char *next = i + 1 < all.args.count ? all.args.items[i + 1] : NULL;
    if (arg[0] != '-' || arg[1] == '\0')
      add_input(&p, arg, false);
    else if (take_option(&p, arg, next))
      i++;
  }

  if (line->inputs.count == 0)
    leave_untouched(&p, "no input");
  if (line->map || line->map_on_stdout || line->dependency_file)
    line->shows_inputs = true;
  cca_vec_release(&all.args);
  cca_vec_release(&p.pushed);
}

bool cca_line_has_map(const struct cca_line *line, bool may_be_mold) {
  if (line->map && strcmp(line->map, "-") != 0)
    return true;
  return !line->map_on_stdout && !line->has_cref &&
         !(may_be_mold && line->defsyms.count > 0);
}

void cca_line_release(struct cca_line *line) {
  cca_vec_release(&line->inputs);
  cca_vec_release(&line->library_paths);
  cca_vec_release(&line->roots);
  cca_vec_release(&line->wraps);
  cca_vec_release(&line->defsyms);
  cca_arena_release(&line->arena);
}
