#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Assembler, C++, Objective-C, and what -x makes of a file, are handed through;
# C beside them has its summary, and the report says what has none.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/analysis/same-tree.bash
. "$here/same-tree.bash"

echo 'int f(void) { return sizeof(int); }' | tee src/a.c src/a.inc >src/-odd.c
printf '.text\n.globl g\ng: ret\n' >src/s.s
printf '#define NAME h\n.text\n.globl NAME\nNAME: ret\n' | tee src/S.S >src/S.sx
echo 'struct t { int x; t() : x(1) {} }; int k() { return t().x; }' |
  tee src/p.cc src/p.C >src/p.c++
printf '@interface A\n- (int)m;\n@end\nint n(void) { return 1; }\n' >src/o.m
printf '@interface A\n- (int)m;\n@end\nbool n() { return true; }\n' >src/o.mm
echo 'int main(void) { return f() + k() - 5; }' >src/main.c
sed -i '1i int f(void); int k(void);' src/main.c

# has "OBJECT SOURCE..." ARGUMENT...: just these have a summary.
has() {
  local want=$1
  shift
  same_tree 0 "$@"
  # shellcheck disable=SC2046
  diff <(printf '%s' "$want") <(summaries $(cd ours && shopt -s nullglob && echo *.o)) >&2
}
a=$'a.o a.c\n'
for compiler in gcc "${CCA_CLANG:-clang-19}"; do
  has "$a" -c a.c s.s S.S p.cc p.C
  has "" -c -x assembler s.s
  has "" -c -x assembler-with-cpp S.S s.s
  has "" -c -xc++ a.c
  has "" -c -x c++ a.c
  has $'a.o a.inc\n' -c -x c a.inc
  has $'a.o a.inc\n' -c -xc a.inc
  has $'a.o a.c\nmain.o main.c\n' -c -x c++ p.cc -x none a.c main.c
  has "" -c o.m
  has "" -c o.mm
  has "" -c -x objective-c a.c
  has $'-odd.o -odd.c\n' -c -- -odd.c 2>/dev/null ||
    has $'odd.o ./-odd.c\n' -c ./-odd.c -o odd.o
  has "" -S a.c s.s S.S
  has "" -c -S a.c
  has "" -E -x c a.inc
done

# A program of both: the C++ unit is missing, by name.
printf 'extern "C" int f(); extern "C" int k() { return f() - 3; }' >src/p.cc
compiler=g++
sed -i '1s/.*/extern "C" { int f(void); int k(void); }/' src/main.c
same_tree 0 -c p.cc main.c
[ -z "$(summaries p.o main.o)" ] # main.c is C++ to g++
compiler=gcc
CC_ALLOCS_CC=gcc cc-allocs -c src/a.c src/p.cc
printf 'int k(void);\nint main(void) { return k() - 1; }\n' >m.c
CC_ALLOCS_CC=gcc cc-allocs m.c a.o p.o -o prog
./prog
allocs report --json prog >json
python3 - <<'END'
import json
report = json.load(open("json"))
assert [m["unit"] for m in report["missing"]] == ["p.o"], report["missing"]
END
