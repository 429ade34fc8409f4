#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The profile of `allocs run --format=pprof`, as pprof itself reads it: samples,
# values, labels and stacks; by type; the same program makes the same bytes.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
need go
export PPROF_TMPDIR=$PWD HOME=$PWD

build main -fno-builtin <<'EOF'
#include <stdlib.h>
struct first { long x; };
struct second { long x[2]; };
static void *volatile kept[9];
static void *here(void) { return malloc(sizeof(struct first)); }
int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 3; i++) kept[i] = here();
  free(kept[0]);
  kept[3] = malloc(sizeof(struct second));
  kept[4] = malloc((size_t)argc);
  return 0;
}
EOF
allocs run --format=pprof -o heap.pb.gz ./main
[ "$(od -An -tx1 -N8 heap.pb.gz | tr -d ' ')" = 1f8b080000000000 ] # no time, no name
go tool pprof -raw heap.pb.gz >raw 2>err
sed 's/([0-9][0-9]*)/(pid)/; s/()$//; s/ *$//' raw >read
sed -n '/^Samples:/,/^Locations/p' read >samples
expect samples <<'EOF'
Samples:
alloc_objects/count alloc_space/bytes[dflt] inuse_objects/count inuse_space/bytes
          3         24          2         16: 1
                callee:[malloc] process:[main (pid)] type:[struct first]
          1         16          1         16: 2
                callee:[malloc] process:[main (pid)] type:[struct second]
          1          1          1          1: 3
                callee:[malloc] process:[main (pid)] type:[untyped: the caller of a wrapper is not known]
Locations
EOF
sed -n '/^Locations/,/^Mappings/p' read | tr -s ' ' >locations
expect locations <<'EOF'
Locations
 1: 0x0 M=1 here main.c:5 s=0
 2: 0x0 M=1 main main.c:10 s=0
 3: 0x0 M=1 main main.c:11 s=0
Mappings
EOF
grep -qF "$PWD/main" read

# By type, and what is live first if that was asked for.
go tool pprof -top -tagroot=type -cum heap.pb.gz 2>err | awk 'NR > 5 { print $4, $NF }' >top
grep -xF '24B first' top >/dev/null
allocs run --format=pprof --live -o live.pb.gz ./main
go tool pprof -raw live.pb.gz 2>err | grep -F 'inuse_space/bytes[dflt]' >/dev/null

# A library without a classification: an address in it, the function as far as it
# is known, and the reason.
gcc -shared -fPIC -x c - -o libplain.so <<'EOF'
#include <stdlib.h>
void *plain(void) { return malloc(99); }
EOF
cat >use.c <<'EOF'
void *plain(void);
void *volatile kept;
int main(void) { kept = plain(); return 0; }
EOF
gcc use.c -L. -lplain -Wl,-rpath,"$PWD" -o use
allocs run --format=pprof -o use.pb.gz ./use
go tool pprof -raw use.pb.gz >raw 2>err
grep -qF 'type:[untyped: no caller was built with cc-allocs]' raw
sed -n '/^Locations/,/^Mappings/p' raw | grep -E '^ +1: 0x2[0-9a-f]{10} M=2 plain :0 s=0\(\)$' >/dev/null
sed -n '/^Mappings/,$p' raw | grep -E "^2: 0x20000000000/.*$PWD/libplain.so" >/dev/null
allocs run --format=pprof --no-symbols -o use.pb.gz ./use # the twin
go tool pprof -raw use.pb.gz 2>err | grep -E '^ +1: 0x2[0-9a-f]{10} M=2 *$' >/dev/null

# Two runs differ in the number of the process alone.
for i in 1 2; do
  allocs run --format=pprof -o $i.pb.gz ./main
  go tool pprof -raw $i.pb.gz 2>err | sed 's/main ([0-9]*)/main (pid)/' >$i
done
cmp 1 2
