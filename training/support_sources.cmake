# Checkpoints, schedules, progress and the report, and weights on disk: they need no LibTorch.
target_sources(dietmt_training_support PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/append_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/batch_search.cpp
  ${CMAKE_CURRENT_LIST_DIR}/checkpoint.cpp
  ${CMAKE_CURRENT_LIST_DIR}/distributed/local_address.cpp
  ${CMAKE_CURRENT_LIST_DIR}/distributed/peer_watch.cpp
  ${CMAKE_CURRENT_LIST_DIR}/distributed/process_place.cpp
  ${CMAKE_CURRENT_LIST_DIR}/event_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/heat_map.cpp
  ${CMAKE_CURRENT_LIST_DIR}/memory_use.cpp
  ${CMAKE_CURRENT_LIST_DIR}/output_lock.cpp
  ${CMAKE_CURRENT_LIST_DIR}/progress.cpp
  ${CMAKE_CURRENT_LIST_DIR}/progress_bar.cpp
  ${CMAKE_CURRENT_LIST_DIR}/progress_table.cpp
  ${CMAKE_CURRENT_LIST_DIR}/report.cpp
  ${CMAKE_CURRENT_LIST_DIR}/report_chart.cpp
  ${CMAKE_CURRENT_LIST_DIR}/report_page.cpp
  ${CMAKE_CURRENT_LIST_DIR}/safetensors_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/safetensors_view.cpp
  ${CMAKE_CURRENT_LIST_DIR}/schedule.cpp)
