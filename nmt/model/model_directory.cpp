#include "nmt/model/model_directory.h"

#include <torch/torch.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "training/checkpoint.h"
#include "training/parameters.h"
#include "training/safetensors.h"

namespace dietmt::nmt {
namespace fs = std::filesystem;
namespace {

constexpr int kFormat = 1;
constexpr const char* kConfigFile = "config.json";
constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kJointTokenizer = "tokenizer.model";
constexpr const char* kSourceTokenizer = "source.tokenizer.model";
constexpr const char* kTargetTokenizer = "target.tokenizer.model";

ModelConfig read_config(const fs::path& path) {
  try {
    const nlohmann::json json = nlohmann::json::parse(read_file(path));
    if (json.contains("architecture")) {
      throw CheckpointError("is that of no translation model but of one of kind " +
                            json.at("architecture").dump());
    }
    if (json.at("format").get<int>() != kFormat) {
      throw CheckpointError("format " + json.at("format").dump() +
                            " is not known; this program reads " + std::to_string(kFormat));
    }
    return ModelConfig::from_json(json.at("model"));
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
}

}  // namespace

void load_weights(TranslationModel& model, const fs::path& directory) {
  training::load_parameters(model, directory / kWeightsFile);
}

Tokenizers load_tokenizers(const fs::path& directory) {
  if (fs::exists(directory / kJointTokenizer)) {
    const auto joint = std::make_shared<data::Tokenizer>(directory / kJointTokenizer);
    return {joint, joint};
  }
  return {std::make_shared<data::Tokenizer>(directory / kSourceTokenizer),
          std::make_shared<data::Tokenizer>(directory / kTargetTokenizer)};
}

LoadedModel load_model(const fs::path& directory, at::Device device) {
  LoadedModel loaded;
  loaded.directory = training::resolve_model_directory(directory);
  const ModelConfig config = read_config(loaded.directory / kConfigFile);
  loaded.model = std::make_shared<TranslationModel>(config, 0);
  load_weights(*loaded.model, loaded.directory);
  loaded.model->to(device);
  loaded.model->eval();
  const Tokenizers tokenizers = load_tokenizers(loaded.directory);
  loaded.source_tokenizer = tokenizers.source;
  loaded.target_tokenizer = tokenizers.target;
  if (loaded.source_tokenizer->vocabulary_size() != config.source_vocabulary ||
      loaded.target_tokenizer->vocabulary_size() != config.target_vocabulary) {
    throw CheckpointError(loaded.directory.string() +
                          ": the tokenizer has another vocabulary size than " + kConfigFile);
  }
  return loaded;
}

void write_model(const fs::path& directory, const ModelConfig& config,
                 const std::vector<std::pair<std::string, at::Tensor>>& weights,
                 const data::Tokenizer& source, const data::Tokenizer& target) {
  const nlohmann::json json = {{"format", kFormat}, {"model", config.to_json()}};
  write_file_atomically(directory / kConfigFile, json.dump(1) + "\n");
  training::save_safetensors(directory / kWeightsFile, weights);
  if (&source == &target) {
    write_file_atomically(directory / kJointTokenizer, source.serialized());
  } else {
    write_file_atomically(directory / kSourceTokenizer, source.serialized());
    write_file_atomically(directory / kTargetTokenizer, target.serialized());
  }
}

}  // namespace dietmt::nmt
