# SPDX-License-Identifier: MIT
#
# find-llvm.cmake -- the target cca_llvm, and CCA_CLANG, a clang of the same
# version.
#
# LLVM's own version file only accepts an exact major.minor, so a range is
# searched here, oldest first: the versions that we test come before those
# that we merely expect to work.  -DLLVM_DIR=... names one and ends the search.

set(CCA_LLVM_OLDEST 19)
set(CCA_LLVM_NEWEST 23)

if(NOT LLVM_DIR)
  foreach(version RANGE ${CCA_LLVM_OLDEST} ${CCA_LLVM_NEWEST})
    find_package(LLVM CONFIG QUIET
      NAMES LLVM
      HINTS /usr/lib/llvm-${version} /usr/lib64/llvm${version}
            /usr/local/opt/llvm@${version}
      NO_CMAKE_SYSTEM_PATH NO_CMAKE_SYSTEM_PACKAGE_REGISTRY)
    if(LLVM_FOUND)
      break()
    endif()
    unset(LLVM_DIR CACHE)
  endforeach()
endif()
if(NOT LLVM_FOUND)
  find_package(LLVM CONFIG QUIET)
endif()
if(NOT LLVM_FOUND OR LLVM_VERSION_MAJOR LESS CCA_LLVM_OLDEST)
  if(LLVM_FOUND)
    set(found "only LLVM ${LLVM_VERSION} was found")
  else()
    set(found "none was found")
  endif()
  message(FATAL_ERROR
    "cc-allocs needs LLVM ${CCA_LLVM_OLDEST} or newer; ${found}.\n"
    "On Debian and Ubuntu: apt-get install llvm-${CCA_LLVM_OLDEST}-dev "
    "clang-${CCA_LLVM_OLDEST}\n"
    "Elsewhere: cmake -DLLVM_DIR=<prefix>/lib/cmake/llvm ...")
endif()
if(LLVM_VERSION_MAJOR GREATER CCA_LLVM_NEWEST)
  message(WARNING "LLVM ${LLVM_VERSION} is newer than any that cc-allocs knows")
endif()

find_program(CCA_CLANG NAMES clang-${LLVM_VERSION_MAJOR} clang
  HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH
  DOC "The clang that lowers units for the analysis, of LLVM's version")
if(NOT CCA_CLANG)
  message(FATAL_ERROR
    "cc-allocs needs the clang that belongs to LLVM ${LLVM_VERSION}; there is "
    "none in ${LLVM_TOOLS_BINARY_DIR}.\n"
    "On Debian and Ubuntu: apt-get install clang-${LLVM_VERSION_MAJOR}")
endif()
message(STATUS "LLVM ${LLVM_VERSION}, ${CCA_CLANG}")

# The parts that the analyser uses.  Linked statically it starts in 2.5 ms
# instead of 10.6 (LLVM 19: what the loader spends on relocating the whole of
# libLLVM), for every C file that is ever compiled.
set(components core bitreader passes x86disassembler x86desc x86info)
set(why "")
if(CCA_LLVM_SHARED)
  set(why "asked for")
elseif(NOT TARGET LLVMX86Disassembler)
  set(why "its static libraries are not here")
elseif(NOT TARGET ZLIB::ZLIB OR NOT TARGET zstd::libzstd_shared)
  set(why "zlib or zstd, which its static libraries use, is not here")
endif()

add_library(cca_llvm INTERFACE)
target_include_directories(cca_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
if(NOT why)
  # What is loaded where it was linked to, and brings its own libstdc++, needs no
  # relocating: that halves the start once more.
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.a
    OUTPUT_VARIABLE CCA_LIBSTDCXX OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_ABSOLUTE "${CCA_LIBSTDCXX}" AND NOT CCA_SANITIZE)
    set(CCA_STARTS_FAST -no-pie -static-libgcc)
  else()
    set(CCA_LIBSTDCXX stdc++)
    set(CCA_STARTS_FAST "")
  endif()
  llvm_map_components_to_libnames(libraries ${components})
  target_link_libraries(cca_llvm INTERFACE ${libraries} ${CCA_LIBSTDCXX})
  target_link_options(cca_llvm INTERFACE
    ${CCA_STARTS_FAST} -Wl,--gc-sections -Wl,--as-needed)
  message(STATUS "LLVM's libraries are linked statically")
elseif(TARGET LLVM)
  target_link_libraries(cca_llvm INTERFACE LLVM)
  message(STATUS "LLVM's shared library is linked: ${why}")
else()
  message(FATAL_ERROR "LLVM ${LLVM_VERSION} has no shared library, and ${why}.")
endif()
