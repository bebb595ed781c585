target_sources(dietmt_training PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/autocast.cpp
  ${CMAKE_CURRENT_LIST_DIR}/batch_tensors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/checkpoint_average.cpp
  ${CMAKE_CURRENT_LIST_DIR}/distributed/data_parallel.cpp
  ${CMAKE_CURRENT_LIST_DIR}/distributed/flat_parameters.cpp
  ${CMAKE_CURRENT_LIST_DIR}/distributed/gradient_buckets.cpp
  ${CMAKE_CURRENT_LIST_DIR}/distributed/meeting_place.cpp
  ${CMAKE_CURRENT_LIST_DIR}/distributed/process_group.cpp
  ${CMAKE_CURRENT_LIST_DIR}/divergence.cpp
  ${CMAKE_CURRENT_LIST_DIR}/loss.cpp
  ${CMAKE_CURRENT_LIST_DIR}/optimizer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parameters.cpp
  ${CMAKE_CURRENT_LIST_DIR}/safetensors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/trainer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/trainer_options.cpp
  ${CMAKE_CURRENT_LIST_DIR}/training_state.cpp)
