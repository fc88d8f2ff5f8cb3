# `cmake --install`: headers, libraries, the tool, and what find_package and pkg-config need.
include(CMakePackageConfigHelpers)
set(POSEMILL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/posemill)
# pkg-config finds its files from where it stands itself, so that the installed tree may be moved.
file(RELATIVE_PATH POSEMILL_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

# posemill_install(target): the library and the CMake file that describes it. Each has its own, so that a host of the
# runtime never looks for the importer's dependencies.
function(posemill_install target)
  install(TARGETS ${target} EXPORT ${target})
  install(EXPORT ${target} FILE ${target}-targets.cmake NAMESPACE posemill:: DESTINATION ${POSEMILL_CMAKE_DIR})
  configure_file(cmake/${target}.pc.in ${target}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# Who links a static library needs what it is made with; of a shared one, only the linker does.
if(POSEMILL_SHARED)
  set(POSEMILL_DEFINITIONS " -DPOSEMILL_SHARED")
  set(POSEMILL_LIBS_END "\nLibs.private:")
  set(POSEMILL_REQUIRES_END "\nRequires.private:")
else()
  set(POSEMILL_DEFINITIONS "")
  set(POSEMILL_LIBS_END "")
  set(POSEMILL_REQUIRES_END ",")
endif()

install(DIRECTORY include/posemill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN import.h EXCLUDE)
posemill_install(posemill)
if(POSEMILL_WITH_IMPORT)
  set(POSEMILL_IMPORT_REQUIRES "jansson")
  if(POSEMILL_WITH_ASSIMP)
    string(APPEND POSEMILL_IMPORT_REQUIRES ", assimp")
  endif()
  install(FILES include/posemill/import.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/posemill)
  posemill_install(posemill-import)
endif()
if(TARGET posemill-tool)
  install(TARGETS posemill-tool)
endif()

configure_package_config_file(cmake/posemillConfig.cmake.in posemillConfig.cmake
  INSTALL_DESTINATION ${POSEMILL_CMAKE_DIR})
write_basic_package_version_file(posemillConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/posemillConfig.cmake ${PROJECT_BINARY_DIR}/posemillConfigVersion.cmake
  DESTINATION ${POSEMILL_CMAKE_DIR})
