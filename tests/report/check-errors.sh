#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `allocs check`: status 0 without findings, 1 with some, 2 if anything could
# not be looked at, which is said; and the good file beside a bad one is checked.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

# fails ARGUMENT... <WANTED: status 2, WANTED on error; output in out.
fails() {
  local status=0
  allocs check "$@" >out 2>error || status=$?
  expect error
  [ "$status" = 2 ]
}
fails <<<"allocs check: no FILE is given; name an executable, shared object, object or archive"
fails --frob x <<<"allocs check: there is no option --frob; allocs check --help lists them"
fails none <<<"allocs check: none: cannot read it: No such file or directory"
expect out </dev/null

echo 'int main(void) { return 0; }' >plain.c
"$CCA_CC" -c plain.c
fails plain.o <<<"allocs check: plain.o: object without a summary; compile it with CC=cc-allocs"

compile good.c <<'EOF'
#include <stdlib.h>
struct node { long key[2]; } *one;
void use(void) { one = malloc(sizeof(struct node)); }
EOF
sed 's/sizeof(struct node)/sizeof(struct node *)/' good.c | compile bad.c
allocs check good.o >out
expect out </dev/null
status=0
allocs check bad.o >alone || status=$?
[ $status = 1 ]
fails plain.o bad.o <<<"allocs check: plain.o: object without a summary; compile it with CC=cc-allocs"
expect out <alone
fails bad.o none <<<"allocs check: none: cannot read it: No such file or directory"
expect out <alone
status=0
allocs check bad.o >/dev/full 2>error || status=$?
[ $status = 2 ]
