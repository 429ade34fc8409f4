# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# packages: libpcre2-dev zlib1g-dev
# products: objs/nginx
./configure --with-cc="$CC" --with-cc-opt="$CFLAGS" --with-threads \
  --with-stream --with-mail --with-http_v2_module --with-http_dav_module
make "-j$JOBS"
