/* libs: cca_command */
/* SPDX-License-Identifier: MIT */
/*
 * test-command.c -- compiler commands are understood, and what is kept of them
 * for the analysis is exactly what C and its headers depend on.
 *
 * Each row is a command and what must be read out of it, as one line of text:
 *
 *     mode [source=language:object ...] | arguments for the analysis
 *
 * with languages c, i (preprocessed) and - (not ours), and in mode pass the
 * option that made it so.  Rows that begin alike are twins: one differs from
 * the other in the point that it is there for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/command.h"
#include "base/text.h"
#include "check.h"

static void describe(const struct cca_command *c, struct cca_text *out) {
  static const char *const modes[] = {"pass", "compile", "build", "link"};
  cca_text_adds(out, modes[c->mode]);
  if (c->mode == CCA_COMMAND_PASS)
    cca_text_addf(out, ": %s", c->why);
  for (size_t i = 0; i < c->sources.count && c->mode != CCA_COMMAND_PASS; i++) {
    const struct cca_command_source *s = &c->sources.items[i];
    cca_text_addf(out, " %s=%c", s->path, "ci-"[s->language]);
    if (s->object)
      cca_text_addf(out, ":%s", s->object);
  }
  cca_text_adds(out, " |");
  for (size_t i = 0; i < c->args.count; i++)
    cca_text_addf(out, " %s", c->args.items[i]);
}

/* Parse COMMAND, whose words are separated by single blanks. */
static const char *read_command(const char *command, struct cca_text *out) {
  const char *words[64];
  size_t count = 0;
  char *copy = strdup(command), *rest = copy;
  for (char *word; (word = strsep(&rest, " "));)
    if (*word)
      words[count++] = word;
  struct cca_command c;
  cca_command_parse(&c, words, count);
  out->len = 0;
  describe(&c, out);
  cca_command_release(&c);
  free(copy);
  return out->data;
}

struct row {
  const char *command, *want;
};

static void check_rows(const struct row *rows, size_t count) {
  struct cca_text got = {0};
  for (size_t i = 0; i < count; i++)
    CHECK_STR(read_command(rows[i].command, &got), rows[i].want);
  cca_text_release(&got);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof rows / sizeof rows[0])

static void test_the_mode(void) {
  static const struct row rows[] = {
      {"-c a.c", "compile a.c=c:a.o |"},
      {"-c a.c -o b.o", "compile a.c=c:b.o |"},
      {"-c -ob.o a.c", "compile a.c=c:b.o |"},
      {"-c -o /dev/null a.c", "compile a.c=c:/dev/null |"},
      {"-c dir.d/a.b.c", "compile dir.d/a.b.c=c:a.b.o |"},
      {"-c a.c b.c", "compile a.c=c:a.o b.c=c:b.o |"},
      {"-c a.c a.c", "compile a.c=c:a.o a.c=c:a.o |"},
      {"a.c", "build a.c=c |"},
      {"a.c b.o -lz", "build a.c=c |"},
      {"main.c util.c -o prog", "build main.c=c util.c=c |"},
      {"one.o two.o -o final.o", "link |"},
      {"-g -w -DX one.o", "link | -DX"},
      {"-lz", "link |"},
      {"a.cc", "link a.cc=- |"},
      {"a.cc b.c", "build a.cc=- b.c=c |"},
      {"-c a.cc", "pass: no C source |"},
      {"-c a.h", "pass: no C source |"},
      {"-c a.f90", "pass: no C source |"},
      {"-w -Wall -g -DX", "pass: no input | -DX"},
      {"", "pass: no input |"},
  };
  CHECK_ROWS(rows);
}

static void test_what_passes(void) {
  static const struct row rows[] = {
      {"-E a.c", "pass: -E |"},
      {"-E -dM -x c /dev/null", "pass: -E |"},
      {"-S a.c", "pass: -S |"},
      {"-M a.c", "pass: -M |"},
      {"-MM a.c", "pass: -MM |"},
      {"-MD -c a.c", "compile a.c=c:a.o |"},
      {"-MMD -c a.c", "compile a.c=c:a.o |"},
      {"-fsyntax-only a.c", "pass: -fsyntax-only |"},
      {"-c -emit-llvm a.c", "pass: -emit-llvm |"},
      {"--version", "pass: --version |"},
      {"--help", "pass: --help |"},
      {"--help=warnings", "pass: --help=warnings |"},
      {"-dumpversion", "pass: -dumpversion |"},
      {"-dumpmachine", "pass: -dumpmachine |"},
      {"-print-prog-name=ld", "pass: -print-prog-name=ld |"},
      {"--print-search-dirs", "pass: --print-search-dirs |"},
      {"-### a.c", "pass: -### |"},
      {"-v", "pass: -v |"},
      {"-v a.o", "pass: -v |"},
      {"-v a.c -o a", "pass: -v |"},
      {"-v -c a.c", "compile a.c=c:a.o |"},
      {"-Wl,--version", "pass: --version |"},
      {"-Wl,-z,now a.o", "link |"},
      {"-r a.o -o b.o", "link |"},
      {"-r a.c b.o -o c.o", "build a.c=c |"},
      {"-Wl,-r a.o", "link |"},
      {"-Xlinker -r a.o", "link |"},
      {"--relocatable a.o", "link |"},
      {"-r", "pass: no input |"},
      {"-rdynamic a.o", "link |"},
      {"-c a.c -o", "pass: -o |"},
  };
  CHECK_ROWS(rows);
}

