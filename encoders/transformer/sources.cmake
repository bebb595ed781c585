target_sources(dietmt_encoders PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/fused_ops.cpp
  ${CMAKE_CURRENT_LIST_DIR}/inheritance.cpp
  ${CMAKE_CURRENT_LIST_DIR}/layers.cpp
  ${CMAKE_CURRENT_LIST_DIR}/linear.cpp
  ${CMAKE_CURRENT_LIST_DIR}/matrix_products.cpp
  ${CMAKE_CURRENT_LIST_DIR}/recomputation.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stacks.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../attention/multi_head_attention.cpp)
