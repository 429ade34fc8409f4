#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The page of `allocs run --format=html` in a real browser: what it shows, the
# difference of two snapshots, keys, light and dark, 10,000 rows, and names that
# would like to be markup.  It asks for nothing but itself.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import browser
sys.exit(browser.browser() is None)' "$here" || skip "no chromium here"

build main -fno-builtin <<'EOF'
#include <signal.h>
#include <stdlib.h>
struct first { long x; };
struct second { long x[2]; };
static void *volatile kept[9];
static void *here(void) { return malloc(sizeof(struct first)); }
int main(void) {
  for (int i = 0; i < 3; i++) kept[i] = here();
  kept[8] = malloc(sizeof(struct first));
  raise(SIGUSR2);
  for (int i = 0; i < 2; i++) free(kept[i]);
  kept[3] = malloc(sizeof(struct second));
  return 0;
}
EOF
allocs run --signal USR2 --format=html -o heap.html ./main

# A snapshot of any program's making, the last of its process.
shown() { # NAME
  # shellcheck disable=SC2016 # the shell inside expands it
  allocs run --format=html -o "$1.html" \
    sh -c 'sed "s/\"pid\": 1,/\"pid\": $$,/" "$1" >"$CC_ALLOCS_HEAP/$$.1"' sh "$1.snapshot"
}
python3 "$here/make-snapshot.py" many >many.snapshot
shown many
python3 "$here/make-snapshot.py" hostile >hostile.snapshot
shown hostile
not grep -F '</script><script>' hostile.html
# The twin: the same page without the escapes.
sed 's/\\u003c/</g' hostile.html >unescaped.html

python3 "$here/page.py"
