target_sources(dietmt_encoders PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/attention_recorder.cpp
  ${CMAKE_CURRENT_LIST_DIR}/indicators.cpp
  ${CMAKE_CURRENT_LIST_DIR}/position_scores.cpp)
