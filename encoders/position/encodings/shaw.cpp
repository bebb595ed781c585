// Relative vectors (Shaw et al. 2018, "Self-Attention with Relative Position Representations"):
//
//   score[h,i,j] = q_i . (k_j + a_K[o]) / sqrt(Dh),   o = clip(j - i, -C, C)
//   output[h,i]  = sum_j p[h,i,j] (v_j + a_V[o])      with values = true
//
// `tied` reads one table on both sides. Choose Shaw if the attention of a word to an offset should
// depend on the word; it costs more than a number per offset (diet_rel.cpp).

#include <ATen/ATen.h>

#include <cmath>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

struct ShawOptions {
  int64_t clip = 16;
  bool values = true;
  bool tied = false;
  Sharing sharing = Sharing::kHeads;
};

class Shaw : public PositionEncoding {
 public:
  Shaw(const ShawOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor key_table_;    // a_K: [L|1, H|1, 2C+1, Dh], initially Xavier-uniform
  at::Tensor value_table_;  // a_V: the same shape, key_table_ itself if tied, or undefined
};

at::Tensor xavier_table(const ShawOptions& options, const EncodingContext& context) {
  const int64_t entries = 2 * options.clip + 1;
  const double bound = std::sqrt(6.0 / static_cast<double>(entries + context.head_width));
  return empty_table(options.sharing, context, {entries, context.head_width})
      .uniform_(-bound, bound);
}

Shaw::Shaw(const ShawOptions& options, const EncodingContext& context) {
  key_table_ = register_parameter("keys", xavier_table(options, context));
  if (options.tied)
    value_table_ = key_table_;
  else if (options.values)
    value_table_ = register_parameter("values", xavier_table(options, context));
}

void Shaw::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::relative_keys, key_table_);
  if (value_table_.defined()) terms.set(&ScoreTerms::relative_values, value_table_);
}

ShawOptions shaw_options(const OptionValues& values) {
  return {.clip = values.number("clip"),
          .values = values.flag("values"),
          .tied = values.flag("tied"),
          .sharing = sharing_of(values)};
}

void check_shaw(const OptionValues& values, const EncodingContext&) {
  if (values.flag("tied") && !values.flag("values"))
    throw ConfigError("tied=true needs values=true");
}

double shaw_parameters(const OptionValues& values, const EncodingContext& context) {
  const ShawOptions options = shaw_options(values);
  const double tables = options.values && !options.tied ? 2.0 : 1.0;
  return tables * table_size(options.sharing, context, {2 * options.clip + 1, context.head_width});
}

}  // namespace

EncodingRow shaw_row() {
  constexpr ShawOptions kDefaults;
  return {.name = "shaw",
          .formula = "q_i.(k_j+aK[j-i])/sqrt(Dh), out_i = sum_j p_ij (v_j+aV[j-i])",
          .offset_vectors = true,
          .options = {number_option("clip", kDefaults.clip, 1, "maximum relative distance"),
                      flag_option("values", kDefaults.values, "also add vectors to the values"),
                      flag_option("tied", kDefaults.tied, "one table for keys and values"),
                      share_option(kDefaults.sharing)},
          .check = check_shaw,
          .parameters = shaw_parameters,
          .make = make_encoding<Shaw, shaw_options>};
}

}  // namespace dietmt::encoders
