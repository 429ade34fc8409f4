#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Snapshots on a signal, in order, and the difference of each to the one before;
# without the option the signal does what it always did.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

build main -fno-builtin <<'EOF'
#include <signal.h>
#include <stdlib.h>
struct first { long x; };
struct second { long x[2]; };
struct third { long x[3]; };
static void *volatile kept[9];
int main(void) {
  for (int i = 0; i < 3; i++) kept[i] = malloc(sizeof(struct first));
  kept[8] = malloc(sizeof(struct third));
  raise(SIGUSR2);
  for (int i = 0; i < 2; i++) free(kept[i]);
  kept[3] = malloc(sizeof(struct second));
  raise(SIGUSR2);
  free(kept[3]);
  return 0;
}
EOF
allocs run --signal USR2 --json -o heap ./main
for i in 0 1 2; do
  echo "$i"
  python3 "$here/heap.py" heap $i
done >rows
expect rows <<'EOF'
0
3 24 3 24 1 struct first
1 24 1 24 1 struct third
1
3 24 1 8 1 struct first
1 24 1 24 1 struct third
1 16 1 16 1 struct second
2
3 24 1 8 1 struct first
1 24 1 24 1 struct third
1 16 0 0 1 struct second
EOF
[ "$(grep -c '"moment": "signal"' heap)" = 2 ]

allocs run --signal SIGUSR2 --diff -o heap ./main
grep -E 'snapshot|exit|struct' heap | tr -s ' ' | sed 's/([0-9]*)/(pid)/' >rows
expect rows <<'EOF'
main (pid), the heap in snapshot 1
 1 3 24 3 24 1 struct first
 2 1 24 1 24 1 struct third
main (pid), the heap in snapshot 2, less the one before
 1 1 16 1 16 1 struct second
 2 0 0 -2 -16 1 struct first
main (pid), the heap at exit, less the one before
 1 0 0 -1 -16 1 struct second
EOF

status=0
allocs run -o heap ./main 2>err || status=$?
[ $status = $((128 + $(kill -l USR2))) ]
status=0
allocs run --signal NONE ./main 2>err || status=$?
[ $status = 125 ]
expect err <<<"allocs run: there is no signal \`NONE'; kill -l lists them"

# Where the result cannot be put, the program is not even started.
status=0
allocs run -o none/heap sh -c 'echo started' >out 2>err || status=$?
[ $status = 125 ]
expect out </dev/null
expect err <<<"allocs run: cannot write none/heap: No such file or directory"

# Nor is the reason cut on a narrow terminal why something has no type.
if command -v script >/dev/null; then
  script -qec 'stty cols 60; TERM=dumb allocs run sh -c :' /dev/null </dev/null |
    tr -d '\r' >terminal
  grep -A 1 ' untyped$' terminal | tail -n 1 >why
  expect why <<<"        no caller was built with cc-allocs"
  not grep untyped: terminal
fi
allocs run sh -c : 2>err
grep ' untyped: no caller was built with cc-allocs$' err >/dev/null
