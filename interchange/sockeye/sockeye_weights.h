// The tensors of Sockeye's models: their names, and keys and values that are stored by head.
#pragma once

#include <filesystem>

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

inline constexpr const char* kSockeyeTables[] = {"embedding_source.embedding.weight",
                                                 "embedding_target.embedding.weight"};
inline constexpr const char* kSockeyeOutput = "output_layer.weight";
inline constexpr const char* kSockeyeOutputBias = "output_layer.bias";
inline constexpr const char* kSockeyePositions[] = {"encoder.pos_embedding.weight",
                                                    "decoder.pos_embedding.weight"};

/// Names for tensors as load_sockeye_weights() gives them.
LayerNames sockeye_names(const nmt::ModelConfig& config);

/// The tensors of params.best. The first layer of a decoder has the names of an encoder's, copies
/// that Sockeye made for tracing are left out, and queries, keys and values are apart: the file has
/// keys and values of one head next to each other, [H, 2, Dh, D]. Throws CheckpointError naming the
/// file and the tensor.
TensorsByName load_sockeye_weights(const std::filesystem::path& file,
                                   const nmt::ModelConfig& config);

}  // namespace dietmt::interchange
