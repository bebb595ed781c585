target_sources(dietmt_service PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/busy_rate.cpp
  ${CMAKE_CURRENT_LIST_DIR}/model_registry.cpp
  ${CMAKE_CURRENT_LIST_DIR}/model_spec.cpp
  ${CMAKE_CURRENT_LIST_DIR}/request_queue.cpp
  ${CMAKE_CURRENT_LIST_DIR}/served_model.cpp)
