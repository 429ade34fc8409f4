# SPDX-License-Identifier: MIT
#
# find-clang.cmake -- clang's static libraries in the target cca_llvm, and
# CCA_LINKS_CLANG, where they and a C++ compiler are here; elsewhere the analyser
# executes CCA_CLANG, which takes twice as long for a small C file.

set(libraries "")
foreach(name Frontend CodeGen Driver Serialization Parse Sema APINotes Edit
    Analysis ASTMatchers AST Rewrite Lex Support Basic)
  find_library(CCA_CLANG_${name} libclang${name}.a
    PATHS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH)
  mark_as_advanced(CCA_CLANG_${name})
  list(APPEND libraries ${CCA_CLANG_${name}})
endforeach()
include(CheckLanguage)
check_language(CXX)
if(libraries MATCHES "NOTFOUND" OR NOT CMAKE_CXX_COMPILER
    OR CCA_LLVM_SHARED OR CCA_SANITIZE
    OR NOT TARGET LLVMX86Disassembler OR NOT TARGET ZLIB::ZLIB
    OR NOT TARGET zstd::libzstd_shared)
  message(STATUS "clang is executed, not linked: no static libraries of clang")
  return()
endif()
enable_language(CXX)

# LLVM's by file, since its own targets ask for Polly, which may not be here; the
# linker takes what is called out of the archives.
file(GLOB llvm ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
set(CCA_LINKS_CLANG TRUE)
set_target_properties(cca_llvm PROPERTIES INTERFACE_LINK_LIBRARIES
  "-Wl,--start-group;${libraries};${llvm};${CCA_LIBSTDCXX};${CCA_ZLIB};${CCA_ZSTD};-Wl,--end-group;${CMAKE_DL_LIBS};m")

# An object of C++ for programs that are linked as C: NAME, and its SOURCE.
function(cca_add_cplusplus name source)
  add_library(${name} OBJECT ${source})
  set_target_properties(${name} PROPERTIES CXX_STANDARD 17)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE -fno-rtti -fno-exceptions -O2 -g0)
  target_compile_definitions(${name} PRIVATE CCA_CLANG="${CCA_CLANG}")
endfunction()
