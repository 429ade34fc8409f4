#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Children leave a record of their own, with what they were born with; _exit()
# leaves one, vfork() none; the exit status is the program's.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

cat >main.c <<'EOF'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
struct first { long x; };
struct second { long x[2]; };
void *volatile kept[8];
int main(int argc, char **argv) {
  kept[0] = malloc(sizeof(struct first));
  kept[1] = malloc(sizeof(struct first));
  free(kept[1]);
  pid_t child = fork();
  if (child == 0) {
    kept[2] = malloc(sizeof(struct second));
    free(kept[0]);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  child = vfork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
  if (argc > 1) execvp(argv[1], argv + 1);
  return 7;
}
EOF
cc-allocs -O1 -g main.c -o main
status=0
allocs run --json -o heap ./main || status=$?
[ $status = 7 ]
python3 "$here/heap.py" heap 0 >parent
expect parent <<'EOF'
2 16 1 8 2 struct first
EOF
python3 "$here/heap.py" heap 1 >child
expect child <<'EOF'
1 16 1 16 1 struct second
1 8 0 0 1 struct first
EOF
not python3 "$here/heap.py" heap 2 2>/dev/null

# Signals, and programs that cannot be started.
status=0; allocs run -o heap sh -c 'kill -TERM $$' 2>err || status=$?
[ $status = 143 ]
grep -q 'left no record: it was killed' err
status=0; allocs run ./nowhere 2>err || status=$?
[ $status = 127 ]
expect err <<<'allocs run: ./nowhere: No such file or directory'
status=0; allocs run ./main.c 2>err || status=$?
[ $status = 126 ]
