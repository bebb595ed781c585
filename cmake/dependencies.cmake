# Packaged libraries outside LibTorch. scripts/setup installs them with apt.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
# Linked by the compiler's flag: LibTorch brings the runtime library under the same name, and CMake
# warns of a conflict where the system's is linked by its path.
if(NOT APPLE)
  set_target_properties(OpenMP::OpenMP_CXX PROPERTIES
    INTERFACE_LINK_LIBRARIES "Threads::Threads" INTERFACE_LINK_OPTIONS "${OpenMP_CXX_FLAGS}")
endif()
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(Boost REQUIRED)  # headers
find_package(nlohmann_json REQUIRED)
find_package(spdlog REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc i18n)

find_library(CLD2_LIBRARY cld2 REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LIBXML REQUIRED IMPORTED_TARGET libxml-2.0)
# 0.1.96 of Ubuntu 22.04 cannot say where the pieces of a text lie.
pkg_check_modules(SENTENCEPIECE REQUIRED sentencepiece>=0.1.97)
find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train REQUIRED)
find_path(SENTENCEPIECE_INCLUDE_DIR sentencepiece_processor.h REQUIRED)

if(DIETMT_MODELS)
  # fetching/. 7.85 takes protocols as text.
  pkg_check_modules(CURL IMPORTED_TARGET libcurl>=7.85)
  if(NOT CURL_FOUND)
    message(STATUS "No libcurl 7.85 or newer (libcurl4-openssl-dev): 'dietmt models' is left out")
  endif()
endif()
if(CURL_FOUND OR DIETMT_SERVICE)
  find_package(OpenSSL REQUIRED)
endif()

# interchange/marian. The packages' CMake files differ between releases; pkg-config's do not.
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(YAML_CPP REQUIRED IMPORTED_TARGET yaml-cpp)

if(DIETMT_SERVICE)
  if(DIETMT_TESTS)
    # The HTTP client of tests.
    pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
  endif()
  pkg_check_modules(LIBYAML REQUIRED IMPORTED_TARGET yaml-0.1)
  pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
  find_package(prometheus-cpp CONFIG REQUIRED)
  find_package(SQLite3 REQUIRED)
  find_package(PostgreSQL)
  if(NOT PostgreSQL_FOUND)
    message(STATUS "No PostgreSQL client library (libpq-dev): batch jobs only in SQLite")
  endif()
endif()
