/* SPDX-License-Identifier: MIT */
/*
 * compiler.c -- which compiler is the user's?
 *
 * The one thing that must never happen is that we find ourselves: a wrapper
 * that stands in PATH under the compiler's name would call itself for ever.
 * Names do not tell, so every candidate's inode is compared with our own.
 */
#include "tools/compiler.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

static const char own_name[] = "cc-allocs";

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_self(const char *path) {
  struct stat self, other;
  return stat("/proc/self/exe", &self) == 0 && stat(path, &other) == 0 &&
         self.st_dev == other.st_dev && self.st_ino == other.st_ino;
}

static bool is_program(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
         access(path, X_OK) == 0;
}

/* Take the folder of links to us out of PATH; see compiler.h. */
static void leave_path(void) {
  char *folder = cca_file_beside_program("../lib/cc-allocs/bin");
  const char *path = getenv("PATH");
  struct stat ours, entry;
  const char *colon = "";
  bool found = false;
  if (!path || !folder || stat(folder, &ours) != 0)
    return;
  struct cca_text rest = {0}, name = {0};
  for (const char *p = path;;) {
    size_t len = strcspn(p, ":");
    name.len = 0;
    cca_text_add(&name, p, len);
    if (len && stat(name.data, &entry) == 0 && entry.st_dev == ours.st_dev &&
        entry.st_ino == ours.st_ino) {
      found = true;
    } else {
      cca_text_addf(&rest, "%s%s", colon, len ? name.data : "");
      colon = ":";
    }
    if (!p[len])
      break;
    p += len + 1;
  }
  if (found && *colon)
    setenv("PATH", rest.data, 1);
  else if (found) /* an empty PATH would be the working directory */
    unsetenv("PATH");
  cca_text_release(&rest);
  cca_text_release(&name);
  free(folder);
}

/* NAME in PATH, ourselves left out; NULL if it is not there.  *SKIPPED says
 * whether we stood before it. */
static char *search_path(const char *name, bool *skipped) {
  const char *path = getenv("PATH");
  if (!path)
    path = "/usr/local/bin:/usr/bin:/bin";
  struct cca_text candidate = {0};
  for (const char *p = path;;) {
    size_t len = strcspn(p, ":");
    candidate.len = 0;
    cca_text_add(&candidate, p, len);
    cca_text_addf(&candidate, "%s%s", len ? "/" : "", name);
    if (is_program(candidate.data)) {
      if (!is_self(candidate.data))
        return candidate.data;
      *skipped = true;
    }
    if (!p[len])
      break;
    p += len + 1;
  }
  cca_text_release(&candidate);
  return NULL;
}

/* Could WORD, our first argument, be the compiler, rather than an input? */
static bool is_launched(const char *word) {
  bool skipped = false;
  if (word[0] == '-' || word[0] == '@' || !word[0])
    return false;
  if (strchr(word, '/')) {
    const char *dot = strrchr(base_name(word), '.');
    bool input = dot && (!strcmp(dot, ".o") || !strcmp(dot, ".so") ||
                         !strcmp(dot, ".a") || !strcmp(dot, ".c"));
    return !input && is_program(word);
  }
  char *found = access(word, F_OK) == 0 ? NULL : search_path(word, &skipped);
  free(found);
  return found || skipped;
}

static void set_program(struct cca_compiler *c, const char *word) {
  bool skipped = false;
  if (strchr(word, '/')) {
    c->path = is_self(word) ? NULL : word;
    c->why = c->path ? NULL : "names cc-allocs itself";
    skipped = false;
  } else {
    c->path = search_path(word, &skipped);
    c->why = c->path ? NULL : skipped ? "names cc-allocs itself" : "not found";
  }
  /* A driver looks itself up in PATH by argv[0], and must not find us. */
  cca_vec_push(&c->words, skipped && c->path ? c->path : word);
}

/* The words of TEXT; the first is the program. */
static void set_words(struct cca_compiler *c, const char *text) {
  char *copy = cca_malloc(strlen(text) + 1), *rest = copy;
  strcpy(copy, text);
  for (char *word; (word = strsep(&rest, " \t"));)
    if (*word && !c->words.count)
      set_program(c, word);
    else if (*word)
      cca_vec_push(&c->words, word);
}

/* arm-linux-gnueabihf-gcc-12: the part before -gcc, if it has a dash itself. */
static const char *triple_of(const char *program) {
  static const char *const kinds[] = {"-gcc", "-clang", "-cc"};
  const char *name = base_name(program);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const char *at = strstr(name, kinds[i]);
    if (!at)
      continue;
    const char *after = at + strlen(kinds[i]);
    size_t len = (size_t)(at - name);
    if ((*after && *after != '-') || !memchr(name, '-', len))
      continue;
    char *triple = cca_malloc(len + 1);
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
    struct cca_text word = {0};
    cca_text_addf(&word, "%.*s%s", (int)len, name, kinds[i]);
    c->path = search_path(word.data, &skipped);
    if (c->path || i == 2)
      cca_vec_push(&c->words, word.data);
    else
      cca_text_release(&word);
  }
  c->why = "not found";
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

struct cca_compiler cca_compiler_find(int argc, char **argv) {
  struct cca_compiler c = {0};
  const char *name = base_name(argv[0]);
  const char *wanted = getenv("CC_ALLOCS_CC");
  size_t len = strlen(name), own_len = strlen(own_name);
  bool is_own = !strcmp(name, own_name);
  bool has_triple = len > own_len + 1 && name[len - own_len - 1] == '-' &&
                    !strcmp(name + len - own_len, own_name);

  leave_path();
  if (!is_own && !has_triple) {
    bool skipped = false;
    c.path = search_path(name, &skipped);
    c.why = "not found";
    /* as in set_program(), and as if we had not been on the way */
    bool changed = skipped || strchr(argv[0], '/');
    cca_vec_push(&c.words, c.path && changed ? c.path : name);
  } else if (argc > 1 && is_launched(argv[1])) {
    set_program(&c, argv[c.consumed = 1]);
    /* a launcher in front of it: cc-allocs ccache gcc -c foo.c, zig cc */
    while (c.consumed + 1 < argc && is_launched(argv[c.consumed + 1]) &&
           !strchr(argv[c.consumed + 1], '/'))
      cca_vec_push(&c.words, argv[++c.consumed]);
  } else if (wanted && wanted[strspn(wanted, " \t")]) {
    set_words(&c, wanted);
  } else if (has_triple) {
    set_for_triple(&c, name, len - own_len);
  } else {
    set_program(&c, CCA_DEFAULT_CC);
  }
  const char *compiler = c.words.items[c.words.count - 1];
  c.triple = triple_of(compiler);
  c.standard = standard_of(compiler);
  c.cplusplus = strstr(base_name(compiler), "++") != NULL;
  return c;
}
