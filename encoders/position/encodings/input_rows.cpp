// Encodings that add to the embeddings.
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/encodings/learned.h"
#include "encoders/position/encodings/segments.h"
#include "encoders/position/encodings/sinusoidal.h"

namespace dietmt::encoders {
namespace {

using Values = OptionValues;
using Context = EncodingContext;
using Made = std::shared_ptr<PositionEncoding>;

SinusoidLayout layout(const Values& values) {
  const std::string& text = values.text("layout");
  if (text == "interleaved") return SinusoidLayout::kInterleaved;
  return text == "halves" ? SinusoidLayout::kHalves : SinusoidLayout::kHalves2m;
}

}  // namespace

std::vector<EncodingRow> input_rows() {
  return {
      {.name = "none",
       .formula = "no position information",
       .level = EncodingLevel::kHeads,
       .sites = {.cross = true},
       .not_mixed = {},
       .options = {},
       .make = [](const Values&, const Context&) -> Made {
         return std::make_shared<PositionEncoding>();
       }},
      {.name = "sinusoidal",
       .formula = "x_i + P[i], P sines and cosines of i w_m",
       .level = EncodingLevel::kInput,
       .sites = {},
       .not_mixed = {},
       .options = {{"layout",
                    "interleaved",
                    {"interleaved", "halves", "halves-2m"},
                    {},
                    "the paper's, tensor2tensor's, or halves with the paper's frequencies"}},
       .make = [](const Values& values, const Context& context) -> Made {
         return std::make_shared<Sinusoidal>(layout(values), context);
       }},
      {.name = "learned",
       .formula = "x_i + P[i], P learned",
       .level = EncodingLevel::kInput,
       .sites = {},
       .not_mixed = {},
       .options = {},
       .make = [](const Values&, const Context& context) -> Made {
         return std::make_shared<Learned>(context);
       }},
      {.name = "learnable-sinusoidal",
       .formula = "x_i + P[i], P sines and cosines of i w_m, w learned",
       .level = EncodingLevel::kInput,
       .sites = {},
       .not_mixed = {},
       .options = {},
       .make = [](const Values&, const Context& context) -> Made {
         return std::make_shared<LearnableSinusoidal>(context);
       }},
      {.name = "input-segments",
       .formula = "x_i + S[segment_i]",
       .level = EncodingLevel::kInput,
       .sites = {},
       .not_mixed = {},
       .options = {},
       .make = [](const Values&, const Context& context) -> Made {
         return std::make_shared<InputSegments>(context);
       }},
  };
}

}  // namespace dietmt::encoders
