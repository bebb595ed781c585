// Relative positions of Transformer-XL (Dai et al. 2019, section 3.3), also those of XLNet:
//
//   score[h,i,j] = ((q_i + u[h]) . k_j + (q_i + v[h]) . W_R[h] r[i - j]) / sqrt(Dh)
//
// r[x] = [sin(x w_m) for all m, cos(x w_m) for all m], w_m = 10000^(-2m/D), is fixed, so there is
// no longest sentence. u and v serve all layers, W_R belongs to a layer.

#include <ATen/ATen.h>

#include <cmath>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/sinusoid_table.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

class TransformerXl : public PositionEncoding {
 public:
  explicit TransformerXl(const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  int64_t width_;
  int64_t heads_;
  int64_t head_width_;
  at::Tensor content_bias_;   // u: [H, Dh], initially N(0, 0.02^2)
  at::Tensor position_bias_;  // v: [H, Dh], the same
  at::Tensor projection_;     // W_R: [L, D, H Dh], the same
  TableCache frequencies_;    // [D/2]
};

TransformerXl::TransformerXl(const EncodingContext& context)
    : width_(context.model_width), heads_(context.heads), head_width_(context.head_width) {
  const auto normal = [](at::IntArrayRef sizes) { return at::empty(sizes).normal_(0.0, 0.02); };
  content_bias_ = register_parameter("content_bias", normal({heads_, head_width_}));
  position_bias_ = register_parameter("position_bias", normal({heads_, head_width_}));
  projection_ =
      register_parameter("projection", normal({context.layers, width_, heads_ * head_width_}));
}

void TransformerXl::lower(const Extent& extent, LayerTerms& terms) const {
  const int64_t clip = reach(extent);
  const at::Tensor w =
      frequencies_.rows(0, width_ / 2, terms.options().dtype(at::kDouble), [&](int64_t, int64_t) {
        return sinusoid_frequencies(width_ / 2, static_cast<double>(width_ / 2));
      });
  // i - j, the opposite of the tables' order.
  const at::Tensor distances = at::arange(clip, -clip - 1, -1, w.options());
  const at::Tensor keys = at::matmul(halved_sinusoids(distances, w).to(projection_), projection_)
                              .unflatten(-1, {heads_, head_width_})
                              .transpose(1, 2);  // [L, H, 2C+1, Dh]
  const double scale = 1.0 / std::sqrt(static_cast<double>(head_width_));
  // With q + u in place of q: (q + v) . r = (q + u) . r + (v - u) . r.
  const at::Tensor difference = (position_bias_ - content_bias_).unsqueeze(1);  // [H, 1, Dh]
  terms.set(&ScoreTerms::query_shift, content_bias_.unsqueeze(1).unsqueeze(0));
  terms.set(&ScoreTerms::relative_keys, keys);
  terms.set(&ScoreTerms::offset_bias, scale * (keys * difference).sum(-1));
}

void check_transformer_xl(const OptionValues&, const EncodingContext& context) {
  if (context.model_width % 2 != 0)
    throw ConfigError("sinusoids need an even --width, not " + std::to_string(context.model_width));
}

double transformer_xl_parameters(const OptionValues&, const EncodingContext& context) {
  const auto projected = static_cast<double>(context.heads * context.head_width);
  const auto layers = static_cast<double>(context.layers);
  return projected * (2.0 + layers * static_cast<double>(context.model_width));
}

}  // namespace

EncodingRow transformer_xl_row() {
  return {.name = "transformer-xl",
          .formula = "((q_i+u).k_j + (q_i+v).(W_R r[i-j]))/sqrt(Dh), r sines and cosines",
          .offset_vectors = true,
          .check = check_transformer_xl,
          .parameters = transformer_xl_parameters,
          .make = make_encoding<TransformerXl>};
}

}  // namespace dietmt::encoders
