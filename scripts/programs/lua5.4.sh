# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# packages: libtool-bin
# products: src/lua5.4 src/luac5.4
#
# Debian patches lua to build through libtool, with C++ copies of everything
# beside the C ones; they would be half of the time and none of what we look
# at, so libtool is asked for the C ones only.  LUA_A is narrowed to one name
# because its rule, which makes both libraries, would run twice at once under
# -j2.  The shared library is no product: the system's libtool links it with gcc,
# whatever CC is.
multiarch=$(uname -m)-linux-gnu
echo "#define DEB_HOST_MULTIARCH \"$multiarch\"" >src/lua5.4-deb-multiarch.h
cat >src/libtool-c <<'END'
#!/bin/sh
case " $* " in *' --tag=CXX '*) exit 0 ;; esac
exec libtool --quiet "$@"
END
chmod +x src/libtool-c
make -C src "-j$JOBS" linux V=5.4 LIBTOOL=./libtool-c CC="$CC" \
  CFLAGS="$CFLAGS -DLUA_COMPAT_5_3 -DLUA_USE_LINUX" \
  DEB_HOST_MULTIARCH="$multiarch" LUA_A=liblua5.4.la
