# LibTorch as imported targets. find_package(Torch) fails without the CUDA toolkit; the CPU part
# needs only libtorch_cpu and libc10 (docs/architecture/build.md).
set(DIETMT_LIBTORCH "" CACHE PATH
  "Folder with LibTorch's include/ and lib/: unpacked LibTorch, or the folder of a Python torch package")
set(libtorch "${DIETMT_LIBTORCH}")
if(NOT libtorch)
  set(libtorch ${CMAKE_SOURCE_DIR}/.deps/libtorch/torch)
endif()
# The real path is the same in all clones, which the compiler cache needs.
get_filename_component(libtorch "${libtorch}" REALPATH)
if(NOT EXISTS ${libtorch}/include/torch/csrc/api/include/torch/torch.h)
  message(FATAL_ERROR "No LibTorch in ${libtorch}: run scripts/setup (scripts/setup libtorch-cuda "
                      "for the preset cuda), or pass "
                      "-DDIETMT_LIBTORCH=<folder with include/ and lib/>.")
endif()
get_filename_component(libtorch_include ${libtorch}/include REALPATH)

# Sets `version` to the version in LibTorch's headers; the file moved in 2.9.
function(dietmt_read_libtorch_version version)
  foreach(header headeronly/version.h csrc/api/include/torch/version.h)
    if(EXISTS ${libtorch}/include/torch/${header})
      file(STRINGS ${libtorch}/include/torch/${header} lines
        REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
      string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
      string(REPLACE ";" "." numbers "${numbers}")
      if(numbers)
        set(${version} ${numbers} PARENT_SCOPE)
        return()
      endif()
    endif()
  endforeach()
endfunction()

dietmt_read_libtorch_version(DIETMT_LIBTORCH_VERSION)
if(NOT DIETMT_LIBTORCH_VERSION VERSION_GREATER_EQUAL 2.8)
  message(FATAL_ERROR "LibTorch 2.8 or newer is needed; ${libtorch} has version "
                      "'${DIETMT_LIBTORCH_VERSION}'.")
endif()
message(STATUS "LibTorch ${DIETMT_LIBTORCH_VERSION}: ${libtorch}")

foreach(name c10 torch_cpu)
  add_library(dietmt_${name} SHARED IMPORTED)
  set_target_properties(dietmt_${name} PROPERTIES IMPORTED_LOCATION ${libtorch}/lib/lib${name}.so)
endforeach()

# LibTorch brings headers of an fmt that the packaged spdlog does not compile with: the system's
# come first, through a folder that holds nothing else.
find_path(DIETMT_FMT_INCLUDE_DIR fmt/format.h)
if(DIETMT_FMT_INCLUDE_DIR)
  set(system_fmt ${CMAKE_BINARY_DIR}/system_fmt)
  file(MAKE_DIRECTORY ${system_fmt})
  file(CREATE_LINK ${DIETMT_FMT_INCLUDE_DIR}/fmt ${system_fmt}/fmt SYMBOLIC)
endif()

add_library(dietmt_libtorch INTERFACE)
target_include_directories(dietmt_libtorch SYSTEM INTERFACE
  ${system_fmt} ${libtorch_include} ${libtorch_include}/torch/csrc/api/include)
target_link_libraries(dietmt_libtorch INTERFACE dietmt_torch_cpu dietmt_c10 OpenMP::OpenMP_CXX)
target_link_options(dietmt_libtorch INTERFACE
  -Wl,-rpath-link,${libtorch}/lib -Wl,-rpath-link,${libtorch}/../nvidia/cu13/lib
  -Wl,--allow-shlib-undefined)
# Installed programs load LibTorch from lib/dietmt, in the folders of its package: its libraries find
# each other by relative paths. CUDA's libraries load more of their kind by name, so all are copied.
if(DIETMT_BUNDLE_LIBTORCH)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib/dietmt/torch/lib")
  if(DIETMT_CUDA)
    set(bundled FILES_MATCHING PATTERN "*.so*" PATTERN "libtorch_python*" EXCLUDE
      PATTERN "libshm*" EXCLUDE)
    set(bundled_nvidia FILES_MATCHING PATTERN "*.so*" PATTERN "include" EXCLUDE)
  else()
    set(bundled FILES_MATCHING PATTERN "libtorch_cpu.so" PATTERN "libc10.so" PATTERN "libgomp*.so*"
      PATTERN "libarm_compute*.so" PATTERN "libnvpl*.so*" PATTERN "libgfortran*.so*"  # of Arm64
      PATTERN "libcudart*.so*" PATTERN "libcupti*.so*" PATTERN "libshm*" EXCLUDE)
    set(bundled_nvidia FILES_MATCHING PATTERN "libcudart.so*" PATTERN "libcupti.so*"
      PATTERN "include" EXCLUDE)
  endif()
  install(DIRECTORY ${libtorch}/lib/ DESTINATION lib/dietmt/torch/lib
    COMPONENT dietmt-train ${bundled})
  # A fifth of the libraries is symbols that nothing reads.
  install(CODE "
    if(CMAKE_INSTALL_DO_STRIP)
      file(GLOB libraries \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/dietmt/torch/lib/*.so*\")
      execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \${libraries}
                      COMMAND_ERROR_IS_FATAL ANY)
    endif()" COMPONENT dietmt-train)
  file(GLOB licences ${libtorch}/../torch-*.dist-info/licenses/*)
  install(FILES ${licences} DESTINATION share/doc/dietmt-train COMPONENT dietmt-train)
  if(EXISTS ${libtorch}/../nvidia)
    install(DIRECTORY ${libtorch}/../nvidia DESTINATION lib/dietmt
      COMPONENT dietmt-train ${bundled_nvidia})
  endif()
else()
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()

if(DIETMT_CUDA)
  if(NOT EXISTS ${libtorch}/lib/libtorch_cuda.so)
    message(FATAL_ERROR "DIETMT_CUDA: ${libtorch}/lib has no libtorch_cuda.so. Run "
                        "scripts/setup libtorch-cuda and use the preset cuda, or pass a LibTorch "
                        "built with CUDA.")
  endif()
  # No symbol of these two is used: they register their kernels when they are loaded.
  target_link_libraries(dietmt_libtorch INTERFACE
    "-Wl,--push-state,--no-as-needed,${libtorch}/lib/libtorch_cuda.so,${libtorch}/lib/libc10_cuda.so,--pop-state")
endif()

# Programs that train: batches are of ever other sizes, and the C library's heap keeps what their
# tensors leave in pieces that no later one fits (docs/architecture/build.md). Sanitizers bring their own.
add_library(dietmt_allocator INTERFACE)
if(NOT DIETMT_SANITIZE)
  find_library(DIETMT_TCMALLOC tcmalloc_minimal REQUIRED)
  target_link_libraries(dietmt_allocator INTERFACE
    "-Wl,--push-state,--no-as-needed,${DIETMT_TCMALLOC},--pop-state")
endif()

# What LibTorch's headers of collectives include and its package leaves out: Gloo's headers, and
# those of CUDA and NCCL where several GPUs are to train together.
find_path(DIETMT_GLOO_INCLUDE_DIR gloo/context.h REQUIRED)
add_library(dietmt_collectives INTERFACE)
target_include_directories(dietmt_collectives SYSTEM INTERFACE ${DIETMT_GLOO_INCLUDE_DIR})
set(DIETMT_NCCL AUTO CACHE STRING
  "Train on several GPUs with NCCL: ON, OFF, or AUTO: if DIETMT_CUDA is ON and its headers are found")
set_property(CACHE DIETMT_NCCL PROPERTY STRINGS AUTO ON OFF)
set(dietmt_has_nccl OFF)
if(DIETMT_CUDA AND DIETMT_NCCL)
  find_path(DIETMT_CUDA_INCLUDE_DIR cusolverDn.h
    HINTS ${libtorch}/../nvidia/cu13/include /usr/local/cuda/include)
  find_path(DIETMT_NCCL_INCLUDE_DIR nccl.h
    HINTS ${libtorch}/../nvidia/nccl/include ${DIETMT_CUDA_INCLUDE_DIR})
  if(DIETMT_CUDA_INCLUDE_DIR AND DIETMT_NCCL_INCLUDE_DIR)
    set(dietmt_has_nccl ON)
    target_include_directories(dietmt_collectives SYSTEM INTERFACE
      ${DIETMT_CUDA_INCLUDE_DIR} ${DIETMT_NCCL_INCLUDE_DIR})
  elseif(DIETMT_NCCL STREQUAL "ON")
    message(FATAL_ERROR "DIETMT_NCCL=ON: no headers of CUDA (cusolverDn.h) and NCCL (nccl.h); "
                        "scripts/setup libtorch-cuda fetches them")
  else()
    message(STATUS "No headers of CUDA and NCCL: several processes can only train on CPUs")
  endif()
endif()

# One precompiled header serves every target that includes LibTorch. It is what most of them need:
# with all of torch/torch.h, GCC takes 9 s for an empty file instead of 4.
if(NOT EXISTS ${CMAKE_BINARY_DIR}/pch/torch_pch.cpp)
  file(WRITE ${CMAKE_BINARY_DIR}/pch/torch_pch.cpp "")
endif()
add_library(dietmt_torch_pch STATIC ${CMAKE_BINARY_DIR}/pch/torch_pch.cpp)
target_link_libraries(dietmt_torch_pch PUBLIC dietmt_libtorch)
# Also in programs, which share the header: libdietmt-torch.so holds most of these objects.
set(dietmt_torch_flags ${DIETMT_PCH_FLAGS} -fPIC)
if(NOT APPLE)
  list(APPEND dietmt_torch_flags -fno-semantic-interposition)
endif()
target_compile_options(dietmt_torch_pch PRIVATE ${dietmt_torch_flags})
target_precompile_headers(dietmt_torch_pch PRIVATE <ATen/ATen.h> <torch/nn/module.h>)

# Gives a target LibTorch and the shared precompiled header.
function(dietmt_use_torch target)
  target_link_libraries(${target} PUBLIC dietmt_libtorch)
  target_compile_options(${target} PRIVATE ${dietmt_torch_flags})
  target_precompile_headers(${target} REUSE_FROM dietmt_torch_pch)
endfunction()
