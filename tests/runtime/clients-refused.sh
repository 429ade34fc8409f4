#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is no client, or none for this runtime, is refused, and `allocs run` says
# why; the program runs as it would without, and so do the other clients.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/runtime/heap.bash
. "$here/heap.bash"
# shellcheck source=tests/runtime/clients.bash
. "$here/clients.bash"
client trace

build main <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct one { long x; };
void *volatile kept;
int main(int argc, char **argv) {
  kept = malloc(sizeof(struct one));
  puts("ran");
  fflush(stdout);
  if (argc > 1) execv(argv[1], argv + 1);
  return 5;
}
EOF

# refused MESSAGE CLIENT [ARGUMENT...]: with CLIENT, main ends as ever, its heap is
# recorded, trace.so is told of it, and `allocs run` says MESSAGE.
refused() {
  local message=$1 client=$2 status=0
  shift 2
  rm -f log
  allocs run -o heap --client="$client" --client="./trace.so:1,$PWD/log" \
    ./main "$@" >out 2>err || status=$?
  [ $status = 5 ]
  [ "$(sort -u out)" = ran ]
  expect err <<<"allocs run: client $message"
  grep -qE '^ +1 +1 +8 +1 +8 +1 +struct one$' heap
  grep -qx '1 allocated #1: struct one, 8 bytes' log
}

client newer -DID='"test.newer"' \
  -DINTERFACE='CCA_CLIENT_VERSION + (1 << 16), sizeof(struct cca_client)'
refused "$PWD/newer.so is not used: it was made for version 2 of the interface, and \
the runtime has 1: build it with the ccallocs/client.h of this one" ./newer.so

client none -DVARIABLE=other_name
refused "$PWD/none.so is not used: it is no client: it has no variable cca_client \
(ccallocs/client.h)" ./none.so

echo 'no library' >text.so
refused "$PWD/text.so is not used: it cannot be loaded: $PWD/text.so: file too short" \
  ./text.so

# A newer minor version: as long as it wants nothing that is not there.
cat >minor.c <<'EOF'
#include <ccallocs/client.h>
#include <unistd.h>
static void end(void *data) {
  (void)data;
  if (write(2, "minor\n", 6) != 6) _exit(9);
}
struct newer { struct cca_client known; void (*more)(void); };
static void more(void) {}
extern CCA_API const struct newer newer __asm__("cca_client");
const struct newer newer = {
    {CCA_CLIENT_VERSION + 1, sizeof(struct newer), .id = "test.minor",
     .version = "1", .end = end}, WANTS};
void *volatile const keep = (void *)more;
EOF
minor() {
  "$CCA_CC" -O1 -shared -fPIC -I"$source_dir/include" minor.c -o minor.so "$@"
}
minor -DWANTS=more
refused "$PWD/minor.so is not used: it wants events of version 1.1 of the interface, \
and the runtime has 1.0: install a newer cc-allocs" ./minor.so
minor -DWANTS=0
allocs run -o heap --client=./minor.so ./main >out 2>err || [ $? = 5 ]
expect err <<<minor

# It needs what the runtime does not have.
echo 'extern int cca_client_not_there(void); int (*const p)(void) = cca_client_not_there;' |
  "$CCA_CC" -shared -fPIC -x c -o missing.so -
refused "$PWD/missing.so is not used: it cannot be loaded: $PWD/missing.so: undefined \
symbol: cca_client_not_there" ./missing.so

# Its variable is something else, or breaks a rule.
echo 'void cca_client(void) {}' | "$CCA_CC" -shared -fPIC -x c -o odd.so -
refused "$PWD/odd.so is not used: its variable cca_client is no struct cca_client" \
  ./odd.so
echo 'const unsigned cca_client[2] = {1 << 16, 4096};' |
  "$CCA_CC" -shared -fPIC -x c -o odd.so -
refused "$PWD/odd.so is not used: its variable cca_client is no struct cca_client" \
  ./odd.so
echo 'const unsigned cca_client[2] = {1 << 16, 8};' |
  "$CCA_CC" -shared -fPIC -x c -o odd.so -
refused "$PWD/odd.so is not used: its struct cca_client has a size of 8 bytes" \
  ./odd.so
for bad in 'ID=""' 'ID="a b"' ID=NULL VERSION=NULL 'VERSION="1\n"' \
  'ID="0123456789012345678901234567890123456789012345678901234567890123"'; do
  client badid "-D$bad"
  refused "$PWD/badid.so is not used: its id and version have to be 1 to 63 printable \
characters without spaces" ./badid.so
done

# It does not want to; there is one already; once is enough, for all processes.
client unwilling -DID='"test.unwilling"'
refused "$PWD/unwilling.so is not used: it was told not to" ./unwilling.so:no
client same
status=0
rm -f log
allocs run -o heap --client="./trace.so:1,$PWD/log" --client="./same.so:2,$PWD/log" \
  ./main ./main >out 2>err || status=$?
[ $status = 5 ]
expect err <<<"allocs run: client $PWD/same.so is not used: a client with its id, \
test.trace, is there already"
[ "$(grep -c '^1 begin' log)" = 2 ]
not grep -q '^2' log

# The message has no more lines than one, and no bytes that a terminal would take
# for its own.
client lines -DID='"test.lines"'
cp lines.so "$(printf 'lin\033es.so')"
refused "$PWD/lin?es.so is not used: it was told not to" "$(printf './lin\033es.so:no')"

# What cannot be meant starts nothing.
wrong '--client: ./nowhere.so: No such file or directory' --client=./nowhere.so
wrong "--client is LIBRARY or LIBRARY:OPTIONS, not \`'" --client=
wrong "--client is LIBRARY or LIBRARY:OPTIONS, not \`:x'" --client=:x

# The twin: one that is good says nothing.
status=0
allocs run -o heap --client="./trace.so:1,$PWD/log" ./main >out 2>err || status=$?
[ $status = 5 ]
expect err </dev/null
