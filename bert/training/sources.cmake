target_sources(dietmt_bert PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/pretraining_task.cpp)
