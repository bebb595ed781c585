target_sources(dietmt_nmt PRIVATE
  decoding/attention_maps.cpp
  decoding/beam_search.cpp
  decoding/candidates.cpp
  decoding/forced_scoring.cpp
  decoding/line_writer.cpp
  decoding/model_list.cpp
  decoding/model_scorer.cpp
  decoding/parallel_batches.cpp
  decoding/sampling.cpp
  decoding/search_task.cpp
  decoding/text_lines.cpp
  decoding/translation_stream.cpp
  decoding/translator.cpp)
