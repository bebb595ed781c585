target_sources(dietmt_bert PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/classification_task.cpp
  ${CMAKE_CURRENT_LIST_DIR}/encoded_inputs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/example_batches.cpp
  ${CMAKE_CURRENT_LIST_DIR}/finetuning_data.cpp
  ${CMAKE_CURRENT_LIST_DIR}/finetuning_task.cpp
  ${CMAKE_CURRENT_LIST_DIR}/prediction.cpp
  ${CMAKE_CURRENT_LIST_DIR}/protocol.cpp
  ${CMAKE_CURRENT_LIST_DIR}/result_table.cpp
  ${CMAKE_CURRENT_LIST_DIR}/scoring.cpp
  ${CMAKE_CURRENT_LIST_DIR}/span_data.cpp
  ${CMAKE_CURRENT_LIST_DIR}/span_task.cpp
  ${CMAKE_CURRENT_LIST_DIR}/start_model.cpp
  ${CMAKE_CURRENT_LIST_DIR}/task_data.cpp
  ${CMAKE_CURRENT_LIST_DIR}/task_description.cpp
  ${CMAKE_CURRENT_LIST_DIR}/task_metrics.cpp)
