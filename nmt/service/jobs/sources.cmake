target_sources(dietmt_service PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/chunk_translation.cpp
  ${CMAKE_CURRENT_LIST_DIR}/gzip_writer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_json.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_queue.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_queue_chunks.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_routes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_schema.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_service.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_upload_form.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_upload_receiver.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_worker.cpp
  ${CMAKE_CURRENT_LIST_DIR}/json_fields.cpp
  ${CMAKE_CURRENT_LIST_DIR}/line_format.cpp
  ${CMAKE_CURRENT_LIST_DIR}/postgresql_database.cpp
  ${CMAKE_CURRENT_LIST_DIR}/process_identity.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sql_database.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sqlite_database.cpp)
target_link_libraries(dietmt_service PRIVATE ZLIB::ZLIB)
