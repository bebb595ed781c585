#include "nmt/packing/lower_positions.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "encoders/position/scheme/position_scheme.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using encoders::ScoreTerms;

// Turns the tensors of layers into tables; layers that share a tensor share the copy.
class Lowering {
 public:
  Lowering(const SiteSizes& sizes, SiteTerms& site) : sizes_(sizes), site_(site) {}

  void add_layer(const ScoreTerms& terms) {
    std::vector<TermTable> tables;
    visit_tables(terms, [&](const char*, const Tensor& given, TermRows rows) {
      const bool padded = rows == TermRows::kVectors || rows == TermRows::kSteps;
      tables.push_back(table(given, padded ? sizes_.vector_width : 0));
    });
    LayerTerms& layer = site_.layers.emplace_back();
    auto next = tables.begin();
    visit_tables(layer, [&](const char*, TermTable& table, TermRows) { table = *next++; });
    for (int64_t h = 0; h < sizes_.heads; ++h) {
      layer.content_scale.push_back(static_cast<float>(of_head(terms.content_scale, h)));
      layer.halved.push_back(of_head(terms.pairing, h) == encoders::RotaryPairing::kHalves);
    }
  }

  /// `given`: [heads, rows] or [heads, rows, numbers]; pads the numbers with zeros up to `width`.
  TermTable table(const Tensor& given, int64_t width = 0) {
    if (!given.defined()) return {};
    const Tensor& made = prepared(given, width);
    const int64_t numbers = made.dim() < 3 ? 1 : made.size(2);
    return {made.const_data_ptr<float>(), made.size(0), made.size(1), numbers,
            made.size(1) * numbers};
  }

 private:
  template <typename T>
  static T of_head(const std::vector<T>& values, int64_t head) {
    return values[std::min(static_cast<size_t>(head), values.size() - 1)];
  }

  // Contiguous, fp32, padded. The same given tensor yields the same result.
  const Tensor& prepared(const Tensor& given, int64_t width) {
    for (const auto& [from, to] : prepared_)
      if (from.is_same(given) && to.size(-1) >= width) return to;
    Tensor made = given.detach().to(at::kFloat);
    if (width > made.size(-1)) made = at::constant_pad_nd(made, {0, width - made.size(-1)});
    made = made.contiguous();
    site_.storage.push_back(std::make_shared<Tensor>(made));
    prepared_.emplace_back(given, made);
    return prepared_.back().second;
  }

  const SiteSizes& sizes_;
  SiteTerms& site_;
  std::vector<std::pair<Tensor, Tensor>> prepared_;
};

}  // namespace

SiteTerms lower_terms(const encoders::PositionScheme& scheme, const SiteSizes& sizes,
                      int64_t length) {
  const c10::InferenceMode inference;
  SiteTerms site;
  site.length = length;
  Lowering lowering(sizes, site);
  const Tensor none = at::zeros({length, sizes.width});
  const Tensor embedded = scheme.embed(none, at::arange(length));
  if (!embedded.is_same(none)) site.embedding = lowering.table(embedded.unsqueeze(0));
  for (const ScoreTerms& terms : scheme.lower({length, length}, none)) lowering.add_layer(terms);
  return site;
}

std::unique_ptr<PositionTables> lower_positions(
    std::shared_ptr<const encoders::PositionScheme> scheme, const SiteSizes& sizes) {
  const int64_t max_length = scheme->max_length();
  return std::make_unique<PositionTables>(
      [scheme = std::move(scheme), sizes](int64_t length) {
        return site_positions(multiply_features(lower_terms(*scheme, sizes, length)));
      },
      max_length);
}

}  // namespace dietmt::nmt
