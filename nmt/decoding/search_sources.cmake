target_sources(dietmt_search PRIVATE
  decoding/beam.cpp
  decoding/engine/chosen_outputs.cpp
  decoding/engine/decoding_worker.cpp
  decoding/engine/engine_decoder.cpp
  decoding/engine/model_runner.cpp
  decoding/engine/model_runner_encode.cpp
  decoding/engine/position_tables.cpp
  decoding/engine/sentence_search.cpp
  decoding/engine/slot_pool.cpp
  decoding/engine/thread_team.cpp
  decoding/engine/token_draw.cpp
  decoding/engine/token_selector.cpp
  decoding/request_feed.cpp
  decoding/samples.cpp
  decoding/search_options.cpp
  decoding/search_task.cpp
  decoding/selection.cpp)
