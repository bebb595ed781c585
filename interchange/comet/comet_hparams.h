// Reads hparams.yaml of a COMET checkpoint: the kind of model and its training options.
#pragma once

#include <filesystem>

#include "encoders/bert/bert_config.h"
#include "encoders/comet/comet_config.h"

namespace dietmt::interchange {

/// Missing options get the package's defaults. Throws CheckpointError naming the file and the key
/// if it cannot be read or describes a model that dietmt does not support.
encoders::CometConfig read_comet_hparams(const std::filesystem::path& file,
                                         const encoders::BertConfig& encoder);

}  // namespace dietmt::interchange
