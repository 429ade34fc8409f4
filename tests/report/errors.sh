#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is wrong, where, and what to do, for every kind of bad file and wrong
# use; status 1 for a good file with nothing in it, 2 for an error; and the
# good file beside a bad one is still reported.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

# fails STATUS COMMAND... <WANTED: nothing on standard output, WANTED on error.
fails() {
  local wanted=$1 status=0
  shift
  "$@" >out 2>error || status=$?
  expect error
  expect out </dev/null
  [ "$status" = "$wanted" ]
}

fails 2 allocs report none <<<"allocs report: none: cannot read it: No such file or directory"
mkdir folder
fails 2 allocs report folder <<<"allocs report: folder: cannot read it: not a regular file"
: >empty
fails 2 allocs report empty <<<"allocs report: empty: not an ELF file; give an executable, shared object, object, archive or table file"
echo 'int x;' >text
fails 2 allocs report text <<<"allocs report: text: not an ELF file; give an executable, shared object, object, archive or table file"
if [ "$(id -u)" != 0 ]; then
  : >secret
  chmod 000 secret
  fails 2 allocs report secret <<<"allocs report: secret: cannot read it: Permission denied"
fi

printf 'int f(void) { return 1; } int main(void) { return f(); }' >plain.c
"$CCA_CC" -c plain.c
"$CCA_CC" plain.o -o plain
ar rc plain.a plain.o
cp plain.o again.o
ar rc two.a plain.o again.o
ar rc nothing.a
fails 1 allocs report plain.o <<<"allocs report: plain.o: object without a summary; compile it with CC=cc-allocs"
fails 1 allocs report plain <<<"allocs report: plain: module without a classification; link it with CC=cc-allocs"
fails 1 allocs report plain.a <<<"allocs report: plain.a: nothing to report: plain.a(plain.o): object without a summary; compile it with CC=cc-allocs"
fails 1 allocs report two.a <<<"allocs report: two.a: nothing to report in its 2 objects; the first is two.a(plain.o): object without a summary; compile it with CC=cc-allocs"
fails 1 allocs report nothing.a <<<"allocs report: nothing.a: nothing to report: no code and no pointers in it"
printf '\177ELF' >broken.o
ar rc broken.a plain.o broken.o
fails 2 allocs report broken.a <<<"allocs report: broken.a: nothing to report in its 2 objects; the first is broken.a(plain.o): object without a summary; compile it with CC=cc-allocs"
head -c 100 plain >cut
not allocs dump cut 2>wrong
grep -q '^allocs dump: cut: corrupt object: ..' wrong
fails 2 allocs report cut < <(sed 's/^allocs dump/allocs report/' wrong)

allocs assemble -o lua "$here/lua.txt"
head -c -1 lua >short
not allocs report short 2>error
grep -qx 'allocs report: short: corrupt table at byte [0-9]*: .*' error
status=0
allocs report none lua >text 2>error || status=$?
[ "$status" = 2 ]
expect text <"$here/lua.report"
status=0
allocs report lua plain >text 2>error || status=$?
[ "$status" = 1 ]
expect text <"$here/lua.report"

# What another version wrote: byte 12 of a table says which.
version() { # version MAJOR NOTE
  printf %b "\\$1" | dd of="$2" bs=1 seek=36 conv=notrunc status=none
  cp linked "$2.out"
  objcopy --update-section ".note.cc-allocs=$2" "$2.out"
}
cc-allocs plain.c -o linked
objcopy --dump-section .note.cc-allocs=same linked
cp same old
cp same new
version 2 same
version 1 old
version 3 new
fails 2 allocs report old.out <<<"allocs report: old.out: linked by an older cc-allocs (classification version 1.0, we read 2); link it again"
fails 2 allocs report new.out <<<"allocs report: new.out: another format at byte 12: classification version 3.0, we read 2; build it again with this version of cc-allocs"
allocs report same.out >text
grep -q '^  units  *1$' text
printf '\1' | dd of=lua bs=1 seek=12 conv=notrunc status=none
fails 2 allocs report lua <<<"allocs report: lua: made by an older cc-allocs (classification version 1.0, we read 2); make it again"
allocs assemble -o lua "$here/lua.txt"

fails 2 allocs report <<<"allocs report: no FILE is given; name an executable, shared object, object or archive"
fails 2 allocs report --frob lua <<<"allocs report: there is no option --frob; allocs report --help lists them"
fails 2 allocs report -x lua <<<"allocs report: there is no option -x; allocs report --help lists them"
fails 2 allocs report lua --type <<<"allocs report: --type needs an argument"
fails 2 allocs report --type= lua <<<"allocs report: --type needs the name of a type"
fails 2 allocs report --color=blue lua <<<"allocs report: --color is auto, always or never, not \`blue'"
fails 2 allocs solve <<<"allocs solve: no FILE is given; name an object, archive or table file"
fails 2 allocs solve --frob lua <<<"allocs solve: there is no option --frob; allocs solve --help lists them"
fails 2 allocs solve lua -o <<<"allocs solve: -o needs an argument"
fails 2 allocs frob <<<"allocs: there is no command \`frob'; allocs --help lists them"

status=0
allocs report lua >/dev/full 2>error || status=$?
[ "$status" = 2 ]
expect error <<<"allocs report: cannot write to standard output: No space left on device"

# allocs solve says what has no summary, and solves what is beside it.
echo 'void *malloc(unsigned long); void *get(unsigned long n) { return malloc(n); }' |
  compile good.c
for bad in none text cut; do
  not allocs report "$bad" 2>wrong
  fails 2 allocs solve -o solved "$bad" < <(sed 's/report/solve/' wrong)
  [ ! -e solved ]
  status=0
  allocs solve -o solved good.o "$bad" 2>error || status=$?
  [ "$status" = 2 ]
  expect error < <(sed 's/report/solve/' wrong)
  allocs report --functions solved | grep '^  get ' >/dev/null
  rm solved
done
fails 1 allocs solve -o solved plain.o <<<"allocs solve: plain.o: object without a summary; compile it with CC=cc-allocs"
fails 1 allocs solve -o solved nothing.a <<<"allocs solve: nothing.a: no code in it"
fails 1 allocs solve -o solved lua <<<"allocs solve: lua: it is solved already"
[ ! -e solved ]
allocs solve -o solved good.o 2>error
expect error </dev/null
allocs solve good.o --output=again 2>error
cmp solved again

# The output is replaced when all is well, and left alone otherwise.
echo kept >again
status=0
(trap '' XFSZ && ulimit -f 0 && exec allocs solve -o again good.o) 2>&1 | cat >error || status=$?
[ "$status" = 2 ]
grep -qx 'allocs solve: again: cannot write it: File too large' error
expect again <<<kept
[ "$(echo again?*)" = again.o ] # no temporary file is left
fails 2 allocs solve -o none/out good.o <<<"allocs solve: none/out: cannot write it: No such file or directory"
status=0
allocs report --help >/dev/full 2>error || status=$?
[ "$status" = 2 ]
expect error <<<"allocs: cannot write to standard output: No space left on device"
