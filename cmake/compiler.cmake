# Warnings, sanitizers, optimisation and the compiler cache, for every target of the project.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow)
if(DIETMT_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  add_compile_options(-fsigned-char)  # as on x86-64
endif()
# Sources with this ending hold what the systems do in different ways.
if(APPLE)
  set(DIETMT_SYSTEM macos)
  set(DIETMT_ORIGIN @loader_path)  # in run paths: where the file itself lies
else()
  set(DIETMT_SYSTEM linux)
  set(DIETMT_ORIGIN $ORIGIN)
endif()
include_directories(${CMAKE_SOURCE_DIR})

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(CMAKE_BUILD_TYPE STREQUAL "Debug" OR DIETMT_SANITIZE)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
if(DIETMT_SANITIZE)
  # `vptr` looks for run-time type information that LibTorch does not export. Null pointers and
  # those that wrap around stop the program anyway; to look for them takes most of the compiler's
  # time, and minutes in kernels.
  add_compile_options(-fsanitize=${DIETMT_SANITIZE}
                      -fno-sanitize=vptr,null,nonnull-attribute,pointer-overflow
                      -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DIETMT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented std::regex has false warnings of this kind.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()
if(DIETMT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The settings that ccache asks for where precompiled headers are in use. Paths below the base
# directory are hashed relative to the build folder, so that clones share what they compiled.
find_program(DIETMT_CCACHE ccache)
if(DIETMT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${DIETMT_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set(DIETMT_PCH_FLAGS -fpch-preprocess)
  endif()
endif()
