#include "nmt/network/model_directory.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "common/error.h"
#include "encoders/weights/adapter_layers.h"
#include "encoders/weights/low_rank.h"
#include "encoders/weights/safetensors.h"
#include "nmt/network/model_size.h"
#include "nmt/network/translation_model.h"
#include "nmt/network/unset_model.h"

namespace dietmt::nmt {
namespace fs = std::filesystem;

data::SentenceContext LoadedModel::context() const {
  return sentence_context(model->config(), *source_tokenizer, *target_tokenizer);
}

void require_buildable(const ModelFiles& files) {
  require_buildable(files.config, files.quantization.empty() ? sizeof(float) : 1.0,
                    (files.directory / kConfigFile).string());
}

void require_buildable(const ModelConfig& config, double bytes_per_weight,
                       const std::string& file) {
  throw_if_any<CheckpointError>(position_problems(config, file));
  const std::string problem = memory_problem(config, bytes_per_weight, file);
  if (!problem.empty()) throw CheckpointError(problem);
}

std::map<std::string, at::Tensor> read_weights(const ModelFiles& files) {
  std::map<std::string, at::Tensor> weights = encoders::map_safetensors(files.weights());
  if (files.adapter_layers)
    encoders::add_adapter_layers(files.adapter, weights);
  else if (!files.adapter.empty())
    encoders::merge_adapter(files.adapter, weights);
  return weights;
}

LoadedModel load_model(const ModelFiles& files, at::Device device) {
  files.require_full_weights();
  require_buildable(files);
  LoadedModel loaded;
  loaded.directory = files.directory;
  loaded.source_tokenizer = files.tokenizers.source;
  loaded.target_tokenizer = files.tokenizers.target;
  loaded.model = unset_model(files.config);
  encoders::set_parameters(*loaded.model, read_weights(files), files.weights());
  loaded.model->to(device);
  loaded.model->eval();
  return loaded;
}

LoadedModel load_model(const fs::path& directory, at::Device device) {
  return load_model(open_model(directory), device);
}

void write_model(const fs::path& directory, const ModelConfig& config,
                 const std::vector<std::pair<std::string, at::Tensor>>& weights,
                 const data::Tokenizer& source, const data::Tokenizer& target,
                 const std::string& quantization) {
  encoders::save_safetensors(directory / storage::kSafetensorsFile, weights);
  write_description(directory, config, source, target, quantization);
}

}  // namespace dietmt::nmt
