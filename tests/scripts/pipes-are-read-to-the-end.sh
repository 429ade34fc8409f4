#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# No script pipes into what may end before its input does, which are grep -q,
# grep -m and head: a writer that is not done by then dies of SIGPIPE, now and
# then, and under pipefail so does the script.  `grep ... >/dev/null` and
# `sed -n 1p` read all of it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

# early FOLDER...: the pipes of that kind in the scripts below.
early() {
  find "$@" -type f -exec grep -lE '^#!.*(bash|/sh)$|^# shellcheck shell=' {} + |
    sort | while read -r file; do
      # A pipe goes on in the next line.
      sed -e ':more' -e '/|$/{N;s/\n */ /;b more' -e '}' "$file" |
        grep -E '(^|[^|])\|&? *(not )?(grep +(-[a-zA-Z]+ +)*-[a-zA-Z]*[qm]|head( |$))' |
        sed "s,^,${file##*/}: ," || :
    done
}
cd "$source_dir"
early scripts tests .ci >"$work/found"
expect "$work/found" </dev/null

# The twin, and what is none.
cd "$work"
mkdir some
pipe='|'
cat >some/script.sh <<END
#!/bin/sh
one $pipe grep -q x
two $pipe grep -i -Eq x
three $pipe
  head -n 1
four $pipe not grep -m 1 x
five $pipe$pipe grep -q x file
six $pipe grep x >/dev/null
END
early some >found
expect found <<END
script.sh: one $pipe grep -q x
script.sh: two $pipe grep -i -Eq x
script.sh: three $pipe head -n 1
script.sh: four $pipe not grep -m 1 x
END
