// BERT-R (Ke et al. 2021, "Rethinking Positional Encoding in Language Pre-training", eq. 5):
// learned positions added to the embeddings, and a learned number per head and offset, shared by
// the layers, added to the scaled scores.

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

OptionValues learned_values() { return OptionValues(learned_row().options); }

OptionValues offsets_values() {
  OptionValues values(diet_rel_row().options);
  values.set("share", "layers");
  return values;
}

class BertR : public PositionEncoding {
 public:
  explicit BertR(const EncodingContext& context) {
    learned_ = register_module("learned", learned_row().make(learned_values(), context));
    offsets_ = register_module("offsets", diet_rel_row().make(offsets_values(), context));
  }

  at::Tensor position_table(int64_t count, const at::TensorOptions& options) const override {
    return learned_->position_table(count, options);
  }

  void lower(const Extent& extent, LayerTerms& terms) const override {
    offsets_->lower(extent, terms);
  }

  int64_t max_length() const override { return learned_->max_length(); }

 private:
  MadeEncoding learned_;
  MadeEncoding offsets_;
};

double bert_r_parameters(const OptionValues&, const EncodingContext& context) {
  return learned_row().parameters(learned_values(), context) +
         diet_rel_row().parameters(offsets_values(), context);
}

}  // namespace

EncodingRow bert_r_row() {
  return {.name = "bert-r",
          .formula = "x_i + P[i] and q_i.k_j/sqrt(Dh) + b[h,j-i]",
          .not_mixed =
              "it also adds to the embeddings; write "
              "learned+heads[diet-rel(share=layers):...]",
          .parameters = bert_r_parameters,
          .make = make_encoding<BertR>};
}

}  // namespace dietmt::encoders
