#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Full disks and read-only folders: status and output are the plain compiler's,
# nothing is left, and what is not known for that is missing in the report.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc unshare mount
if [ -z "${CCA_INSIDE-}" ]; then # where mounts are ours alone
  unshare -rm mount -t tmpfs tmpfs "$work" 2>/dev/null ||
    skip 'there are no mount namespaces here'
  CCA_INSIDE=yes unshare -rm bash "$script"
  exit
fi
mkdir tmp out ro
export CC_ALLOCS_CC=gcc TMPDIR=$work/tmp
for i in $(seq 60); do
  echo "struct s$i { int a[$i]; }; void *f$i(void) { return malloc(sizeof(struct s$i)); }"
done | sed '1i #include <stdlib.h>' >a.c
echo 'int main(void) { return 0; }' >>a.c
cc-allocs -c a.c
gcc a.o -o plain

# compare OUTPUT ARGUMENT...: by gcc and by cc-allocs, in the same place; what
# they wrote is the same but for what is ours, and `said` is what allocs says.
compare() {
  local output=$1 plain=0 ours=0 left
  shift
  rm -f "$output"
  gcc "$@" >plain.said 2>&1 || plain=$?
  left=$(ls tmp out ro)
  rm -f "$output"
  cc-allocs "$@" >ours.said 2>&1 || ours=$?
  [ $ours = $plain ]
  diff <(sed 's/cc[A-Za-z0-9]*\.[os]/FILE/g' plain.said) \
    <(sed 's/cc[A-Za-z0-9]*\.[os]/FILE/g' ours.said)
  [ "$(ls tmp out ro)" = "$left" ]
  said=$(allocs report --json "$output" 2>&1 >json) || :
  case $said in
  '') said=$(python3 -c 'import json; r = json.load(open("json"))
print(r["totals"]["factories"], "factories,", len(r["missing"]), "missing")') ;;
  *) said=${said#*"$output": } said=${said%%;*} ;;
  esac
}
# disk FOLDER KIB: a disk of that size
disk() { mount -t tmpfs -o size="$2"k,nr_inodes=0 tmpfs "$1"; }

# Every amount of room for temporary files.
for room in 4 20 36 44 52 32768; do
  disk tmp "$room"
  compare a a.c -o a
  echo "$said"
  umount tmp
done | uniq >results
expect results <<'END'
cannot read it: No such file or directory
module without a classification
60 factories, 0 missing
END
# The same for the object, and for the output.
for room in 4 12 20 28 36 60; do
  disk out "$room"
  compare out/a.o -c a.c -o out/a.o
  echo "$said"
  umount out
done | uniq >results
expect results <<'END'
cannot read it: No such file or directory
object without a summary
60 factories, 0 missing
END
for room in 20 28 36 44 32768; do
  disk out "$room"
  compare out/a a.o -o out/a
  echo "$said"
  umount out
done | uniq >results
expect results <<'END'
module without a classification
60 factories, 0 missing
END
# A limit for the output has the same end as a disk.
(ulimit -f 24 && compare a a.o -o a && [ "$said" = 'module without a classification' ])

# Folders of sources, of the output, and of temporary files.
cp a.c ro
: >object
mount --bind ro ro
mount -o remount,bind,ro ro
compare a.o -c ro/a.c
[ "$said" = '60 factories, 0 missing' ]
compare ro/a.o -c ro/a.c -o ro/a.o
[ "$said" = 'cannot read it: No such file or directory' ]
grep -q 'Read-only file system' ours.said
compare ro/a a.o -o ro/a
[ "$said" = 'cannot read it: No such file or directory' ]
umount ro
: >ro/a.o
mount --bind ro ro
mount -o remount,bind,ro ro
mount --bind object ro/a.o # the one file that can be written there
gcc -c ro/a.c -o ro/a.o
cp object plain.o
cc-allocs -c ro/a.c -o ro/a.o
cmp object plain.o
not allocs dump ro/a.o >/dev/null 2>said
grep -q ': object without a summary;' said
[ "$(ls ro)" = "a.c"$'\n'"a.o" ]
umount ro/a.o ro
TMPDIR=$work/ro
mount --bind ro ro
mount -o remount,bind,ro ro
compare a a.c -o a # gcc takes another folder then
[ "$said" = 'module without a classification' ]
umount ro
