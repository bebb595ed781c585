// Packed fp32 weights as weights of another type, without LibTorch.
#pragma once

#include <filesystem>
#include <string>

#include "nmt/model/model_files.h"

namespace dietmt::nmt {

/// Writes a copy of `model`, which has packed fp32 weights, into `directory`, which must exist,
/// with weights of type "int8", "bf16" or "fp32". The files are those that the full weights give.
/// Throws CheckpointError for packed weights of another type, because they are rounded already.
void repack(const std::filesystem::path& directory, const ModelFiles& model,
            const std::string& type);

}  // namespace dietmt::nmt
