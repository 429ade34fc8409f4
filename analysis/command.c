/* SPDX-License-Identifier: MIT */
/*
 * command.c -- what does this compiler command do, and how can its C sources
 * be compiled a second time, for analysis alone?
 *
 * One table knows the options of gcc and clang that matter: those that end our
 * interest, those with an argument of their own (or the argument would look
 * like an input), and those that change what C means.  Only the last kind is
 * kept for the analysis.  An option that is not in the table is dropped and
 * has no argument, which is right for nearly all -f and -W.
 *
 * The exact name wins over a prefix and a longer prefix over a shorter one, so
 * the order of the table means nothing.
 */
#include "analysis/command.h"

#include <string.h>
#include <sys/stat.h>

#include "base/response.h"

enum action {
  DROP,
  KEEP,
  PASS,       /* the whole command is none of our business */
  PASS_LINK,  /* it is, unless it has -c */
  STOP_AT_C,  /* -c */
  OUTPUT,     /* -o */
  LANGUAGE,   /* -x */
  LIBRARY,    /* something to link */
  FOR_CPP,    /* -Wp,a,b */
  FOR_LINKER, /* -Wl,a,b */
  STANDARD,   /* -std=: kept if it is one of C */
  TARGET,     /* --target= */
  PLAN9,      /* spelled otherwise by clang */
  NO_TEXT,    /* what C sources mean is in a file that is no text */
  END,        /* -- */
};

/* How an option's argument is written. */
enum arity {
  ALONE = 1,    /* it has none */
  JOINED = 2,   /* -std=c99 */
  SEPARATE = 4, /* -include file */
  EITHER = JOINED | SEPARATE,
  ALL = ALONE | JOINED,
};

