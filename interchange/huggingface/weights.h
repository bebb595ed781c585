// The weights in a directory of Hugging Face's transformers, in any of its formats.
#pragma once

#include <filesystem>
#include <string>

#include "interchange/foreign_tensors.h"
#include "interchange/pytorch/torch_file.h"

namespace dietmt::interchange {

/// Whether a name that a model's files give is that of a file in their directory.
bool is_file_name(const std::string& name);

/// All tensors, on the CPU, in the file's types. Do not write to them: they may share memory. Reads
/// the first of model.safetensors, model.safetensors.index.json, pytorch_model.bin and
/// pytorch_model.bin.index.json that exists; an index lists the files of a model in parts. Throws
/// CheckpointError naming the file, and the tensor if one is at fault.
TensorsByName load_weights(const std::filesystem::path& directory);

/// The tensors in a checkpoint of PyTorch Lightning or fairseq.
TensorsByName load_checkpoint(const std::filesystem::path& file, TorchContent content);

}  // namespace dietmt::interchange
