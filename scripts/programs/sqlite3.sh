# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# packages: tcl
# products: .libs/sqlite3 .libs/libsqlite3.so.0.8.6
#
# tcl makes the amalgamation, the one big unit that is compiled; BCC, the
# compiler of the tools that take part in that, stays the plain one.
./configure --disable-tcl --disable-readline --disable-editline
make "-j$JOBS" BCC="cc $CFLAGS"
