#include "encoders/position/encodings/linformer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>

#include "common/error.h"

namespace dietmt::encoders {

Linformer::Linformer(const LinformerOptions& options, const EncodingContext& context) {
  if (context.causal())
    throw ConfigError("causal self-attention cannot use it: compressed keys mix later words in");
  if (options.length > context.max_positions)
    throw ConfigError("length must not exceed the longest sentence of " +
                      std::to_string(context.max_positions) + " tokens");
  const double bound = 1.0 / std::sqrt(static_cast<double>(options.length));
  const auto compression = [&] {
    return empty_table(options.sharing, context, {options.length, context.max_positions})
        .uniform_(-bound, bound);
  };
  key_compression_ = register_parameter("key_compression", compression());
  value_compression_ =
      options.tied ? key_compression_ : register_parameter("value_compression", compression());
  if (!options.abs) return;
  query_table_ =
      register_parameter("queries", diet_abs_table(*options.abs, context, context.max_positions));
  key_table_ = register_parameter("keys", diet_abs_table(*options.abs, context, options.length));
}

int64_t Linformer::max_length() const { return key_compression_.size(3); }

void Linformer::lower(const Extent& extent, LayerTerms& terms) const {
  require_position("linformer", reach(extent));
  terms.set(&ScoreTerms::key_compression, key_compression_);
  terms.set(&ScoreTerms::value_compression, value_compression_);
  if (!query_table_.defined()) return;
  const at::Tensor queries = query_table_.narrow(2, extent.query_start, extent.queries);
  terms.set(&ScoreTerms::position_bias, at::matmul(queries, key_table_.transpose(2, 3)));
}

}  // namespace dietmt::encoders