static const struct option {
  const char *name;
  unsigned char arity, action;
} options[] = {
    /* Nothing is compiled or linked, or nothing that has our summary. */
    {"-E", ALONE, PASS},
    {"--preprocess", ALONE, PASS},
    {"-S", ALONE, PASS},
    {"--assemble", ALONE, PASS},
    {"-M", ALONE, PASS},
    {"--dependencies", ALONE, PASS},
    {"-MM", ALONE, PASS},
    {"--user-dependencies", ALONE, PASS},
    {"-fsyntax-only", ALONE, PASS},
    {"-emit-llvm", ALONE, PASS},
    {"-emit-ast", ALONE, PASS},
    {"--analyze", ALONE, PASS},
    {"-###", ALONE, PASS},
    {"-cc1", ALL, PASS},
    {"--version", ALONE, PASS},
    {"-dumpversion", ALONE, PASS},
    {"-dumpfullversion", ALONE, PASS},
    {"-dumpmachine", ALONE, PASS},
    {"-dumpspecs", ALONE, PASS},
    {"--help", ALL, PASS},
    {"-help", ALONE, PASS},
    {"--target-help", ALONE, PASS},
    {"-print-", JOINED, PASS},
    {"--print-", JOINED, PASS},
    /* The linker's name would show. */
    {"-v", ALONE, PASS_LINK},
    {"--verbose", ALONE, PASS_LINK},
    {"-r", ALONE, DROP},
    {"-i", ALONE, DROP},
    {"--relocatable", ALONE, DROP},
    {"-Wl,", JOINED, FOR_LINKER},
    {"-Xlinker", SEPARATE, FOR_LINKER},
    {"-c", ALONE, STOP_AT_C},
    {"--compile", ALONE, STOP_AT_C},
    {"-o", EITHER, OUTPUT},
    {"--output", SEPARATE, OUTPUT},
    {"--output=", JOINED, OUTPUT},
    {"-x", EITHER, LANGUAGE},
    {"--language", SEPARATE, LANGUAGE},
    {"--language=", JOINED, LANGUAGE},
    {"-l", EITHER, LIBRARY},
    {"--", ALONE, END},

    /* What the preprocessor must know. */
    {"-D", EITHER, KEEP},
    {"--define-macro", SEPARATE, KEEP},
    {"--define-macro=", JOINED, KEEP},
    {"-U", EITHER, KEEP},
    {"--undefine-macro", SEPARATE, KEEP},
    {"--undefine-macro=", JOINED, KEEP},
    {"-I", EITHER, KEEP},
    {"--include-directory", SEPARATE, KEEP},
    {"--include-directory=", JOINED, KEEP},
    {"-include", EITHER, KEEP},
    {"--include", SEPARATE, KEEP},
    {"--include=", JOINED, KEEP},
    {"-imacros", EITHER, KEEP},
    {"--imacros", SEPARATE, KEEP},
    {"--imacros=", JOINED, KEEP},
    {"-isystem", EITHER, KEEP},
    {"-iquote", EITHER, KEEP},
    {"-idirafter", EITHER, KEEP},
    {"-iprefix", EITHER, KEEP},
    {"-iwithprefix", EITHER, KEEP},
    {"-iwithprefixbefore", EITHER, KEEP},
    {"-isysroot", EITHER, KEEP},
    {"--sysroot", SEPARATE, KEEP},
    {"--sysroot=", JOINED, KEEP},
    {"--embed-dir=", JOINED, KEEP},
    {"-nostdinc", ALONE, KEEP},
    {"-nostdlibinc", ALONE, KEEP},
    {"-nobuiltininc", ALONE, KEEP},
    {"-undef", ALONE, KEEP},
    {"-trigraphs", ALONE, KEEP},
    {"-traditional-cpp", ALONE, KEEP},
    {"-pthread", ALONE, KEEP},
    {"-Wp,", JOINED, FOR_CPP},
    {"-Xpreprocessor", SEPARATE, FOR_CPP},
    {"-ffile-prefix-map=", JOINED, KEEP},
    {"-fmacro-prefix-map=", JOINED, KEEP},
    {"-fdebug-prefix-map=", JOINED, KEEP},

    /* What C means. */
    {"-std=", JOINED, STANDARD},
    {"--std=", JOINED, STANDARD},
    {"--std", SEPARATE, STANDARD},
    {"-ansi", ALONE, KEEP},
    {"--ansi", ALONE, KEEP},
    {"-target", SEPARATE, TARGET},
    {"--target=", JOINED, TARGET},
    {"-ffreestanding", ALONE, KEEP},
    {"-fno-freestanding", ALONE, KEEP},
    {"-fhosted", ALONE, KEEP},
    {"-fno-hosted", ALONE, KEEP},
    {"-fbuiltin", ALL, KEEP},
    {"-fno-builtin", ALL, KEEP},
    {"-fshort-enums", ALONE, KEEP},
    {"-fno-short-enums", ALONE, KEEP},
    {"-fshort-wchar", ALONE, KEEP},
    {"-fno-short-wchar", ALONE, KEEP},
    {"-fsigned-char", ALONE, KEEP},
    {"-fno-signed-char", ALONE, KEEP},
    {"-funsigned-char", ALONE, KEEP},
    {"-fno-unsigned-char", ALONE, KEEP},
    {"-fms-extensions", ALONE, KEEP},
    {"-fno-ms-extensions", ALONE, KEEP},
    {"-fplan9-extensions", ALONE, PLAN9},
    {"-fgnu89-inline", ALONE, KEEP},
    {"-fno-gnu89-inline", ALONE, KEEP},
    {"-fpack-struct", ALL, KEEP},
    {"-fcommon", ALONE, KEEP},
    {"-fno-common", ALONE, KEEP},
    {"-fblocks", ALONE, KEEP},
    {"-fdollars-in-identifiers", ALONE, KEEP},
    {"-fno-dollars-in-identifiers", ALONE, KEEP},
    {"-flax-vector-conversions", ALL, KEEP},
    {"-fgnu-keywords", ALONE, KEEP},
    {"-fno-gnu-keywords", ALONE, KEEP},
    {"-fdeclspec", ALONE, KEEP},
    {"-m16", ALONE, KEEP},
    {"-m32", ALONE, KEEP},
    {"-m64", ALONE, KEEP},
    {"-mx32", ALONE, KEEP},
    {"-march=", JOINED, KEEP},
    {"-mcpu=", JOINED, KEEP},
    {"-mabi=", JOINED, KEEP},
    {"-mfpu=", JOINED, KEEP},
    {"-mfloat-abi=", JOINED, KEEP},
    {"-mthumb", ALONE, KEEP},
    {"-marm", ALONE, KEEP},
    {"-mbig-endian", ALONE, KEEP},
    {"-mlittle-endian", ALONE, KEEP},
    {"-mlong-double-", JOINED, KEEP},
    {"-mms-bitfields", ALONE, KEEP},
    {"-mno-ms-bitfields", ALONE, KEEP},
    /* Without these the headers of vector instructions do not compile. */
    {"-mmmx", ALL, KEEP},
    {"-msse", ALL, KEEP},
    {"-mssse3", ALONE, KEEP},
    {"-mavx", ALL, KEEP},
    {"-mno-sse", ALL, KEEP},
    {"-mno-avx", ALL, KEEP},
    {"-mfma", ALL, KEEP},
    {"-mf16c", ALONE, KEEP},
    {"-mbmi", ALL, KEEP},
    {"-maes", ALONE, KEEP},
    {"-mvaes", ALONE, KEEP},
    {"-mgfni", ALONE, KEEP},
    {"-mpclmul", ALONE, KEEP},
    {"-mvpclmulqdq", ALONE, KEEP},
    {"-mpopcnt", ALONE, KEEP},
    {"-mlzcnt", ALONE, KEEP},
    {"-mmovbe", ALONE, KEEP},
    {"-mcrc32", ALONE, KEEP},
    {"-mcx16", ALONE, KEEP},
    {"-mrdrnd", ALONE, KEEP},
    {"-mrdseed", ALONE, KEEP},
    {"-madx", ALONE, KEEP},
    {"-msha", ALL, KEEP},
    {"-mxsave", ALL, KEEP},
    {"-mrtm", ALONE, KEEP},

    /* Dropped, but the argument that follows goes with them. */
    {"-MF", EITHER, DROP},
    {"-MT", EITHER, DROP},
    {"-MQ", EITHER, DROP},
    {"-MJ", EITHER, DROP},
    {"-A", EITHER, DROP},
    {"-B", EITHER, DROP},
    {"-F", EITHER, DROP},
    {"-G", EITHER, DROP},
    {"-L", EITHER, DROP},
    {"--library-directory", SEPARATE, DROP},
    {"-T", EITHER, DROP},
    {"-Tbss", SEPARATE, DROP},
    {"-Tdata", SEPARATE, DROP},
    {"-Ttext", SEPARATE, DROP},
    {"-V", EITHER, DROP},
    {"-arch", SEPARATE, DROP},
    {"-aux-info", SEPARATE, DROP},
    {"-auxbase", SEPARATE, DROP},
    {"-auxbase-strip", SEPARATE, DROP},
    {"-b", EITHER, DROP},
    {"-bundle_loader", SEPARATE, DROP},
    {"-ccc-gcc-name", SEPARATE, DROP},
    {"-ccc-install-dir", SEPARATE, DROP},
    {"-compatibility_version", SEPARATE, DROP},
    {"--config", SEPARATE, DROP},
    {"-current_version", SEPARATE, DROP},
    {"-cxx-isystem", EITHER, DROP},
    {"-dependency-dot", SEPARATE, DROP},
    {"-dependency-file", SEPARATE, DROP},
    {"-dumpbase", SEPARATE, DROP},
    {"-dumpbase-ext", SEPARATE, DROP},
    {"-dumpdir", SEPARATE, DROP},
    {"-dylib_file", SEPARATE, DROP},
    {"-e", EITHER, DROP},
    {"--entry", SEPARATE, DROP},
    {"-exported_symbols_list", SEPARATE, DROP},
    {"-framework", SEPARATE, DROP},
    {"-ftrapv-handler", SEPARATE, DROP},
    {"-gcc-toolchain", SEPARATE, DROP},
    {"-h", SEPARATE, DROP},
    {"-iframework", EITHER, DROP},
    {"-iframeworkwithsysroot", EITHER, DROP},
    {"-imultiarch", SEPARATE, DROP},
    {"-imultilib", SEPARATE, DROP},
    {"-include-pch", SEPARATE, NO_TEXT},
    {"-index-store-path", SEPARATE, DROP},
    {"-install_name", SEPARATE, DROP},
    {"-isystem-after", EITHER, DROP},
    {"-ivfsoverlay", EITHER, DROP},

    {"-mllvm", SEPARATE, DROP},
    {"-mmlir", SEPARATE, DROP},
    {"-mthread-model", SEPARATE, DROP},
    {"-module-dependency-dir", SEPARATE, DROP},
    {"-opt-record-file", SEPARATE, DROP},
    {"--param", SEPARATE, DROP},
    {"-rpath", SEPARATE, DROP},
    {"-serialize-diagnostics", SEPARATE, DROP},
    {"--serialize-diagnostics", SEPARATE, DROP},
    {"-specs", SEPARATE, DROP},
    {"--specs", SEPARATE, DROP},
    {"-stdlib++-isystem", EITHER, DROP},
    {"-u", EITHER, DROP},
    {"--undefined", SEPARATE, DROP},
    {"-undefined", SEPARATE, DROP},
    {"-weak_framework", SEPARATE, DROP},
    {"-working-directory", SEPARATE, DROP},
    {"-wrapper", SEPARATE, DROP},
    {"-z", EITHER, DROP},
    {"-Xanalyzer", SEPARATE, DROP},
    {"-Xassembler", SEPARATE, DROP},
    {"-Xclang", SEPARATE, DROP},
    {"-Xclangas", SEPARATE, DROP},
    {"-Xopenmp-target", SEPARATE, DROP},
    /* These begin like an option with a joined argument and are another. */
    {"-ObjC", ALONE, DROP},
    {"-Bstatic", ALONE, DROP},
    {"-Bdynamic", ALONE, DROP},
    {"-MD", ALONE, DROP},
    {"-MMD", ALONE, DROP},
    {"-MG", ALONE, DROP},
    {"-MP", ALONE, DROP},
    {"-MV", ALONE, DROP},
};

