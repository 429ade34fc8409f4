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
# peak COMMAND...: the most memory that it had, in KiB, to standard output. (A child
# begins with what its parent has: a small one.)
"$CCA_CC" -O1 -x c -o peak - <<'EOF'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct rusage use;
  int status;
  pid_t child = fork();
  (void)argc;
  if (!child) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  if (wait4(child, &status, 0, &use) != child || status) return 1;
  printf("%ld\n", use.ru_maxrss);
  return 0;
}
EOF
# grows FORMAT: bytes of memory for each further process, and of what is written.
grows() {
  local few many
  few=$(./peak allocs run --no-cache --no-symbols --format="$1" -o few ./main 20)
  many=$(./peak allocs run --no-cache --no-symbols --format="$1" -o many ./main 320)
  memory=$(((many - few) * 1024 / 300))
  written=$((($(stat -c %s many) - $(stat -c %s few)) / 300))
  echo "$1: $memory bytes for each process, of which $written are written"
}

# What is written is there at most three times: as it grows, in two copies, and as
# one process.
for format in text folded; do
  grows $format
  [ $((memory)) -le $((3 * written + 1024)) ]
done
[ "$(grep -c 'main;main (main.c:12).*struct two.* 16$' many)" = 320 ]
[ "$(grep -c 'struct one' many)" -ge 1 ]
grows json
[ $((memory)) -le $((3 * written + 1024)) ]
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
[ $((memory)) -le $((3 * written + 1024)) ]
