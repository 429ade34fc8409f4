# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# packages: python3
# products: ninja
#
# The one program in C++ here, for what looks at debug information.  The C
# compiler's name says which C++ compiler is meant.
cxx=${CC/%gcc/g++}
cxx=${cxx/%clang-19/clang++-19}
CXX=$cxx CFLAGS="$CFLAGS" python3 configure.py --bootstrap
