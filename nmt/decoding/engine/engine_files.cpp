#include "nmt/decoding/engine/engine_files.h"

#include <torch/torch.h>

#include "common/error.h"
#include "encoders/transformer/stacks.h"
#include "nmt/decoding/engine/tensor_weights.h"
#include "nmt/model/stack_configs.h"
#include "training/parameters.h"
#include "training/safetensors.h"

namespace dietmt::nmt {
namespace {

using encoders::AttentionSite;
using encoders::PositionScheme;

// Takes the parameters of encodings out of the tensors that the layers have left.
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
      fail(name, "has shape " + training::shape_text(found->second.sizes()) + ", the model's is " +
                     training::shape_text(to.sizes()));
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

EngineModel read_model(const ModelConfig& config, TensorWeights& tensors,
                       const std::string& origin) {
  const torch::NoGradGuard no_grad;
  std::shared_ptr<const EngineWeights> weights = assemble_weights(config, tensors);
  PositionReader reader(tensors.unread(), origin);
  const encoders::StackConfig encoder = encoder_config(config);
  const encoders::StackConfig decoder = decoder_config(config);
  const PositionSchemes positions = {
      reader.scheme("encoder.position", encoder, AttentionSite::kEncoder, encoder.position),
      reader.scheme("decoder.position", decoder, AttentionSite::kDecoder, decoder.position),
      reader.scheme("decoder.cross_position", decoder, AttentionSite::kCross,
                    decoder.cross_position)};
  reader.require_end();
  return make_engine_model(std::move(weights), positions);
}

}  // namespace

kernels::WeightType parse_weight_type(const std::string& name) {
  if (name == "fp32") return kernels::WeightType::kFloat;
  if (name == "bf16") return kernels::WeightType::kBFloat16;
  if (name == "int8") return kernels::WeightType::kInt8;
  throw ConfigError("no weights '" + name + "'; possible: fp32, bf16, int8");
}

std::optional<kernels::WeightType> parse_weight_choice(const std::string& name) {
  if (name == "auto") return std::nullopt;
  return parse_weight_type(name);
}

EngineModel load_engine_model(const ModelFiles& files, std::optional<kernels::WeightType> wanted) {
  throw_if_any(files.config.problems());
  const std::string origin = files.weights().string();
  NamedTensors tensors = training::map_safetensors(files.weights());
  if (files.quantization.empty()) {
    PackingWeights packing(std::move(tensors), origin,
                           wanted.value_or(kernels::WeightType::kFloat));
    return read_model(files.config, packing, origin);
  }
  const kernels::WeightType type = parse_weight_type(files.quantization);
  if (wanted && *wanted != type) {
    throw ConfigError("--weights: " + files.directory.string() + " has " + files.quantization +
                      " weights and no others");
  }
  StoredWeights stored(std::move(tensors), origin, type);
  return read_model(files.config, stored, origin);
}

void write_quantized(const std::filesystem::path& directory, const ModelFiles& model,
                     const std::string& type) {
  model.require_full_weights();
  const std::string origin = model.weights().string();
  PackingWeights packing(training::map_safetensors(model.weights()), origin,
                         parse_weight_type(type));
  read_model(model.config, packing, origin);  // every tensor has its place
  NamedTensors all = packing.stored();
  for (const auto& [name, tensor] : packing.unread()) all[name] = tensor.to(at::kFloat);
  write_model(directory, model.config, {all.begin(), all.end()}, *model.tokenizers.source,
              *model.tokenizers.target, type);
}

}  // namespace dietmt::nmt
