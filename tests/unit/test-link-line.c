/* libs: cca_link */
/* SPDX-License-Identifier: MIT */
/*
 * test-link-line.c -- a linker's command line: inputs with what holds for
 * them, the files it writes, and which links are not for us.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "check.h"
#include "linker_plugin/line.h"

/* The arguments of LINE, separated by blanks, read. */
static void parse(struct cca_line *line, const char *text) {
  static char words[4096];
  const char *args[128];
  size_t count = 0;
  snprintf(words, sizeof words, "%s", text);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
    args[count++] = word;
  cca_line_parse(line, count, args);
}

/* The inputs of TEXT are WANT: -lNAME for libraries, after a name "s" for
 * static, "w" for whole, "z" for lazy. */
static void check_inputs(const char *text, const char *want) {
  struct cca_line line;
  struct cca_text got = {0};
  parse(&line, text);
  cca_text_adds(&got, "");
  for (size_t i = 0; i < line.inputs.count; i++) {
    const struct cca_line_input *input = &line.inputs.items[i];
    cca_text_addf(&got, "%s%s%s%s%s%s", i ? " " : "",
                  input->is_library ? "-l" : "", input->name,
                  input->is_static ? "/s" : "", input->is_whole ? "/w" : "",
                  input->is_lazy ? "/z" : "");
  }
  CHECK_STR(got.data, want);
  cca_text_release(&got);
  cca_line_release(&line);
}

static void test_values_are_no_inputs(void) {
  check_inputs("-o p -m elf_x86_64 -L dir -Ldir -z now -znow -e main -u sym "
               "-dynamic-linker /lib/ld.so --hash-style gnu -rpath /x "
               "-rpath-link=/y -soname s --version-script v -plugin p.so "
               "-plugin-opt=x -plugin-opt -pass -Map m --wrap w --defsym a=b "
               "-Ttext 0x1000 --section-start .x=1 -h name -I interp -y t "
               "-f aux -F filter -G 8 -A x86 -init i -fini f a.o",
               "a.o");
  check_inputs("-pie -shared -static-pie -no-pie -export-dynamic -s -S -x -X "
               "-v -V -E -O1 -N -n -q --build-id --eh-frame-hdr -cref "
               "-Bsymbolic -omagic --unknown-option a.o",
               "a.o");
}

static void test_state(void) {
  check_inputs("a.o -lc -Bstatic -lx --library=y -Bdynamic --library z",
               "a.o -lc -lx/s -ly/s -lz");
  check_inputs("-whole-archive a.a -no-whole-archive b.a", "a.a/w b.a");
  check_inputs("--push-state --whole-archive -dn a.a --pop-state b.a",
               "a.a/s/w b.a");
  check_inputs("--start-lib a.o --end-lib b.o", "a.o/z b.o");
  check_inputs("a.o -b binary data --format=elf64-x86-64 b.o", "a.o b.o");
  check_inputs("--pop-state a.o -l", "a.o");
}

static void check_untouched(const char *text, int want) {
  struct cca_line line;
  parse(&line, text);
  if (!!line.why_untouched != want)
    fprintf(stderr, "in %s: ", text);
  CHECK(!!line.why_untouched == want);
  cca_line_release(&line);
}

static void test_links_that_are_not_for_us(void) {
  check_untouched("-T x.ld a.o", 1);
  check_untouched("-Tx.ld a.o", 1);
  check_untouched("--script=x.ld a.o", 1);
  check_untouched("--oformat binary a.o", 1);
  check_untouched("-oformat=binary a.o", 1);
  check_untouched("--orphan-handling=error a.o", 1);
  check_untouched("--orphan-handling=warn a.o", 1);
  check_untouched("--orphan-handling=place a.o", 0);
  check_untouched("--version a.o", 1);
  check_untouched("--help", 1);
  check_untouched("-v", 1);
  check_untouched("", 1);
  check_untouched("a.o", 0);
  check_untouched("-Ttext=0x1000 -Tdata 5 a.o", 0);
  check_untouched("-rpath x -relax -init r a.o", 0);
  check_untouched("-o -r a.o", 0);
  check_untouched("-v a.o", 0);
}

