#include "encoders/position/scheme/position_scheme.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/error.h"
#include "encoders/position/head_mix.h"
#include "encoders/position/scheme/position_spec.h"
#include "encoders/position/summary_reset.h"

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

PositionScheme::PositionScheme(const std::string& spec, const EncodingContext& context)
    : context_(context) {
  const std::vector<EncodingSpec> encodings = parse_position_spec(spec, context);
  spec_ = canonical_position_spec(encodings);
  for (const EncodingSpec& encoding : encodings) {
    const EncodingContext own = encoding.own_context(context);
    MadeEncoding made = encoding.row->make(encoding.values, own);
    register_module(module_name(encoding), made);
    if (encoding.row->unties_summary(encoding.values)) {
      const Sharing sharing = encoding.row->summary_sharing(encoding.values);
      made = untied_from_summary(
          made, made->register_parameter("summary", summary_table(sharing, own)), own.heads);
    }
    parts_.push_back({std::move(made), encoding.heads});
  }
}

ParameterCounts position_parameters(const std::string& spec, const EncodingContext& context) {
  ParameterCounts counts;
  for (const EncodingSpec& encoding : parse_position_spec(spec, context)) {
    const EncodingContext own = encoding.own_context(context);
    double count = encoding.row->parameters(encoding.values, own);
    if (encoding.row->unties_summary(encoding.values))
      count += summary_size(encoding.row->summary_sharing(encoding.values), own);
    counts.emplace_back(module_name(encoding), count);
  }
  return counts;
}

at::Tensor PositionScheme::position_table(int64_t count, const at::TensorOptions& options) const {
  at::Tensor sum;
  for (const Part& part : parts_) {
    const at::Tensor table = part.encoding->position_table(count, options);
    if (!table.defined()) continue;
    sum = sum.defined() ? sum.narrow(0, 0, count) + table.narrow(0, 0, count) : table;
  }
  return sum;
}

at::Tensor PositionScheme::embed(const at::Tensor& x, const at::Tensor& positions,
                                 const at::Tensor& segments, int64_t count) const {
  at::Tensor sum = x;
  for (const Part& part : parts_) sum = part.encoding->embed(sum, positions, segments, count);
  return sum;
}

bool PositionScheme::embeds_segments() const {
  return std::ranges::any_of(parts_,
                             [](const Part& part) { return part.encoding->embeds_segments(); });
}

at::Tensor PositionScheme::embed(const at::Tensor& x, const at::Tensor& positions,
                                 const at::Tensor& segments) const {
  const int64_t count = positions.numel() == 0 ? 0 : positions.max().item<int64_t>() + 1;
  return embed(x, positions, segments, count);
}

std::vector<ScoreTerms> PositionScheme::lower(const Extent& extent, const at::Tensor& like) const {
  const double scale = 1.0 / std::sqrt(static_cast<double>(context_.head_width));
  const at::TensorOptions options = table_options(like);
  LayerTerms all_heads(context_.layers, scale, options);
  std::vector<HeadTerms> mix;
  for (const Part& part : parts_) {
    if (part.heads.empty()) continue;
    LayerTerms own(context_.layers, scale, options);
    part.encoding->lower(extent, own);
    mix.push_back({std::move(own.layers()), part.heads});
  }
  if (!mix.empty()) all_heads.layers() = mix_heads(mix, context_.heads);
  for (const Part& part : parts_)
    if (part.heads.empty()) part.encoding->lower(extent, all_heads);
  return std::move(all_heads.layers());
}

int64_t PositionScheme::max_length() const {
  int64_t longest = INT64_MAX;
  for (const Part& part : parts_) longest = std::min(longest, part.encoding->max_length());
  return longest;
}

double PositionScheme::kept_per_pair() const {
  double sum = 0.0;
  for (const Part& part : parts_) sum += part.encoding->kept_per_pair();
  return sum;
}

double PositionScheme::products_per_pair() const {
  double sum = 0.0;
  for (const Part& part : parts_) sum += part.encoding->products_per_pair();
  return sum;
}

}  // namespace dietmt::encoders
