#include "nmt/decoding/engine/lower_positions.h"

#include <torch/torch.h>

#include <algorithm>

#include "encoders/position/position_encoding.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using encoders::ScoreTerms;

// Turns the terms of layers into pointers; layers that share a table share the copy.
class Lowering {
 public:
  Lowering(const PositionSizes& sizes, SitePositions& site) : sizes_(sizes), site_(site) {}

  void add_layer(const ScoreTerms& terms) {
    LayerPositions layer;
    kernels::AttentionTerms& scores = layer.step.terms;
    scores.content_scale = scales(terms.content_scale);
    scores.tables.position_bias = table(terms.position_bias);
    layer.step.bias_keys = size(terms.position_bias, 2);
    scores.tables.query_features = table(terms.query_features);
    scores.tables.key_features = table(terms.key_features);
    scores.rank = size(terms.query_features, 2);
    scores.tables.offset_bias = table(terms.offset_bias);
    scores.bias_clip = size(terms.offset_bias, 1) / 2;
    scores.tables.relative_keys = vectors(terms.relative_keys);
    scores.key_clip = size(terms.relative_keys, 1) / 2;
    scores.tables.relative_queries = vectors(terms.relative_queries);
    scores.query_clip = size(terms.relative_queries, 1) / 2;
    scores.tables.relative_values = vectors(terms.relative_values);
    scores.value_clip = size(terms.relative_values, 1) / 2;
    layer.step.contextual = vectors(terms.contextual);
    layer.step.contextual_positions = size(terms.contextual, 1);
    layer.queries = {rows(terms.query_shift), rows(terms.query_cosines), rows(terms.query_sines),
                     halved(terms)};
    layer.keys = {rows(terms.key_shift), rows(terms.key_cosines), rows(terms.key_sines),
                  halved(terms)};
    layer.key_compression = rows(terms.key_compression);
    layer.value_compression = rows(terms.value_compression);
    site_.compressed_keys = size(terms.key_compression, 1);
    site_.layers.push_back(std::move(layer));
  }

  /// Contiguous fp32 numbers that live as long as the site.
  const float* keep(const Tensor& given) {
    const Tensor kept = given.detach().to(at::kFloat).contiguous();
    site_.storage.push_back(std::make_shared<Tensor>(kept));
    return kept.const_data_ptr<float>();
  }

 private:
  static int64_t size(const Tensor& table, int64_t dim) {
    return table.defined() ? table.size(dim) : 0;
  }

  // Contiguous, fp32, and for vectors padded; the same tensor for the same given one.
  const Tensor& prepared(const Tensor& given, int64_t last_dim) {
    for (const auto& [from, to] : prepared_)
      if (from.is_same(given) && to.size(-1) == last_dim) return to;
    Tensor made = given.detach().to(at::kFloat);
    if (last_dim > made.size(-1)) made = at::constant_pad_nd(made, {0, last_dim - made.size(-1)});
    made = made.contiguous();
    site_.storage.push_back(std::make_shared<Tensor>(made));
    prepared_.emplace_back(given, made);
    return prepared_.back().second;
  }

  PositionRows rows_of(const Tensor& given, int64_t last_dim) {
    if (!given.defined()) return {};
    const Tensor& made = prepared(given, last_dim);
    return {made.const_data_ptr<float>(), made.size(0) == 1 ? 0 : made.stride(0),
            made.dim() < 3 || made.size(1) == 1 ? 0 : made.stride(1)};
  }
  PositionRows rows(const Tensor& given) { return rows_of(given, size(given, -1)); }

  // The kernels only read tables, though their struct serves gradients too.
  static kernels::HeadTable head_table(const PositionRows& rows) {
    return {const_cast<float*>(rows.data), rows.head_stride};
  }
  kernels::HeadTable table(const Tensor& given) { return head_table(rows(given)); }
  kernels::HeadTable vectors(const Tensor& given) {
    return head_table(rows_of(given, sizes_.vector_stride));
  }

  const float* scales(const std::vector<double>& given) {
    auto all = std::make_shared<std::vector<float>>();
    for (int64_t h = 0; h < sizes_.heads; ++h)
      all->push_back(static_cast<float>(given[std::min(static_cast<size_t>(h), given.size() - 1)]));
    site_.storage.push_back(all);
    return all->data();
  }

  std::vector<bool> halved(const ScoreTerms& terms) const {
    std::vector<bool> all;
    for (int64_t h = 0; h < sizes_.heads; ++h)
      all.push_back(terms.pairing[std::min(static_cast<size_t>(h), terms.pairing.size() - 1)] ==
                    encoders::RotaryPairing::kHalves);
    return all;
  }

  const PositionSizes& sizes_;
  SitePositions& site_;
  std::vector<std::pair<Tensor, Tensor>> prepared_;
};

std::unique_ptr<SitePositions> lower(const encoders::PositionScheme& scheme,
                                     const PositionSizes& sizes, int64_t length) {
  const c10::InferenceMode inference;
  auto site = std::make_unique<SitePositions>();
  site->length = length;
  Lowering lowering(sizes, *site);
  const Tensor none = at::zeros({length, sizes.width});
  const Tensor embedded = scheme.embed(none, at::arange(length));
  if (!embedded.is_same(none)) site->embedding = lowering.keep(embedded);
  for (const ScoreTerms& terms : scheme.lower({0, length, length}, none)) lowering.add_layer(terms);
  return site;
}

}  // namespace

std::unique_ptr<PositionTables> lower_positions(
    std::shared_ptr<const encoders::PositionScheme> scheme, const PositionSizes& sizes) {
  const int64_t max_length = scheme->max_length();
  return std::make_unique<PositionTables>(
      [scheme = std::move(scheme), sizes](int64_t length) { return lower(*scheme, sizes, length); },
      max_length);
}

}  // namespace dietmt::nmt
