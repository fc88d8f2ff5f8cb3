# WebAssembly with a system interface: Debian's clang, lld, wasi-libc and libclang-rt-14-dev-wasm32; executables run
# under node.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
# SIMDe's headers are the host's; all others are behind those of wasi-libc.
set(CMAKE_C_FLAGS_INIT "-idirafter /usr/include")
set(CMAKE_EXECUTABLE_SUFFIX_C .wasm)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/run-wasi)
set(CMAKE_FIND_ROOT_PATH /usr/lib/wasm32-wasi)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
