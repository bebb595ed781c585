target_sources(dietmt_nmt PRIVATE
  decoding/attention_maps.cpp
  decoding/batch_decoder.cpp
  decoding/beam_search.cpp
  decoding/candidates.cpp
  decoding/constraints.cpp
  decoding/decoder_loader.cpp
  decoding/engine/engine_files.cpp
  decoding/engine/engine_model.cpp
  decoding/engine/lower_positions.cpp
  decoding/engine/packing_weights.cpp
  decoding/engine/write_positions.cpp
  decoding/forced_scoring.cpp
  decoding/model_list.cpp
  decoding/model_scorer.cpp
  decoding/model_translation.cpp
  decoding/parallel_batches.cpp
  decoding/sampling.cpp)
