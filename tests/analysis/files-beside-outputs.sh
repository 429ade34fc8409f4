#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever files a command makes beside its output - dependencies, temporaries,
# stack usage, coverage, records - are those that it makes without us.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
# shellcheck source=tests/analysis/same-tree.bash
. "$here/same-tree.bash"

echo '#define N 1' >src/a.h
printf '#include "a.h"\nint f(int x) { return x + sizeof(int) + N; }\n' >src/a.c
printf 'int f(int);\nint main(void) { return f(-5); }\n' >src/b.c

# both STATUS ARGUMENT...: and all units that became objects have summaries.
both() {
  same_tree "$@"
  # shellcheck disable=SC2046
  [ "$(summaries $(cd ours && echo ./*.o) | wc -l)" = "$objects" ]
}
flags=(-O1 -g -pipe -frandom-seed=1 -Wa,--noexecstack -c a.c b.c)
compiler=gcc objects=2
both 0 "${flags[@]}" -save-temps -MD -MP -fstack-usage
both 0 "${flags[@]}" -save-temps=obj -gsplit-dwarf -fcallgraph-info
both 0 "${flags[@]}" --coverage -fopt-info-all=opt.txt -Wp,-MD,p.d
both 0 "${flags[@]}" -fdump-tree-optimized
both 0 "${flags[@]}" -flto
both 0 "${flags[@]}" -flto -ffat-lto-objects
objects=1
both 0 -c a.c -o a.o -aux-info a.X -MMD -MF /dev/null
objects=0
same_tree 0 -save-temps a.c b.c -o prog
ours/prog
same_tree 0 -flto -g a.c b.c -o prog
ours/prog

compiler=${CCA_CLANG:-clang-19} objects=2
flags=(-O1 -g -pipe -Wa,--noexecstack -c a.c b.c)
both 0 "${flags[@]}" -save-temps=obj -MMD -MJ a.json
both 0 "${flags[@]}" -fsave-optimization-record
both 0 "${flags[@]}" -gsplit-dwarf --serialize-diagnostics a.dia -faddrsig
both 0 "${flags[@]}" -mllvm -inline-threshold=16 -Werror -Xclang -fcolor-diagnostics
both 0 "${flags[@]}" --coverage
both 0 "${flags[@]}" -flto=thin
