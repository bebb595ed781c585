// T5, mT5 and MADLAD-400 of transformers (Raffel et al. 2020; Kudugunta et al. 2023).
#pragma once

#include <filesystem>

#include "nmt/network/model_directory.h"

namespace dietmt::interchange {

/// Reads tensors in fp32, fp16 or bf16; the model has fp32. T5 does not scale the products of
/// queries and keys; ours does, so queries get the inverse. A vocabulary with pieces such as
/// `<2de>` gets these languages. Throws CheckpointError or DataError naming the file and what is
/// missing or does not match.
nmt::LoadedModel import_t5(const std::filesystem::path& directory);

}  // namespace dietmt::interchange
