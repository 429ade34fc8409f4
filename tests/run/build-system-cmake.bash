# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# build-system-cmake.bash -- sourced after common.sh: we are CMake's compiler, or
# its launcher, or in front of every compiler.  What it finds out is what it
# finds out without us, and each unit has a summary.

# shellcheck disable=SC2154 # common.sh and build-system.bash set what is used
# shellcheck source=tests/run/build-system.bash
. "$here/build-system.bash"
cat >src/CMakeLists.txt <<'SOURCE'
cmake_minimum_required(VERSION 3.20)
project(x C)
include(CheckFunctionExists)
include(CheckTypeSize)
check_function_exists(mmap HAVE_MMAP)
check_function_exists(no_such_function HAVE_NO_SUCH_FUNCTION)
check_type_size(long LONG)
add_library(x SHARED lib.c)
add_executable(main main.c)
target_link_libraries(main x)
SOURCE

# build NAME OPTION...: configure, build and run, at one path.
build() {
  local name=$1
  shift
  (cmake -S src -B built "$@" && cmake --build built && built/main) >log 2>&1
  mv built "$name"
}

# found NAME: what CMake knows of the compiler, and what its checks found.
found() {
  sed 's/^set(CMAKE_C_COMPILER "[^"]*")//' "$1"/CMakeFiles/*/CMakeCCompiler.cmake
  grep -E ':INTERNAL=' "$1/CMakeCache.txt" | grep -E '^(HAVE_|LONG)'
}

builds_with() { # GENERATOR
  build plain -G "$1" -DCMAKE_C_COMPILER=gcc
  found plain >wanted
  grep -q 'CMAKE_C_COMPILER_ID "GNU"' wanted
  grep -qx 'HAVE_MMAP:INTERNAL=1' wanted
  grep -qx 'HAVE_NO_SUCH_FUNCTION:INTERNAL=' wanted

  build compiler -G "$1" -DCMAKE_C_COMPILER=cc-allocs
  build launcher -G "$1" -DCMAKE_C_COMPILER=gcc \
    -DCMAKE_C_COMPILER_LAUNCHER=cc-allocs -DCMAKE_C_LINKER_LAUNCHER=cc-allocs
  PATH=$links:$PATH build hidden -G "$1" -DCMAKE_C_COMPILER=gcc
  local name
  for name in compiler launcher hidden; do
    found $name | diff wanted - >&2
    [ "$(units $name)" = 'lib.c main.c' ]
    site $name/libx.so
  done
  [ -z "$(units plain)" ]
}
