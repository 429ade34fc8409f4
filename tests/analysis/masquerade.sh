#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# With the folder of links first in PATH, every compiler's name is cc-allocs in
# front of the compiler that would have been found, which sees no sign of it.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
links=$build_dir/lib/cc-allocs/bin

mkdir real
cat >real/gcc <<'END'
#!/bin/sh
echo "$0 $*"
echo "$PATH"
exec /bin/sh -c '[ "$1" != -c ] || : >a.o' sh "$@"
END
chmod +x real/gcc
ln -s "$links" alias
echo 'int x;' >a.c

# The arguments, the name and PATH, wherever in PATH the folder stands, and
# however often.
PATH=$work/real:/usr/bin:/bin gcc -c a.c >wanted
check() {
  rm -f a.o log
  CC_ALLOCS_LOG=$work/log PATH=$1 "${2:-gcc}" -c a.c >got
  expect got <wanted
  [ -e a.o ]
}
analysed() { grep -q '^cc-allocs: a.c: analysed' log; }
check "$links:$work/real:/usr/bin:/bin"
analysed
check "$links/:$work/alias:$work/real:/usr/bin:$links:/bin:$links"
analysed
check "$work/real:/usr/bin:/bin" "$links/gcc"
analysed
# The twin: behind the compiler it does nothing.
PATH=$work/real:/usr/bin:$links:/bin gcc -c a.c >wanted
check "$work/real:/usr/bin:$links:/bin"
[ ! -e log ]
PATH=$work/real:/usr/bin:/bin gcc -c a.c >wanted

# The name decides, and no setting does.
CC_ALLOCS_CC=false check "$links:$work/real:/usr/bin:/bin"

# What is nowhere else is not found.
mkdir none
status=0
PATH=$links:$work/none "$links/gcc" -c a.c 2>said || status=$?
[ "$status" = 127 ]
expect said <<'END'
cc-allocs: the compiler gcc: not found
END

# What stands in PATH under that name too and has called us is not called again;
# unless there is no other.
cat >caller.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int status = 0;
  (void)argc;
  if (getenv("CALLED"))
    return 111;
  setenv("CALLED", "once", 1);
  if (fork() == 0)
    execv(getenv("CALLED_BY"), argv);
  wait(&status);
  return WEXITSTATUS(status);
}
END
mkdir caller
"$CCA_CC" caller.c -o caller/gcc
export CALLED_BY=$links/gcc
PATH=$work/caller:$work/real:/usr/bin:/bin "$work/real/gcc" -c a.c >wanted
check "$work/caller:$links:$work/real:/usr/bin:/bin"
analysed
status=0
env PATH="$work/caller:$links:$work/none" gcc -c a.c || status=$?
[ "$status" = 111 ]

# make, and the names of standards; g++ compiles no C.
echo 'int inline = 1; int main(void) { return !inline; }' >old.c
export PATH=$links:$PATH
if [ -e "$links/c89" ]; then
  c89 -c old.c
  allocs dump old.o | grep '^unit .*source="old.c"' >unit
  not grep -q failed unit
fi
make -s a.o CC=cc -B
allocs dump a.o | grep '^unit .*source="a.c"' >/dev/null
if [ -e "$links/g++" ]; then
  g++ -c a.c
  not grep -q cc_allocs a.o
fi
