# cpack -G DEB and cpack -G TGZ, in the folder of the build. The component dietmt is what runs without
# LibTorch, the server included; dietmt-train adds dietmt-torch, with LibTorch's libraries in
# lib/dietmt; library is the C++ library, and development what programs need to build against it.
set(CPACK_PACKAGE_NAME dietmt)
set(CPACK_PACKAGE_VENDOR "dietmt developers")
set(CPACK_PACKAGE_CONTACT "dietmt developers <developers@dietmt.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Machine translation with pluggable position encodings")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(package_of_dietmt dietmt)
set(package_of_dietmt-train dietmt-train)
set(package_of_library libdietmt${PROJECT_VERSION_MAJOR})  # by the name that programs load
set(package_of_development libdietmt-dev)
set(CPACK_COMPONENTS_ALL dietmt library development)
if(DIETMT_TORCH)
  list(APPEND CPACK_COMPONENTS_ALL dietmt-train)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENT_DIETMT_DESCRIPTION "Translates, serves over HTTP and trains subword models; no LibTorch.")
set(CPACK_COMPONENT_DIETMT-TRAIN_DESCRIPTION
  "Trains translation models and BERT encoders, converts models. Brings LibTorch.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "C++ library that translates and scores; needs no LibTorch.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and CMake package of the C++ library.")

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_THREADS 0)
set(CPACK_PACKAGE_FILE_NAME dietmt-${PROJECT_VERSION}-${DIETMT_SYSTEM}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DIETMT_PACKAGE_SUGGESTS poppler-utils)
set(CPACK_DEBIAN_DIETMT-TRAIN_PACKAGE_DEPENDS "dietmt (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${package_of_library} (= ${PROJECT_VERSION})")
set(debian ${CMAKE_CURRENT_BINARY_DIR}/debian)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian/shlibs.in ${debian}/shlibs @ONLY)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
  ${CMAKE_CURRENT_LIST_DIR}/debian/triggers ${debian}/shlibs)
set(CPACK_DEBIAN_DIETMT_PACKAGE_CONTROL_EXTRA
  ${CMAKE_CURRENT_LIST_DIR}/debian/postinst ${CMAKE_CURRENT_LIST_DIR}/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The distribution's packages that the programs load; those of LibTorch come from the package itself.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(DIETMT_TORCH)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${libtorch}/lib ${libtorch}/../nvidia/cu13/lib)
endif()

# Debian asks every package for its copyright and its changelog.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian/changelog.in ${debian}/changelog @ONLY)
execute_process(COMMAND gzip -9nkf ${debian}/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(component ${CPACK_COMPONENTS_ALL})
  set(package ${package_of_${component}})
  string(TOUPPER ${component} upper)
  set(CPACK_ARCHIVE_${upper}_FILE_NAME
    ${package}-${PROJECT_VERSION}-${DIETMT_SYSTEM}-${CMAKE_SYSTEM_PROCESSOR})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  install(FILES LICENSE THIRD_PARTY_NOTICES.md ${CMAKE_CURRENT_LIST_DIR}/debian/copyright
    ${debian}/changelog.gz DESTINATION share/doc/${package} COMPONENT ${component})
endforeach()
include(CPack)
