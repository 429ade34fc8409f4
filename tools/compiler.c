/* SPDX-License-Identifier: MIT */
/*
 * compiler.c -- which compiler is the user's?
 *
 * The one thing that must never happen is that we find ourselves: a wrapper
 * that stands in PATH under the compiler's name would call itself for ever.
 * Names do not tell, so every candidate's inode is compared with our own, and
 * with that of the program that has called us: a cache, icecream and their like
 * stand in PATH under that name too, and refuse to be called by what they call.
 */
#include "tools/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char own_name[] = "cc-allocs";

/* The longest string that execve() passes on, MAX_ARG_STRLEN. */
enum { LONGEST = 131072 };

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

static bool is_self(const char *path) {
  return is_same_file("/proc/self/exe", path);
}

static bool is_caller(const char *path) {
  char exe[64];
  snprintf(exe, sizeof exe, "/proc/%ld/exe", (long)getppid());
  return is_same_file(exe, path);
}

static bool is_program(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
         access(path, X_OK) == 0;
}

/* Take the folder of links to us out of PATH; see compiler.h. */
static void leave_path(void) {
  static char rest[LONGEST], name[PATH_MAX];
  const char *path = getenv("PATH");
  struct stat ours, entry;
  size_t used = 0;
  bool found = false;
  ssize_t own = readlink("/proc/self/exe", name, sizeof name - 1);
  if (!path || own <= 0 || strlen(path) > sizeof rest - 2)
    return;
  name[own] = 0;
  size_t folder = (size_t)(base_name(name) - name);
  snprintf(name + folder, sizeof name - folder, "../lib/cc-allocs/bin");
  if (stat(name, &ours) != 0)
    return;
  for (const char *p = path;;) {
    size_t len = strcspn(p, ":");
    snprintf(name, sizeof name, "%.*s", (int)len, p);
    if (len && stat(name, &entry) == 0 && entry.st_dev == ours.st_dev &&
        entry.st_ino == ours.st_ino)
      found = true;
    else
      used += (size_t)sprintf(rest + used, ":%.*s", (int)len, p);
    if (!p[len])
      break;
    p += len + 1;
  }
  if (found && used)
    setenv("PATH", rest + 1, 1);
  else if (found) /* an empty PATH would be the working directory */
    unsetenv("PATH");
}

/* Put NAME in PATH into FOUND, ourselves left out, and our caller too if there
 * is another; false if it is not there.  *SKIPPED says whether one of us stood
 * before it. */
static bool search_path(const char *name, char found[PATH_MAX], bool *skipped) {
  const char *path = getenv("PATH");
  char caller[PATH_MAX] = "";
  if (!path)
    path = "/usr/local/bin:/usr/bin:/bin";
  for (const char *p = path;;) {
    size_t len = strcspn(p, ":");
    int used = snprintf(found, PATH_MAX, "%.*s%s%s", (int)len, p,
                        len ? "/" : "", name);
    if (used > 0 && used < PATH_MAX && is_program(found)) {
      if (is_self(found))
        *skipped = true;
      else if (!is_caller(found))
        break;
      else if (!caller[0])
        memcpy(caller, found, (size_t)used + 1);
    }
    if (!p[len]) {
      memcpy(found, caller, PATH_MAX);
      return caller[0];
    }
    p += len + 1;
  }
  *skipped |= caller[0] != 0;
  return true;
}

/* Could WORD, our first argument, be the compiler, rather than an input? */
static bool is_launched(const char *word) {
  char found[PATH_MAX];
  struct stat status;
  bool skipped = false;
  if (word[0] == '-' || word[0] == '@' || !word[0])
    return false;
  if (strchr(word, '/')) {
    const char *dot = strrchr(base_name(word), '.');
    bool input = dot && (!strcmp(dot, ".o") || !strcmp(dot, ".so") ||
                         !strcmp(dot, ".a") || !strcmp(dot, ".c"));
    return !input && is_program(word);
  }
  /* In gcc's own sources there is a folder of that name. */
  bool input = stat(word, &status) == 0 && !S_ISDIR(status.st_mode);
  return !input && (search_path(word, found, &skipped) || skipped);
}

static void add_word(struct cca_compiler *c, const char *word) {
  if (c->word_count < CCA_COMPILER_WORDS) {
    c->words[c->word_count++] = word;
  } else {
    c->path = NULL;
    c->why = "has too many words";
  }
}

