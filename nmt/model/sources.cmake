target_sources(dietmt_nmt PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/decoder_cache.cpp
  ${CMAKE_CURRENT_LIST_DIR}/model_directory.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packed_tokens.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rebuilt_model.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stack_configs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/translation_model.cpp)
