#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever the compiler does with wrappers, no object has another type than its
# own, and all that are typed without optimisation are typed with it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

need gcc clang-19
for compiler in gcc clang-19; do
  for flags in -O0 -O1 -O2 -O3 '-O2 -fno-omit-frame-pointer' '-O3 -g0' -Os; do
    # shellcheck disable=SC2086
    CC_ALLOCS_CC=$compiler cc-allocs -g $flags -I"$source_dir/include" \
      "$here/witness-of-wrappers.c" -o prog
    allocs run -o heap ./prog >out 2>err
    expect err </dev/null
    expect out <<<'60 of 60 typed, 0 wrong'
  done
done

# The twin: the same program without a classification claims nothing.
gcc -g -O2 -I"$source_dir/include" "$here/witness-of-wrappers.c" -o twin
allocs run -o heap ./twin >out 2>err
expect out <<<'0 of 60 typed, 0 wrong'
