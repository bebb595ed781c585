// The files of OpenNMT-py's and eole's models.
#pragma once

#include <filesystem>

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

inline constexpr const char* kEoleConfig = "config.json";
inline constexpr const char* kEoleVocabulary = "vocab.json";

/// The weights of a checkpoint NAME.pt of OpenNMT-py, or those of NAME.safetensors if there is such
/// a file. Throws CheckpointError naming the file.
TensorsByName load_opennmt_weights(const std::filesystem::path& checkpoint);

/// The weights of eole's model.00.safetensors, model.01.safetensors, ... Throws CheckpointError
/// naming the file.
TensorsByName load_eole_weights(const std::filesystem::path& directory);

}  // namespace dietmt::interchange
