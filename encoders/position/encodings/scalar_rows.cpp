// Encodings that add a number for each head and offset, or a function of the distance.
#include "encoders/position/encodings/bert_r.h"
#include "encoders/position/encodings/diet_rel.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/encodings/fire.h"
#include "encoders/position/encodings/slopes.h"
#include "encoders/position/encodings/t5.h"

namespace dietmt::encoders {
namespace {

using Values = OptionValues;
using Context = EncodingContext;
using Made = std::shared_ptr<PositionEncoding>;

Made make_t5(const Values& values, const Context& context) {
  const T5Options options{.buckets = values.number("buckets"),
                          .distance = values.number("distance"),
                          .scaled = values.flag("scaled"),
                          .sharing = sharing_of(values)};
  return std::make_shared<T5>(options, context);
}

Made make_fire(const Values& values, const Context& context) {
  const bool layers = values.text("share") == "layers";
  const FireOptions options{.hidden = values.number("hidden"),
                            .threshold = values.number("threshold"),
                            .sharing = layers ? FireSharing::kLayers : FireSharing::kNone};
  return std::make_shared<Fire>(options, context);
}

}  // namespace

std::vector<EncodingRow> scalar_rows() {
  return {
      {.name = "diet-rel",
       .formula = "q_i.k_j/sqrt(Dh) + R[h,j-i]",
       .level = EncodingLevel::kHeads,
       .sites = {.cross = true},
       .not_mixed = {},
       .options = {number_or_option("clip", "none", "none", "largest distance told apart"),
                   share_option("none")},
       .make = [](const Values& values, const Context& context) -> Made {
         const DietRelOptions options{.clip = number_or_none(values, "clip"),
                                      .sharing = sharing_of(values)};
         return std::make_shared<DietRel>(options, context);
       }},
      {.name = "t5",
       .formula = "q_i.k_j/sqrt(Dh) + b[h,bucket(j-i)]",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {number_option("buckets", "32", 4, "of the offsets"),
                   number_option("distance", "128", 2, "beyond it all offsets share a bucket"),
                   flag_option("scaled", "true", "divide q.k by sqrt(Dh)"), share_option("layers")},
       .make = make_t5},
      {.name = "bert-r",
       .formula = "x_i + P[i] and q_i.k_j/sqrt(Dh) + b[h,j-i]",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed =
           "it adds to the embeddings, too; write learned+heads[diet-rel(share=layers):...]",
       .options = {},
       .make = [](const Values&, const Context& context) -> Made {
         return std::make_shared<BertR>(context);
       }},
      {.name = "alibi",
       .formula = "q_i.k_j/sqrt(Dh) - 2^(-8(h+1)/H) |i-j|",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {},
       .make = [](const Values&, const Context& context) -> Made {
         return std::make_shared<Alibi>(context);
       }},
      {.name = "kerple",
       .formula = "q_i.k_j/sqrt(Dh) - r1[h] ln(1 + r2[h] |i-j|)",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {share_option("layers")},
       .make = [](const Values& values, const Context& context) -> Made {
         return std::make_shared<Kerple>(sharing_of(values), context);
       }},
      {.name = "fire",
       .formula = "q_i.k_j/sqrt(Dh) + MLP_h(ln(c|i-j|+1) / ln(c max(i,L)+1))",
       .level = EncodingLevel::kHeads,
       .sites = {},
       .not_mixed = {},
       .options = {number_option("hidden", "32", 1, "width of the network"),
                   number_option("threshold", "512", 1, "L at the start"),
                   {"share", "layers", {"none", "layers"}, {}, "who has a common network"}},
       .make = make_fire},
  };
}

}  // namespace dietmt::encoders
