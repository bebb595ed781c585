// Sinusoids of the position, added to the embeddings: x_i + P[i].
//
// Fixed (Vaswani et al. 2017, section 3.5), no parameters:
//   interleaved  P[i,2m] = sin(i w_m), P[i,2m+1] = cos(i w_m),  w_m = 10000^(-2m/D)      the paper
//   halves       P[i] = [sin(i w_m) for all m, cos(i w_m) for all m],  w_m = 10000^(-m/(D/2-1))
//                tensor2tensor and fairseq
//   halves-2m    the same halves with the paper's w_m: Marian models converted for HuggingFace
// `start` is the position of the first token: 1 in OpenNMT-tf and CTranslate2, 2 in fairseq.
// Learnable (Wang et al. 2021, "On Position Embeddings in BERT"): interleaved, and the D/2
// frequencies w_m are parameters that start from the fixed ones.
//
// Choose the fixed ones if inputs may be longer than in training.

#include <ATen/ATen.h>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/sinusoid_table.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

enum class SinusoidLayout { kInterleaved, kHalves, kHalves2m };

struct SinusoidalOptions {
  SinusoidLayout layout = SinusoidLayout::kInterleaved;
  int64_t start = 0;
};

class Sinusoidal : public PositionEncoding {
 public:
  Sinusoidal(const SinusoidalOptions& options, const EncodingContext& context);
  at::Tensor position_table(int64_t count, const at::TensorOptions& options) const override;

 private:
  SinusoidLayout layout_;
  int64_t start_;
  int64_t half_;  // D / 2
  TableCache tables_;
};

class LearnableSinusoidal : public PositionEncoding {
 public:
  explicit LearnableSinusoidal(const EncodingContext& context);
  at::Tensor position_table(int64_t count, const at::TensorOptions& options) const override;

 private:
  at::Tensor frequencies_;  // [D/2]
};

void require_even_width(const OptionValues&, const EncodingContext& context) {
  if (context.model_width % 2 != 0 || context.model_width < 4)
    throw ConfigError("sinusoids need an even --width of 4 or more, not " +
                      std::to_string(context.model_width));
}

Sinusoidal::Sinusoidal(const SinusoidalOptions& options, const EncodingContext& context)
    : layout_(options.layout), start_(options.start), half_(context.model_width / 2) {}

at::Tensor Sinusoidal::position_table(int64_t count, const at::TensorOptions& options) const {
  return tables_.rows(0, count, options, [&](int64_t first, int64_t rows) {
    const int64_t steps = layout_ == SinusoidLayout::kHalves ? half_ - 1 : half_;
    const at::Tensor w = sinusoid_frequencies(half_, static_cast<double>(steps));
    const at::Tensor positions = at::arange(first, first + rows, at::kLong) + start_;
    return layout_ == SinusoidLayout::kInterleaved ? interleaved_sinusoids(positions, w)
                                                   : halved_sinusoids(positions, w);
  });
}

LearnableSinusoidal::LearnableSinusoidal(const EncodingContext& context) {
  const int64_t half = context.model_width / 2;
  frequencies_ = register_parameter(
      "frequencies", sinusoid_frequencies(half, static_cast<double>(half)).to(at::kFloat));
}

at::Tensor LearnableSinusoidal::position_table(int64_t count, const at::TensorOptions&) const {
  const at::Tensor positions =
      at::arange(count, frequencies_.options().dtype(at::kLong).requires_grad(false));
  return interleaved_sinusoids(positions, at_least_float(frequencies_));
}

constexpr std::array<Choice<SinusoidLayout>, 3> kLayouts = {
    {{"interleaved", SinusoidLayout::kInterleaved},
     {"halves", SinusoidLayout::kHalves},
     {"halves-2m", SinusoidLayout::kHalves2m}}};

SinusoidalOptions sinusoidal_options(const OptionValues& values) {
  return {.layout = choice_of(values, "layout", kLayouts), .start = values.number("start")};
}

double learnable_sinusoidal_parameters(const OptionValues&, const EncodingContext& context) {
  return static_cast<double>(context.model_width / 2);
}

}  // namespace

EncodingRow sinusoidal_row() {
  return {.name = "sinusoidal",
          .formula = "x_i + P[i], P sines and cosines of i w_m",
          .level = EncodingLevel::kInput,
          .options = {choice_option("layout", kLayouts, SinusoidalOptions().layout,
                                    "the paper's, tensor2tensor's, or halves with the paper's "
                                    "frequencies"),
                      number_option("start", SinusoidalOptions().start, 0,
                                    "position of the first token; fairseq's is 2")},
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
