# SPDX-License-Identifier: MIT
#
# cca-clang.cmake -- the program cca-clang, where clang's static libraries and
# a C++ compiler are; elsewhere the analyser runs CCA_CLANG, which starts 15 ms
# later.

set(cca_clang_libraries "")
foreach(name Frontend CodeGen Driver Serialization Parse Sema APINotes Edit
    Analysis ASTMatchers AST Rewrite Lex Support Basic)
  find_library(CCA_CLANG_${name} libclang${name}.a
    PATHS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH)
  mark_as_advanced(CCA_CLANG_${name})
  list(APPEND cca_clang_libraries ${CCA_CLANG_${name}})
endforeach()
include(CheckLanguage)
check_language(CXX)
if(cca_clang_libraries MATCHES "NOTFOUND" OR NOT CMAKE_CXX_COMPILER
    OR CCA_LLVM_SHARED OR CCA_SANITIZE
    OR NOT TARGET LLVMLTO OR NOT TARGET ZLIB::ZLIB
    OR NOT TARGET zstd::libzstd_shared)
  message(STATUS "cca-clang is not built: no static libraries of clang")
  return()
endif()
enable_language(CXX)

add_executable(cca-clang ${PROJECT_SOURCE_DIR}/analysis/cca-clang.cpp)
# By file, since LLVM's own targets ask for Polly, which may not be here; the
# linker takes what is called out of the archives.
file(GLOB cca_clang_llvm ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
set_target_properties(cca-clang PROPERTIES
  CXX_STANDARD 17 POSITION_INDEPENDENT_CODE OFF
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CCA_LIBDIR})
target_include_directories(cca-clang SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_compile_options(cca-clang PRIVATE -fno-rtti -fno-exceptions -O2 -g0)
target_compile_definitions(cca-clang PRIVATE CCA_CLANG="${CCA_CLANG}")
target_link_options(cca-clang PRIVATE
  -no-pie ${CCA_STARTS_FAST} -s -Wl,--gc-sections -Wl,--as-needed)
if(CCA_STARTS_FAST)
  target_link_options(cca-clang PRIVATE -static-libstdc++)
endif()
target_link_libraries(cca-clang PRIVATE
  -Wl,--start-group ${cca_clang_libraries} ${cca_clang_llvm} -Wl,--end-group
  ZLIB::ZLIB zstd::libzstd_shared ${CMAKE_DL_LIBS})
install(TARGETS cca-clang RUNTIME DESTINATION ${CCA_LIBDIR})
