#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A summary does not depend on the folder that it is made in, nor on the run,
# and names files as the command does.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

for folder in here elsewhere/deeper; do
  mkdir -p $folder/inc
  cat >$folder/inc/a.h <<'EOF'
struct a { void *p; };
EOF
  cat >$folder/a.c <<'EOF'
#include <stdlib.h>
#include "a.h"
struct a *make(void) { return malloc(sizeof(struct a)); }
EOF
  (cd $folder && cc-allocs -c -O2 -g -I"$PWD/inc" a.c -o a.o)
  allocs dump $folder/a.o | tail -n +2 >$folder/dump
  (cd $folder && cc-allocs -c -O2 -g -I"$PWD/inc" a.c -o a.o)
  allocs dump $folder/a.o | tail -n +2 | cmp - $folder/dump
done
cmp here/dump elsewhere/deeper/dump
grep -q '^file .*name="inc/a.h"' here/dump
not grep -q "$work" here/dump
