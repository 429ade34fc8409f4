#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program that runs with other rights than its user's writes nothing where its
# environment says; the same program without them does.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need setpriv
[ "$(id -u)" = 0 ] || skip "only root can make the program"

cat >main.c <<'EOF'
#include <ccallocs/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
int main(void) {
  struct cca_object o;
  void *volatile p = malloc(24);
  printf("secure %lu, %d\n", getauxval(AT_SECURE), cca_describe(p, &o));
  return 0;
}
EOF
cp "$build_dir/lib/libccallocs-runtime.so.0" .
"$CCA_CC" -I"$source_dir/include" main.c libccallocs-runtime.so.0 \
  -Wl,-rpath,"$work" -o main
chmod 755 . main libccallocs-runtime.so.0
mkdir -m 777 folder
export CC_ALLOCS_HEAP=$work/folder
setpriv --reuid=65534 --clear-groups ./main >out
expect out <<<'secure 0, 0'
[ "$(ls folder)" != '' ]
rm -f folder/*
chmod u+s main
setpriv --reuid=65534 --clear-groups ./main >out
grep -q 'secure 1' out || skip "set-user-ID is ignored here"
expect out <<<'secure 1, 0'
[ "$(ls folder)" = '' ]
