// The models of `--model DIR[,DIR...]`: one, or an ensemble with one vocabulary.
#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "nmt/network/model_directory.h"

namespace dietmt::nmt {

class ModelList {
 public:
  /// `directories`: separated by commas. Throws CheckpointError if one cannot be loaded,
  /// ConfigError if the tokenizers are not the same.
  ModelList(const std::string& directories, c10::Device device);

  std::vector<const TranslationModel*> pointers() const;
  const data::Tokenizer& source_tokenizer() const { return *models_.front().source_tokenizer; }
  const data::Tokenizer& target_tokenizer() const { return *models_.front().target_tokenizer; }

  Tokenizers tokenizers() const {
    return {models_.front().source_tokenizer, models_.front().target_tokenizer};
  }

 private:
  std::vector<LoadedModel> models_;
};

}  // namespace dietmt::nmt
