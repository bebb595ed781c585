// What `dietmt quantize` does with a model.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "nmt/model/model_files.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::tools {

struct Quantizer {
  /// Writes `model` with weights of this type into the directory.
  std::function<void(const std::filesystem::path& directory, const nmt::ModelFiles& model,
                     const std::string& type)>
      write;
  /// For the report on a test set.
  std::function<nmt::LoadedDecoder(const std::string& directory)> load;
};

/// `dietmt` takes packed fp32 weights; for full ones it replaces itself with `dietmt-torch`, to run
/// the command with `arguments`.
Quantizer quantizer(const nmt::ModelFiles& model, const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
