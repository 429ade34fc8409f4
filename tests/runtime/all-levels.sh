#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever the compiler does with wrappers, no object has another type than its
# own, and all that are typed without optimisation are typed with it; without
# debug information, but for those whose call cannot be told from another.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

need gcc clang-19
for compiler in gcc clang-19; do
  for flags in -O0 -O1 -O2 -O3 '-O2 -fno-omit-frame-pointer' -Os; do
    # shellcheck disable=SC2086
    CC_ALLOCS_CC=$compiler cc-allocs -g $flags -I"$source_dir/include" \
      "$here/witness-of-wrappers.c" -o prog
    allocs run -o heap ./prog >out 2>err
    expect err </dev/null
    expect out <<<'60 of 60 typed, 0 wrong'
  done
  for level in -O0 -O3; do
    CC_ALLOCS_CC=$compiler cc-allocs $level -I"$source_dir/include" \
      "$here/witness-of-wrappers.c" -o prog
    allocs run -o heap ./prog >out 2>err
    grep -qE '^(2|3|4)[0-9] of 60 typed, 0 wrong$' out
    not grep -v ': the call may be any of several$' err
  done
done

# The twin: the same program without a classification claims nothing.
gcc -g -O2 -I"$source_dir/include" "$here/witness-of-wrappers.c" -o twin
allocs run -o heap ./twin >out 2>err
expect out <<<'0 of 60 typed, 0 wrong'
