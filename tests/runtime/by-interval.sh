#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Snapshots by interval: taken from outside, so that a process that sleeps is
# seen and sleeps on; of what it forks too.  What says wrongly where its tables
# are gives none.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

build main -fno-builtin <<'EOF'
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>
struct first { long x; };
struct second { long x[2]; };
static void *volatile kept[9];
static int snapshots(void) { /* of this process, that are there by now */
  int count = 0, pid;
  char rest[16];
  DIR *dir = opendir(getenv("CC_ALLOCS_HEAP"));
  for (struct dirent *entry; (entry = readdir(dir));)
    count += sscanf(entry->d_name, "%d.%*d.%15s", &pid, rest) == 2 &&
             pid == getpid() && !strcmp(rest, "interval");
  closedir(dir);
  return count;
}
/* Sleep, which nothing interrupts, until two more are there: the second was
 * begun when the first had been. */
static void rest(void) {
  struct timespec time = {.tv_nsec = 300000000};
  for (int before = snapshots(); snapshots() < before + 2;)
    if (nanosleep(&time, NULL) < 0) _exit(1);
}
int main(void) {
  for (int i = 0; i < 3; i++) kept[i] = malloc(sizeof(struct first));
  rest();
  for (int i = 0; i < 2; i++) free(kept[i]);
  kept[4] = malloc(sizeof(struct second));
  rest();
  pid_t child = fork();
  if (!child) {
    kept[5] = malloc(sizeof(struct second));
    rest();
    return 0;
  }
  int status;
  waitpid(child, &status, 0);
  if (status) return 2;
  int threads = -2; /* . and .. */
  DIR *dir = opendir("/proc/self/task");
  while (readdir(dir)) threads++;
  closedir(dir);
  return threads == 1 ? 0 : 3;
}
EOF
allocs run --interval 0.1 --json -o heap ./main
# looks PROCESS: the different states of its typed objects, in their order.
looks() {
  python3 - heap "$1" <<'EOF'
import json, sys
processes = json.load(open(sys.argv[1]))["processes"]
pids = list(dict.fromkeys(p["pid"] for p in processes))
mine = [p for p in processes if p["pid"] == pids[int(sys.argv[2])]]
assert [p["number"] for p in mine] == list(range(len(mine)))
assert [p["moment"] for p in mine] == ["interval"] * (len(mine) - 1) + ["exit"]
states = [" ".join(f"{t['type']} {t['objects']} {t['live_objects']}"
                   for t in sorted(p["types"], key=lambda t: t["type"])) for p in mine]
print("\n".join(dict.fromkeys(s for s in states if s)))
EOF
}
looks 0 >states
expect states <<'EOF'
struct first 3 3
struct first 3 1 struct second 1 1
EOF
looks 1 >states
expect states <<'EOF'
struct first 1 1 struct second 2 2
EOF

# Lies about where the tables are: of the shell itself, and of a number that is
# nobody's.
# snapshots COMMAND: how many are taken of a shell when it has run that, until
# another process has had four.
snapshots() {
  allocs run --interval 0.1 --json -o heap sh -c "$1"'
    taken() { ls "$CC_ALLOCS_HEAP" | grep -c "^$1\.[0-9]*\.interval$"; }
    before=$(taken $$)
    sleep 600 &
    until [ "$(taken $!)" -ge 4 ]; do sleep 0.1; done
    kill $!
    echo $$ $(($(taken $$) - before)) >taken' 2>err
  read -r shell taken <taken
  python3 - "$shell" <<'EOF'
import json, sys
processes = json.load(open("heap"))["processes"]
shells = [p for p in processes if p["pid"] == int(sys.argv[1])]
assert shells[-1]["moment"] == "exit", shells
EOF
  echo "$taken"
}
[ "$(snapshots :)" -ge 3 ] # the twin: the first of the four may have been half over
for lie in '0x10 1' '0xffffffffffffffff 1' x '' '-1 -1'; do
  # One may be half taken when the shell tells its lie.
  [ "$(snapshots "for i in 1\$\$ \$\$; do echo $lie >\$CC_ALLOCS_HEAP/\$i.at; done")" -le 1 ]
done
for word in 0 x 1x -1 nan ''; do
  wrong "--interval is a number of seconds, from 0.01, not \`$word'" --interval "$word"
done
wrong 'snapshots come by --signal or by --interval' --interval 1 --signal USR1
