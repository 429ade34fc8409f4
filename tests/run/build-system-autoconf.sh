#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# autoconf and libtool: what configure finds out, and the libtool that it makes,
# are what they are without us, but for the compiler's name, and not even that in
# front of every compiler; both objects of libtool have a summary.
# shellcheck source=tests/common.sh
. "${0%/*}/../common.sh"
need gcc autoreconf libtoolize make
# shellcheck source=tests/run/build-system.bash
. "$here/build-system.bash"

cat >src/configure.ac <<'END_OF_FILE'
AC_INIT([x], [1])
AM_INIT_AUTOMAKE([foreign])
LT_INIT
AC_PROG_CC
AC_CONFIG_HEADERS([config.h])
AC_CHECK_HEADERS([unistd.h no_such_header.h])
AC_CHECK_SIZEOF([long])
AC_CHECK_FUNCS([mmap no_such_function])
AC_SEARCH_LIBS([dlopen], [dl])
AC_C_INLINE
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END_OF_FILE
cat >src/Makefile.am <<'END_OF_FILE'
lib_LTLIBRARIES = libx.la
libx_la_SOURCES = lib.c
bin_PROGRAMS = main
main_SOURCES = main.c
main_LDADD = libx.la
END_OF_FILE
(cd src && autoreconf -i >/dev/null 2>&1)

# build NAME CC...: configure and make, at one path.  The shell is /bin/sh and not
# bash, which configure likes better, and which takes twice as long to fork.
build() {
  local name=$1
  shift
  mkdir built
  (cd built && CONFIG_SHELL=/bin/sh ../src/configure -C CC="$*" &&
    make && ./main) >log 2>&1
  mv built "$name"
}
build plain gcc
build named cc-allocs
PATH=$links:$PATH build hidden gcc

for file in config.cache config.h libtool Makefile; do
  sed 's/cc-allocs/gcc/g' named/$file | diff plain/$file -
  sed "s,$links:,,g" hidden/$file | diff plain/$file -
done
grep -qE "ac_cv_func_mmap='?yes'?}$" plain/config.cache
for name in named hidden; do
  [ "$(units $name)" = 'lib.c lib.c main.c' ]
  site $name/.libs/libx.so
done
[ -z "$(units plain)" ]
