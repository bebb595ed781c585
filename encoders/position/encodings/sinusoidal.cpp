// Sinusoids of the position, added to the embeddings: x_i + P[i].
//
// Fixed (Vaswani et al. 2017, section 3.5), no parameters:
//   interleaved  P[i,2m] = sin(i w_m), P[i,2m+1] = cos(i w_m),  w_m = 10000^(-2m/D)      the paper
//   halves       P[i] = [sin(i w_m) for all m, cos(i w_m) for all m],  w_m = 10000^(-m/(D/2-1))
//                tensor2tensor and fairseq
//   halves-2m    the same halves with the paper's w_m: Marian models converted for HuggingFace
// Learnable (Wang et al. 2021, "On Position Embeddings in BERT"): interleaved, and the D/2
// frequencies w_m are parameters that start from the fixed ones.
//
// Choose the fixed ones if inputs may be longer than in training.

#include <ATen/ATen.h>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/sinusoid_table.h"

namespace dietmt::encoders {
namespace {

enum class SinusoidLayout { kInterleaved, kHalves, kHalves2m };

struct SinusoidalOptions {
  SinusoidLayout layout = SinusoidLayout::kInterleaved;
};

class Sinusoidal : public PositionEncoding {
 public:
  Sinusoidal(const SinusoidalOptions& options, const EncodingContext& context);
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments) const override;

 private:
  SinusoidLayout layout_;
};

class LearnableSinusoidal : public PositionEncoding {
 public:
  explicit LearnableSinusoidal(const EncodingContext& context);
  at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                   const at::Tensor& segments) const override;

 private:
  at::Tensor frequencies_;  // [D/2]
};

void require_even_width(const OptionValues&, const EncodingContext& context) {
  if (context.model_width % 2 != 0 || context.model_width < 4)
    throw ConfigError("sinusoids need an even --width of 4 or more, not " +
                      std::to_string(context.model_width));
}

/// 0 .. max(positions)
at::Tensor all_positions(const at::Tensor& positions) {
  const int64_t count = positions.numel() == 0 ? 0 : positions.max().item<int64_t>() + 1;
  return at::arange(count, positions.options());
}

Sinusoidal::Sinusoidal(const SinusoidalOptions& options, const EncodingContext&)
    : layout_(options.layout) {}

at::Tensor Sinusoidal::embed(const at::Tensor& x, const at::Tensor& positions,
                             const at::Tensor&) const {
  const int64_t half = x.size(-1) / 2;
  const int64_t steps = layout_ == SinusoidLayout::kHalves ? half - 1 : half;
  const at::Tensor w = sinusoid_frequencies(half, static_cast<double>(steps)).to(x.device());
  const at::Tensor table = layout_ == SinusoidLayout::kInterleaved
                               ? interleaved_sinusoids(all_positions(positions), w)
                               : halved_sinusoids(all_positions(positions), w);
  return x + table.to(x.scalar_type()).index_select(0, positions);
}

LearnableSinusoidal::LearnableSinusoidal(const EncodingContext& context) {
  const int64_t half = context.model_width / 2;
  frequencies_ = register_parameter(
      "frequencies", sinusoid_frequencies(half, static_cast<double>(half)).to(at::kFloat));
}

at::Tensor LearnableSinusoidal::embed(const at::Tensor& x, const at::Tensor& positions,
                                      const at::Tensor&) const {
  const at::Tensor rows =
      interleaved_sinusoids(all_positions(positions), at_least_float(frequencies_));
  return x + rows.to(x.scalar_type()).index_select(0, positions);
}

constexpr std::array<Choice<SinusoidLayout>, 3> kLayouts = {
    {{"interleaved", SinusoidLayout::kInterleaved},
     {"halves", SinusoidLayout::kHalves},
     {"halves-2m", SinusoidLayout::kHalves2m}}};

SinusoidalOptions sinusoidal_options(const OptionValues& values) {
  return {.layout = choice_of(values, "layout", kLayouts)};
}

double learnable_sinusoidal_parameters(const OptionValues&, const EncodingContext& context) {
  return static_cast<double>(context.model_width / 2);
}

}  // namespace

EncodingRow sinusoidal_row() {
  return {.name = "sinusoidal",
          .formula = "x_i + P[i], P sines and cosines of i w_m",
          .level = EncodingLevel::kInput,
          .options = {choice_option(
              "layout", kLayouts, SinusoidalOptions().layout,
              "the paper's, tensor2tensor's, or halves with the paper's frequencies")},
          .check = require_even_width,
          .make = make_encoding<Sinusoidal, sinusoidal_options>};
}

EncodingRow learnable_sinusoidal_row() {
  return {.name = "learnable-sinusoidal",
          .formula = "x_i + P[i], P sines and cosines of i w_m, w learned",
          .level = EncodingLevel::kInput,
          .check = require_even_width,
          .parameters = learnable_sinusoidal_parameters,
          .make = make_encoding<LearnableSinusoidal>};
}

}  // namespace dietmt::encoders
