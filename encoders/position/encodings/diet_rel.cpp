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

}  // namespace dietmt::encoders
