target_sources(dietmt_encoders PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/attention.cpp
  ${CMAKE_CURRENT_LIST_DIR}/contextual_positions.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fused_backend.cpp
  ${CMAKE_CURRENT_LIST_DIR}/head_split.cpp
  ${CMAKE_CURRENT_LIST_DIR}/offset_band.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packing.cpp
  ${CMAKE_CURRENT_LIST_DIR}/padding.cpp
  ${CMAKE_CURRENT_LIST_DIR}/reference_backend.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rotation.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sdpa_backend.cpp
  ${CMAKE_CURRENT_LIST_DIR}/vector_terms.cpp)
