// BERT-R (Ke et al. 2021, "Rethinking Positional Encoding in Language Pre-training", eq. 5):
// learned positions added to the embeddings, and a learned number per head and offset, shared by
// the layers, added to the scaled scores.
#pragma once

#include "encoders/position/encodings/diet_rel.h"
#include "encoders/position/encodings/learned.h"

namespace dietmt::encoders {

class BertR : public PositionEncoding {
 public:
  explicit BertR(const EncodingContext& context);
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments) const override;
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;

 private:
  std::shared_ptr<Learned> learned_;
  std::shared_ptr<DietRel> offsets_;
};

EncodingRow bert_r_row();

}  // namespace dietmt::encoders
