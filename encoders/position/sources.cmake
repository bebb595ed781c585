target_sources(dietmt_encoders PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/diet_rel.cpp
  ${CMAKE_CURRENT_LIST_DIR}/encoding_table.cpp
  ${CMAKE_CURRENT_LIST_DIR}/head_mix.cpp
  ${CMAKE_CURRENT_LIST_DIR}/learned.cpp
  ${CMAKE_CURRENT_LIST_DIR}/position_encoding.cpp
  ${CMAKE_CURRENT_LIST_DIR}/position_spec.cpp
  ${CMAKE_CURRENT_LIST_DIR}/shared_table.cpp
  ${CMAKE_CURRENT_LIST_DIR}/shaw.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sinusoidal.cpp
  ${CMAKE_CURRENT_LIST_DIR}/t5.cpp)
