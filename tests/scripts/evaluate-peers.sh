#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A build behind the folders of links is written down, and what each peer finds in
# its units is what is known of it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need python3 clang-19 opt-19 gcc

cat >a.c <<'END'
#include <stdlib.h>
extern void *annotated(size_t) __attribute__((malloc, alloc_size(1)));
__attribute__((noinline)) void *plain_alloc(unsigned long n) {
  return malloc(n);
}
void *annotated(size_t n) { return calloc(n, 1); }
void *two_alloc(size_t n, size_t m) { return malloc(n * m); }
void *signed_alloc(int n) { return malloc((size_t)n + 1); }
static char block[100];
void *no_alloc(size_t n) { return block + n; }
void *grown(void *p, size_t n) { return realloc(p, n); }
size_t alloc_count(size_t n) { return n; }
END
echo 'void *no_alloc(unsigned long n); int main(void) { return !no_alloc(1); }' \
  >main.c

mkdir recorders commands
export CCA_COMMANDS=$work/commands
for name in gcc cc; do
  ln -s "$source_dir/scripts/evaluation/record-command" recorders/$name
done
(
  export PATH=$build_dir/lib/cc-allocs/bin:$work/recorders:$PATH
  gcc -O2 -c a.c -MD -MF a.d -DX='a b'
  gcc -c main.c -o conftest.o && rm conftest.o
  gcc -c main.c && gcc main.o a.o -o main
)
allocs report main | grep plain_alloc >/dev/null
[ "$(find commands -type f | wc -l)" = 4 ]

cat >ask.py <<'END'
import json, sys
sys.path.insert(0, sys.argv[1] + "/scripts/evaluation")
import commands, peers
units = commands.compilations("commands")
print([u.compiles() for u in units])
print([u.links().name for u in commands.load("commands") if u.links()])
found = peers.ask(units, lambda text: None)
for peer, functions in found.items():
    print(peer, json.dumps(functions))
END
python3 -B ask.py "$source_dir" >got
expect got <<'END'
['a.c', 'main.c']
['main']
gcc {"plain_alloc": [], "signed_alloc": [], "two_alloc": []}
llvm {"annotated": [], "grown": [], "plain_alloc": [], "signed_alloc": [], "two_alloc": []}
names {"no_alloc": [0], "plain_alloc": [0]}
annotations {"annotated": [0]}
defined ["alloc_count", "annotated", "grown", "main", "no_alloc", "plain_alloc", "signed_alloc", "two_alloc"]
failed 0
END
