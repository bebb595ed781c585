// Imports checkpoints of the COMET family in the format of the Python package unbabel-comet: a
// directory with hparams.yaml and checkpoints/model.ckpt, written by PyTorch Lightning.
#pragma once

#include <filesystem>
#include <memory>

#include "encoders/comet/comet.h"

namespace dietmt::interchange {

/// Whether the directory looks like such a checkpoint.
bool is_comet_checkpoint(const std::filesystem::path& directory);

/// `encoder` is the directory of the XLM-R that the checkpoint was trained from. Sizes come from
/// its config.json; its weights are not read. Tensors may be fp32, fp16 or bf16; the model has
/// fp32. Throws CheckpointError naming the file, and the key or tensor at fault.
std::shared_ptr<encoders::CometModel> import_comet(const std::filesystem::path& directory,
                                                   const std::filesystem::path& encoder);

}  // namespace dietmt::interchange
