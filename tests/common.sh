# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# common.sh -- sourced by every test script.
#
# In:   CCA_BUILD, the build folder; CCA_CC, the compiler; CCA_CLANG.
# Out:  the script runs in a fresh folder that is removed when it ends, the
#       tools are on PATH, and the first command that fails ends the test and
#       is shown with its line.
set -eEuo pipefail

here=$(cd "${BASH_SOURCE[1]%/*}" && pwd)
source_dir=${CCA_SOURCE:-$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)}
build_dir=$(cd "${CCA_BUILD:?is the build folder}" && pwd)
CCA_CC=${CCA_CC:-cc}
export CCA_CC here source_dir build_dir
export LC_ALL=C
unset CC_ALLOCS_CC CC_ALLOCS_LOG CFLAGS LDFLAGS MAKEFLAGS
PATH=$build_dir/bin:$PATH

script=$(cd "${0%/*}" && pwd)/${0##*/}
work=$(mktemp -d "${TMPDIR:-/tmp}/cca-test.XXXXXX")
# Show the script's own line, also when the command failed in a helper here.
failed_at() {
  local line=$1 depth=${#BASH_LINENO[@]}
  [ "$depth" -le 2 ] || line=${BASH_LINENO[depth - 2]}
  echo "FAIL ${script#"$source_dir"/}:$line: $(sed -n "${line}s/^ *//p" "$script")" >&2
}
trap 'failed_at $LINENO' ERR
# Whoever was killed, or works on for a test that has ended, may still make a
# file for a moment; the test's result is not changed by that.
clean_up() {
  for _ in $(seq 300); do
    ! rm -rf "$work" 2>/dev/null || return 0
    sleep 0.1
  done
  rm -rf "$work"
}
trap clean_up EXIT
cd "$work"
export XDG_CACHE_HOME=$work/.cache # of allocs run
unset CC_ALLOCS_CACHE CC_ALLOCS_CACHE_SHARED

# compile FILE.c [FLAG...] <SOURCE: write FILE.c, compile it to FILE.o.
compile() {
  local file=$1
  shift
  cat >"$file"
  cc-allocs -c -O2 -g "$@" "$file" -o "${file%.c}.o"
}

# link OUTPUT ARGUMENT...: link through cc-allocs.
link() {
  local output=$1
  shift
  cc-allocs -o "$output" "$@"
}

# expect FILE <WANTED: the whole file is exactly this.
expect() {
  diff -u --label wanted --label "$1" - "$1" >&2
}

# not COMMAND...: the command fails, and not by a signal.
not() {
  local status=0
  "$@" || status=$?
  [ "$status" -ne 0 ] && [ "$status" -lt 126 ]
}

# skip REASON...: this machine cannot run the test.
skip() {
  echo "skip: $*"
  exit 77
}

# need PROGRAM...: skip the test where one is missing.
need() {
  local program
  for program; do
    command -v "$program" >/dev/null || skip "no $program here"
  done
}

# says FILE.o CHUNK: what the rows of CHUNK say in C's terms: the comments that
# the dump puts behind them.
says() {
  allocs dump "$1" | sed -n "s/^$2 .*# //p"
}
