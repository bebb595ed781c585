target_sources(dietmt_bert PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/config_json.cpp
  ${CMAKE_CURRENT_LIST_DIR}/huggingface.cpp
  ${CMAKE_CURRENT_LIST_DIR}/huggingface_config.cpp
  ${CMAKE_CURRENT_LIST_DIR}/huggingface_names.cpp
  ${CMAKE_CURRENT_LIST_DIR}/model_directory.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packed_encoding.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pretrained.cpp)
