#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a signal handler allocates is not of the type of the call that it
# interrupted; its own sites are typed; on a stack of its own too.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"

"$CCA_CC" -c -O1 -x c -o plain.o - <<'EOF'
#include <signal.h>
#include <stdlib.h>
void *volatile plain_kept;
/* Is called as an allocation function, and is interrupted while it is. */
void *plain_alloc(size_t n) { raise(SIGUSR1); return malloc(n); }
EOF
cat >main.c <<'EOF'
#include <signal.h>
#include <stdlib.h>
struct outer { long x[3]; };
struct inner { long x[4]; };
void *volatile kept;
void *(*volatile plain)(size_t);
void *plain_alloc(size_t);
static void *wrap(size_t n) {
  void *p = malloc(n);
  raise(SIGUSR1);
  return p;
}
static void handler(int signal) {
  (void)signal;
  kept = malloc(sizeof(struct inner));
  kept = plain(16);
}
int main(void) {
  static char stack[1 << 16];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = handler};
  plain = malloc;
  sigaction(SIGUSR1, &action, NULL);
  kept = wrap(sizeof(struct outer));
  sigaltstack(&other, NULL);
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
  kept = wrap(sizeof(struct outer));
  return 0;
}
EOF
cc-allocs -O1 -g main.c -o main
types main >rows
sed -i '/struct outer/!{/struct inner/!d}' rows
expect rows <<'EOF'
2 64 2 struct inner
2 48 2 struct outer
EOF

# Inside of what a site calls: strdup() of a module without a classification,
# whose handler allocates.
"$CCA_CC" -shared -fPIC -O1 -fno-builtin -x c -o plain.so - <<'EOF'
#include <signal.h>
#include <stdlib.h>
void *volatile handled;
static void handler(int signal) { (void)signal; handled = malloc(16); }
char *strdup(const char *text) {
  signal(SIGUSR2, handler);
  raise(SIGUSR2);
  char *copy = malloc(100);
  copy[0] = text[0];
  return copy;
}
EOF
cat >dup.c <<'EOF'
#include <string.h>
char *volatile kept;
int main(int argc, char **argv) { kept = strdup(argv[argc - 1]); return 0; }
EOF
cc-allocs -O1 -g -fno-builtin dup.c ./plain.so -o dup
types dup >rows
expect rows <<<'1 100 1 bytes'
grep -q '^1 16 1 16 1 untyped signal$' dup.rows