static const struct option *find_option(const char *arg) {
  const struct option *best = NULL;
  size_t best_len = 0;
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    const struct option *o = &options[i];
    size_t len = strlen(o->name);
    if (strncmp(arg, o->name, len))
      continue;
    if (!arg[len] && o->arity & (ALONE | SEPARATE))
      return o;
    if (arg[len] && o->arity & JOINED && len > best_len) {
      best = o;
      best_len = len;
    }
  }
  return best;
}

/* ---- inputs ---- */

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list; list++)
    if (!strcmp(word, *list))
      return true;
  return false;
}

/* A pipe or a device gives its text to one reader, which is the compiler. */
static bool is_read_once(const char *path) {
  struct stat status;
  if (!strcmp(path, "/dev/null"))
    return false;
  return !strncmp(path, "/dev/", 5) ||
         (stat(path, &status) == 0 && !S_ISREG(status.st_mode) &&
          !S_ISDIR(status.st_mode));
}

/* What the compiler makes of a file by its name alone. */
enum kind { SOURCE_C, SOURCE_CPP_OUTPUT, SOURCE_OTHER, LINKED };

static enum kind kind_by_name(const char *path) {
  static const char *const others[] = {
      "h",   "s",   "S",   "sx",  "cc",  "cp",  "cxx", "cpp", "CPP",
      "c++", "C",   "ii",  "hh",  "H",   "hp",  "hxx", "hpp", "HPP",
      "h++", "tcc", "m",   "mi",  "mm",  "M",   "mii", "f",   "for",
      "ftn", "F",   "FOR", "fpp", "FPP", "FTN", "f90", "f95", "f03",
      "f08", "F90", "F95", "F03", "F08", "ads", "adb", "d",   "di",
      "go",  "mod", "cl",  "cu",  "ll",  "bc",  NULL};
  const char *slash = strrchr(path, '/');
  const char *dot = strrchr(slash ? slash : path, '.');
  if (!strcmp(path, "-"))
    return SOURCE_OTHER;
  if (!dot)
    return LINKED;
  if (!strcmp(dot, ".c"))
    return SOURCE_C;
  if (!strcmp(dot, ".i"))
    return SOURCE_CPP_OUTPUT;
  return is_one_of(dot + 1, others) ? SOURCE_OTHER : LINKED;
}

