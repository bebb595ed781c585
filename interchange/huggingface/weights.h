// The weights in a directory of Hugging Face's transformers, in any of its formats.
#pragma once

#include <filesystem>

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

/// All tensors, on the CPU, in the file's types. Do not write to them: they may share memory. Reads
/// the first of model.safetensors, model.safetensors.index.json, pytorch_model.bin and
/// pytorch_model.bin.index.json that exists; an index lists the files of a model in parts. Throws
/// CheckpointError naming the file, and the tensor if one is at fault.
TensorsByName load_weights(const std::filesystem::path& directory);

/// The tensors of `state_dict` in a PyTorch Lightning checkpoint.
TensorsByName load_lightning_weights(const std::filesystem::path& file);

}  // namespace dietmt::interchange
