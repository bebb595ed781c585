#include "encoders/position/encodings/diet_abs.h"

#include <ATen/ATen.h>

#include <cmath>

namespace dietmt::encoders {
namespace {

// From here on the product of two positions costs less than reading it from a table of all pairs.
constexpr int64_t kLongSentence = 1024;

}  // namespace

at::Tensor diet_abs_table(const DietAbsOptions& options, const EncodingContext& context,
                          int64_t rows) {
  const int64_t rank = options.rank.value_or(context.head_width);
  const double deviation = std::sqrt(0.2 / std::sqrt(static_cast<double>(rank)));
  return empty_table(options.sharing, context, {rows, rank}).normal_(0.0, deviation);
}

DietAbs::DietAbs(const DietAbsOptions& options, const EncodingContext& context) {
  query_table_ =
      register_parameter("queries", diet_abs_table(options, context, context.max_positions));
  key_table_ = register_parameter("keys", diet_abs_table(options, context, context.max_positions));
}

int64_t DietAbs::max_length() const { return query_table_.size(2); }

void DietAbs::lower(const Extent& extent, LayerTerms& terms) const {
  require_position("diet-abs", reach(extent));
  const at::Tensor queries = query_table_.narrow(2, extent.query_start, extent.queries);
  const at::Tensor keys = key_table_.narrow(2, 0, extent.keys);
  if (extent.queries > kLongSentence) {
    terms.set(&ScoreTerms::query_features, queries);
    terms.set(&ScoreTerms::key_features, keys);
  } else {
    terms.set(&ScoreTerms::position_bias, at::matmul(queries, keys.transpose(2, 3)));
  }
}

}  // namespace dietmt::encoders
