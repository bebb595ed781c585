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

namespace {

template <RelativeKeySides kSides>
RelativeKeyOptions relative_key_options(const OptionValues& values) {
  return {.sides = kSides, .clip = values.number_or_none("clip"), .sharing = sharing_of(values)};
}

template <RelativeKeySides kSides>
EncodingRow row_of_sides(const std::string& name, const std::string& formula) {
  constexpr RelativeKeyOptions kDefaults;
  return {
      .name = name,
      .formula = formula,
      .options = {number_or_option("clip", "none", kDefaults.clip, 1, "maximum relative distance"),
                  share_option(kDefaults.sharing)},
      .make = make_encoding<RelativeKey, relative_key_options<kSides>>};
}

}  // namespace

EncodingRow relative_key_row() {
  return row_of_sides<RelativeKeySides::kKeys>("relative-key", "(q_i.k_j + q_i.D[j-i])/sqrt(Dh)");
}

EncodingRow relative_key_query_row() {
  return row_of_sides<RelativeKeySides::kKeysAndQueries>(
      "relative-key-query", "(q_i.k_j + q_i.D[j-i] + k_j.D[j-i])/sqrt(Dh)");
}

}  // namespace dietmt::encoders
