#include "encoders/position/position_encoding.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "encoders/position/head_mix.h"
#include "encoders/position/position_spec.h"

namespace dietmt::encoders {
namespace {

/// The name of a part's parameters in checkpoints, e.g. "diet_rel", or "shaw_6" for a part of the
/// heads from 6 on.
std::string module_name(const EncodingSpec& spec) {
  std::string name = spec.row->name;
  std::replace(name.begin(), name.end(), '-', '_');
  if (!spec.heads.empty()) name += "_" + std::to_string(spec.heads.front());
  return name;
}

}  // namespace

at::Tensor PositionEncoding::embed(const at::Tensor& x, const at::Tensor&) const { return x; }

void PositionEncoding::lower(int64_t, const Extent&, ScoreTerms&) const {}

int64_t PositionEncoding::max_length() const { return INT64_MAX; }

PositionScheme::PositionScheme(const std::string& spec, const EncodingContext& context)
    : context_(context) {
  const std::vector<EncodingSpec> encodings = parse_position_spec(spec, context);
  spec_ = canonical_position_spec(encodings);
  for (const EncodingSpec& encoding : encodings) {
    EncodingContext own = context;
    if (!encoding.heads.empty()) own.heads = static_cast<int64_t>(encoding.heads.size());
    try {
      parts_.push_back({encoding.row->make(encoding.values, own), encoding.heads});
    } catch (const ConfigError& error) {
      throw position_spec_error(spec, encoding.column,
                                "'" + encoding.row->name + "': " + error.what());
    }
    register_module(module_name(encoding), parts_.back().encoding);
  }
}

at::Tensor PositionScheme::embed(const at::Tensor& x, const at::Tensor& positions) const {
  at::Tensor sum = x;
  for (const Part& part : parts_) sum = part.encoding->embed(sum, positions);
  return sum;
}

ScoreTerms PositionScheme::terms(int64_t layer, const Extent& extent) const {
  ScoreTerms all_heads;
  all_heads.content_scale = {1.0 / std::sqrt(static_cast<double>(context_.head_width))};
  std::vector<HeadTerms> mix;
  for (const Part& part : parts_) {
    if (part.heads.empty()) {
      part.encoding->lower(layer, extent, all_heads);
    } else {
      mix.push_back({{}, part.heads});
      mix.back().terms.content_scale = all_heads.content_scale;
      part.encoding->lower(layer, extent, mix.back().terms);
    }
  }
  return mix.empty() ? all_heads : mix_heads(mix, context_.heads);
}

int64_t PositionScheme::max_length() const {
  int64_t longest = INT64_MAX;
  for (const Part& part : parts_) longest = std::min(longest, part.encoding->max_length());
  return longest;
}

}  // namespace dietmt::encoders
