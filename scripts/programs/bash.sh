# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# packages: bison
# products: bash
#
# As Debian builds it: with libc's malloc.
./configure --without-bash-malloc --disable-nls
make "-j$JOBS"
