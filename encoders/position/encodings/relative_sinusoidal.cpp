// Relative vectors that are sinusoids of the offset, on the key and on the value side, the same in
// all layers and heads (formulas of shaw.cpp):
//
//   a[o] = sinusoid(o)        origin = center
//   a[o] = sinusoid(o + C)    origin = left: NEZHA (Wei et al. 2019)
//
// with w_m = 10000^(-2m/Dh), interleaved. With learned = true the Dh/2 frequencies are parameters
// (Wang et al. 2021, "On Position Embeddings in BERT"). Together with "learned" or
// "learnable-sinusoidal" they give that paper's combinations of absolute and relative encodings.

#include <ATen/ATen.h>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/sinusoid_table.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

enum class OffsetOrigin { kCenter, kLeft };

struct RelativeSinusoidalOptions {
  int64_t clip = 64;
  bool values = true;
  bool learned = false;
  OffsetOrigin origin = OffsetOrigin::kCenter;
};

class RelativeSinusoidal : public PositionEncoding {
 public:
  RelativeSinusoidal(const RelativeSinusoidalOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  RelativeSinusoidalOptions options_;
  int64_t head_width_;
  at::Tensor frequencies_;  // [Dh/2], undefined where fixed
  TableCache fixed_;        // [2C+1, Dh], its middle for short sentences
};

at::Tensor start_frequencies(int64_t head_width) {
  return sinusoid_frequencies(head_width / 2, static_cast<double>(head_width / 2));
}

RelativeSinusoidal::RelativeSinusoidal(const RelativeSinusoidalOptions& options,
                                       const EncodingContext& context)
    : options_(options), head_width_(context.head_width) {
  if (options.learned)
    frequencies_ = register_parameter("frequencies", start_frequencies(head_width_).to(at::kFloat));
}

void RelativeSinusoidal::lower(const Extent& extent, LayerTerms& terms) const {
  const int64_t clip = std::min(options_.clip, reach(extent));
  const int64_t first = options_.clip - clip, offsets = 2 * clip + 1;
  const int64_t lowest = options_.origin == OffsetOrigin::kCenter ? -options_.clip : 0;
  const auto rows_with = [&](const at::Tensor& w, int64_t row, int64_t count) {
    return interleaved_sinusoids(at::arange(lowest + row, lowest + row + count, w.device()), w);
  };
  const at::Tensor rows =
      frequencies_.defined()
          ? rows_with(at_least_float(frequencies_), first, offsets).to(terms.options())
          : fixed_.rows(first, offsets, terms.options(), [&](int64_t row, int64_t count) {
              return rows_with(start_frequencies(head_width_), row, count);
            });
  const at::Tensor table = rows.unsqueeze(0).unsqueeze(0);  // [1, 1, 2 clip + 1, Dh]
  terms.set(&ScoreTerms::relative_keys, table);
  if (options_.values) terms.set(&ScoreTerms::relative_values, table);
}

constexpr std::array<Choice<OffsetOrigin>, 2> kOrigins = {
    {{"center", OffsetOrigin::kCenter}, {"left", OffsetOrigin::kLeft}}};

RelativeSinusoidalOptions relative_sinusoidal_options(const OptionValues& values) {
  return {.clip = values.number("clip"),
          .values = values.flag("values"),
          .learned = values.flag("learned"),
          .origin = choice_of(values, "origin", kOrigins)};
}

void check_relative_sinusoidal(const OptionValues&, const EncodingContext& context) {
  if (context.head_width % 2 != 0)
    throw ConfigError("sinusoids need an even head width (--width / --heads), not " +
                      std::to_string(context.head_width));
}

double relative_sinusoidal_parameters(const OptionValues& values, const EncodingContext& context) {
  const bool learned = relative_sinusoidal_options(values).learned;
  return learned ? static_cast<double>(context.head_width / 2) : 0.0;
}

}  // namespace

EncodingRow relative_sinusoidal_row() {
  constexpr RelativeSinusoidalOptions kDefaults;
  return {.name = "relative-sinusoidal",
          .formula = "as shaw with aK = aV = sines and cosines of (j-i) w_m",
          .offset_vectors = true,
          .options = {number_option("clip", kDefaults.clip, 1, "maximum relative distance"),
                      flag_option("values", kDefaults.values, "also add vectors to the values"),
                      flag_option("learned", kDefaults.learned, "learn the frequencies"),
                      choice_option("origin", kOrigins, kDefaults.origin,
                                    "angle 0 at offset 0, or at the lowest offset as in NEZHA")},
          .check = check_relative_sinusoidal,
          .parameters = relative_sinusoidal_parameters,
          .make = make_encoding<RelativeSinusoidal, relative_sinusoidal_options>};
}

}  // namespace dietmt::encoders
