target_sources(dietmt_encoders PRIVATE ${CMAKE_CURRENT_LIST_DIR}/cuda_kernels.cpp)
target_link_libraries(dietmt_encoders PRIVATE ${CMAKE_DL_LIBS})

# The shared object of cuda_kernels.h, beside the programs. Symbols of libtorch_cuda and libcudart
# stay open at link time.
if(TARGET dietmt_kernels_cuda)
  find_package(CUDAToolkit REQUIRED)
  add_library(dietmt_attention_cuda_backend SHARED attention/cuda_backend.cpp)
  set_target_properties(dietmt_attention_cuda_backend PROPERTIES
    OUTPUT_NAME dietmt_attention_cuda CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  target_link_libraries(dietmt_attention_cuda_backend
    PRIVATE dietmt_kernels_cuda dietmt_libtorch CUDA::cudart)
  install(TARGETS dietmt_attention_cuda_backend LIBRARY)
endif()
