# What every Posemill target is compiled with, and how kernels get their instruction sets.
include(GNUInstallDirs)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64|i[3-6]86")
  set(POSEMILL_X86 ON)
endif()

# The same bits everywhere: standard C (GCC fuses intrinsics under GNU C), no contraction, and no vectorizing of
# straight-line code by GCC: version 12 takes two neighbouring (double)(float)x for no operation there.
function(posemill_options target)
  set_target_properties(${target} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -ffp-contract=off $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>
    -Wall -Wextra -Wconversion -Wshadow
    $<$<BOOL:${POSEMILL_WERROR}>:-Werror>)
  if(POSEMILL_X86 AND CMAKE_SIZEOF_VOID_P EQUAL 4)
    # x87 arithmetic rounds to its own width.
    target_compile_options(${target} PRIVATE -msse2 -mfpmath=sse)
  endif()
  if(POSEMILL_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${POSEMILL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${POSEMILL_SANITIZE})
    if(POSEMILL_SANITIZE MATCHES "thread" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
      # The fence behind streaming stores, which the thread sanitizer does not know; jobs are handed over without it.
      target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
  endif()
endfunction()

# posemill_library(name pattern...): a library from sources, static or shared.
function(posemill_library target)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  if(POSEMILL_SHARED)
    add_library(${target} SHARED ${sources})
    target_compile_definitions(${target} PUBLIC POSEMILL_SHARED PRIVATE POSEMILL_BUILDING)
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  else()
    add_library(${target} STATIC ${sources})
  endif()
  posemill_options(${target})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # Of the maths library only exact functions are used (floor, fmod, sqrt, ldexp); Windows has it in the C library.
  if(NOT WIN32)
    target_link_libraries(${target} PUBLIC m)
  endif()
endfunction()

# posemill_isa(target name flags...): compiles src/simd/kernels_<name>.c with its flags; dispatch.c learns of it.
function(posemill_isa target name)
  string(TOUPPER ${name} upper)
  target_sources(${target} PRIVATE src/simd/kernels_${name}.c)
  set_source_files_properties(src/simd/kernels_${name}.c PROPERTIES COMPILE_OPTIONS "${ARGN}")
  target_compile_definitions(${target} PRIVATE PM_HAVE_${upper})
endfunction()

function(posemill_kernels target)
  target_sources(${target} PRIVATE src/simd/kernels_portable.c)
  set_source_files_properties(src/simd/kernels_portable.c PROPERTIES COMPILE_DEFINITIONS SIMDE_NO_NATIVE)
  if(POSEMILL_PORTABLE_ONLY)
    return()
  endif()
  if(POSEMILL_X86)
    posemill_isa(${target} sse2)
    posemill_isa(${target} avx2 -mavx2)
    posemill_isa(${target} avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64|ARM64")
    posemill_isa(${target} neon)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "wasm")
    posemill_isa(${target} wasm128 -msimd128)
  endif()
endfunction()

function(posemill_import)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
  find_package(meshoptimizer CONFIG REQUIRED)
  posemill_library(posemill-import src/import/*.c)
  set_target_properties(posemill-import PROPERTIES EXPORT_NAME import)
  add_library(posemill::import ALIAS posemill-import)
  target_link_libraries(posemill-import PUBLIC posemill PRIVATE PkgConfig::JANSSON meshoptimizer::meshoptimizer m)
  if(POSEMILL_WITH_ASSIMP)
    pkg_check_modules(ASSIMP REQUIRED IMPORTED_TARGET assimp)
    target_link_libraries(posemill-import PRIVATE PkgConfig::ASSIMP)
    file(GLOB sources CONFIGURE_DEPENDS src/import/assimp/*.c)
    target_sources(posemill-import PRIVATE ${sources})
    target_compile_definitions(posemill-import PRIVATE PM_HAVE_ASSIMP)
  endif()
endfunction()
