# SPDX-License-Identifier: MIT
#
# package.cmake -- what installed users find: find_package(cc-allocs) and
# pkg-config.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cc-allocs)

install(EXPORT ccallocs NAMESPACE ccallocs:: DESTINATION ${package_dir}
  FILE cc-allocs-targets.cmake)
configure_package_config_file(cmake/cc-allocs-config.cmake.in
  cc-allocs-config.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(cc-allocs-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cc-allocs-config.cmake
  ${PROJECT_BINARY_DIR}/cc-allocs-config-version.cmake
  DESTINATION ${package_dir})

# The prefix is relative to the .pc file, so that the tree can be moved.
file(RELATIVE_PATH CCA_PC_TO_PREFIX
  /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/cc-allocs.pc.in cc-allocs.pc @ONLY)
configure_file(cmake/cc-allocs-runtime.pc.in cc-allocs-runtime.pc @ONLY)
configure_file(cmake/cc-allocs-symbols.pc.in cc-allocs-symbols.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cc-allocs.pc
  ${PROJECT_BINARY_DIR}/cc-allocs-runtime.pc
  ${PROJECT_BINARY_DIR}/cc-allocs-symbols.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Laid out as here, so that what links to another leads there.
install(FILES LICENSE README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN *.md PATTERN *.json PATTERN *.png
  PATTERN man EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  FILES_MATCHING PATTERN *.1)