static enum kind kind_by_language(const char *language, const char *path) {
  if (!language || !strcmp(language, "none"))
    return kind_by_name(path);
  if (!strcmp(path, "-"))
    return SOURCE_OTHER; /* it can be read once, and not by us */
  if (!strcmp(language, "c"))
    return SOURCE_C;
  if (!strcmp(language, "cpp-output"))
    return SOURCE_CPP_OUTPUT;
  return SOURCE_OTHER;
}

/* Without -o, foo.o in the working directory. */
static const char *default_object(struct cca_command *c, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  size_t len = dot ? (size_t)(dot - name) : strlen(name);
  return cca_arena_printf(&c->arena, "%.*s.o", (int)len, name);
}

/* ---- the parse ---- */

struct parse {
  struct cca_command *out;
  const char *output, *language;
  const char *pass, *pass_link, *no_text; /* the option that said so */
  bool compile_only, has_linked, only_inputs;
};

static void keep(struct parse *p, const char *arg) {
  cca_vec_push(&p->out->args, arg);
}

/* Keep option O as it was written, with its VALUE. */
static void keep_option(struct parse *p, const struct option *o,
                        const char *arg, const char *value) {
  if ((strstr(o->name, "-include") || strstr(o->name, "-imacros")) &&
      is_read_once(value))
    p->pass = arg;
  keep(p, arg);
  if (value != arg + strlen(o->name))
    keep(p, value);
}

