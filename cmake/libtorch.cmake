# LibTorch as imported targets. find_package(Torch) fails without the CUDA toolkit; the CPU part
# needs only libtorch_cpu and libc10 (docs/architecture.md, "LibTorch").
set(DIETMT_LIBTORCH "" CACHE PATH "Folder with LibTorch's include/ and lib/ (an unpacked or installed torch package)")
if(NOT DIETMT_LIBTORCH)
  set(DIETMT_LIBTORCH ${CMAKE_SOURCE_DIR}/.deps/libtorch/torch)
endif()
if(NOT EXISTS ${DIETMT_LIBTORCH}/include/torch/csrc/api/include/torch/torch.h)
  message(FATAL_ERROR "No LibTorch in ${DIETMT_LIBTORCH}: run scripts/setup, or pass "
                      "-DDIETMT_LIBTORCH=<folder with include/ and lib/>.")
endif()

foreach(name c10 torch_cpu)
  add_library(dietmt_${name} SHARED IMPORTED)
  set_target_properties(dietmt_${name} PROPERTIES IMPORTED_LOCATION ${DIETMT_LIBTORCH}/lib/lib${name}.so)
endforeach()

add_library(dietmt_libtorch INTERFACE)
target_include_directories(dietmt_libtorch SYSTEM INTERFACE
  ${DIETMT_LIBTORCH}/include ${DIETMT_LIBTORCH}/include/torch/csrc/api/include)
target_link_libraries(dietmt_libtorch INTERFACE dietmt_torch_cpu dietmt_c10 OpenMP::OpenMP_CXX)
target_link_options(dietmt_libtorch INTERFACE
  -Wl,-rpath,${DIETMT_LIBTORCH}/lib -Wl,-rpath-link,${DIETMT_LIBTORCH}/lib
  -Wl,-rpath-link,${DIETMT_LIBTORCH}/../nvidia/cu13/lib -Wl,--allow-shlib-undefined)

# One precompiled header serves every target that includes torch.
file(WRITE ${CMAKE_BINARY_DIR}/pch/torch_pch.cpp "")
add_library(dietmt_torch_pch STATIC ${CMAKE_BINARY_DIR}/pch/torch_pch.cpp)
target_link_libraries(dietmt_torch_pch PUBLIC dietmt_libtorch)
target_compile_options(dietmt_torch_pch PRIVATE ${DIETMT_PCH_FLAGS})
target_precompile_headers(dietmt_torch_pch PRIVATE <torch/torch.h>)

# Gives a target LibTorch and the shared precompiled header.
function(dietmt_use_torch target)
  target_link_libraries(${target} PUBLIC dietmt_libtorch)
  target_compile_options(${target} PRIVATE ${DIETMT_PCH_FLAGS})
  target_precompile_headers(${target} REUSE_FROM dietmt_torch_pch)
endfunction()
