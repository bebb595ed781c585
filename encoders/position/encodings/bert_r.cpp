// BERT-R (Ke et al. 2021, "Rethinking Positional Encoding in Language Pre-training", eq. 5):
// learned positions added to the embeddings, and a learned number per head and offset, or per head
// and bucket of offsets as in T5, shared by the layers, added to the scaled scores.

#include <optional>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/encodings/t5.h"

namespace dietmt::encoders {
namespace {

OptionValues learned_values() { return OptionValues(learned_row().options); }

/// The part with a number for each offset or bucket: an encoding and its options.
struct OffsetsPart {
  EncodingRow row;
  OptionValues values;
};

OffsetsPart offsets_part(const OptionValues& values) {
  const std::optional<int64_t> buckets = values.number_or_none("buckets");
  EncodingRow row = buckets ? t5_row() : diet_rel_row();
  OptionValues its(row.options);
  its.set("share", "layers");
  if (buckets) {
    its.set("buckets", std::to_string(*buckets));
    its.set("distance", std::to_string(values.number("distance")));
  }
  return {std::move(row), std::move(its)};
}

const OptionValues& as_given(const OptionValues& values) { return values; }

class BertR : public PositionEncoding {
 public:
  BertR(const OptionValues& values, const EncodingContext& context) {
    const OffsetsPart offsets = offsets_part(values);
    learned_ = register_module("learned", learned_row().make(learned_values(), context));
    offsets_ = register_module("offsets", offsets.row.make(offsets.values, context));
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

void check_bert_r(const OptionValues& values, const EncodingContext& context) {
  const OffsetsPart offsets = offsets_part(values);
  if (values.number_or_none("buckets"))
    offsets.row.check(offsets.values, context);
  else if (values.number("distance") != T5Options().distance)
    throw ConfigError("'distance' needs buckets");
}

double bert_r_parameters(const OptionValues& values, const EncodingContext& context) {
  const OffsetsPart offsets = offsets_part(values);
  return learned_row().parameters(learned_values(), context) +
         offsets.row.parameters(offsets.values, context);
}

}  // namespace

EncodingRow bert_r_row() {
  return {.name = "bert-r",
          .formula = "x_i + P[i] and q_i.k_j/sqrt(Dh) + b[h,j-i]",
          .not_mixed =
              "it also adds to the embeddings; write "
              "learned+heads[diet-rel(share=layers):...]",
          .position_only = true,
          .options = {number_or_option("buckets", "none", std::nullopt, kFewestBuckets,
                                       "number of buckets; none: one number per offset"),
                      distance_option(T5Options().distance)},
          .check = check_bert_r,
          .parameters = bert_r_parameters,
          .make = make_encoding<BertR, as_given>};
}

}  // namespace dietmt::encoders
