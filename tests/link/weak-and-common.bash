#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A weak definition gives way to another one, and tentative definitions are one
# variable: what is called is what the linker takes, and the twin, without the
# other definition, is the weak one.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"
need cc-allocs

cat >weak.c <<'EOF'
#include <stdlib.h>
void *(*hook)(size_t); /* common: two units have it */
__attribute__((weak)) void *get(size_t n) { (void)n; return NULL; }
__attribute__((weak)) void *make(void) { return get(sizeof(int[3])); }
EOF
cat >strong.c <<'EOF'
#include <stdlib.h>
void *(*hook)(size_t);
void *get(size_t n) { return malloc(n); }
void set(void) { hook = get; }
EOF
cat >main.c <<'EOF'
#include <stdlib.h>
struct s { int x[7]; };
extern void *(*hook)(size_t);
void *get(size_t n), *make(void), set(void);
__attribute__((weak)) void set(void) {}
void *volatile kept;
int main(void) {
  set();
  kept = get(sizeof(struct s));
  kept = make();
  if (hook) kept = hook(sizeof(struct s));
  return 0;
}
EOF
sed -i 's/void \*get(size_t n), \*make(void), set(void);/void *get(size_t n), *make(void);/' main.c
export CC_ALLOCS_CC=gcc
for source in weak strong main; do
  cc-allocs -c -O1 -fcommon $source.c
done
sites() {
  allocs report --json "$1" | python3 -c '
import json, sys
for s in json.load(sys.stdin)["allocation_sites"]:
    print(s["function"], s["callee"], s["class"], s["type"],
          "at" if s["address"] else "nowhere")' | sort
}
cc-allocs "-fuse-ld=$linker" main.o weak.o strong.o -o prog
./prog
sites prog >got
expect got <<'EOF'
get malloc pass-through None at
main get typed struct s at
main hook typed struct s at
main make typed int at
make get typed int at
EOF
cc-allocs "-fuse-ld=$linker" main.o weak.o -o prog
./prog
sites prog >got
[ ! -s got ]
[ -z "$(ls -A "$TMPDIR")" ]
