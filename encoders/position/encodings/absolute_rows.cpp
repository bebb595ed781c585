// Encodings of absolute positions inside attention, of the content's own positions, and segments.
#include "encoders/position/encodings/bert_a_d.h"
#include "encoders/position/encodings/cope.h"
#include "encoders/position/encodings/diet_abs.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/encodings/linformer.h"
#include "encoders/position/encodings/rotary.h"
#include "encoders/position/encodings/segments.h"
#include "encoders/position/encodings/tupe.h"

namespace dietmt::encoders {
namespace {

using Values = OptionValues;
using Context = EncodingContext;
using Made = std::shared_ptr<PositionEncoding>;

TupeOptions tupe_options(const Values& values) {
  const std::string& cls = values.text("cls");
  TupeOptions options;
  options.summary = cls == "auto"     ? SummaryPosition::kAuto
                    : cls == "untied" ? SummaryPosition::kUntied
                                      : SummaryPosition::kTied;
  options.projection_bias = values.flag("projection-bias");
  return options;
}

Made make_tupe_a(const Values& values, const Context& context) {
  return std::make_shared<Tupe>(tupe_options(values), context);
}

Made make_tupe_r(const Values& values, const Context& context) {
  TupeOptions options = tupe_options(values);
  const std::optional<int64_t> buckets = number_or_none(values, "buckets");
  options.bias = buckets ? TupeBias::kBuckets : TupeBias::kOffsets;
  if (buckets) options.buckets = *buckets;
  options.distance = values.number("distance");
  return std::make_shared<Tupe>(options, context);
}

DietAbsOptions diet_abs_options(const Values& values) {
  return {.rank = number_or_none(values, "rank"), .sharing = sharing_of(values)};
}

RotaryPairing pairing(const Values& values) {
  return values.text("pairs") == "interleaved" ? RotaryPairing::kInterleaved
                                               : RotaryPairing::kHalves;
}

LinformerOptions linformer_options(const Values& values) {
  LinformerOptions options;
  options.length = values.number("length");
  options.tied = values.flag("tied");
  return options;
}

const EncodingSites kSelfAndCross = {.cross = true};
const EncodingSites kNotCausal = {.decoder = false, .cross = true};
const EncodingSites kCausal = {.encoder = false};

const std::string kCompresses = "it compresses the keys of all heads";

}  // namespace

std::vector<EncodingRow> absolute_rows() {
  const EncodingOption cls = {"cls",
                              "auto",
                              {"auto", "untied", "tied"},
                              {},
                              "positions of [CLS]; auto: untied where the model has one"};
  const EncodingOption projection_bias =
      flag_option("projection-bias", "false", "U^Q and U^K have biases");
  const EncodingOption rank =
      number_or_option("rank", "head-width", "head-width", "numbers a position");
  const EncodingOption length = number_option("length", "64", 1, "rows that remain of a sentence");
  const EncodingOption tied = flag_option("tied", "false", "keys and values share E");
  const EncodingOption pairs = {
      "pairs", "interleaved", {"interleaved", "halves"}, {}, "2m and 2m+1, or m and m+Dh/2"};
  const EncodingOption base = number_option("base", "10000", 2, "of the frequencies");
  return {
      {.name = "tupe-a",
       .formula = "q_i.k_j/sqrt(2Dh) + reset((LN(p_i)U^Q).(LN(p_j)U^K)/sqrt(2Dh))",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {cls, projection_bias},
       .make = make_tupe_a},
      {.name = "tupe-r",
       .formula = "as tupe-a, + b[h,j-i]",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {cls,
                   projection_bias,
                   {"buckets", "32", {"none"}, 4, "of the offsets; none: one number an offset"},
                   number_option("distance", "128", 2, "beyond it all offsets share a bucket")},
       .make = make_tupe_r},
      {.name = "bert-a-d",
       .formula = "(q_i + p_i U^Q).(k_j + p_j U^K)/sqrt(4Dh)",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {},
       .make = [](const Values&, const Context& context) -> Made {
         return std::make_shared<BertAD>(context);
       }},
      {.name = "diet-abs",
       .formula = "q_i.k_j/sqrt(Dh) + P_Q[h,i].P_K[h,j]",
       .level = EncodingLevel::kHeads,
       .sites = kSelfAndCross,
       .not_mixed = {},
       .options = {rank, share_option("none")},
       .make = [](const Values& values, const Context& context) -> Made {
         return std::make_shared<DietAbs>(diet_abs_options(values), context);
       }},
      {.name = "linformer",
       .formula = "q_i.(E K)_r/sqrt(Dh), out_i = sum_r p_ir (F V)_r",
       .level = EncodingLevel::kHeads,
       .sites = kNotCausal,
       .not_mixed = kCompresses,
       .options = {length, tied, share_option("heads")},
       .make = [](const Values& values, const Context& context) -> Made {
         LinformerOptions options = linformer_options(values);
         options.sharing = sharing_of(values);
         return std::make_shared<Linformer>(options, context);
       }},
      {.name = "diet-abs-lin",
       .formula = "as linformer, + P_Q[h,i].P_K[h,r]",
       .level = EncodingLevel::kHeads,
       .sites = kNotCausal,
       .not_mixed = kCompresses,
       .options = {length, tied, rank, share_option("none")},
       .make = [](const Values& values, const Context& context) -> Made {
         LinformerOptions options = linformer_options(values);
         options.abs = diet_abs_options(values);
         return std::make_shared<Linformer>(options, context);
       }},
      {.name = "rope",
       .formula = "rotate(q_i,i).rotate(k_j,j)/sqrt(Dh)",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {pairs, base},
       .make = [](const Values& values, const Context& context) -> Made {
         const RotaryOptions options{
             .pairing = pairing(values), .base = values.number("base"), .scale = {}};
         return std::make_shared<Rotary>(options, context);
       }},
      {.name = "xpos",
       .formula = "as rope, pair m times z_m^((i-j)/scale)",
       .level = EncodingLevel::kHeads,
       .sites = kCausal,
       .not_mixed = {},
       .options = {pairs, base, number_option("scale", "512", 1, "of the decay")},
       .make = [](const Values& values, const Context& context) -> Made {
         const RotaryOptions options{.pairing = pairing(values),
                                     .base = values.number("base"),
                                     .scale = values.number("scale")};
         return std::make_shared<Rotary>(options, context);
       }},
      {.name = "cope",
       .formula = "q_i.k_j/sqrt(Dh) + q_i.e[g_ij+..+g_ii], g = sigmoid(q.k/sqrt(Dh))",
       .level = EncodingLevel::kHeads,
       .sites = kCausal,
       .not_mixed = {},
       .options = {number_option("positions", "64", 2, "largest count, and one"),
                   share_option("heads")},
       .make = [](const Values& values, const Context& context) -> Made {
         const CopeOptions options{.positions = values.number("positions"),
                                   .sharing = sharing_of(values)};
         return std::make_shared<Cope>(options, context);
       }},
      {.name = "segments",
       .formula = "any scores + E_S[h,segment_i,segment_j]",
       .level = EncodingLevel::kAllHeads,
       .sites = {},
       .not_mixed = {},
       .options = {share_option("none")},
       .make = [](const Values& values, const Context& context) -> Made {
         return std::make_shared<SegmentBias>(sharing_of(values), context);
       }},
  };
}

}  // namespace dietmt::encoders
