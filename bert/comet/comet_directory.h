// A COMET model on disk: config.json, model.safetensors and the tokenizer.
#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>

#include "data/text/bert_tokenizer.h"
#include "encoders/comet/comet.h"

namespace dietmt::bert {

/// Writes into `directory`, which exists. Throws ConfigError if the tokenizer has more pieces than
/// the model.
void write_comet(const std::filesystem::path& directory, const encoders::CometModel& model,
                 const data::BertTokenizer& tokenizer);

struct LoadedComet {
  std::shared_ptr<encoders::CometModel> model;
  std::unique_ptr<data::BertTokenizer> tokenizer;
};

/// Throws CheckpointError naming the file, and the field or tensor at fault.
LoadedComet load_comet(const std::filesystem::path& directory, at::Device device = at::kCPU);

}  // namespace dietmt::bert
