// A learned vector per position, added to the embeddings: x_i + P[i] (Gehring et al. 2017; BERT).
// Inputs longer than max_positions are refused because the table has no row for them.

#include <ATen/ATen.h>

#include <cmath>

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

class Learned : public PositionEncoding {
 public:
  explicit Learned(const EncodingContext& context);
  at::Tensor position_table(int64_t count, const at::TensorOptions& options) const override;
  int64_t max_length() const override;

 private:
  at::Tensor table_;  // [max_positions, D], initially N(0, 1/D), or as the context says
};

Learned::Learned(const EncodingContext& context) {
  const double deviation = context.embedding_deviation.value_or(
      1.0 / std::sqrt(static_cast<double>(context.model_width)));
  table_ = register_parameter(
      "table", at::empty({context.max_positions, context.model_width}).normal_(0.0, deviation));
}

int64_t Learned::max_length() const { return table_.size(0); }

at::Tensor Learned::position_table(int64_t count, const at::TensorOptions&) const {
  require_position("learned", count - 1);
  return table_;
}

double learned_parameters(const OptionValues&, const EncodingContext& context) {
  return static_cast<double>(context.max_positions) * static_cast<double>(context.model_width);
}

}  // namespace

EncodingRow learned_row() {
  return {.name = "learned",
          .formula = "x_i + P[i], P learned",
          .level = EncodingLevel::kInput,
          .parameters = learned_parameters,
          .make = make_encoding<Learned>};
}

}  // namespace dietmt::encoders
