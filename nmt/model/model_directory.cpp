#include "nmt/model/model_directory.h"

#include <torch/torch.h>

#include "training/parameters.h"
#include "training/safetensors.h"

namespace dietmt::nmt {
namespace fs = std::filesystem;

void load_weights(TranslationModel& model, const fs::path& directory) {
  training::load_parameters(model, directory / training::kSafetensorsFile);
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
  training::save_safetensors(directory / training::kSafetensorsFile, weights);
  write_description(directory, config, source, target, quantization);
}

}  // namespace dietmt::nmt
