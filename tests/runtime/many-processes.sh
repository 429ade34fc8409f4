#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program may start any number of processes: `allocs run` reads and writes them one
# after the other, in order, and needs next to no memory for one more; for a profile, which
# is compressed as a whole, that of its samples.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

forking
"$CCA_CC" -O1 "$source_dir/tests/peak.c" -o peak
# peak OUTPUT COUNT FORMAT: the KiB that it needs.
peak() {
  ./peak allocs run --no-cache --no-symbols --format="$3" -o "$1" ./main "$2" 2>kib
  tail -n 1 kib
}
# grows FORMAT: bytes of memory for each further process, and of what is written.
grows() {
  local few many
  few=$(peak few 100 "$1")
  many=$(peak many 600 "$1")
  memory=$(((many - few) * 1024 / 500))
  written=$((($(stat -c %s many) - $(stat -c %s few)) / 500))
  echo "$1: $memory bytes for each process, of which $written are written"
}

for format in text folded json html; do
  grows $format
  [ $((memory)) -le 1200 ]
  cp many many.$format
done
grows pprof
[ $((memory)) -le 3000 ]
[ "$(grep -c 'main;main (main.c:12).*struct two.* 16$' many.folded)" = 600 ]
[ "$(grep -c 'struct one' many.folded)" -ge 1 ]
python3 - many.json <<'EOF'
import json, sys
text = open(sys.argv[1]).read()
document = json.loads(text)
assert text == json.dumps(document, indent=2, ensure_ascii=False) + "\n"
processes = document["processes"]
first, *rest = processes
assert len(rest) == 600 and all(p["parent"] == first["pid"] for p in rest)
assert [p["pid"] for p in rest] == sorted(p["pid"] for p in rest)
assert document["exit_status"] == 0
EOF
