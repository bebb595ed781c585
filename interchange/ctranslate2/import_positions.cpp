#include "interchange/ctranslate2/import_positions.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "common/error.h"
#include "encoders/position/scheme/position_scheme.h"

namespace dietmt::interchange {
namespace {

using at::Tensor;

struct Unsupported {
  const char* variable;  // of an attention
  const char* what;
};
constexpr Unsupported kUnsupported[] = {
    {"rotary_dim", "rotary positions"},
    {"relative_asymmetric_position_keys", "vectors of offsets without values"},
    {"relative_position_keys_shared", "shared vectors of offsets"}};

/// The spec of sinusoids that this table [N, D] has; "" if there is none.
std::string sinusoids(const Tensor& table, const nmt::ModelConfig& config) {
  constexpr int64_t kCompared = 256;
  constexpr double kTolerance = 2e-3;  // tables may be stored in fp16 or bf16
  if (table.size(1) % 2 != 0 || table.size(1) < 4) return "";
  const Tensor first = table.slice(0, 0, kCompared);
  encoders::EncodingContext context;
  context.site = encoders::AttentionSite::kEncoder;
  context.layers = 1;
  context.heads = 1;
  context.head_width = context.model_width = config.width;
  for (const char* layout : {"interleaved", "halves", "halves-2m"}) {
    for (const char* start : {"0", "1", "2"}) {
      const std::string spec = std::string("sinusoidal(layout=") + layout + ",start=" + start + ")";
      const encoders::PositionScheme scheme(spec, context);
      const Tensor ours = scheme.embed(at::zeros_like(first), at::arange(first.size(0)));
      if (at::allclose(ours.to(at::kFloat), first, 0, kTolerance)) return scheme.spec();
    }
  }
  return "";
}

/// The tables [2C+1, Dh] of all layers, as [L, 1, 2C+1, Dh].
Tensor of_layers(const std::string& scope, int64_t layers, const char* name,
                 ForeignTensors& tensors) {
  std::vector<Tensor> tables;
  for (int64_t l = 0; l < layers; ++l)
    tables.push_back(
        tensors.take(scope + "/layer_" + std::to_string(l) + "/self_attention/" + name));
  for (const Tensor& table : tables)
    if (table.dim() != 2 || table.size(0) % 2 == 0 || table.sizes() != tables.front().sizes())
      tensors.fail(scope + ": the shapes of " + name + " are not those of vectors of offsets");
  return at::stack(tables).unsqueeze(1);
}

/// T5's bias [buckets, H], which all layers share.
ImportedPosition biases(const std::string& scope, const nmt::ModelConfig& config, int64_t layers,
                        const CTranslate2Model& model, ForeignTensors& tensors) {
  const auto in_layer = [&](int64_t layer, const char* name) {
    return scope + "/layer_" + std::to_string(layer) + "/self_attention/" + name;
  };
  const Tensor table = tensors.take(in_layer(0, "relative_attention_bias"));
  if (table.dim() != 2 || table.size(1) != config.heads)
    tensors.fail(in_layer(0, "relative_attention_bias") + " is not a table of buckets");
  for (int64_t l = 0; l < layers; ++l) {
    const std::string name = in_layer(l, "relative_attention_bias");
    if (l > 0 && !at::equal(tensors.take(name), table))
      tensors.fail(name + " is another table than that of the first layer");
    tensors.ignore(in_layer(l, "relative_attention_max_distance"));
  }
  const double distance = model.number(in_layer(0, "relative_attention_max_distance"), 128);
  ImportedPosition position;
  position.spec = "t5(buckets=" + std::to_string(table.size(0)) +
                  ",distance=" + std::to_string(static_cast<int64_t>(distance)) + ",share=layers)";
  position.parameters["table"] = table.t().contiguous().unsqueeze(0);
  return position;
}

}  // namespace

ImportedPosition import_position(const std::string& scope, const nmt::ModelConfig& config,
                                 int64_t layers, const CTranslate2Model& model,
                                 ForeignTensors& tensors) {
  const std::string attention = scope + "/layer_0/self_attention/";
  for (const Unsupported& one : kUnsupported)
    if (model.variables.contains(attention + one.variable))
      tensors.fail(std::string("has ") + one.what + " in its " + scope +
                   ", which cannot be imported");
  if (model.number(scope + "/alibi", 0) != 0)
    tensors.fail("has ALiBi in its " + scope + ", which cannot be imported");
  if (tensors.contains(attention + "relative_position_keys")) {
    ImportedPosition position;
    position.parameters["keys"] = of_layers(scope, layers, "relative_position_keys", tensors);
    position.parameters["values"] = of_layers(scope, layers, "relative_position_values", tensors);
    const int64_t clip = position.parameters["keys"].size(2) / 2;
    position.spec = "shaw(clip=" + std::to_string(clip) + ")";
    return position;
  }
  if (tensors.contains(attention + "relative_attention_bias"))
    return biases(scope, config, layers, model, tensors);
  const std::string encodings = scope + "/position_encodings/encodings";
  if (!tensors.contains(encodings)) return {.spec = "sinusoidal(layout=halves,start=1)"};
  const Tensor table = tensors.take(encodings);
  if (table.dim() != 2 || table.size(0) == 0 || table.size(1) != config.width)
    tensors.fail(encodings + " is not a table of positions");
  if (table.count_nonzero().item<int64_t>() == 0) return {.spec = "none"};
  if (std::string spec = sinusoids(table, config); !spec.empty()) return {.spec = std::move(spec)};
  return {.spec = "learned", .max_positions = table.size(0), .parameters = {{"table", table}}};
}

}  // namespace dietmt::interchange
