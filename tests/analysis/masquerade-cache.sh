#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Before ccache's folder of links and behind it: one compilation, one analysis,
# the second time none where the cache stands first, and never a loop.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need ccache
links=$build_dir/lib/cc-allocs/bin

mkdir ccache compiler
ln -s "$(command -v ccache)" ccache/gcc
cat >compiler/gcc <<END
#!/bin/sh
case " \$* " in *' -c '*) echo compiled >>$work/compiled ;; esac
exec $(command -v "$CCA_CC") "\$@"
END
chmod +x compiler/gcc
echo 'int x;' >a.c
export CCACHE_DIR CC_ALLOCS_LOG=$work/log

# Out: how often the compiler ran, and the analysis, when this was done twice.
run() {
  rm -f log compiled
  touch log compiled
  for _ in 1 2; do
    rm -f a.o
    PATH=$1:$work/compiler:/usr/bin:/bin timeout 600 gcc -c a.c
    echo "$(wc -l <compiled) $(sed -n /analysed/p log | wc -l)" \
      "$(readelf -SW a.o | sed -n /cc_allocs/p | wc -l)"
  done
}
CCACHE_DIR=$work/cache1
run "$links:$work/ccache" >got
expect got <<'END'
1 1 1
1 2 1
END
CCACHE_DIR=$work/cache2
run "$work/ccache:$links" >got
expect got <<'END'
1 1 1
1 1 1
END
CCACHE_DIR=$work/cache3
run "$links:$work/ccache:$links:$work/ccache" >got
expect got <<'END'
1 1 1
1 2 1
END
# The twin.
CCACHE_DIR=$work/cache4
run "$work/ccache" >got
expect got <<'END'
1 0 0
1 0 0
END
