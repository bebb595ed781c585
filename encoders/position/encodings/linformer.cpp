#include "encoders/position/encodings/linformer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>

#include "common/error.h"

namespace dietmt::encoders {

Linformer::Linformer(const LinformerOptions& options, const EncodingContext& context) {
  if (context.causal())
    throw ConfigError("causal self-attention cannot use it: compressed keys contain later words");
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
  terms.set(&ScoreTerms::query_features,
            query_table_.narrow(2, extent.query_start, extent.queries));
  terms.set(&ScoreTerms::key_features, key_table_);
}

namespace {

constexpr EncodingSites kNotCausal = {.decoder = false, .cross = true};
constexpr const char* kCompresses = "it compresses the keys of all heads";

EncodingOption length_option() {
  return number_option("length", LinformerOptions().length, 1, "rows kept per sentence");
}

EncodingOption tied_option() {
  return flag_option("tied", LinformerOptions().tied, "keys and values share E");
}

LinformerOptions linformer_options(const OptionValues& values) {
  return {.length = values.number("length"),
          .tied = values.flag("tied"),
          .sharing = sharing_of(values)};
}

LinformerOptions diet_abs_lin_options(const OptionValues& values) {
  return {.length = values.number("length"),
          .tied = values.flag("tied"),
          .abs = diet_abs_options(values)};
}

}  // namespace

EncodingRow linformer_row() {
  return {.name = "linformer",
          .formula = "q_i.(E K)_r/sqrt(Dh), out_i = sum_r p_ir (F V)_r",
          .sites = kNotCausal,
          .not_mixed = kCompresses,
          .options = {length_option(), tied_option(), share_option(LinformerOptions().sharing)},
          .make = make_encoding<Linformer, linformer_options>};
}

EncodingRow diet_abs_lin_row() {
  return {.name = "diet-abs-lin",
          .formula = "as linformer, + P_Q[h,i].P_K[h,r]",
          .sites = kNotCausal,
          .not_mixed = kCompresses,
          .options = {length_option(), tied_option(), rank_option(),
                      share_option(DietAbsOptions().sharing)},
          .make = make_encoding<Linformer, diet_abs_lin_options>};
}

}  // namespace dietmt::encoders
