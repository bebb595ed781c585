target_sources(dietmt_training PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/autocast.cpp
  ${CMAKE_CURRENT_LIST_DIR}/batch_tensors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/checkpoint_average.cpp
  ${CMAKE_CURRENT_LIST_DIR}/divergence.cpp
  ${CMAKE_CURRENT_LIST_DIR}/loss.cpp
  ${CMAKE_CURRENT_LIST_DIR}/optimizer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parameters.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rehearsal.cpp
  ${CMAKE_CURRENT_LIST_DIR}/safetensors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/step_profile.cpp
  ${CMAKE_CURRENT_LIST_DIR}/trainer.cpp)
