#include "encoders/position/encoding_table.h"

#include <algorithm>
#include <charconv>

#include "encoders/position/diet_rel.h"
#include "encoders/position/learned.h"
#include "encoders/position/shaw.h"
#include "encoders/position/sinusoidal.h"
#include "encoders/position/t5.h"

namespace dietmt::encoders {
namespace {

EncodingOption share(const std::string& default_value) {
  return {"share", default_value, {"none", "layers", "heads", "all"}, {}, "who has a common table"};
}

EncodingOption number(const std::string& name, const std::string& default_value, int64_t minimum,
                      const std::string& meaning) {
  return {name, default_value, {}, minimum, meaning};
}

EncodingOption flag(const std::string& name, bool default_value, const std::string& meaning) {
  return {name, default_value ? "true" : "false", {"true", "false"}, {}, meaning};
}

Sharing sharing(const OptionValues& values) {
  const std::string& text = values.text("share");
  if (text == "layers") return Sharing::kLayers;
  if (text == "heads") return Sharing::kHeads;
  return text == "all" ? Sharing::kAll : Sharing::kNone;
}

std::vector<EncodingRow> make_table() {
  using Values = OptionValues;
  using Context = EncodingContext;
  using Made = std::shared_ptr<PositionEncoding>;
  constexpr bool kCross = true;
  constexpr bool kSelf = false;
  return {
      {"none",
       "no position information",
       EncodingLevel::kScores,
       kCross,
       {},
       [](const Values&, const Context&) -> Made { return std::make_shared<PositionEncoding>(); }},
      {"sinusoidal",
       "x_i + P[i], P sines and cosines of i w_m",
       EncodingLevel::kInput,
       kSelf,
       {{"layout",
         "interleaved",
         {"interleaved", "halves"},
         {},
         "the paper's, or tensor2tensor's"}},
       [](const Values& values, const Context& context) -> Made {
         const bool halves = values.text("layout") == "halves";
         return std::make_shared<Sinusoidal>(
             halves ? SinusoidLayout::kHalves : SinusoidLayout::kInterleaved, context);
       }},
      {"learned",
       "x_i + P[i], P learned",
       EncodingLevel::kInput,
       kSelf,
       {},
       [](const Values&, const Context& context) -> Made {
         return std::make_shared<Learned>(context);
       }},
      {"learnable-sinusoidal",
       "x_i + P[i], P sines and cosines of i w_m, w learned",
       EncodingLevel::kInput,
       kSelf,
       {},
       [](const Values&, const Context& context) -> Made {
         return std::make_shared<LearnableSinusoidal>(context);
       }},
      {"diet-rel",
       "q_i.k_j/sqrt(Dh) + R[h,j-i]",
       EncodingLevel::kScores,
       kCross,
       {{"clip", "none", {"none"}, 1, "largest distance told apart"}, share("none")},
       [](const Values& values, const Context& context) -> Made {
         DietRelOptions options{.clip = {}, .sharing = sharing(values)};
         if (values.text("clip") != "none") options.clip = values.number("clip");
         return std::make_shared<DietRel>(options, context);
       }},
      {"shaw",
       "q_i.(k_j+aK[j-i])/sqrt(Dh), out_i = sum_j p_ij (v_j+aV[j-i])",
       EncodingLevel::kScores,
       kSelf,
       {number("clip", "16", 1, "largest distance told apart"),
        flag("values", true, "vectors on the value side, too"),
        flag("tied", false, "one table for keys and values"), share("heads")},
       [](const Values& values, const Context& context) -> Made {
         const ShawOptions options{.clip = values.number("clip"),
                                   .values = values.flag("values"),
                                   .tied = values.flag("tied"),
                                   .sharing = sharing(values)};
         return std::make_shared<Shaw>(options, context);
       }},
      {"t5",
       "q_i.k_j/sqrt(Dh) + b[h,bucket(j-i)]",
       EncodingLevel::kScores,
       kSelf,
       {number("buckets", "32", 4, "of the offsets"),
        number("distance", "128", 2, "beyond it all offsets share a bucket"),
        flag("scaled", true, "divide q.k by sqrt(Dh)"), share("layers")},
       [](const Values& values, const Context& context) -> Made {
         const T5Options options{.buckets = values.number("buckets"),
                                 .distance = values.number("distance"),
                                 .scaled = values.flag("scaled"),
                                 .sharing = sharing(values)};
         return std::make_shared<T5>(options, context);
       }},
  };
}

std::string describe(const EncodingOption& option) {
  return option.name + "=" + option.default_value + "  (" + option.possible() + ") " +
         option.meaning;
}

}  // namespace

bool EncodingOption::accepts(const std::string& value) const {
  if (std::find(words.begin(), words.end(), value) != words.end()) return true;
  if (!minimum) return false;
  constexpr int64_t kLargest = 1 << 20;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size() && number >= *minimum &&
         number <= kLargest;
}

std::string EncodingOption::possible() const {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  if (minimum) text += (text.empty() ? "" : "|") + ("a number from " + std::to_string(*minimum));
  return text;
}

OptionValues::OptionValues(const std::vector<EncodingOption>& options) {
  for (const EncodingOption& option : options) set(option.name, option.default_value);
}

const EncodingOption* EncodingRow::option(const std::string& option_name) const {
  for (const EncodingOption& option : options)
    if (option.name == option_name) return &option;
  return nullptr;
}

const std::vector<EncodingRow>& encoding_table() {
  static const std::vector<EncodingRow> table = make_table();
  return table;
}

const EncodingRow* find_encoding(const std::string& name) {
  for (const EncodingRow& row : encoding_table())
    if (row.name == name) return &row;
  return nullptr;
}

std::string position_help() {
  std::string help =
      "Position encodings. One, or several joined with '+': those of the embeddings and at most "
      "one\n"
      "of the scores, whose heads may differ: heads[diet-rel:0-5,shaw(clip=16):6-7].\n";
  for (const EncodingRow& row : encoding_table()) {
    help += "\n  " + row.name + "\n      " + row.formula + "\n      acts on the " +
            (row.level == EncodingLevel::kInput ? "embeddings" : "scores") +
            (row.cross ? "; also in cross-attention" : "") + "\n";
    for (const EncodingOption& option : row.options) help += "      " + describe(option) + "\n";
  }
  return help;
}

}  // namespace dietmt::encoders
