#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program may start any number of processes: `allocs run` needs memory for what it
# writes of them, and not for all that they left; and writes each of them, in order.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

build main <<'EOF'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
struct one { long x; };
struct two { long x[2]; };
void *volatile kept;
int main(int argc, char **argv) {
  (void)argc;
  kept = malloc(sizeof(struct one));
  for (int i = 0; i < atoi(argv[1]); i++) {
    if (!fork()) {
      kept = malloc(sizeof(struct two));
      return 0;
    }
    wait(NULL);
  }
  return 0;
}
EOF
"$CCA_CC" -O1 "$source_dir/tests/peak.c" -o peak
# peak OUTPUT COUNT FORMAT: the KiB that it needs.
peak() {
  ./peak allocs run --no-cache --no-symbols --format="$3" -o "$1" ./main "$2" 2>kib
  tail -n 1 kib
}
# grows FORMAT: bytes of memory for each further process, and of what is written.
grows() {
  local few many
  few=$(peak few 20 "$1")
  many=$(peak many 320 "$1")
  memory=$(((many - few) * 1024 / 300))
  written=$((($(stat -c %s many) - $(stat -c %s few)) / 300))
  echo "$1: $memory bytes for each process, of which $written are written"
}

# What is written is there at most three times: as it grows, in two copies, and as
# one process.
for format in text folded; do
  grows $format
  [ $((memory)) -le $((3 * written + 2048)) ]
done
[ "$(grep -c 'main;main (main.c:12).*struct two.* 16$' many)" = 320 ]
[ "$(grep -c 'struct one' many)" -ge 1 ]
grows json
[ $((memory)) -le $((3 * written + 2048)) ]
python3 - many <<'EOF'
import json, sys
text = open(sys.argv[1]).read()
document = json.loads(text)
assert text == json.dumps(document, indent=2, ensure_ascii=False) + "\n"
processes = document["processes"]
first, *rest = processes
assert len(rest) == 320 and all(p["parent"] == first["pid"] for p in rest)
assert [p["pid"] for p in rest] == sorted(p["pid"] for p in rest)
assert document["exit_status"] == 0
EOF
grows html
[ $((memory)) -le $((3 * written + 2048)) ]
