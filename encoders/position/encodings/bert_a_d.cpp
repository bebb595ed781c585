// BERT-A^d (Ke et al. 2021, the variant of section 3.1 with separate projections): words and
// positions have their own projections, and all four products are kept,
//
//   score[h,i,j] = (q_i + u_i) . (k_j + w_j) / sqrt(4 Dh),   u = p U^Q,  w = p U^K
//
// Nothing is added to the embeddings; all layers share p and its projections.

#include <ATen/ATen.h>

#include <cmath>

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

class BertAD : public PositionEncoding {
 public:
  explicit BertAD(const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;

 private:
  int64_t heads_;
  int64_t head_width_;
  at::Tensor positions_;         // p: [max_positions, D], initially N(0, 0.02^2)
  at::Tensor query_projection_;  // U^Q: [D, H Dh], the same
  at::Tensor key_projection_;    // U^K: [D, H Dh], the same
};

BertAD::BertAD(const EncodingContext& context)
    : heads_(context.heads), head_width_(context.head_width) {
  const auto normal = [](at::IntArrayRef sizes) { return at::empty(sizes).normal_(0.0, 0.02); };
  const int64_t width = context.model_width;
  positions_ = register_parameter("positions", normal({context.max_positions, width}));
  query_projection_ = register_parameter("query_projection", normal({width, heads_ * head_width_}));
  key_projection_ = register_parameter("key_projection", normal({width, heads_ * head_width_}));
}

int64_t BertAD::max_length() const { return positions_.size(0); }

void BertAD::lower(const Extent& extent, LayerTerms& terms) const {
  require_position("bert-a-d", reach(extent));
  const at::Tensor rows = positions_.narrow(0, 0, extent.queries);
  const auto projected = [&](const at::Tensor& weight) {
    return at::matmul(rows, weight)  // [T, H Dh] -> [1, H, T, Dh]
        .unflatten(1, {heads_, head_width_})
        .transpose(0, 1)
        .unsqueeze(0);
  };
  terms.set(&ScoreTerms::query_shift, projected(query_projection_));
  terms.set(&ScoreTerms::key_shift, projected(key_projection_));
  terms.set_content_scale(1.0 / std::sqrt(4.0 * static_cast<double>(head_width_)));
}

double bert_a_d_parameters(const OptionValues&, const EncodingContext& context) {
  const auto width = static_cast<double>(context.model_width);
  const auto projected = static_cast<double>(context.heads * context.head_width);
  return width * (static_cast<double>(context.max_positions) + 2.0 * projected);
}

}  // namespace

EncodingRow bert_a_d_row() {
  return {.name = "bert-a-d",
          .formula = "(q_i + p_i U^Q).(k_j + p_j U^K)/sqrt(4Dh)",
          .parameters = bert_a_d_parameters,
          .make = make_encoding<BertAD>};
}

}  // namespace dietmt::encoders
