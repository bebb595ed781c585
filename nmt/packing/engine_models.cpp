#include "nmt/packing/engine_models.h"

#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>
#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "common/error.h"
#include "encoders/transformer/stacks.h"
#include "encoders/weights/safetensors.h"
#include "nmt/engine/aligned_buffer.h"
#include "nmt/engine/repack.h"
#include "nmt/engine/stored_positions.h"
#include "nmt/engine/stored_weights.h"
#include "nmt/network/translation_model.h"
#include "nmt/packing/lower_positions.h"

namespace dietmt::nmt {
namespace {

using NamedTensors = std::map<std::string, at::Tensor>;

/// Packs full weights, given as named tensors, for the engine.
class PackingWeights : public NamedWeights {
 public:
  /// `origin`: the file that errors name.
  PackingWeights(NamedTensors tensors, std::string origin, kernels::WeightType type);

  kernels::PackedWeights matrix(const WeightRows& rows) override;
  const float* numbers(const std::string& parameter, int64_t count) override;
  std::shared_ptr<const void> storage() const override { return packed_; }

  /// All weights packed so far, under the names by which StoredWeights reads them. They live as
  /// long as storage().
  NamedTensors stored() const;

 private:
  struct Packed {
    std::map<std::string, kernels::PackedWeights> matrices;
    NamedTensors numbers;
    std::vector<MemoryBlock> memory;
  };
  const at::Tensor& read(const std::string& name, at::IntArrayRef shape);
  template <typename T>
  T* allocate(int64_t count);

  NamedTensors tensors_;
  kernels::WeightType type_;
  std::shared_ptr<Packed> packed_;
};

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

PositionSchemes schemes_of(const ModelConfig& config, PositionReader& reader) {
  const encoders::StackConfig encoder = encoder_config(config);
  const encoders::StackConfig decoder = decoder_config(config);
  return {reader.scheme("encoder.position", encoder, AttentionSite::kEncoder, encoder.position),
          reader.scheme("decoder.position", decoder, AttentionSite::kDecoder, decoder.position),
          reader.scheme("decoder.cross_position", decoder, AttentionSite::kCross,
                        decoder.cross_position)};
}

// The encodings of the three sites, from the tensors of `all` that the layers have not read.
PositionSchemes read_positions(const ModelConfig& config, NamedTensors all,
                               const NamedWeights& layers, const std::string& origin) {
  const torch::NoGradGuard no_grad;
  for (const std::string& name : layers.names_read()) all.erase(name);
  PositionReader reader(std::move(all), origin);
  PositionSchemes positions = schemes_of(config, reader);
  reader.require_end();
  return positions;
}

EngineModel read_model(const ModelConfig& config, NamedTensors all, NamedWeights& layers,
                       const std::string& origin) {
  std::shared_ptr<const EngineWeights> weights = assemble_weights(config, layers);
  return make_engine_model(std::move(weights),
                           read_positions(config, std::move(all), layers, origin));
}

using at::Tensor;
using kernels::PackedWeights;
using kernels::WeightType;

at::ScalarType scalar_type(WeightType type) {
  if (type == WeightType::kInt8) return at::kChar;
  return type == WeightType::kBFloat16 ? at::kBFloat16 : at::kFloat;
}

Tensor view_of(const void* data, at::IntArrayRef shape, at::ScalarType type) {
  return at::from_blob(const_cast<void*>(data), shape, at::TensorOptions().dtype(type));
}

PackingWeights::PackingWeights(NamedTensors tensors, std::string origin, WeightType type)
    : NamedWeights(std::move(origin)),
      tensors_(std::move(tensors)),
      type_(type),
      packed_(std::make_shared<Packed>()) {}

const Tensor& PackingWeights::read(const std::string& name, at::IntArrayRef shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail(name, "is missing");
  take(name, found->second.sizes(), shape);
  return found->second;
}

template <typename T>
T* PackingWeights::allocate(int64_t count) {
  MemoryBlock& block = packed_->memory.emplace_back();
  block.resize(static_cast<size_t>(count) * sizeof(T));
  return static_cast<T*>(block.data());
}

PackedWeights PackingWeights::matrix(const WeightRows& rows) {
  const auto [place, added] = packed_->matrices.try_emplace(stored_name(rows));
  PackedWeights& made = place->second;
  if (!added) return made;
  const Tensor weight = read(rows.parameter, {rows.rows, rows.inputs})
                            .narrow(0, rows.first, rows.outputs)
                            .to(at::kFloat)
                            .contiguous();
  auto* panels = allocate<uint8_t>(
      static_cast<int64_t>(kernels::packed_bytes(type_, rows.outputs, rows.inputs)));
  const bool integers = type_ == WeightType::kInt8;
  float* scales = integers ? allocate<float>(rows.outputs) : nullptr;
  int32_t* sums = integers ? allocate<int32_t>(rows.outputs) : nullptr;
  kernels::pack_weights(type_, rows.outputs, rows.inputs, weight.const_data_ptr<float>(),
                        rows.inputs, panels, scales, sums);
  made = {type_, rows.outputs, rows.inputs, panels, scales, sums};
  return made;
}

const float* PackingWeights::numbers(const std::string& parameter, int64_t count) {
  Tensor& kept = packed_->numbers[parameter];
  // A copy, so that small tensors do not keep a large file mapped.
  if (!kept.defined()) kept = read(parameter, {count}).to(at::kFloat).clone();
  return kept.const_data_ptr<float>();
}

NamedTensors PackingWeights::stored() const {
  NamedTensors all = packed_->numbers;
  for (const auto& [name, matrix] : packed_->matrices) {
    all[name] = view_of(matrix.panels, panel_shape(type_, matrix.outputs, matrix.inputs),
                        scalar_type(type_));
    if (type_ != WeightType::kInt8) continue;
    all[scales_name(name)] = view_of(matrix.scales, {matrix.outputs}, at::kFloat);
    all[sums_name(name)] = view_of(matrix.sums, {matrix.outputs}, at::kInt);
  }
  return all;
}

}  // namespace

EngineModel load_engine_model(const ModelFiles& files, std::optional<kernels::WeightType> wanted) {
  require_buildable(files);
  const std::string origin = files.weights().string();
  if (files.quantization.empty()) {
    NamedTensors tensors = read_weights(files);
    PackingWeights packing(tensors, origin, wanted.value_or(kernels::WeightType::kFloat));
    return read_model(files.config, std::move(tensors), packing, origin);
  }
  const storage::SafetensorsFile view = storage::open_safetensors(files.weights());
  StoredWeights stored(view, origin, stored_type(files, wanted));
  return read_model(files.config, encoders::tensors_of(view), stored, origin);
}

void write_positions(const std::filesystem::path& directory, const ModelConfig& config,
                     const EngineWeights& weights) {
  PositionReader reader({}, directory.string());
  write_positions(directory, schemes_of(config, reader), weights);
}

void write_quantized(const std::filesystem::path& directory, const ModelFiles& model,
                     const std::string& type) {
  const std::string origin = model.weights().string();
  if (!model.quantization.empty()) {
    repack(directory, model, type);
    if (std::filesystem::exists(directory / kPositionsFile)) return;
    const storage::SafetensorsFile view = storage::open_safetensors(model.weights());
    StoredWeights stored(view, origin, WeightType::kFloat);
    const std::shared_ptr<const EngineWeights> weights = assemble_weights(model.config, stored);
    write_positions(directory,
                    read_positions(model.config, encoders::tensors_of(view), stored, origin),
                    *weights);
    return;
  }
  NamedTensors tensors = read_weights(model);
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
