#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `allocs run --classification` says what is known of each module, and what its
# calls of other modules are bound to: an allocator, something else, a module
# that says nothing, or nothing that was met.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

library() { # library COMPILER NAME <SOURCE
  cat >"$2.c"
  "$1" -O2 -g -shared -fPIC "$2.c" -o "lib$2.so"
}
library cc-allocs makes <<'EOF'
#include <stdlib.h>
static long held[8];
void *volatile made;
void *make(size_t n) { made = malloc(n); return made; }
void *find(size_t n) { made = malloc(n); return held; }
void *unused(size_t n) { return malloc(n); }
EOF
library "$CCA_CC" silent <<'EOF'
#include <stdlib.h>
void *volatile hidden;
void *silent(size_t n) { hidden = malloc(n); return hidden; }
EOF
cat >main.c <<'EOF'
#include <stddef.h>
struct point { long x, y; };
void *make(size_t), *find(size_t), *silent(size_t), *unused(size_t);
void *volatile kept;
int main(int argc, char **argv) {
  (void)argv;
  kept = make(sizeof(struct point));
  kept = make(2 * sizeof(struct point));
  kept = find(sizeof(struct point));
  kept = silent(sizeof(struct point));
  if (argc > 1) kept = unused(sizeof(struct point));
  return 0;
}
EOF
cc-allocs -O2 -g main.c -L. -lmakes -lsilent -Wl,-rpath,"$PWD" -o main
allocs run --classification -o out ./main
grep -q '^ *0 *5 *main$' out
grep -q '^ *2 *3 *libmakes.so$' out
grep -q '^ *- *- *libsilent.so$' out
sed -n '/^  module/,$p' out | sed 's/  */ /g; s/ $//' | sed '/^$/d' >got
expect got <<'EOF'
 module calls of
 main make libmakes.so allocates
 main find libmakes.so does not allocate
 main silent libsilent.so not known: no classification
 main unused - allocated nothing
EOF

# The twins: without the option nothing of it; in JSON it always is.
allocs run -o out ./main
not grep -q 'make\|libmakes' out
allocs run --json -o out ./main
python3 - out <<'EOF'
import json, sys
modules = json.load(open(sys.argv[1]))["processes"][0]["modules"]
main, makes = modules[0], [m for m in modules if "libmakes" in m["path"]][0]
assert (main["functions"], makes["functions"]) == (0, 2), (main, makes)
assert [(i["symbol"], i["binding"], i["module"] == makes["path"])
        for i in main["imports"]] == [
    ("make", "allocates", True), ("find", "no", True),
    ("silent", "silent", False), ("unused", "unmet", False)], main
assert makes["imports"] == [], makes
EOF
