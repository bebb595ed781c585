// DIET-REL (Chen et al. 2021, "A Simple and Effective Positional Encoding for Transformers"): a
// learned number per head and offset, added to the scaled scores:
//
//   score[h,i,j] = q_i . k_j / sqrt(Dh) + R[h, j - i]
//
// (The paper's index is i - j; import flips checkpoints of that order.) Offsets beyond the table
// read its end entries. This is the cheapest relative encoding; choose it by default.

#include <ATen/ATen.h>

#include <optional>

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

struct DietRelOptions {
  std::optional<int64_t> clip = {};  // none: max_positions - 1
  Sharing sharing = Sharing::kNone;
};

class DietRel : public PositionEncoding {
 public:
  DietRel(const DietRelOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor table_;  // R: [L|1, H|1, 2C+1], initially N(0, 0.02^2)
};

int64_t diet_rel_offsets(const DietRelOptions& options, const EncodingContext& context) {
  return 2 * options.clip.value_or(context.max_positions - 1) + 1;
}

DietRel::DietRel(const DietRelOptions& options, const EncodingContext& context) {
  const int64_t offsets = diet_rel_offsets(options, context);
  table_ = register_parameter("table",
                              empty_table(options.sharing, context, {offsets}).normal_(0.0, 0.02));
}

void DietRel::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::offset_bias, table_);
}

DietRelOptions diet_rel_options(const OptionValues& values) {
  return {.clip = values.number_or_none("clip"), .sharing = sharing_of(values)};
}

double diet_rel_parameters(const OptionValues& values, const EncodingContext& context) {
  const DietRelOptions options = diet_rel_options(values);
  return table_size(options.sharing, context, {diet_rel_offsets(options, context)});
}

}  // namespace

EncodingRow diet_rel_row() {
  constexpr DietRelOptions kDefaults;
  return {
      .name = "diet-rel",
      .formula = "q_i.k_j/sqrt(Dh) + R[h,j-i]",
      .sites = {.cross = true},
      .position_only = true,
      .options = {number_or_option("clip", "none", kDefaults.clip, 1, "maximum relative distance"),
                  share_option(kDefaults.sharing)},
      .parameters = diet_rel_parameters,
      .make = make_encoding<DietRel, diet_rel_options>};
}

}  // namespace dietmt::encoders
