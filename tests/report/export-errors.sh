#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wrong uses of `allocs export` and bad files are said, with their status, and
# nothing is written.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

# fails STATUS ARGUMENT... <WANTED: nothing on standard output, WANTED on error.
fails() {
  local wanted=$1 status=0
  shift
  allocs export "$@" >out 2>error || status=$?
  expect error
  expect out </dev/null
  [ "$status" = "$wanted" ]
}

fails 2 file <<<"allocs export: no --format is given; it is header, liballocs or list"
fails 2 --format=xml file <<<"allocs export: --format is header, liballocs or list, not \`xml'"
fails 2 --format <<<"allocs export: --format needs an argument"
fails 2 --format=list <<<"allocs export: no FILE is given; name an executable, shared object, object or archive"
fails 2 --frob <<<"allocs export: there is no option --frob; allocs export --help lists them"
fails 2 --format=list none <<<"allocs export: none: cannot read it: No such file or directory"

echo 'int main(void) { return 0; }' >plain.c
"$CCA_CC" -c plain.c
fails 1 --format=list plain.o <<<"allocs export: plain.o: object without a summary; compile it with CC=cc-allocs"

cc-allocs plain.c -o one
cp one two
fails 2 --format=list one two <<<"allocs export: one and two are linked each by itself; export one at a time"
allocs export --format=list one >list
printf '# name\tkind\tsize_args\tfree\n' | expect list

status=0
allocs export --format=list one >/dev/full 2>error || status=$?
[ "$status" = 2 ]
