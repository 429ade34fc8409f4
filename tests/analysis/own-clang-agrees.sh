#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The clang that is linked into cca-clang and the installed one give the same
# text and the same objects; what cca-clang does not do itself, the installed
# one does in its place.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
own=$build_dir/lib/cc-allocs/cca-clang
[ -x "$own" ] || skip "cca-clang is not built here"
real=${CCA_CLANG:?is the clang that cc-allocs was configured with}

cat >a.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
struct item { size_t n; double d[]; };
struct item *make(size_t n) { return malloc(sizeof(struct item) + n * sizeof(double)); }
END
"$own" -E a.c >own.i
"$real" -E a.c | diff - own.i

cc-allocs -c -O2 -g a.c -o own.o
CC_ALLOCS_CLANG=$real cc-allocs -c -O2 -g a.c -o real.o
cmp own.o real.o
allocs dump own.o | grep -q 'sizeof(struct item)'

# Another job, and a mistake: as the installed clang has it, status and all.
"$own" -print-resource-dir >own.out
"$real" -print-resource-dir | diff - own.out
echo 'int f( {' >bad.c
not "$own" -c -emit-llvm -o bad.bc bad.c 2>own.err
grep -q "expected .)." own.err
not "$own" --no-such-option a.c 2>own.err
not "$real" --no-such-option a.c 2>real.err
diff own.err real.err
