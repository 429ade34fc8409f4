#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where the result of `allocs run` goes: standard error, a file, standard output
# behind the program's own; what is no use on a screen goes into a file that is
# named after the process, and that is said.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

allocs run --json -o - sh -c 'echo own; echo other >&2' >out 2>err
[ "$(head -n 1 out)" = own ]
sed 1d out | python3 -c 'import json, sys; json.load(sys.stdin)'
expect err <<<other
[ ! -e ./- ]

mkdir folder
(cd folder && allocs run --format=html sh -c : 2>../err)
file=$(ls folder)
[[ $file =~ ^sh\.[0-9]+\.html$ ]]
expect err <<<"allocs run: the heap by type is in $file"
grep -q '^<title>' "folder/$file"
# With a name of the user's own nothing has to be said.
allocs run --format=html -o page.html sh -c : 2>err
expect err </dev/null
grep -q '^<title>' page.html

# The program's own status stays, and what cannot be done is said.
status=0
allocs run --format=html -o page.html sh -c 'exit 7' || status=$?
[ $status = 7 ]
grep -q '"exit_status":7' page.html
wrong "--format is text, html, folded, pprof or json, not \`xml'" --format=xml
wrong '--format=html has every snapshot as it is, to be compared by its reader; --diff is for the others' \
  --diff --format=html
if [ "$(id -u)" != 0 ]; then
  chmod a-w folder && cd folder
  wrong 'cannot write into this folder: Permission denied' --format=html
fi
