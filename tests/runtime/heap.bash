# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# heap.bash -- sourced by the tests of the runtime, behind common.sh.

# build NAME [FLAG...] <SOURCE: NAME from NAME.c, by cc-allocs.
build() {
  local name=$1
  shift
  cat >"$name.c"
  cc-allocs -O2 -g "$name.c" -o "$name" "$@"
}

# types NAME [ARGUMENT...]: run NAME; its typed rows, and what was bytes, that
# this program's own code allocated: objects, bytes, live objects, type.
types() {
  local name=$1
  shift
  allocs run --json --no-symbols -o "$name.json" "./$name" "$@" >"$name.out"
  # shellcheck disable=SC2154 # common.sh sets it
  python3 "$source_dir/tests/runtime/heap.py" "$name.json" >"$name.rows"
  awk '$6 != "untyped" { print $1, $2, $3, substr($0, index($0, $6)) }' "$name.rows"
}

# modules: one.so and two.so, whose make() returns a struct of_one and a struct
# of_two.
modules() {
  local name
  for name in one two; do
    compile $name.c -fPIC -DNAME=$name <<'EOF'
#include <stdlib.h>
#define STRUCT_(name) struct of_##name
#define STRUCT(name) STRUCT_(name)
STRUCT(NAME) { long x[3]; };
void *make(void) { STRUCT(NAME) *p = malloc(sizeof *p); p->x[0] = 1; return p; }
EOF
    link $name.so -shared $name.o
  done
}

# forking: main COUNT, which starts COUNT processes one after the other; each makes a
# struct two, in line 12.
forking() {
  build main <<'EOF'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
struct one { long x; };
struct two { long x[2]; };
void *volatile kept;
int main(int argc, char **argv) {
  (void)argc;
  kept = malloc(sizeof(struct one));
  for (int i = 0; i < atoi(argv[1]); i++) {
    if (!fork()) {
      kept = malloc(sizeof(struct two));
      return 0;
    }
    wait(NULL);
  }
  return 0;
}
EOF
}

# library COMPILER NAME [ARGUMENT...] <SOURCE: libNAME.so from NAME.c.
library() {
  local compiler=$1 name=$2
  shift 2
  cat >"$name.c"
  "$compiler" -O2 -g -shared -fPIC "$name.c" -L. "$@" -o "lib$name.so"
}

# wrong MESSAGE OPTION...: with OPTIONs, `allocs run` starts nothing, says MESSAGE
# and ends with 125.
wrong() {
  local message=$1 status=0
  shift
  allocs run "$@" sh -c 'echo started' >out 2>err || status=$?
  [ $status = 125 ]
  expect out </dev/null
  expect err <<<"allocs run: $message"
}
