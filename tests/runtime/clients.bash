# shellcheck shell=bash
# shellcheck disable=SC2154 # common.sh, which comes first, sets them
# SPDX-License-Identifier: MIT
#
# clients.bash -- sourced by the tests of clients, behind common.sh.

# client NAME [FLAG...]: NAME.so from trace-client.c.
client() {
  local name=$1
  shift
  "$CCA_CC" -O2 -g -shared -fPIC -Wall -Wextra -Werror -I"$source_dir/include" \
    "$@" "$here/trace-client.c" -o "$name.so"
}

# trace PROGRAM [ARGUMENT...]: what a client is told of PROGRAM, in `log`.
trace() {
  rm -f log
  allocs run -o heap --client="./trace.so:1,$PWD/log" "$@"
}
