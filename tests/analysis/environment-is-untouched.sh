#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The compiler sees its arguments and environment as they are, but for what
# cc-allocs.1 names; and the shim only where there is something to link.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"

cat >show <<'EOF'
#!/bin/sh
for a; do echo "[$a]"; done
env | sort | grep -v '^_=' | grep -v '^PWD='
EOF
chmod +x show
echo 'int x;' >a.c
cp a.c a.o
echo '-DX -c a.c' >a.rsp
export CC_ALLOCS_CC=$work/show DEPENDENCIES_OUTPUT=x.d TMPDIR=$work/tmp
mkdir tmp

check() { # check WANTED-NAME... -- ARGUMENT...: just these variables are new
  local names=()
  while [ "$1" != -- ]; do names+=("$1"); shift; done
  shift
  ./show "$@" >plain
  cc-allocs "$@" >ours
  { diff plain ours || true; } | sed -n 's/^> \([A-Z_]*\)=.*/\1/p' >new
  printf '%s\n' "${names[@]}" | diff -u - new
  not grep -q '^<' <(diff plain ours)
  [ -z "$(ls tmp)" ]
}
check CC_ALLOCS_DEPTH -- -c a.c '-DA="b c"' ''
check CC_ALLOCS_DEPTH -- @a.rsp
check CC_ALLOCS_DEPTH -- -v
check CC_ALLOCS_DEPTH -- -v a.o
check CC_ALLOCS_DEPTH -- -w -g -DX
check CC_ALLOCS_DEPTH COMPILER_PATH -- -r a.o -o b.o
check CC_ALLOCS_DEPTH COMPILER_PATH -- a.o -o a
check CC_ALLOCS_DEPTH CC_ALLOCS_UNITS COMPILER_PATH -- a.c -o a
[ ! -e x.d ]

# An old COMPILER_PATH comes after ours.
COMPILER_PATH=/old cc-allocs a.o -o a | grep '^COMPILER_PATH=.*/shim:/old$' >/dev/null

# What the analyser is started with (base/pages.h), the user's wins.
printf '#!/bin/sh\necho "$GLIBC_TUNABLES" >%s/tunables\nexit 1\n' "$work" >clang
chmod +x clang
CC_ALLOCS_CLANG=$work/clang cc-allocs -c a.c
[ "$(cat tunables)" = glibc.malloc.hugetlb=1:glibc.malloc.top_pad=33554432 ]
CC_ALLOCS_CLANG=$work/clang GLIBC_TUNABLES=glibc.malloc.perturb=0 \
  cc-allocs -c a.c
[ "$(cat tunables)" = glibc.malloc.perturb=0 ]
