// Disentangled attention of DeBERTa (He et al. 2021, eq. 4), with one table of relative positions
// for all layers and projections of it in each:
//
//   score[h,i,j] = (q_i . k_j + q_i . K_r[d(i,j)] + k_j . Q_r[d(j,i)]) / sqrt(3 Dh)
//   K_r = P W_Kr,  Q_r = P W_Qr,  d(i,j) = clip(i - j + s, 0, 2s - 1)

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

struct DebertaOptions {
  int64_t span = 512;  // s
};

class Deberta : public PositionEncoding {
 public:
  Deberta(const DebertaOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  int64_t span_;
  int64_t heads_;
  int64_t head_width_;
  at::Tensor table_;             // P: [2s, D]
  at::Tensor key_projection_;    // W_Kr: [L, D, H Dh]
  at::Tensor query_projection_;  // W_Qr: [L, D, H Dh]; all initially N(0, 0.02^2)
};

Deberta::Deberta(const DebertaOptions& options, const EncodingContext& context)
    : span_(options.span), heads_(context.heads), head_width_(context.head_width) {
  const auto normal = [](at::IntArrayRef sizes) { return at::empty(sizes).normal_(0.0, 0.02); };
  const int64_t width = context.model_width;
  table_ = register_parameter("table", normal({2 * span_, width}));
  key_projection_ =
      register_parameter("key_projection", normal({context.layers, width, heads_ * head_width_}));
  query_projection_ =
      register_parameter("query_projection", normal({context.layers, width, heads_ * head_width_}));
}

void Deberta::lower(const Extent& extent, LayerTerms& terms) const {
  // Only the rows of offsets that occur. Beyond +-s every offset reads the row of +-s.
  const int64_t clip = std::min(span_, reach(extent));
  const at::Tensor offsets = at::arange(-clip, clip + 1, terms.options().dtype(at::kLong));
  const auto projected = [&](const at::Tensor& index, const at::Tensor& projection) {
    const at::Tensor rows = table_rows(table_, index.clamp(0, 2 * span_ - 1));
    return at::matmul(rows, projection)  // [L, 2C+1, H Dh] -> [L, H, 2C+1, Dh]
        .unflatten(-1, {heads_, head_width_})
        .transpose(1, 2);
  };
  terms.set(&ScoreTerms::relative_keys, projected(span_ - offsets, key_projection_));
  terms.set(&ScoreTerms::relative_queries, projected(span_ + offsets, query_projection_));
  terms.set_content_scale(1.0 / std::sqrt(3.0 * static_cast<double>(head_width_)));
}

DebertaOptions deberta_options(const OptionValues& values) {
  return {.span = values.number("span")};
}

double deberta_parameters(const OptionValues& values, const EncodingContext& context) {
  const auto width = static_cast<double>(context.model_width);
  const auto projected = static_cast<double>(context.heads * context.head_width);
  const auto span = static_cast<double>(deberta_options(values).span);
  return 2.0 * width * (span + static_cast<double>(context.layers) * projected);
}

}  // namespace

EncodingRow deberta_row() {
  return {.name = "deberta",
          .formula = "(q_i.k_j + q_i.(P W_Kr)[i-j] + k_j.(P W_Qr)[j-i])/sqrt(3Dh)",
          .offset_vectors = true,
          .options = {number_option("span", DebertaOptions().span, 1,
                                    "offsets from -span to span-1 are distinct")},
          .parameters = deberta_parameters,
          .make = make_encoding<Deberta, deberta_options>};
}

}  // namespace dietmt::encoders
