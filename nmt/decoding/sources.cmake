target_sources(dietmt_nmt PRIVATE
  decoding/attention_maps.cpp
  decoding/batch_decoder.cpp
  decoding/beam_search.cpp
  decoding/candidates.cpp
  decoding/constraints.cpp
  decoding/decoder_loader.cpp
  decoding/engine/lower_positions.cpp
  decoding/engine/pack_model.cpp
  decoding/forced_scoring.cpp
  decoding/line_writer.cpp
  decoding/model_list.cpp
  decoding/model_scorer.cpp
  decoding/parallel_batches.cpp
  decoding/sampling.cpp
  decoding/text_lines.cpp
  decoding/translation_stream.cpp
  decoding/translator.cpp)
