# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# packages:
# products: src/redis-server src/redis-cli src/redis-benchmark
#
# MALLOC=libc leaves out the bundled jemalloc.  commands.c is checked in; an
# empty PYTHON keeps make from generating it again.
make "-j$JOBS" V=1 MALLOC=libc USE_SYSTEMD=no PYTHON= CC="$CC" \
  OPTIMIZATION="${CFLAGS%% *}" CFLAGS="$CFLAGS"
