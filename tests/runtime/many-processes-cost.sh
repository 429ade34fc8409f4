#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `allocs run` does for a process costs as much when there are many: instructions,
# which no other work on the machine changes, of a second hundred as of a first.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
need valgrind
grep -q 'CCA_SANITIZE:STRING=$' "$build_dir/CMakeCache.txt" ||
  skip 'sanitizers do not run under valgrind'

forking
# cost FORMAT COUNT: the millions of instructions, with all symbols from a cache.
cost() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file=cost \
    allocs run --sites --format="$1" -o out ./main "$2"
  echo $(($(sed -n 's/.*Collected : //p' cost) / 1000000))
}
cost json 1 >/dev/null # leaves the cache
for format in json pprof text; do
  none=$(cost $format 1)
  few=$(cost $format 101)
  many=$(cost $format 201)
  first=$((few - none)) second=$((many - few))
  echo "$format: $first, then $second million instructions"
  [ $first -ge 20 ]
  [ $second -le $((first + first / 20)) ]
done
