#include "interchange/ctranslate2/import_positions.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/error.h"
#include "encoders/position/scheme/position_scheme.h"
#include "interchange/foreign_settings.h"

namespace dietmt::interchange {
namespace {

using at::Tensor;

struct Unsupported {
  const char* variable;  // of an attention
  const char* what;
};
constexpr Unsupported kUnsupported[] = {
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

struct Number {
  const char* name;
  double otherwise;
};
constexpr Number kOfRotations[] = {{"rotary_dim", -1},
                                   {"rotary_interleave", 1},
                                   {"rotary_base", 10000},
                                   {"rotary_scaling_type", -1},
                                   {"rotary_scaling_factor", 1},
                                   {"original_max_position_embeddings", 0},
                                   {"max_position_embeddings", 0}};

/// Linear scaling by a whole number, as options of `rope`.
std::string scaling_of(std::map<std::string, double>& rotations, const ForeignTensors& tensors) {
  constexpr double kNone = -1, kLinear = 0, kMost = 1e6;
  const double type = rotations["rotary_scaling_type"], factor = rotations["rotary_scaling_factor"];
  if (type > kLinear || rotations["original_max_position_embeddings"] != 0)
    tensors.fail("has rotary positions with " +
                 std::string(type == 2 ? "Llama 3's" : "LongRoPE's (su)") +
                 " scaling; only linear scaling can be imported");
  if (type == kNone || factor == 1) return "";
  if (!(factor > 1 && factor <= kMost) || std::floor(factor) != factor)
    tensors.fail("has rotary positions with a rotary_scaling_factor that is no whole number");
  return ",factor=" + std::to_string(static_cast<int64_t>(factor)) + ",scaling=linear";
}

/// Rotations of whole heads, which all layers share.
ImportedPosition rotations(const std::string& scope, const nmt::ModelConfig& config, int64_t layers,
                           const CTranslate2Model& model, ForeignTensors& tensors) {
  std::map<std::string, double> values;
  for (const Number& number : kOfRotations) {
    for (int64_t l = 0; l < layers; ++l) {
      const std::string name =
          scope + "/layer_" + std::to_string(l) + "/self_attention/" + number.name;
      const double value = model.number(name, number.otherwise);
      if (values.emplace(number.name, value).first->second != value)
        tensors.fail(name + " differs from that of the first layer");
    }
  }
  const double rotated = values["rotary_dim"];
  if (rotated != 0 && rotated != static_cast<double>(config.width_of_heads()))
    tensors.fail("has rotary positions in a part of the heads (rotary_dim " +
                 std::to_string(static_cast<int64_t>(rotated)) + "); dietmt rotates whole heads");
  std::string spec = rotation_spec(values["rotary_interleave"] != 0, values["rotary_base"]);
  spec.insert(spec.size() - 1, scaling_of(values, tensors));
  return {.spec = std::move(spec)};
}

/// Slopes times the distance. The query's position, from which distances may count, does not change
/// a softmax.
ImportedPosition alibi(const std::string& scope, const CTranslate2Model& model,
                       const ForeignTensors& tensors) {
  if (scope != "decoder" || model.number(scope + "/scale_alibi", 0) != 0)
    tensors.fail("has ALiBi with scaled slopes or in its encoder, which cannot be imported");
  return {.spec = "alibi"};
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
  const std::string encodings = scope + "/position_encodings/encodings";
  const bool rotates = model.number(attention + "rotary_dim", -1) >= 0;
  const bool has_slopes = model.number(scope + "/alibi", 0) != 0;
  if (rotates && has_slopes) tensors.fail("has rotary positions and ALiBi in its " + scope);
  if (rotates || has_slopes) tensors.ignore(encodings);  // CTranslate2 does not use it then
  if (rotates) return rotations(scope, config, layers, model, tensors);
  if (has_slopes) return alibi(scope, model, tensors);
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
  if (!tensors.contains(encodings)) return {.spec = "sinusoidal(layout=halves,start=1)"};
  const Tensor table = tensors.take(encodings);
  if (table.dim() != 2 || table.size(0) == 0 || table.size(1) != config.width)
    tensors.fail(encodings + " is not a table of positions");
  if (table.count_nonzero().item<int64_t>() == 0) return {.spec = "none"};
  if (std::string spec = sinusoids(table, config); !spec.empty()) return {.spec = std::move(spec)};
  return {.spec = "learned", .max_positions = table.size(0), .parameters = {{"table", table}}};
}

}  // namespace dietmt::interchange
