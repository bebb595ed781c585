target_sources(dietmt_nmt PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/ctranslate2.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ctranslate2_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ctranslate2_positions.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flat_yaml.cpp
  ${CMAKE_CURRENT_LIST_DIR}/foreign_tensors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/huggingface.cpp
  ${CMAKE_CURRENT_LIST_DIR}/huggingface_config.cpp
  ${CMAKE_CURRENT_LIST_DIR}/huggingface_tokenizer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/layer_names.cpp
  ${CMAKE_CURRENT_LIST_DIR}/marian.cpp
  ${CMAKE_CURRENT_LIST_DIR}/marian_config.cpp
  ${CMAKE_CURRENT_LIST_DIR}/npz.cpp
  ${CMAKE_CURRENT_LIST_DIR}/npz_archive.cpp)
target_link_libraries(dietmt_nmt PRIVATE ZLIB::ZLIB)
