#include "encoders/position/encodings/cope.h"

#include <ATen/ATen.h>

namespace dietmt::encoders {

Cope::Cope(const CopeOptions& options, const EncodingContext& context) {
  table_ = register_parameter(
      "table",
      empty_table(options.sharing, context, {options.positions, context.head_width}).zero_());
}

void Cope::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::contextual, table_);
}

}  // namespace dietmt::encoders
