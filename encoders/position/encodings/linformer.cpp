// Linformer (Wang et al. 2020, eq. 7): the keys and values of a sentence become k rows each, so
// that attention costs O(T k):
//
//   K' = E K,  V' = F V,   score[h,i,r] = q_i . K'_r / sqrt(Dh)
//
// E and F compress the projected keys and values, their biases included, and see only the words of
// the sentence. DIET-ABSLIN (Chen et al. 2021, eq. 4) adds P_Q[h,i] . P_K[h,r] to the scores. Both
// are for encoders and cross-attention: E mixes later words into every row, so causal attention
// cannot use them. They replace the keys of all heads, so they cannot own only some of them.

#include <ATen/ATen.h>

#include <cmath>
#include <optional>
#include <string>

#include "common/error.h"
#include "encoders/position/encodings/diet_abs.h"
#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

struct LinformerOptions {
  int64_t length = 64;                     // k
  bool tied = false;                       // F = E
  Sharing sharing = Sharing::kHeads;       // of E and F
  std::optional<DietAbsOptions> abs = {};  // P_Q and P_K of DIET-ABSLIN; none: Linformer
};

class Linformer : public PositionEncoding {
 public:
  Linformer(const LinformerOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;

 private:
  at::Tensor key_compression_;    // E: [L|1, H|1, k, max_positions], initially U(+-1/sqrt(k))
  at::Tensor value_compression_;  // F: the same shape, key_compression_ itself if tied
  at::Tensor query_table_;        // P_Q: [L|1, H|1, max_positions, R], or undefined
  at::Tensor key_table_;          // P_K: [L|1, H|1, k, R], or undefined
};

Linformer::Linformer(const LinformerOptions& options, const EncodingContext& context) {
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
  terms.set(&ScoreTerms::query_features, query_table_.narrow(2, 0, extent.queries));
  terms.set(&ScoreTerms::key_features, key_table_);
}

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

EncodingOption share_of_positions() {
  EncodingOption option = share_option(DietAbsOptions().sharing);
  option.meaning = "what shares one P_Q and P_K";
  return option;
}

// `share` is that of P_Q and P_K. E and F of Chen et al. are those of a layer, as Linformer's.
LinformerOptions diet_abs_lin_options(const OptionValues& values) {
  return {.length = values.number("length"),
          .tied = values.flag("tied"),
          .abs = diet_abs_options(values)};
}

void check_linformer(const OptionValues& values, const EncodingContext& context) {
  if (values.number("length") > context.max_positions)
    throw ConfigError("length must not exceed --max-positions " +
                      std::to_string(context.max_positions));
}

double compression_size(const LinformerOptions& options, const EncodingContext& context) {
  return (options.tied ? 1.0 : 2.0) *
         table_size(options.sharing, context, {options.length, context.max_positions});
}

double linformer_parameters(const OptionValues& values, const EncodingContext& context) {
  return compression_size(linformer_options(values), context);
}

double diet_abs_lin_parameters(const OptionValues& values, const EncodingContext& context) {
  const LinformerOptions options = diet_abs_lin_options(values);
  return compression_size(options, context) +
         diet_abs_table_size(*options.abs, context, context.max_positions) +
         diet_abs_table_size(*options.abs, context, options.length);
}

}  // namespace

EncodingRow linformer_row() {
  return {.name = "linformer",
          .formula = "q_i.(E K)_r/sqrt(Dh), out_i = sum_r p_ir (F V)_r",
          .sites = kNotCausal,
          .not_mixed = kCompresses,
          .compresses_keys = true,
          .options = {length_option(), tied_option(), share_option(LinformerOptions().sharing)},
          .check = check_linformer,
          .parameters = linformer_parameters,
          .make = make_encoding<Linformer, linformer_options>};
}

EncodingRow diet_abs_lin_row() {
  return {.name = "diet-abs-lin",
          .formula = "as linformer, + P_Q[h,i].P_K[h,r]",
          .sites = kNotCausal,
          .not_mixed = kCompresses,
          .compresses_keys = true,
          .options = {length_option(), tied_option(), rank_option(), share_of_positions()},
          .check = check_linformer,
          .parameters = diet_abs_lin_parameters,
          .make = make_encoding<Linformer, diet_abs_lin_options>};
}

}  // namespace dietmt::encoders