static void test_language_by_position(void) {
  static const struct row rows[] = {
      {"-c a.s", "pass: no C source |"},
      {"-c a.S", "pass: no C source |"},
      {"-c -x assembler a.c", "pass: no C source |"},
      {"-c -x assembler-with-cpp a.c", "pass: no C source |"},
      {"-c -x c a.inc", "compile a.inc=c:a.o |"},
      {"-c -xc a", "compile a=c:a.o |"},
      {"-c -x c++ a.c", "pass: no C source |"},
      {"-c -xc++ a.c", "pass: no C source |"},
      {"-c -x c++ a.c -x none b.c", "compile a.c=-:a.o b.c=c:b.o |"},
      {"-xc a.inc -xnone b.o", "build a.inc=c |"},
      {"-c a.i", "compile a.i=i:a.o |"},
      {"-c -x cpp-output a.c", "compile a.c=i:a.o |"},
      {"-c --language=c a.t", "compile a.t=c:a.o |"},
      {"-c -x c -", "pass: no C source |"},
      {"-x c - -o prog", "link -=- |"},
      {"-c -x c-header a.c", "pass: no C source |"},
      {"-c -- -a.c", "compile -a.c=c:-a.o |"},
  };
  CHECK_ROWS(rows);
}

static void test_arguments_are_no_inputs(void) {
  static const struct row rows[] = {
      {"-c -mllvm -stack-alignment=16 main.c", "compile main.c=c:main.o |"},
      {"-c -mllvm x.c main.c", "compile main.c=c:main.o |"},
      {"-c -Xclang x.c main.c", "compile main.c=c:main.o |"},
      {"-c -MF x.c main.c", "compile main.c=c:main.o |"},
      {"-c -MT x.c -MQ y.c -MJ z.c main.c", "compile main.c=c:main.o |"},
      {"-c --param x.c main.c", "compile main.c=c:main.o |"},
      {"-c --serialize-diagnostics x.c main.c", "compile main.c=c:main.o |"},
      {"-c -aux-info x.c main.c", "compile main.c=c:main.o |"},
      {"-c -dumpbase x.c main.c", "compile main.c=c:main.o |"},
      {"-c -include-pch x.c main.c", "pass: -include-pch |"},
      {"-include-pch x.c main.c", "link main.c=- |"},
      {"-c -Xassembler x.c main.c", "compile main.c=c:main.o |"},
      {"-T x.c -e y.c -u z.c -L l.c main.o", "link |"},
      {"-c -isystem x.c main.c", "compile main.c=c:main.o | -isystem x.c"},
  };
  CHECK_ROWS(rows);
}

