#include "nmt/packing/engine_models.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "common/error.h"
#include "encoders/transformer/stacks.h"
#include "encoders/weights/safetensors.h"
#include "nmt/network/stack_configs.h"
#include "nmt/network/translation_model.h"
#include "nmt/packing/lower_positions.h"
#include "nmt/packing/packing_weights.h"
#include "nmt/packing/write_positions.h"

namespace dietmt::nmt {
namespace {

using encoders::AttentionSite;
using encoders::PositionScheme;

// Reads the parameters of encodings from the tensors that the layers have not read.
class PositionReader {
 public:
  PositionReader(NamedTensors rest, std::string origin)
      : rest_(std::move(rest)), origin_(std::move(origin)) {}

  std::shared_ptr<const PositionScheme> scheme(const std::string& name,
                                               const encoders::StackConfig& stack,
                                               AttentionSite site, const std::string& spec) {
    const auto made =
        std::make_shared<PositionScheme>(spec, encoders::encoding_context(stack, site));
    for (auto& parameter : made->named_parameters())
      take(name + "." + parameter.key(), parameter.value());
    return made;
  }

  void require_end() const {
    if (rest_.empty()) return;
    fail(rest_.begin()->first, "is not a parameter of the model in config.json");
  }

 private:
  void take(const std::string& name, at::Tensor& to) {
    const auto found = rest_.find(name);
    if (found == rest_.end()) fail(name, "is missing");
    if (found->second.sizes() != to.sizes()) {
      fail(name, "has shape " + storage::shape_text(found->second.sizes()) + ", the model's is " +
                     storage::shape_text(to.sizes()));
    }
    to.copy_(found->second);
    rest_.erase(found);
  }

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw CheckpointError(origin_ + ": tensor '" + name + "' " + what);
  }

  NamedTensors rest_;
  std::string origin_;
};

// The encodings of the three sites, from the tensors of `all` that the layers have not read.
PositionSchemes read_positions(const ModelConfig& config, NamedTensors all,
                               const NamedWeights& layers, const std::string& origin) {
  const torch::NoGradGuard no_grad;
  for (const std::string& name : layers.names_read()) all.erase(name);
  PositionReader reader(std::move(all), origin);
  const encoders::StackConfig encoder = encoder_config(config);
  const encoders::StackConfig decoder = decoder_config(config);
  PositionSchemes positions = {
      reader.scheme("encoder.position", encoder, AttentionSite::kEncoder, encoder.position),
      reader.scheme("decoder.position", decoder, AttentionSite::kDecoder, decoder.position),
      reader.scheme("decoder.cross_position", decoder, AttentionSite::kCross,
                    decoder.cross_position)};
  reader.require_end();
  return positions;
}

EngineModel read_model(const ModelConfig& config, NamedTensors all, NamedWeights& layers,
                       const std::string& origin) {
  std::shared_ptr<const EngineWeights> weights = assemble_weights(config, layers);
  return make_engine_model(std::move(weights),
                           read_positions(config, std::move(all), layers, origin));
}

}  // namespace

EngineModel load_engine_model(const ModelFiles& files, std::optional<kernels::WeightType> wanted) {
  require_buildable(files);
  const std::string origin = files.weights().string();
  const storage::SafetensorsView view = storage::view_safetensors(files.weights());
  NamedTensors tensors = encoders::tensors_of(view);
  if (files.quantization.empty()) {
    PackingWeights packing(tensors, origin, wanted.value_or(kernels::WeightType::kFloat));
    return read_model(files.config, std::move(tensors), packing, origin);
  }
  StoredWeights stored(view, origin, stored_type(files, wanted));
  return read_model(files.config, std::move(tensors), stored, origin);
}

void write_quantized(const std::filesystem::path& directory, const ModelFiles& model,
                     const std::string& type) {
  model.require_full_weights();
  const std::string origin = model.weights().string();
  const NamedTensors tensors = encoders::map_safetensors(model.weights());
  PackingWeights packing(tensors, origin, parse_weight_type(type));
  const std::shared_ptr<const EngineWeights> weights = assemble_weights(model.config, packing);
  const PositionSchemes positions = read_positions(model.config, tensors, packing, origin);
  NamedTensors all = packing.stored();
  for (const auto& [name, tensor] : tensors)
    if (!packing.names_read().contains(name)) all[name] = tensor.to(at::kFloat);
  write_model(directory, model.config, {all.begin(), all.end()}, *model.tokenizers.source,
              *model.tokenizers.target, type);
  write_positions(directory, positions, *weights);
}

EngineModel make_engine_model(std::shared_ptr<const EngineWeights> weights,
                              const PositionSchemes& positions) {
  EngineModel made;
  made.encoder = lower_positions(positions.encoder, encoder_sizes(*weights));
  made.decoder = lower_positions(positions.decoder, decoder_sizes(*weights));
  made.cross = lower_positions(positions.cross, decoder_sizes(*weights));
  made.weights = std::move(weights);
  return made;
}

EngineModel make_engine_model(const TranslationModel& model, kernels::WeightType type) {
  const c10::InferenceMode inference;
  NamedTensors parameters;
  for (const auto& parameter : model.named_parameters())
    parameters[parameter.key()] = parameter.value().detach();
  PackingWeights packing(std::move(parameters), "the model", type);
  return make_engine_model(
      assemble_weights(model.config(), packing),
      {model.encoder_position(), model.decoder_position(), model.cross_position()});
}

}  // namespace dietmt::nmt
