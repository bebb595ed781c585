// Segments, such as the two sentences of BERT's input, instead of or in addition to positions. For
// models whose input has segments.
//
//   segments        score[h,i,j] += E_S[h, segment_i, segment_j]   per-head segment attention (Chen
//                   et al. 2021); with any encoding of the scores
//   input-segments  x_i + S[segment_i]                             BERT's (Devlin et al. 2019)
//
// The paper adds E_S when it fine-tunes a trained model, so E_S starts from zeros.

#include <ATen/ATen.h>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

struct SegmentBiasOptions {
  Sharing sharing = Sharing::kNone;
};

class SegmentBias : public PositionEncoding {
 public:
  SegmentBias(const SegmentBiasOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor table_;  // E_S: [L|1, H|1, G, G], zeros at the start
};

class InputSegments : public PositionEncoding {
 public:
  explicit InputSegments(const EncodingContext& context);
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions, const at::Tensor& segments,
                   int64_t count) const override;
  bool embeds_segments() const override { return true; }

 private:
  at::Tensor table_;  // S: [G, D], initially N(0, 0.02^2)
};

SegmentBias::SegmentBias(const SegmentBiasOptions& options, const EncodingContext& context) {
  table_ = register_parameter(
      "table", empty_table(options.sharing, context, {context.segments, context.segments}).zero_());
}

void SegmentBias::lower(const Extent&, LayerTerms& terms) const {
  terms.set(&ScoreTerms::segment_bias, table_);
}

InputSegments::InputSegments(const EncodingContext& context) {
  table_ = register_parameter(
      "table", at::empty({context.segments, context.model_width}).normal_(0.0, 0.02));
}

at::Tensor InputSegments::embed(const at::Tensor& x, const at::Tensor&, const at::Tensor& segments,
                                int64_t) const {
  if (!segments.defined()) throw Error("position encoding 'input-segments' got no segments");
  return x + table_rows(table_, segments).to(x.scalar_type());
}

SegmentBiasOptions segment_bias_options(const OptionValues& values) {
  return {.sharing = sharing_of(values)};
}

void require_segments(const OptionValues&, const EncodingContext& context) {
  if (context.segments < 1) throw ConfigError("this model's input has no segments");
}

double segment_bias_parameters(const OptionValues& values, const EncodingContext& context) {
  return table_size(sharing_of(values), context, {context.segments, context.segments});
}

double input_segments_parameters(const OptionValues&, const EncodingContext& context) {
  return static_cast<double>(context.segments) * static_cast<double>(context.model_width);
}

}  // namespace

EncodingRow input_segments_row() {
  return {.name = "input-segments",
          .formula = "x_i + S[segment_i]",
          .level = EncodingLevel::kInput,
          .check = require_segments,
          .parameters = input_segments_parameters,
          .make = make_encoding<InputSegments>};
}

EncodingRow segments_row() {
  return {.name = "segments",
          .formula = "any scores + E_S[h,segment_i,segment_j]",
          .level = EncodingLevel::kAllHeads,
          .options = {share_option(SegmentBiasOptions().sharing)},
          .check = require_segments,
          .parameters = segment_bias_parameters,
          .make = make_encoding<SegmentBias, segment_bias_options>};
}

}  // namespace dietmt::encoders
