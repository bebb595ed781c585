// Encodings with a vector for each offset.
#include "encoders/position/encodings/deberta.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/encodings/relative_key.h"
#include "encoders/position/encodings/relative_sinusoidal.h"
#include "encoders/position/encodings/shaw.h"
#include "encoders/position/encodings/transformer_xl.h"

namespace dietmt::encoders {
namespace {

using Values = OptionValues;
using Context = EncodingContext;
using Made = std::shared_ptr<PositionEncoding>;

Made make_shaw(const Values& values, const Context& context) {
  const ShawOptions options{.clip = values.number("clip"),
                            .values = values.flag("values"),
                            .tied = values.flag("tied"),
                            .sharing = sharing_of(values)};
  return std::make_shared<Shaw>(options, context);
}

Made make_relative_sinusoidal(const Values& values, const Context& context) {
  const bool center = values.text("origin") == "center";
  const RelativeSinusoidalOptions options{
      .clip = values.number("clip"),
      .values = values.flag("values"),
      .learned = values.flag("learned"),
      .origin = center ? OffsetOrigin::kCenter : OffsetOrigin::kLeft};
  return std::make_shared<RelativeSinusoidal>(options, context);
}

template <RelativeKeySides kSides>
Made make_relative_key(const Values& values, const Context& context) {
  const RelativeKeyOptions options{
      .sides = kSides, .clip = number_or_none(values, "clip"), .sharing = sharing_of(values)};
  return std::make_shared<RelativeKey>(options, context);
}

}  // namespace

std::vector<EncodingRow> relative_rows() {
  const EncodingOption clip =
      number_or_option("clip", "none", "none", "largest distance told apart");
  return {
      {.name = "shaw",
       .formula = "q_i.(k_j+aK[j-i])/sqrt(Dh), out_i = sum_j p_ij (v_j+aV[j-i])",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {number_option("clip", "16", 1, "largest distance told apart"),
                   flag_option("values", "true", "vectors on the value side, too"),
                   flag_option("tied", "false", "one table for keys and values"),
                   share_option("heads")},
       .make = make_shaw},
      {.name = "relative-sinusoidal",
       .formula = "as shaw with aK = aV = sines and cosines of (j-i) w_m",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {number_option("clip", "64", 1, "largest distance told apart"),
                   flag_option("values", "true", "vectors on the value side, too"),
                   flag_option("learned", "false", "learn the frequencies"),
                   {"origin",
                    "center",
                    {"center", "left"},
                    {},
                    "angle 0 at offset 0, or at the lowest offset as in NEZHA"}},
       .make = make_relative_sinusoidal},
      {.name = "relative-key",
       .formula = "(q_i.k_j + q_i.D[j-i])/sqrt(Dh)",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {clip, share_option("heads")},
       .make = make_relative_key<RelativeKeySides::kKeys>},
      {.name = "relative-key-query",
       .formula = "(q_i.k_j + q_i.D[j-i] + k_j.D[j-i])/sqrt(Dh)",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {clip, share_option("heads")},
       .make = make_relative_key<RelativeKeySides::kKeysAndQueries>},
      {.name = "deberta",
       .formula = "(q_i.k_j + q_i.(P W_Kr)[i-j] + k_j.(P W_Qr)[j-i])/sqrt(3Dh)",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {number_option("span", "512", 1, "offsets from -span to span-1 are told apart")},
       .make = [](const Values& values, const Context& context) -> Made {
         return std::make_shared<Deberta>(DebertaOptions{values.number("span")}, context);
       }},
      {.name = "transformer-xl",
       .formula = "((q_i+u).k_j + (q_i+v).(W_R r[i-j]))/sqrt(Dh), r sines and cosines",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {},
       .make = [](const Values&, const Context& context) -> Made {
         return std::make_shared<TransformerXl>(context);
       }},
  };
}

}  // namespace dietmt::encoders
