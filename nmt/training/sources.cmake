target_sources(dietmt_nmt PRIVATE ${CMAKE_CURRENT_LIST_DIR}/translation_task.cpp)
