#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Precompiled headers: made and used as ever; where the header itself is there
# to be read, there is a summary, where it is gone, a reason, and where nobody
# says which it was, none.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

unit() { allocs dump "$1" | sed -n 's/^unit //p'; }
for compiler in gcc "${CCA_CLANG:-clang-19}"; do
  export CC_ALLOCS_CC=$compiler
  pch=h.h.gch
  use=(-include h.h)
  [ "$compiler" = gcc ] || pch=h.h.pch use=(-include-pch h.h.pch)
  rm -rf ./*
  printf '#include <stdlib.h>\nstruct s { int n[4]; };\n' >h.h
  echo 'void *f(void) { return malloc(sizeof(struct s)); }' >a.c
  cc-allocs -x c-header h.h -o "$pch" >said 2>&1
  "$compiler" -x c-header h.h -o plain.pch
  [ ! -s said ] && [ -s "$pch" ]
  cc-allocs -c "${use[@]}" a.c >said 2>&1
  [ ! -s said ]
  "$compiler" -c "${use[@]}" a.c -o plain.o
  objcopy --remove-section=.cc_allocs a.o back.o
  objcopy plain.o same.o
  cmp back.o same.o
  if [ "$compiler" = gcc ]; then
    unit a.o | grep 'marks=1' >/dev/null
    rm h.h
    cc-allocs -c -include h.h a.c >said 2>&1
    [ ! -s said ]
    unit a.o | grep "status=failed reason=\".*'h.h' file not found" >/dev/null
  else
    not allocs dump a.o 2>/dev/null
    cc-allocs -c -include h.h a.c # finds h.h.pch, too
    unit a.o | grep 'marks=1' >/dev/null
  fi
done
