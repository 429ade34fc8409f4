#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The compiler's status is ours, a signal included; a signal to us reaches it, and
# ends us if it has just ended.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >fake <<'EOF'
#!/bin/sh
case $* in
*seven*) exit 7 ;;
*term*) kill -TERM $$ ;;
*late*) echo $$ >it && mv it compiler
  while [ ! -e go ]; do sleep 0.05; done ;;
*wait*) trap 'echo told >told; trap - TERM; kill -TERM $$' TERM
  echo ready >ready; while :; do sleep 0.05; done ;;
esac
EOF
chmod +x fake
echo 'int x;' | tee seven.c term.c wait.c late.c >ok.c
export CC_ALLOCS_CC=$work/fake

status_of() {
  local status=0
  "$@" 2>/dev/null || status=$?
  echo $status
}
[ "$(status_of cc-allocs -c ok.c)" = 0 ]
[ "$(status_of cc-allocs -c seven.c)" = 7 ]
[ "$(status_of cc-allocs -c term.c)" = 143 ]
[ "$(status_of cc-allocs -E seven.c)" = 7 ]
[ "$(status_of cc-allocs seven.c -o seven)" = 7 ]

cc-allocs -c wait.c &
pid=$!
while [ ! -e ready ]; do sleep 0.05; done
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[ "$status" = 143 ]
[ "$(cat told)" = told ]

# It has ended while we were stopped, and so cannot be told.
cc-allocs -c late.c &
pid=$!
while [ ! -e compiler ]; do sleep 0.05; done
kill -STOP "$pid"
touch go
until grep '^State:.Z' "/proc/$(<compiler)/status" >/dev/null; do
  sleep 0.05
done
kill -TERM "$pid"
kill -CONT "$pid"
status=0
wait "$pid" || status=$?
[ "$status" = 143 ]
