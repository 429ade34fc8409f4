# SPDX-License-Identifier: MIT
#
# find-compilers.cmake -- CCA_COMPILER_NAMES, under which C and C++ compilers
# stand in PATH here: gcc, cc, c99, g++-12, x86_64-linux-gnu-gcc, ...
#
# C++ is among them for its links, which may have C objects in them.

if(NOT DEFINED CCA_COMPILER_NAMES)
  set(names "")
  string(REPLACE ":" ";" folders "$ENV{PATH}")
  foreach(folder ${folders})
    file(GLOB programs RELATIVE ${folder}
      ${folder}/*cc* ${folder}/*clang* ${folder}/*++* ${folder}/c[89]9*)
    list(APPEND names ${programs})
  endforeach()
  list(FILTER names INCLUDE REGEX
    "^([^-]+-[^-]+(-[^-]+)?-)?(cc|gcc|clang|c[+][+]|g[+][+]|clang[+][+])(-[0-9.]+)?$|^c[89]9(-gcc)?$")
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  set(CCA_COMPILER_NAMES "${names}" CACHE STRING
    "Names of compilers under which lib/cc-allocs/bin has links to cc-allocs")
endif()
