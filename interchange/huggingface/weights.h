// The weights of a directory of Hugging Face's transformers, whatever their format.
#pragma once

#include <filesystem>

#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {

/// All tensors, on the CPU, in the types of the file. Do not write to them: they may share memory.
/// Reads the first that exists of model.safetensors, model.safetensors.index.json,
/// pytorch_model.bin and pytorch_model.bin.index.json; an index lists the files of a model in
/// parts. Throws CheckpointError naming the file, and the tensor if it is one.
TensorsByName load_weights(const std::filesystem::path& directory);

/// The tensors of the `state_dict` in a checkpoint of PyTorch Lightning, in the same way.
TensorsByName load_lightning_weights(const std::filesystem::path& file);

}  // namespace dietmt::interchange
