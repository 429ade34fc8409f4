#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A function of ten thousand dependent operations, and one of as many
# branches, are walked in little stack and no more than linear time.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

{
  echo '#include <stdlib.h>'
  echo 'void *chain(size_t n, size_t m) {'
  for ((i = 0; i < 10000; i++)); do echo 'n = n * m + 1;'; done
  echo 'return malloc(n); }'
  echo 'void *tree(const char *s, size_t n) {'
  for ((i = 0; i < 10000; i++)); do echo "if (s[$i]) n += $i;"; done
  echo 'return malloc(n); }'
  echo 'void *small(size_t n) { return malloc(n + sizeof(long)); }'
} >deep.c
(ulimit -s 1024; cc-allocs -c deep.c -o deep.o)
says deep.o call | tail -n 1 >said
expect said <<<"malloc(p0 + sizeof(long))"
[ "$(says deep.o return | wc -l)" = 3 ]
