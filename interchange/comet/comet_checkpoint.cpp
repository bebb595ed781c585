#include "interchange/comet/comet_checkpoint.h"

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "common/error.h"
#include "encoders/comet/comet_config.h"
#include "interchange/comet/comet_hparams.h"
#include "interchange/foreign_tensors.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "interchange/huggingface/encoder_names.h"
#include "interchange/huggingface/weights.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using encoders::CometConfig;

constexpr const char* kHparams = "hparams.yaml";
constexpr const char* kEncoder = "encoder.model.";  // prefix of its tensors

fs::path weights_file(const fs::path& directory) {
  const fs::path usual = directory / "checkpoints" / "model.ckpt";
  return fs::exists(usual) ? usual : directory / "model.ckpt";
}

/// "wmt22-comet-da", from .../wmt22-comet-da or from Hugging Face's cache,
/// .../models--Unbabel--wmt22-comet-da/snapshots/HASH.
std::string name_of(const fs::path& directory) {
  const fs::path path = fs::canonical(directory);
  if (path.parent_path().filename() != "snapshots") return path.filename();
  const std::string repository = path.parent_path().parent_path().filename();
  const size_t dashes = repository.rfind("--");
  return dashes == repository.npos ? repository : repository.substr(dashes + 2);
}

std::vector<Correspondence> comet_names(const CometConfig& config) {
  std::vector<Correspondence> rows = encoder_names(config.encoder, kEncoder);
  if (config.layer == CometConfig::kAllLayers) {
    Correspondence scores{"layer_mix.scores", {}};
    for (int64_t l = 0; l <= config.encoder.layers; ++l)
      scores.theirs.push_back("layerwise_attention.scalar_parameters." + std::to_string(l));
    rows.push_back(scores);
    rows.push_back({"layer_mix.gamma", {"layerwise_attention.gamma"}});
  }
  constexpr size_t kModulesOfLayer = 3;  // linear, activation, dropout
  for (size_t i = 0; i <= config.hidden_sizes.size(); ++i) {
    const std::string theirs = "estimator.ff." + std::to_string(kModulesOfLayer * i) + ".";
    for (const char* kind : {"weight", "bias"})
      rows.push_back({"estimator" + std::to_string(i) + "." + kind, {theirs + kind}});
  }
  return rows;
}

/// What a checkpoint holds besides the parameters: buffers, word tags, an unused pooler.
bool is_unused(const std::string& name) {
  for (const char* prefix : {"encoder.model.embeddings.position_ids",
                             "encoder.model.embeddings.token_type_ids", "encoder.model.pooler.",
                             "layerwise_attention.dropout_", "hidden2tag.", "wordloss.", "loss."})
    if (name.starts_with(prefix)) return true;
  return false;
}

}  // namespace

bool is_comet_checkpoint(const fs::path& directory) { return fs::exists(directory / kHparams); }

std::shared_ptr<encoders::CometModel> import_comet(const fs::path& directory,
                                                   const fs::path& encoder) {
  const EncoderDescription description = read_encoder_description(encoder / "config.json");
  if (description.family != &roberta_family())
    throw CheckpointError((encoder / "config.json").string() +
                          ": is not the configuration of an XLM-R");
  CometConfig config = read_comet_hparams(directory / kHparams, description.config);
  config.name = name_of(directory);

  const fs::path file = weights_file(directory);
  TensorsByName weights = load_checkpoint(file, TorchContent::kLightning);
  const auto positions = weights.find(position_table(kEncoder));
  if (positions != weights.end() && positions->second.dim() == 2)
    positions->second = positions->second.slice(0, description.first_position);
  ForeignTensors tensors(file, std::move(weights));
  for (const auto& [name, tensor] : tensors.all())
    if (is_unused(name)) tensors.ignore(name);

  auto model = std::make_shared<encoders::CometModel>(config, 0);
  set_parameters(*model, tensors.take_all(comet_names(config)), file);
  tensors.warn_of_others();
  model->eval();
  return model;
}

}  // namespace dietmt::interchange
