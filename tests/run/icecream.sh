#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# icecream with a scheduler and two daemons, on two machines that are network
# namespaces: in front of icecc every unit has its summary, though the compiler
# runs there; behind it too, since icecc keeps here what it does not know.  Only
# where it takes us for gcc, it sends gcc, and the report says what is missing.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
PATH=$PATH:/usr/sbin:/sbin
need gcc icecc iceccd icecc-scheduler ip unshare nsenter ldd
[ "$(id -u)" = 0 ] || skip 'an icecream daemon takes no jobs if it is not root'
if [ -z "${CCA_INSIDE-}" ]; then
  unshare -n ip link add cable type veth peer name elbac 2>/dev/null ||
    skip 'a network of its own cannot be made here (no CAP_SYS_ADMIN, no veth)'
  CCA_INSIDE=yes unshare -n bash "$script"
  exit
fi
started=()
trap 'kill "${started[@]}" 2>/dev/null || :; wait; clean_up' EXIT
chmod 777 "$work" # the daemons are somebody else
mkdir -m 1777 tmp

# until_said FILE PATTERN: it is in there, in two minutes.
until_said() {
  for _ in $(seq 1200); do
    ! grep -q "$2" "$1" 2>/dev/null || return 0
    sleep 0.1
  done
  tail -n 20 ./*.log >&2
  return 1
}

# Two machines with a cable between them.
unshare -n sleep infinity &
there=$!
started+=($!)
for _ in $(seq 100); do
  [ "$(readlink /proc/$there/ns/net)" = "$(readlink /proc/self/ns/net)" ] || break
  sleep 0.05
done
on_there() { nsenter -t $there -n "$@"; }
ip link add cable type veth peer name elbac
ip link set elbac netns $there
ip address add 10.9.0.1/24 dev cable
on_there ip address add 10.9.0.2/24 dev elbac
for name in lo cable; do ip link set $name up; done
for name in lo elbac; do on_there ip link set $name up; done

icecc-scheduler -n cca-test -l "$work/scheduler.log" -vvv &
started+=($!)
until_said scheduler.log 'scheduler ready'
daemon() { # daemon NAME OPTION...
  local name=$1
  shift
  exec iceccd -n cca-test -s 10.9.0.1 -N "$name" -b "$work/cache-$name" \
    -l "$work/$name.log" -vvv "$@"
}
export -f daemon
export work
TMPDIR=$work/tmp ICECC_TEST_SOCKET=$work/here.socket \
  bash -c 'daemon here --no-remote -m 1' &
started+=($!)
TMPDIR=$work/tmp ICECC_TEST_SOCKET=$work/there.socket \
  nsenter -t $there -n bash -c 'daemon there -m 2' &
started+=($!)

# What is sent along as the compiler: gcc, cc1 and as with their libraries.
tree=$work/tree
mkdir -p "$tree/usr/bin" "$tree/bin" "$tree/etc"
cp -L "$(command -v gcc)" "$(command -v as)" "$(gcc -print-prog-name=cc1)" \
  "$tree/usr/bin"
cp -L "$tree/usr/bin/gcc" "$tree/usr/bin/g++"
cp -L "$(type -P true)" "$tree/bin"
for file in "$tree"/usr/bin/* "$tree"/bin/*; do
  ldd "$file" | sed -n 's,.*[ \t]\(/[^ ]*\) (.*,\1,p'
done | sort -u | while read -r library; do
  mkdir -p "$tree${library%/*}"
  cp -L "$library" "$tree$library"
done
tar -C "$tree" -cf compiler.tar .
export ICECC_VERSION=$work/compiler.tar ICECC_TEST_SOCKET=$work/here.socket
export ICECC_PREFERRED_HOST=there ICECC_TEST_REMOTEBUILD=1 CC_ALLOCS_CC=gcc
until_said scheduler.log 'login here'
until_said scheduler.log 'login there'

for name in a b c d; do
  cat >$name.c <<END
#include <stdio.h>
#include <stdlib.h>
struct $name { int n; char text[12]; };
void *make_$name(void) { printf("x\n"); return malloc(sizeof(struct $name)); }
END
done
# at HOST COMMAND...: that is where icecc has it built, as it says.
at() {
  local want='Have to use host 10\.9\.0\.2:' log
  [ "$1" = there ] || want='custom command, running locally'
  log=$(mktemp "$work/client.XXXXXX")
  shift
  if ! ICECC_DEBUG=debug ICECC_LOGFILE=$log "$@" || ! grep -q "$want" "$log"; then
    cat "$log" >&2
    return 1
  fi
}
summary_of() { allocs dump "$1" | sed -n 's/^unit .*source="\([^"]*\)".* marks=1 .*/\1/p'; }

# The twin.
at there icecc gcc -O2 -g -fPIC -c a.c -o plain.o
not allocs dump plain.o 2>/dev/null

# In front, as command and as folder; two units at once.
at there cc-allocs icecc gcc -O2 -g -fPIC -c a.c -o a.o &
one=$!
mkdir icecc
ln -s "$(command -v icecc)" icecc/gcc
links=$build_dir/lib/cc-allocs/bin
PATH=$links:$work/icecc:$PATH at there gcc -O2 -g -fPIC -c b.c -o b.o
wait $one
[ "$(summary_of a.o) $(summary_of b.o)" = 'a.c b.c' ]
[ "$(says a.o call | grep malloc)" = 'malloc(sizeof(struct a))' ]
objcopy --remove-section=.cc_allocs a.o back.o
objcopy plain.o same.o
cmp back.o same.o

# Behind, as command: icecc does not send what it does not know.  As folder: it
# takes us for gcc, and sends gcc.
at here icecc cc-allocs -O2 -g -fPIC -c c.c -o c.o
PATH=$work/icecc:$links:$PATH at there gcc -O2 -g -fPIC -c d.c -o d.o
cc-allocs -shared a.o b.o c.o d.o -o libs.so
allocs report --json libs.so | python3 -c 'import json, sys
report = json.load(sys.stdin)
for site in report["allocation_sites"]:
    print(site["callee"], site["type"])
for missing in report["missing"]:
    print(missing["unit"], missing["reason"])' >got
expect got <<'END'
malloc struct a
malloc struct b
malloc struct c
d.o object without a summary
END
