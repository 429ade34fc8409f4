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

add_library(cca_llvm INTERFACE)
target_include_directories(cca_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
if(TARGET LLVM)
  target_link_libraries(cca_llvm INTERFACE LLVM)
else()
  llvm_map_components_to_libnames(cca_llvm_libraries
    core analysis bitreader irreader transformutils passes native)
  target_link_libraries(cca_llvm INTERFACE ${cca_llvm_libraries})
endif()
