target_sources(dietmt_bert PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/embedding_writer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pooling.cpp)
