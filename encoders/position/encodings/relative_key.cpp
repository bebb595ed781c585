// Relative vectors that meet queries, or queries and keys, without clipping (the variants
// relative_key and relative_key_query of BERT in HuggingFace transformers; Huang et al. 2020,
// "Improve Transformer Models with Better Relative Position Embeddings", method 4):
//
//   score[h,i,j] = (q_i . k_j + q_i . D[j - i] [+ k_j . D[j - i]]) / sqrt(Dh)
//
// One vector of Dh numbers for each offset up to max_positions; offsets beyond read the end
// entries.

#include <ATen/ATen.h>

#include <optional>

#include "encoders/position/encodings/encoding_table.h"

namespace dietmt::encoders {
namespace {

enum class RelativeKeySides { kKeys, kKeysAndQueries };

struct RelativeKeyOptions {
  RelativeKeySides sides = RelativeKeySides::kKeys;
  std::optional<int64_t> clip = {};  // none: max_positions - 1
  Sharing sharing = Sharing::kHeads;
};

class RelativeKey : public PositionEncoding {
 public:
  RelativeKey(const RelativeKeyOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  RelativeKeySides sides_;
  at::Tensor table_;  // D: [L|1, H|1, 2C+1, Dh], initially N(0, 0.02^2)
};

int64_t relative_key_offsets(const RelativeKeyOptions& options, const EncodingContext& context) {
  return 2 * options.clip.value_or(context.max_positions - 1) + 1;
}

RelativeKey::RelativeKey(const RelativeKeyOptions& options, const EncodingContext& context)
    : sides_(options.sides) {
  const int64_t offsets = relative_key_offsets(options, context);
  table_ = register_parameter(
      "table",
      empty_table(options.sharing, context, {offsets, context.head_width}).normal_(0.0, 0.02));
}

void RelativeKey::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::relative_keys, table_);
  if (sides_ == RelativeKeySides::kKeysAndQueries) terms.set(&ScoreTerms::relative_queries, table_);
}

template <RelativeKeySides kSides>
RelativeKeyOptions relative_key_options(const OptionValues& values) {
  return {.sides = kSides, .clip = values.number_or_none("clip"), .sharing = sharing_of(values)};
}

template <RelativeKeySides kSides>
double relative_key_parameters(const OptionValues& values, const EncodingContext& context) {
  const RelativeKeyOptions options = relative_key_options<kSides>(values);
  return table_size(options.sharing, context,
                    {relative_key_offsets(options, context), context.head_width});
}

template <RelativeKeySides kSides>
EncodingRow row_of_sides(const std::string& name, const std::string& formula) {
  constexpr RelativeKeyOptions kDefaults;
  return {
      .name = name,
      .formula = formula,
      .offset_vectors = true,
      .options = {number_or_option("clip", "none", kDefaults.clip, 1, "maximum relative distance"),
                  share_option(kDefaults.sharing)},
      .parameters = relative_key_parameters<kSides>,
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