static void test_relocatable_links(void) {
  static const char *const texts[] = {"-r a.o", "-i a.o", "--relocatable a.o",
                                      "a.o -Ur"};
  struct cca_line line;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    parse(&line, texts[i]);
    CHECK(line.is_relocatable && !line.why_untouched);
    cca_line_release(&line);
  }
  parse(&line, "-relax -o -r a.o");
  CHECK(!line.is_relocatable);
  cca_line_release(&line);
}

static void test_files(void) {
  struct cca_line line;
  parse(&line, "a.o");
  CHECK_STR(line.output, "a.out");
  CHECK_STR(line.map, NULL);
  CHECK(!line.shows_inputs && !line.map_on_stdout && !line.is_static);
  cca_line_release(&line);

  parse(&line, "a.o -oprog -Map=m --dependency-file d --sysroot=/s -static");
  CHECK_STR(line.output, "prog");
  CHECK_STR(line.map, "m");
  CHECK_STR(line.dependency_file, "d");
  CHECK_STR(line.sysroot, "/s");
  CHECK(line.shows_inputs && line.is_static);
  cca_line_release(&line);

  parse(&line, "a.o -M");
  CHECK(line.map_on_stdout && !line.map);
  cca_line_release(&line);
  parse(&line, "a.o --cref");
  CHECK(!line.shows_inputs && !cca_line_has_map(&line, false));
  cca_line_release(&line);
  parse(&line, "a.o --cref -Map=m");
  CHECK(cca_line_has_map(&line, false));
  cca_line_release(&line);
  parse(&line, "a.o -t");
  CHECK(line.shows_inputs);
  cca_line_release(&line);
}

static void test_symbols(void) {
  struct cca_line line;
  parse(&line, "-u a --undefined=b -e c --wrap=w -wrap x --defsym p=q "
               "--defsym=n=4 --defsym r=s+1 a.o");
  CHECK_U(line.roots.count, 3);
  CHECK_STR(line.roots.items[1], "b");
  CHECK_U(line.wraps.count, 2);
  CHECK_STR(line.wraps.items[1], "x");
  CHECK_U(line.defsyms.count, 2); /* a number and a sum are no aliases */
  CHECK_STR(line.defsyms.items[0], "p");
  CHECK_STR(line.defsyms.items[1], "q");
  cca_line_release(&line);
}

/* Write TEXT to a file and return "@FILE". */
static const char *response_file(const char *text) {
  static char name[32];
  strcpy(name, "@/tmp/cca-test-XXXXXX");
  int fd = mkstemp(name + 1);
  CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  return name;
}

static void test_response_files(void) {
  const char *file = response_file(
      " a.o 'b c.o'\n\"d \\\"e.o\"\tf\\ g.o '' -Map=m \\\n  @/nowhere/x  -L");
  const char *args[] = {"x.o", file, "dir", "y.o"};
  struct cca_line line;
  cca_line_parse(&line, 4, args);
  CHECK_U(line.inputs.count, 9);
  static const char *const want[] = {"x.o",     "a.o",         "b c.o",
                                     "d \"e.o", "f g.o",       "",
                                     "\n",      "@/nowhere/x", "y.o"};
  for (size_t i = 0; i < 9; i++)
    CHECK_STR(line.inputs.items[i].name, want[i]);
  CHECK_STR(line.map, "m");
  CHECK_STR(line.library_paths.items[0], "dir");
  cca_line_release(&line);
  unlink(file + 1);
}

/* A file that includes itself ends, and is then an argument like others. */
static void test_recursion_ends(void) {
  char name[] = "/tmp/cca-test-XXXXXX";
  int fd = mkstemp(name);
  dprintf(fd, "a.o @%s", name);
  close(fd);
  char arg[64];
  snprintf(arg, sizeof arg, "@%s", name);
  const char *args[] = {arg};
  struct cca_line line;
  cca_line_parse(&line, 1, args);
  CHECK(line.inputs.count > 1 && line.inputs.count < 1000);
  CHECK_STR(line.inputs.items[line.inputs.count - 1].name, arg);
  cca_line_release(&line);
  unlink(name);
}

int main(void) {
  RUN(test_values_are_no_inputs);
  RUN(test_state);
  RUN(test_links_that_are_not_for_us);
  RUN(test_relocatable_links);
  RUN(test_files);
  RUN(test_symbols);
  RUN(test_response_files);
  RUN(test_recursion_ends);
  return check_done();
}
