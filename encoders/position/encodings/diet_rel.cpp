#include "encoders/position/encodings/diet_rel.h"

#include <ATen/ATen.h>

namespace dietmt::encoders {

DietRel::DietRel(const DietRelOptions& options, const EncodingContext& context) {
  const int64_t clip = options.clip.value_or(context.max_positions - 1);
  table_ = register_parameter(
      "table", empty_table(options.sharing, context, {2 * clip + 1}).normal_(0.0, 0.02));
}

void DietRel::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::offset_bias, table_);
}

namespace {

DietRelOptions diet_rel_options(const OptionValues& values) {
  return {.clip = values.number_or_none("clip"), .sharing = sharing_of(values)};
}

}  // namespace

EncodingRow diet_rel_row() {
  constexpr DietRelOptions kDefaults;
  return {
      .name = "diet-rel",
      .formula = "q_i.k_j/sqrt(Dh) + R[h,j-i]",
      .sites = {.cross = true},
      .options = {number_or_option("clip", "none", kDefaults.clip, 1, "maximum relative distance"),
                  share_option(kDefaults.sharing)},
      .make = make_encoding<DietRel, diet_rel_options>};
}

}  // namespace dietmt::encoders
