# SPDX-License-Identifier: MIT
#
# find-libraries.cmake -- libelf, libdw and jansson as PkgConfig::elf, ::dw,
# ::jansson.

find_package(PkgConfig REQUIRED)
foreach(pair elf:libelf dw:libdw jansson:jansson)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 target)
  list(GET pair 1 module)
  pkg_check_modules(${target} QUIET IMPORTED_TARGET ${module})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR
      "cc-allocs needs ${module}.\n"
      "On Debian and Ubuntu: apt-get install lib${target}-dev")
  endif()
endforeach()
