#include "encoders/position/encodings/relative_key.h"

#include <ATen/ATen.h>

namespace dietmt::encoders {

RelativeKey::RelativeKey(const RelativeKeyOptions& options, const EncodingContext& context)
    : sides_(options.sides) {
  const int64_t clip = options.clip.value_or(context.max_positions - 1);
  table_ = register_parameter(
      "table",
      empty_table(options.sharing, context, {2 * clip + 1, context.head_width}).normal_(0.0, 0.02));
}

void RelativeKey::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::relative_keys, table_);
  if (sides_ == RelativeKeySides::kKeysAndQueries) terms.set(&ScoreTerms::relative_queries, table_);
}

}  // namespace dietmt::encoders
