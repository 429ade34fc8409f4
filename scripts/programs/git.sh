# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# packages: zlib1g-dev
# products: git t/helper/test-tool
#
# test-tool is linked with the reftable library, which git does not use yet.
make "-j$JOBS" CC="$CC" CFLAGS="$CFLAGS" NO_OPENSSL=1 NO_CURL=1 NO_EXPAT=1 \
  NO_GETTEXT=1 NO_TCLTK=1 NO_PERL=1 NO_PYTHON=1 \
  git t/helper/test-tool