static void add_input(struct parse *p, const char *path) {
  enum kind kind = kind_by_language(p->language, path);
  if (kind != LINKED && is_read_once(path))
    kind = SOURCE_OTHER;
  if (kind == LINKED) {
    p->has_linked = true;
    return;
  }
  struct cca_command_source source = {
      .path = path,
      .language = kind == SOURCE_C            ? CCA_COMMAND_C
                  : kind == SOURCE_CPP_OUTPUT ? CCA_COMMAND_CPP_OUTPUT
                                              : CCA_COMMAND_OTHER,
  };
  cca_vec_push(&p->out->sources, source);
}

/*
 * Arguments for the preprocessor alone: of these, what the table keeps.  Its
 * own -MD and -MMD have an argument, unlike the driver's.
 */
static void add_for_cpp(struct parse *p, char **words, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct option *o = find_option(words[i]);
    bool exact = o && !strcmp(o->name, words[i]);
    bool has_next = i + 1 < count;
    if (!strcmp(words[i], "-MD") || !strcmp(words[i], "-MMD")) {
      i++;
    } else if (o && exact && o->arity & SEPARATE) {
      if (o->action == KEEP && has_next)
        keep_option(p, o, words[i], words[i + 1]);
      i++;
    } else if (o && o->action == KEEP) {
      keep_option(p, o, words[i], words[i] + strlen(o->name));
    }
  }
}

static void add_wp(struct parse *p, const char *list) {
  struct cca_vec(char *) words = {0};
  char *copy = cca_arena_strdup(&p->out->arena, list), *rest = copy;
  for (char *word; (word = strsep(&rest, ","));)
    cca_vec_push(&words, word);
  add_for_cpp(p, words.items, words.count);
  cca_vec_release(&words);
}

