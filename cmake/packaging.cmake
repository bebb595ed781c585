# cpack -G DEB and cpack -G TGZ, in the folder of the build. The component dietmt is what runs without
# LibTorch, the server included; dietmt-train adds dietmt-torch, with LibTorch's libraries in
# lib/dietmt; library is the C++ library with what programs need to build against it.
set(CPACK_PACKAGE_NAME dietmt)
set(CPACK_PACKAGE_VENDOR "dietmt developers")
set(CPACK_PACKAGE_CONTACT "dietmt developers <developers@dietmt.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Machine translation with pluggable position encodings")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL dietmt library)
if(DIETMT_TORCH)
  list(APPEND CPACK_COMPONENTS_ALL dietmt-train)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENT_DIETMT_DESCRIPTION "Translates, serves over HTTP, scores and trains subword models; needs no LibTorch.")
set(CPACK_COMPONENT_DIETMT-TRAIN_DESCRIPTION
  "Trains translation models and BERT encoders, converts models. Brings LibTorch.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "C++ library that translates and scores; needs no LibTorch.")

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_THREADS 0)
set(CPACK_PACKAGE_FILE_NAME dietmt-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_DIETMT_FILE_NAME dietmt-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_DIETMT-TRAIN_FILE_NAME dietmt-train-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_LIBRARY_FILE_NAME libdietmt-dev-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DIETMT_PACKAGE_NAME dietmt)
set(CPACK_DEBIAN_DIETMT-TRAIN_PACKAGE_NAME dietmt-train)
set(CPACK_DEBIAN_DIETMT-TRAIN_PACKAGE_DEPENDS "dietmt (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libdietmt-dev)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
# The distribution's packages that the programs load; those of LibTorch come from the package itself.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(DIETMT_TORCH)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${libtorch}/lib ${libtorch}/../nvidia/cu13/lib)
endif()
include(CPack)
