# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# packages: meson ninja-build pkg-config libffi-dev libpcre2-dev zlib1g-dev
# products: obj/glib/libglib-2.0.so.0.7400.6 obj/gobject/libgobject-2.0.so.0.7400.6
meson setup obj --buildtype=plain -Dselinux=disabled -Dlibmount=disabled \
  -Dnls=disabled -Dtests=false -Dxattr=false -Ddtrace=false -Dsystemtap=false
ninja -C obj "-j$JOBS" glib/libglib-2.0.so.0.7400.6 \
  gobject/libgobject-2.0.so.0.7400.6
