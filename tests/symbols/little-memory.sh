#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# With however little memory, a worker gives the whole answer or says that it had
# too little, and never less than the truth: elfutils goes on without what it had
# no memory for.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/symbols/symbols.bash
. "$here/symbols.bash"
if nm "$build_dir/bin/allocs" | grep __asan_init >/dev/null; then
  skip "a sanitizer needs more than all limits"
fi

file=$build_dir/lib/libccallocs-runtime.so # large enough to need some
address=$(address_of "$file" malloc)
allocs symbolize --no-cache -fie "$file" "$address" >wanted
grep -q 'hooks\.c:[0-9]' wanted
export XDG_RUNTIME_DIR=$work
too_little="allocs symbolize: $file: reading it took too much memory; give an executable or object with -e"
for mib in {1..14} 100; do
  allocs symserver --worker-memory "$mib" >path &
  until [ -s path ]; do sleep 0.01; done
  if allocs symbolize --no-cache --server= --no-start -fie "$file" "$address" >got 2>said; then
    expect got <wanted
    echo whole >>answers
  else
    expect got </dev/null
    expect said <<<"$too_little"
    echo refused >>answers
  fi
  kill $!
  wait $!
  rm path
done
[ "$(head -n 1 answers)" = refused ]
[ "$(tail -n 1 answers)" = whole ]