/* -Wl,a,b or one argument of -Xlinker. */
static void add_for_linker(struct parse *p, const char *list) {
  static const char *const alone[] = {"--version", "--help", NULL};
  char *copy = cca_arena_strdup(&p->out->arena, list), *rest = copy;
  for (char *word; (word = strsep(&rest, ","));)
    if (is_one_of(word, alone))
      p->pass_link = word;
}

/* Handle the option at ARGS[I]; returns how many arguments it took. */
static size_t add_option(struct parse *p, const char *const *args, size_t count,
                         size_t i) {
  const char *arg = args[i];
  const struct option *o = find_option(arg);
  if (!o)
    return 1;
  bool separate = o->arity & SEPARATE && !strcmp(arg, o->name);
  if (separate && i + 1 == count) {
    p->pass = arg; /* the compiler will complain */
    return 1;
  }
  const char *value = separate ? args[i + 1] : arg + strlen(o->name);
  switch ((enum action)o->action) {
  case DROP:
    break;
  case STANDARD:
    if (!strncmp(value, "c++", 3) || !strncmp(value, "gnu++", 5))
      break;
    keep(p, cca_arena_printf(&p->out->arena, "-std=%s", value));
    break;
  case TARGET:
    keep(p, cca_arena_printf(&p->out->arena, "--target=%s", value));
    break;
  case KEEP:
    keep_option(p, o, arg, value);
    break;
  case PLAN9:
    keep(p, "-fms-extensions");
    break;
  case NO_TEXT:
    p->no_text = arg;
    break;
  case PASS:
    p->pass = arg;
    break;
  case PASS_LINK:
    p->pass_link = arg;
    break;
  case STOP_AT_C:
    p->compile_only = true;
    break;
  case OUTPUT:
    p->output = value;
    break;
  case LANGUAGE:
    p->language = value;
    break;
  case LIBRARY:
    p->has_linked = true;
    break;
  case FOR_CPP:
    add_wp(p, value);
    break;
  case FOR_LINKER:
    add_for_linker(p, value);
    break;
  case END:
    p->only_inputs = true;
    break;
  }
  return separate ? 2 : 1;
}

static void decide_mode(struct parse *p) {
  struct cca_command *c = p->out;
  size_t analysed = 0;
  for (size_t i = 0; i < c->sources.count; i++) {
    struct cca_command_source *s = &c->sources.items[i];
    if (p->no_text)
      s->language = CCA_COMMAND_OTHER;
    analysed += s->language != CCA_COMMAND_OTHER;
    if (p->compile_only)
      s->object = p->output ? p->output : default_object(c, s->path);
  }
  c->mode = CCA_COMMAND_PASS;
  if (p->pass)
    c->why = p->pass;
  else if (p->compile_only && analysed)
    c->mode = CCA_COMMAND_COMPILE;
  else if (p->compile_only)
    c->why = p->no_text ? p->no_text : "no C source";
  else if (p->pass_link)
    c->why = p->pass_link;
  else if (analysed)
    c->mode = CCA_COMMAND_BUILD;
  else if (p->has_linked || c->sources.count)
    c->mode = CCA_COMMAND_LINK;
  else
    c->why = "no input";
}

void cca_command_parse(struct cca_command *command, const char *const *args,
                       size_t count) {
  *command = (struct cca_command){0};
  struct parse p = {.out = command};
  struct cca_response all = {0};
  cca_response_expand(&all, &command->arena, args, count);
  for (size_t i = 0; i < all.args.count;) {
    const char *arg = all.args.items[i];
    if (p.only_inputs || arg[0] != '-' || !arg[1]) {
      add_input(&p, arg);
      i++;
    } else {
      i += add_option(&p, all.args.items, all.args.count, i);
    }
  }
  cca_vec_release(&all.args);
  decide_mode(&p);
  cca_vec_push(&command->args, NULL);
  command->args.count--; /* the NULL ends the list and is not counted */
}

void cca_command_release(struct cca_command *command) {
  cca_vec_release(&command->sources);
  cca_vec_release(&command->args);
  cca_arena_release(&command->arena);
}
