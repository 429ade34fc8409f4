#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A signal that ends a link ends the linker too, nothing of ours stays, and the
# shim has died of the same signal.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/link/link.bash
. "$here/link.bash"

objects
mkdir bin
# A linker that tells its process and waits.
cat >bin/ld <<'EOF'
#!/bin/sh
[ "$1" != --version ] || { echo "GNU ld (slow)"; exit; }
echo $$ >pid.new
mv pid.new pid
for _ in $(seq 600); do sleep 0.1; done
EOF
chmod +x bin/ld
for signal in TERM INT HUP; do
  rm -f pid
  # A shell's background jobs ignore SIGINT; this one has to notice it.
  (trap - INT; PATH=$PWD/bin:$PATH \
    exec env --default-signal=INT \
    "$build_dir/lib/cc-allocs/shim/ld" main.o -o prog) &
  for _ in $(seq 600); do [ ! -e pid ] || break; sleep 0.1; done
  [ -n "$(ls -A "$TMPDIR")" ]
  kill -s "$signal" $!
  status=0 begin=$SECONDS
  wait $! || status=$?
  [ "$status" -eq $((128 + $(kill -l "$signal"))) ]
  [ $((SECONDS - begin)) -lt 40 ] # it was not waited for
  not kill -0 "$(cat pid)" 2>/dev/null
  nothing_left
done
