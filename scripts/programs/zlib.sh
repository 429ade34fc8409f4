# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# packages:
# products: libz.so.1.2.13 minigzip example
./configure
make "-j$JOBS"
