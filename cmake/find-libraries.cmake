# SPDX-License-Identifier: MIT
#
# find-libraries.cmake -- libelf, libdw, jansson, zlib and protobuf-c as
# PkgConfig::elf, ::dw, ::jansson, ::zlib1g, ::protobuf-c.

find_package(PkgConfig REQUIRED)
foreach(pair elf:libelf dw:libdw jansson:jansson zlib1g:zlib
    protobuf-c:libprotobuf-c)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 target)
  list(GET pair 1 module)
  pkg_check_modules(${target} QUIET IMPORTED_TARGET ${module})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR
      "cc-allocs needs ${module}.\n"
      "On Debian and Ubuntu: scripts/install-packages")
  endif()
endforeach()
find_program(CCA_PROTOC_C protoc-c DOC "protobuf-c's compiler" REQUIRED)