static void set_program(struct cca_compiler *c, const char *word) {
  bool skipped = false;
  if (strchr(word, '/')) {
    c->path = is_self(word) ? NULL : word;
    c->why = c->path ? NULL : "names cc-allocs itself";
  } else {
    c->path = search_path(word, c->found, &skipped) ? c->found : NULL;
    c->why = c->path ? NULL : skipped ? "names cc-allocs itself" : "not found";
  }
  /* A driver looks itself up in PATH by argv[0], and must not find us. */
  add_word(c, skipped && c->path ? c->path : word);
}

/* The words of TEXT; the first is the program. */
static void set_words(struct cca_compiler *c, const char *text) {
  static char copy[LONGEST];
  char *rest = copy;
  snprintf(copy, sizeof copy, "%s", text);
  for (char *word; (word = strsep(&rest, " \t"));)
    if (*word && !c->word_count)
      set_program(c, word);
    else if (*word)
      add_word(c, word);
}

/* arm-linux-gnueabihf-gcc-12: the part before -gcc, if it has a dash itself. */
static const char *triple_of(const char *program, char triple[NAME_MAX + 1]) {
  static const char *const kinds[] = {"-gcc", "-clang", "-cc"};
  const char *name = base_name(program);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const char *at = strstr(name, kinds[i]);
    if (!at)
      continue;
    const char *after = at + strlen(kinds[i]);
    size_t len = (size_t)(at - name);
    if ((*after && *after != '-') || !memchr(name, '-', len) || len > NAME_MAX)
      continue;
    memcpy(triple, name, len);
    triple[len] = 0;
    return triple;
  }
  return NULL;
}

/* <triple>-cc-allocs: a compiler of that triple. */
static void set_for_triple(struct cca_compiler *c, const char *name,
                           size_t len) {
  static const char *const kinds[] = {"gcc", "clang", "cc"};
  bool skipped = false;
  for (size_t i = 0; i < 3 && !c->path; i++) {
    snprintf(c->named, sizeof c->named, "%.*s%s", (int)len, name, kinds[i]);
    if (search_path(c->named, c->found, &skipped))
      c->path = c->found;
  }
  c->why = "not found";
  add_word(c, c->named);
}

/* c99 and c99-gcc, which add -std=c99 for themselves. */
static const char *standard_of(const char *program) {
  static const char *const standards[] = {"c89", "c99"};
  const char *name = base_name(program);
  for (size_t i = 0; i < sizeof standards / sizeof standards[0]; i++)
    if (!strncmp(name, standards[i], 3) && (!name[3] || name[3] == '-'))
      return standards[i];
  return NULL;
}

void cca_compiler_find(struct cca_compiler *c, int argc, char **argv) {
  *c = (struct cca_compiler){0};
  const char *name = base_name(argv[0]);
  const char *wanted = getenv("CC_ALLOCS_CC");
  size_t len = strlen(name), own_len = strlen(own_name);
  bool is_own = !strcmp(name, own_name);
  bool has_triple = len > own_len + 1 && name[len - own_len - 1] == '-' &&
                    !strcmp(name + len - own_len, own_name);

  leave_path();
  if (!is_own && !has_triple) {
    bool skipped = false;
    c->path = search_path(name, c->found, &skipped) ? c->found : NULL;
    c->why = "not found";
    /* as in set_program(), and as if we had not been on the way */
    bool changed = skipped || strchr(argv[0], '/');
    add_word(c, c->path && changed ? c->path : name);
  } else if (argc > 1 && is_launched(argv[1])) {
    set_program(c, argv[c->consumed = 1]);
    /* a launcher in front of it: cc-allocs ccache gcc -c foo.c, zig cc */
    while (c->consumed + 1 < argc && is_launched(argv[c->consumed + 1]) &&
           !strchr(argv[c->consumed + 1], '/'))
      add_word(c, argv[++c->consumed]);
  } else if (wanted && wanted[strspn(wanted, " \t")]) {
    set_words(c, wanted);
  } else if (has_triple) {
    set_for_triple(c, name, len - own_len);
  } else {
    set_program(c, CCA_DEFAULT_CC);
  }
  const char *compiler = c->words[c->word_count - 1];
  c->triple = triple_of(compiler, c->target);
  c->standard = standard_of(compiler);
  c->cplusplus = strstr(base_name(compiler), "++") != NULL;
}
