target_sources(dietmt_encoders PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/bert.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bert_config.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bert_model.cpp
  ${CMAKE_CURRENT_LIST_DIR}/heads.cpp)
