#include "nmt/network/model_directory.h"

#include <ATen/ATen.h>

#include "encoders/weights/safetensors.h"

namespace dietmt::nmt {
namespace fs = std::filesystem;

void load_weights(TranslationModel& model, const fs::path& directory) {
  encoders::load_parameters(model, directory / storage::kSafetensorsFile);
}

LoadedModel load_model(const fs::path& directory, at::Device device) {
  const ModelFiles files = open_model(directory);
  files.require_full_weights();
  LoadedModel loaded;
  loaded.directory = files.directory;
  loaded.source_tokenizer = files.tokenizers.source;
  loaded.target_tokenizer = files.tokenizers.target;
  loaded.model = std::make_shared<TranslationModel>(files.config, 0);
  load_weights(*loaded.model, loaded.directory);
  loaded.model->to(device);
  loaded.model->eval();
  return loaded;
}

void write_model(const fs::path& directory, const ModelConfig& config,
                 const std::vector<std::pair<std::string, at::Tensor>>& weights,
                 const data::Tokenizer& source, const data::Tokenizer& target,
                 const std::string& quantization) {
  encoders::save_safetensors(directory / storage::kSafetensorsFile, weights);
  write_description(directory, config, source, target, quantization);
}

}  // namespace dietmt::nmt