static void test_what_the_analysis_gets(void) {
  static const struct row rows[] = {
      {"-c a.c -DA -D B=1 -UC -U D", "compile a.c=c:a.o | -DA -D B=1 -UC -U D"},
      {"-c a.c -Ii -I j -iquote k -idirafter l -isysteml",
       "compile a.c=c:a.o | -Ii -I j -iquote k -idirafter l -isysteml"},
      {"-c a.c -include x.h -imacros y.h",
       "compile a.c=c:a.o | -include x.h -imacros y.h"},
      {"-c a.c -std=c99", "compile a.c=c:a.o | -std=c99"},
      {"-c a.c --std gnu11", "compile a.c=c:a.o | -std=gnu11"},
      {"-c a.c -std=c++11", "compile a.c=c:a.o |"},
      {"-c a.c -ansi -pthread -ffreestanding",
       "compile a.c=c:a.o | -ansi -pthread -ffreestanding"},
      {"-c a.c -fshort-enums -funsigned-char -fno-builtin-malloc",
       "compile a.c=c:a.o | -fshort-enums -funsigned-char -fno-builtin-malloc"},
      {"-c a.c -fplan9-extensions", "compile a.c=c:a.o | -fms-extensions"},
      {"-c a.c -fpack-struct=2", "compile a.c=c:a.o | -fpack-struct=2"},
      {"-c a.c -m32 -march=native -mavx2 -mtune=native",
       "compile a.c=c:a.o | -m32 -march=native -mavx2"},
      {"-c a.c -nostdlibinc -nostdinc -nosuchinc",
       "compile a.c=c:a.o | -nostdlibinc -nostdinc"},
      {"-c a.c --sysroot=/s -target arm-linux-gnueabi",
       "compile a.c=c:a.o | --sysroot=/s --target=arm-linux-gnueabi"},
      {"-c a.c -O2 -g -Wall -Werror -fPIC -flto -fstack-clash-protection "
       "-fcf-protection -save-temps=obj -pipe -nosuchthing",
       "compile a.c=c:a.o |"},
      {"-c a.c -ffile-prefix-map=/a=.",
       "compile a.c=c:a.o | -ffile-prefix-map=/a=."},
  };
  CHECK_ROWS(rows);
}

/* Every way to ask for a file of dependencies. */
static void test_no_dependency_files(void) {
  static const struct row rows[] = {
      {"-c a.c -MD -MF a.d -MT a.o -MP", "compile a.c=c:a.o |"},
      {"-c a.c -MD -MFa.d -MTa.o -MQb", "compile a.c=c:a.o |"},
      {"-c a.c -MD -MF /dev/null", "compile a.c=c:a.o |"},
      {"-c a.c -Wp,-MD,a.d", "compile a.c=c:a.o |"},
      {"-c a.c -Wp,-MD,a.d -Wp,-MT,b", "compile a.c=c:a.o |"},
      {"-c a.c -Wp,-MMD,a.d,-MP,-DX=1", "compile a.c=c:a.o | -DX=1"},
      {"-c a.c -Wp,-D,Y,-I,dir,-MT,-DZ", "compile a.c=c:a.o | -D Y -I dir"},
      {"-c a.c -Xpreprocessor -DX", "compile a.c=c:a.o | -DX"},
      {"-c a.c -MJ x.json", "compile a.c=c:a.o |"},
  };
  CHECK_ROWS(rows);
}

static void write_file(const char *name, const char *text) {
  FILE *f = fopen(name, "w");
  CHECK(f != NULL);
  fputs(text, f);
  fclose(f);
}

static void test_response_files(void) {
  char dir[] = "/tmp/cca-command.XXXXXX";
  CHECK(mkdtemp(dir) != NULL && chdir(dir) == 0);
  write_file("a.rsp", "-c 'a b.c'\n\t-DX=\\\"q\\\" \"-DY=1 2\" @b.rsp");
  write_file("b.rsp", "-o c\\ d.o -I ''");
  write_file("loop.rsp", "-DL @loop.rsp");
  write_file("twice.rsp", "-DT @twice.rsp @twice.rsp");
  write_file("empty.rsp", "");
  static const struct row rows[] = {
      {"@a.rsp", "compile a b.c=c:c d.o | -DX=\"q\" -DY=1 2 -I "},
      {"-c x.c @empty.rsp", "compile x.c=c:x.o |"},
      {"-c x.c @missing.rsp", "compile x.c=c:x.o |"},
      {"x.o @missing.c", "build @missing.c=c |"}, /* an input like others */
  };
  CHECK_ROWS(rows);
  struct cca_text got = {0};
  const char *loop = read_command("-c x.c @loop.rsp", &got);
  CHECK(strstr(loop, "compile x.c=c:x.o | -DL -DL") == loop);
  const char *twice = read_command("-c x.c @twice.rsp", &got);
  size_t read = 0;
  for (const char *at = twice; (at = strstr(at, "-DT")); at++)
    read++;
  CHECK_U(read, 2000);
  cca_text_release(&got);
  CHECK(unlink("a.rsp") == 0 && unlink("b.rsp") == 0 &&
        unlink("loop.rsp") == 0 && unlink("twice.rsp") == 0 &&
        unlink("empty.rsp") == 0);
  CHECK(chdir("/") == 0 && rmdir(dir) == 0);
}

int main(void) {
  RUN(test_the_mode);
  RUN(test_what_passes);
  RUN(test_language_by_position);
  RUN(test_arguments_are_no_inputs);
  RUN(test_what_the_analysis_gets);
  RUN(test_no_dependency_files);
  RUN(test_response_files);
  return check_done();
}
