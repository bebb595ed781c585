# Warnings, sanitizers, optimisation and the compiler cache, for every target of the project.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow)
include_directories(${CMAKE_SOURCE_DIR})

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(DIETMT_SANITIZE)
  add_compile_options(-fsanitize=${DIETMT_SANITIZE} -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DIETMT_SANITIZE})
endif()

find_program(DIETMT_CCACHE ccache)
if(DIETMT_CCACHE)
  # A precompiled header is cached only with these sloppiness settings.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${DIETMT_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(DIETMT_PCH_FLAGS -fpch-preprocess)
endif()

find_program(DIETMT_MOLD mold)
if(DIETMT_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
  add_link_options(-fuse-ld=mold)
endif()
