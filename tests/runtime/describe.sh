#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program that links the runtime asks what its pointers are: inside of small
# and huge objects, behind their ends, on the stack, freed; and goes through all
# objects.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >main.c <<'EOF'
#include <ccallocs/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { int key; double value; };
static char global[8];
static void say(const char *name, const void *p) {
  struct cca_object o;
  if (cca_describe(p, &o) != CCA_OK) {
    printf("%s: nothing\n", name);
    return;
  }
  printf("%s: %s %s of %zu, %zu + %zu, %s\n", name, o.shape,
         o.type ? o.type : o.site_class, o.count, o.size, o.offset,
         o.function);
}
int main(int argc, char **argv) {
  struct item *one = malloc(sizeof *one);
  struct item *array = calloc((size_t)argc * 10, sizeof *array);
  size_t huge = (size_t)argc * (3u << 20);
  char *large = malloc(huge * sizeof(struct item)), local = 0;
  char *gone = strdup(argv[0]);
  say("one", one);
  say("its last byte", (char *)one + 15);
  say("behind it", (char *)one + 16);
  say("before it", (char *)one - 1);
  say("array", &array[7].value);
  say("large", large);
  say("its middle", large + (24 << 20) + 5);
  say("its last byte", large + huge * sizeof(struct item) - 1);
  say("behind it", large + huge * sizeof(struct item) + 4096);
  say("global", global);
  say("local", &local);
  say("null", NULL);
  say("end of memory", (void *)-1);
  say("code", (void *)main);
  say("string", gone + 2);
  free(gone);
  say("freed", gone + 2);
  large = realloc(large, 2 * sizeof(struct item));
  say("shrunk", large);
  int seen = 0;
  for (void *p = NULL; (p = cca_next_object(p));)
    seen += p == (void *)one || p == (void *)array || p == (void *)large;
  printf("%d seen\n", seen);
  return 0;
}
EOF
cc-allocs -g -O1 -I"$source_dir/include" -Wl,-rpath,"$build_dir/lib" main.c \
  -L"$build_dir/lib" -lccallocs-runtime -o main
./main >out
sed -n '/behind it: one/p' out >&2
sed -i '/^behind it/d' out # 8 bytes of slack may still be there
expect out <<'EOF'
one: one struct item of 1, 16 + 0, main
its last byte: one struct item of 1, 16 + 15, main
before it: nothing
array: array struct item of 10, 160 + 120, main
large: array struct item of 3145728, 50331648 + 0, main
its middle: array struct item of 3145728, 50331648 + 25165829, main
its last byte: array struct item of 3145728, 50331648 + 50331647, main
global: nothing
local: nothing
null: nothing
end of memory: nothing
code: nothing
string: unknown bytes of 0, 7 + 2, main
freed: nothing
shrunk: array struct item of 2, 32 + 0, main
3 seen
EOF

# Without a classification: where they are, and no type.
"$CCA_CC" -g -O1 -I"$source_dir/include" -Wl,-rpath,"$build_dir/lib" main.c \
  -L"$build_dir/lib" -lccallocs-runtime -o twin
./twin >out
grep -qx 'one: unknown untyped of 0, 16 + 0, (null)' out
not grep -q 'struct' out
