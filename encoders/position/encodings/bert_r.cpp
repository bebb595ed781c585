#include "encoders/position/encodings/bert_r.h"

#include <ATen/ATen.h>

namespace dietmt::encoders {

BertR::BertR(const EncodingContext& context) {
  learned_ = register_module("learned", std::make_shared<Learned>(context));
  const DietRelOptions options{.clip = {}, .sharing = Sharing::kLayers};
  offsets_ = register_module("offsets", std::make_shared<DietRel>(options, context));
}

at::Tensor BertR::embed(const at::Tensor& x, const at::Tensor& positions,
                        const at::Tensor& segments) const {
  return learned_->embed(x, positions, segments);
}

void BertR::lower(const Extent& extent, LayerTerms& terms) const { offsets_->lower(extent, terms); }

int64_t BertR::max_length() const { return learned_->max_length(); }

EncodingRow bert_r_row() {
  return {.name = "bert-r",
          .formula = "x_i + P[i] and q_i.k_j/sqrt(Dh) + b[h,j-i]",
          .not_mixed =
              "it also adds to the embeddings; write "
              "learned+heads[diet-rel(share=layers):...]",
          .make = make_encoding<BertR>};
}

}  // namespace dietmt::encoders
