# Headers of LibTorch, spdlog and JSON cost more than most sources: several sources share them.
set(CMAKE_UNITY_BUILD ${DIETMT_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
if(DIETMT_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It warns of classes in headers; the sources are included by the one file that is compiled.
  add_compile_options(-Wno-subobject-linkage)
endif()

# Gives a library without LibTorch objects that libdietmt.so can hold, inlined as in a program.
function(dietmt_fit_shared_library target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(APPLE)
    # What --exclude-libs does elsewhere: the library exports none of it.
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  else()
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()

# One folder is one library, dietmt_<path with underscores>:
#   dietmt_library(NAME [TORCH] SOURCES... LIBRARIES... [PRIVATE...])
# TORCH gives it LibTorch and the shared precompiled header. LIBRARIES are those of the folders whose
# headers the folder includes (tests/layering_test.py compares them) and of the rooms of kernels/cpu/
# that it calls, and packages in its headers; PRIVATE ones are packages that only its sources use.
function(dietmt_library name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;LIBRARIES;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LIBRARIES} PRIVATE ${ARG_PRIVATE})
  if(ARG_TORCH)
    dietmt_use_torch(${name})
  else()
    dietmt_fit_shared_library(${name})
    set_property(GLOBAL APPEND PROPERTY DIETMT_HOST_LIBRARIES ${name})
  endif()
endfunction()
