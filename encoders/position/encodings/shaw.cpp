#include "encoders/position/encodings/shaw.h"

#include <ATen/ATen.h>

#include <cmath>

#include "common/error.h"

namespace dietmt::encoders {
namespace {

at::Tensor xavier_table(const ShawOptions& options, const EncodingContext& context) {
  const int64_t entries = 2 * options.clip + 1;
  const double bound = std::sqrt(6.0 / static_cast<double>(entries + context.head_width));
  return empty_table(options.sharing, context, {entries, context.head_width})
      .uniform_(-bound, bound);
}

}  // namespace

Shaw::Shaw(const ShawOptions& options, const EncodingContext& context) {
  if (options.tied && !options.values) throw ConfigError("tied=true needs values=true");
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

namespace {

ShawOptions shaw_options(const OptionValues& values) {
  return {.clip = values.number("clip"),
          .values = values.flag("values"),
          .tied = values.flag("tied"),
          .sharing = sharing_of(values)};
}

}  // namespace

EncodingRow shaw_row() {
  constexpr ShawOptions kDefaults;
  return {.name = "shaw",
          .formula = "q_i.(k_j+aK[j-i])/sqrt(Dh), out_i = sum_j p_ij (v_j+aV[j-i])",
          .options = {number_option("clip", kDefaults.clip, 1, "maximum relative distance"),
                      flag_option("values", kDefaults.values, "also add vectors to the values"),
                      flag_option("tied", kDefaults.tied, "one table for keys and values"),
                      share_option(kDefaults.sharing)},
          .make = make_encoding<Shaw, shaw_options>};
}

}  // namespace dietmt::encoders
