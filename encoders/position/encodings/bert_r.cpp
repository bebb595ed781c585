// BERT-R (Ke et al. 2021, "Rethinking Positional Encoding in Language Pre-training", eq. 5):
// learned positions added to the embeddings, and a learned number per head and offset, shared by
// the layers, added to the scaled scores.

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

class BertR : public PositionEncoding {
 public:
  explicit BertR(const EncodingContext& context) {
    const auto part = [&](const char* name, const EncodingRow& row, const char* sharing) {
      OptionValues values(row.options);
      if (sharing != nullptr) values.set("share", sharing);
      return register_module(name, row.make(values, context));
    };
    learned_ = part("learned", learned_row(), nullptr);
    offsets_ = part("offsets", diet_rel_row(), "layers");
  }

  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments) const override {
    return learned_->embed(x, positions, segments);
  }

  void lower(const Extent& extent, LayerTerms& terms) const override {
    offsets_->lower(extent, terms);
  }

  int64_t max_length() const override { return learned_->max_length(); }

 private:
  MadeEncoding learned_;
  MadeEncoding offsets_;
};

}  // namespace

EncodingRow bert_r_row() {
  return {.name = "bert-r",
          .formula = "x_i + P[i] and q_i.k_j/sqrt(Dh) + b[h,j-i]",
          .not_mixed =
              "it also adds to the embeddings; write "
              "learned+heads[diet-rel(share=layers):...]",
          .make = make_encoding<BertR>};
}

}  // namespace dietmt::encoders
