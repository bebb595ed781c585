# The OpenAPI documents as string literals.
set(openapi_files ${CMAKE_CURRENT_LIST_DIR}/openapi.json)
file(GLOB openapi_others CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../*/openapi_*.json)
list(APPEND openapi_files ${openapi_others})
set(openapi_literals "")
foreach(file ${openapi_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(APPEND openapi_literals "R\"openapi(${text})openapi\", ")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/openapi_parts.cpp.in
               ${CMAKE_CURRENT_BINARY_DIR}/openapi_parts.cpp @ONLY)

target_sources(dietmt_service PRIVATE
  ${CMAKE_CURRENT_BINARY_DIR}/openapi_parts.cpp
  ${CMAKE_CURRENT_LIST_DIR}/abbreviations.cpp
  ${CMAKE_CURRENT_LIST_DIR}/api_keys.cpp
  ${CMAKE_CURRENT_LIST_DIR}/decoding_fields.cpp
  ${CMAKE_CURRENT_LIST_DIR}/exchange.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fields.cpp
  ${CMAKE_CURRENT_LIST_DIR}/language_pairs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/languages.cpp
  ${CMAKE_CURRENT_LIST_DIR}/libretranslate_routes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/line_translation.cpp
  ${CMAKE_CURRENT_LIST_DIR}/markup.cpp
  ${CMAKE_CURRENT_LIST_DIR}/metrics.cpp
  ${CMAKE_CURRENT_LIST_DIR}/model_routes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/openapi.cpp
  ${CMAKE_CURRENT_LIST_DIR}/router.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sentence_splitter.cpp
  ${CMAKE_CURRENT_LIST_DIR}/serve_signals.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text_translator.cpp
  ${CMAKE_CURRENT_LIST_DIR}/translation_api.cpp
  ${CMAKE_CURRENT_LIST_DIR}/v1_routes.cpp)
