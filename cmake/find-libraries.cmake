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

# What is started for every C file has libraries in it where they are static:
# the loader takes a third of a millisecond for each that is not.
set(CCA_DW PkgConfig::dw PkgConfig::elf)
set(CCA_ZLIB ZLIB::ZLIB)
set(CCA_ZSTD zstd::libzstd_shared)
if(NOT CCA_SANITIZE)
  foreach(name dw elf lzma bz2 z zstd)
    find_library(CCA_STATIC_${name} lib${name}.a)
    mark_as_advanced(CCA_STATIC_${name})
  endforeach()
  if(CCA_STATIC_dw AND CCA_STATIC_elf AND CCA_STATIC_lzma AND CCA_STATIC_bz2
      AND CCA_STATIC_z AND CCA_STATIC_zstd)
    set(CCA_ZLIB ${CCA_STATIC_z})
    set(CCA_ZSTD ${CCA_STATIC_zstd})
    set(CCA_DW ${CCA_STATIC_dw} ${CCA_STATIC_elf} ${CCA_STATIC_lzma}
      ${CCA_STATIC_bz2} ${CCA_ZLIB} ${CCA_ZSTD})
  endif()
endif()
