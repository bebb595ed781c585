target_sources(dietmt_service PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/chunked_decoder.cpp
  ${CMAKE_CURRENT_LIST_DIR}/connection.cpp
  ${CMAKE_CURRENT_LIST_DIR}/cors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/event_loop.cpp
  ${CMAKE_CURRENT_LIST_DIR}/exchange.cpp
  ${CMAKE_CURRENT_LIST_DIR}/handler_threads.cpp
  ${CMAKE_CURRENT_LIST_DIR}/http_server.cpp
  ${CMAKE_CURRENT_LIST_DIR}/listener.cpp
  ${CMAKE_CURRENT_LIST_DIR}/nameless_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/request_fault.cpp
  ${CMAKE_CURRENT_LIST_DIR}/request_head.cpp
  ${CMAKE_CURRENT_LIST_DIR}/request_reader.cpp
  ${CMAKE_CURRENT_LIST_DIR}/spooled_bytes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tls.cpp
  ${CMAKE_CURRENT_LIST_DIR}/transport.cpp
  ${CMAKE_CURRENT_LIST_DIR}/transport_factory.cpp
  ${CMAKE_CURRENT_LIST_DIR}/whole_body.cpp)
# Headers include cpp-httplib's, whose macros decide on the layout of its classes.
target_link_libraries(dietmt_service PUBLIC PkgConfig::HTTPLIB OpenSSL::SSL)
