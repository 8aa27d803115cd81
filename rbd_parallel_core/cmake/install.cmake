# SPDX-License-Identifier: Apache-2.0

# Installs headers, library and CMake package; `find_package(rbd_parallel_core)` gives the target
# rbd_parallel_core::rbd_parallel_core, with and without ament.
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rbd_parallel_core)
install(TARGETS rbd_parallel_core EXPORT export_rbd_parallel_core
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

if(RBD_AMENT)
  ament_export_targets(export_rbd_parallel_core HAS_LIBRARY_TARGET)
  ament_package()
else()
  # What ament would leave too: by it pluginlib finds the package of its base class.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/package_marker "")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package_marker
    DESTINATION share/ament_index/resource_index/packages RENAME rbd_parallel_core)
  install(FILES package.xml DESTINATION share/rbd_parallel_core)
  include(CMakePackageConfigHelpers)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rbd_parallel_core)
  install(EXPORT export_rbd_parallel_core NAMESPACE rbd_parallel_core:: DESTINATION ${package_dir}
    FILE rbd_parallel_coreConfig.cmake)
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/rbd_parallel_coreConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rbd_parallel_coreConfigVersion.cmake DESTINATION ${package_dir})
endif()
