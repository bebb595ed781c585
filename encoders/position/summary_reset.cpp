#include "encoders/position/summary_reset.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "common/error.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

/// The sum of the terms that depend only on positions, as far as reset_summary() takes them.
at::Tensor scores_of_pairs(const ScoreTerms& terms, const Extent& extent,
                           const at::TensorOptions& options) {
  at::Tensor sum = terms.position_bias;
  const auto add = [&](const at::Tensor& term) { sum = sum.defined() ? sum + term : term; };
  if (terms.query_features.defined())
    add(at::matmul(terms.query_features, terms.key_features.transpose(1, 2)));
  if (terms.offset_bias.defined()) add(offsets_of_pairs(terms.offset_bias, extent));
  return sum.defined() ? sum : at::zeros({1, extent.queries, extent.keys}, options);
}

/// Whether two layers share all terms that scores_of_pairs() adds.
bool share_scores(const ScoreTerms& a, const ScoreTerms& b) {
  return a.position_bias.is_same(b.position_bias) && a.query_features.is_same(b.query_features) &&
         a.key_features.is_same(b.key_features) && a.offset_bias.is_same(b.offset_bias);
}

class UntiedSummary : public PositionEncoding {
 public:
  UntiedSummary(std::shared_ptr<PositionEncoding> encoding, const at::Tensor& thetas, int64_t heads)
      : encoding_(std::move(encoding)), thetas_(thetas), heads_(heads) {}

  at::Tensor position_table(int64_t count, const at::TensorOptions& options) const override {
    return encoding_->position_table(count, options);
  }
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override { return encoding_->max_length(); }
  double kept_per_pair() const override {
    return encoding_->kept_per_pair() + static_cast<double>(thetas_.size(0) * heads_);
  }

 private:
  std::shared_ptr<PositionEncoding> encoding_;
  at::Tensor thetas_;  // [L|1, H|1, 2]
  int64_t heads_;
};

void UntiedSummary::lower(const Extent& extent, LayerTerms& terms) const {
  encoding_->lower(extent, terms);
  std::vector<ScoreTerms>& layers = terms.layers();
  const std::vector<at::Tensor> thetas = thetas_.unbind(0);
  std::vector<at::Tensor> biases;
  for (size_t l = 0; l < layers.size(); ++l) {
    const bool is_shared = l > 0 && thetas.size() == 1 && share_scores(layers[l], layers[l - 1]);
    biases.push_back(is_shared
                         ? biases.back()
                         : reset_summary(scores_of_pairs(layers[l], extent, thetas_.options()),
                                         thetas[std::min(l, thetas.size() - 1)]));
  }
  for (size_t l = 0; l < layers.size(); ++l) {
    layers[l].position_bias = biases[l];
    layers[l].query_features = layers[l].key_features = layers[l].offset_bias = at::Tensor();
    layers[l].untied_vectors = {layers[l].relative_keys.defined()};
  }
}

}  // namespace

void require_untied_summary(const EncodingContext& context) {
  if (context.causal())
    throw ConfigError("cls=untied needs an encoder: later words are hidden from position 0");
  if (context.site == AttentionSite::kCross)
    throw ConfigError("cls=untied needs self-attention, where queries and keys have a [CLS]");
}

void require_summary_token(const EncodingContext& context) {
  if (!context.starts_with_summary)
    throw ConfigError("its cls=untied needs a model whose inputs start with [CLS], such as BERT");
}

at::Tensor reset_summary(const at::Tensor& bias, const at::Tensor& thetas) {
  const int64_t heads = std::max(bias.size(0), thetas.size(0));
  const int64_t queries = bias.size(1), keys = bias.size(2);
  const at::Tensor pairs = bias.expand({heads, queries, keys});
  const auto theta = [&](int64_t k, int64_t rows, int64_t columns) {
    return thetas.select(1, k).view({-1, 1, 1}).expand({heads, rows, columns});
  };
  const at::Tensor columns = at::cat({theta(1, queries, 1), pairs.narrow(2, 1, keys - 1)}, 2);
  return at::cat({theta(0, 1, keys), columns.narrow(1, 1, queries - 1)}, 1);
}

at::Tensor offsets_of_pairs(const at::Tensor& table, const Extent& extent) {
  const auto options = table.options().dtype(at::kLong).requires_grad(false);
  const int64_t clip = (table.size(1) - 1) / 2;
  const at::Tensor i = at::arange(extent.queries, options).unsqueeze(1);
  const at::Tensor index = (at::arange(extent.keys, options) - i).clamp(-clip, clip) + clip;
  if (!table.is_cpu()) return table_rows(table.t(), index).permute({2, 0, 1});
  return table.index_select(1, index.flatten()).view({-1, extent.queries, extent.keys});
}

at::Tensor summary_table(Sharing sharing, const EncodingContext& context) {
  return empty_table(sharing, context, {2}).normal_(0.0, 0.02);
}

double summary_size(Sharing sharing, const EncodingContext& context) {
  return table_size(sharing, context, {2});
}

std::shared_ptr<PositionEncoding> untied_from_summary(std::shared_ptr<PositionEncoding> encoding,
                                                      const at::Tensor& thetas, int64_t heads) {
  return std::make_shared<UntiedSummary>(std::move(encoding), thetas, heads);
}

}  // namespace dietmt::encoders
