#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a library without a classification allocates for itself is named after
# the library, with the calls that led into it; a call into two of them counts
# for each.  A call inside the program that is no site is something else.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

for name in one two; do
  gcc -shared -fPIC -O2 -fno-optimize-sibling-calls -x c - -o lib$name.so <<EOF
#include <stdlib.h>
void *in_$name(void) { return malloc(100); }
EOF
done
gcc -c -O2 -x c - -o unlisted.o <<'EOF'
#include <stdlib.h>
void *unlisted(void) { return malloc(7); }
EOF
build main -fno-builtin -fno-optimize-sibling-calls unlisted.o \
  -L. -lone -ltwo -Wl,-rpath,"$PWD" <<'EOF'
#include <stdio.h>
#include <stdlib.h>
void *in_one(void), *in_two(void), *unlisted(void);
struct thing { long x[3]; };
static void *volatile kept[9];
int main(int argc, char **argv) {
  (void)argv;
  printf("x\n");
  kept[0] = in_one();
  kept[1] = unlisted();
  kept[2] = malloc(sizeof(struct thing));
  for (int i = 0; i < 4; i++) {
    void *(*f)(void) = i % 2 || !argc ? in_one : in_two;
    kept[3 + i] = f();
  }
  return 0;
}
EOF
allocs run --json -o heap ./main >/dev/null
python3 "$here/heap.py" heap | cut -d ' ' -f 1,2,5- |
  sed -E 's/ [0-9]{4,} / buffer /' | sort >rows
expect rows <<'EOF'
1 24 1 struct thing
1 7 1 untyped unlisted
1 buffer 1 untyped inside
2 200 1 untyped inside
3 300 2 untyped inside
EOF
allocs run --sites ./main >/dev/null 2>text
sed -n '/untyped: allocated/,$p' text | sed -E '/^$/d' | sed -E 's/0x[0-9a-f]+/0x/; s/ [0-9],[0-9]+ / buffer /g; s/^ *//' |
  tr -s ' ' | cut -d ' ' -f 1,2,5- >places
expect places <<'EOF'
1 buffer 1 untyped: allocated inside libc.so.6
1 buffer main.c:8 main -> libc.so.6
3 300 2 untyped: allocated inside libone.so
2 200 main.c:14 main -> libone.so
1 100 main.c:9 main -> libone.so
2 200 1 untyped: allocated inside libtwo.so
2 200 main.c:14 main -> libtwo.so
1 7 1 untyped: the call is not known to allocate
1 7 main.c:10 main
EOF
# The two addresses of one call are the same.
allocs run --sites --no-symbols ./main 2>&1 >/dev/null | grep -oE 'main\+0x[0-9a-f]+ -> lib(one|two)' >calls
[ "$(cut -d ' ' -f 1 calls | sort | uniq -d | wc -l)" = 1 ]
[ "$(cut -d ' ' -f 1 calls | sort -u | wc -l)" = 2 ]
