// Rotary positions (Su et al. 2021, "RoFormer"): queries and keys turn with their positions, so
// that their product depends only on the offset. With w_m = base^(-2m/Dh), pair m of q_i and of k_i
// turns by the angle i w_m; a pair is coordinates (2m, 2m+1) or (m, m + Dh/2).
//
// xPos (Sun et al. 2023, "A Length-Extrapolatable Transformer") for causal attention also
// multiplies pair m of q_i by z_m^(i/scale) and divides that of k_i by it, z_m = (2m + 0.4 Dh) /
// (1.4 Dh): the products of distant words shrink. (The paper counts i from the middle of the
// sequence, which cancels.) No parameters. Both factors are kept below kMostGrowth, so that fp32
// holds them and the numbers that they multiply: this limits the positions to about 55 scale.

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "common/error.h"
#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/encodings/rotary_scaling.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

struct RotaryOptions {
  RotaryPairing pairing = RotaryPairing::kInterleaved;
  int64_t base = 10000;
  RotaryScaling scaling = {};
  std::optional<int64_t> scale = {};  // of xPos; none: no decay
};

constexpr double kMostGrowth = 0x1p100;
constexpr double kFastestDecay = 0.4 / 1.4;  // z_0

int64_t xpos_positions(int64_t scale) {
  return static_cast<int64_t>(static_cast<double>(scale) * std::log(kMostGrowth) /
                              -std::log(kFastestDecay));
}

class Rotary : public PositionEncoding {
 public:
  Rotary(const RotaryOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;
  int64_t max_length() const override;

 private:
  enum class Side { kQueries, kKeys };

  /// Cosines and sines of positions from `first` on: [T, 2, Dh/2], on the CPU in double.
  at::Tensor turns(int64_t first, int64_t count, Side side) const;

  RotaryOptions options_;
  int64_t head_width_;
  TableCache query_turns_;
  TableCache key_turns_;
};

Rotary::Rotary(const RotaryOptions& options, const EncodingContext& context)
    : options_(options), head_width_(context.head_width) {}

int64_t Rotary::max_length() const {
  return options_.scale ? xpos_positions(*options_.scale) : PositionEncoding::max_length();
}

at::Tensor Rotary::turns(int64_t first, int64_t count, Side side) const {
  const int64_t pairs = head_width_ / 2;
  const at::Tensor w = rotary_frequencies(pairs, options_.base, options_.scaling);
  const at::Tensor positions = at::arange(first, first + count, at::kDouble).unsqueeze(1);
  const at::Tensor angles = positions * w;  // [T, Dh/2]
  at::Tensor growth = at::ones_like(angles);
  if (options_.scale) {
    const double width = static_cast<double>(head_width_);
    const at::Tensor zeta = (2 * at::arange(pairs, at::kDouble) + 0.4 * width) / (1.4 * width);
    growth = at::pow(zeta, positions / static_cast<double>(*options_.scale));
  }
  if (side == Side::kQueries) return at::stack({angles.cos() * growth, angles.sin() * growth}, 1);
  return at::stack({angles.cos() / growth, angles.sin() / growth}, 1);
}

void Rotary::lower(const Extent& extent, LayerTerms& terms) const {
  require_position("xpos", reach(extent));
  const auto set = [&](Side side, const TableCache& cache, at::Tensor ScoreTerms::*cosines,
                       at::Tensor ScoreTerms::*sines) {
    const at::Tensor rows = cache.rows(
        0, extent.queries, terms.options(),
        [&](int64_t first, int64_t count) { return turns(first, count, side); });  // [T, 2, Dh/2]
    terms.set(cosines, rows.select(1, 0).unsqueeze(0).unsqueeze(0));
    terms.set(sines, rows.select(1, 1).unsqueeze(0).unsqueeze(0));
  };
  set(Side::kQueries, query_turns_, &ScoreTerms::query_cosines, &ScoreTerms::query_sines);
  set(Side::kKeys, key_turns_, &ScoreTerms::key_cosines, &ScoreTerms::key_sines);
  terms.set_pairing(options_.pairing);
  if (const double temperature = rotary_temperature(options_.scaling); temperature != 1.0)
    terms.set_content_scale(temperature / std::sqrt(static_cast<double>(head_width_)));
}

constexpr std::array<Choice<RotaryPairing>, 2> kPairings = {
    {{"interleaved", RotaryPairing::kInterleaved}, {"halves", RotaryPairing::kHalves}}};
constexpr std::array<Choice<RotaryScalingMethod>, 4> kScalings = {
    {{"yarn", RotaryScalingMethod::kYarn},
     {"llama3", RotaryScalingMethod::kLlama3},
     {"ntk", RotaryScalingMethod::kNtk},
     {"linear", RotaryScalingMethod::kLinear}}};
constexpr int64_t kXposScale = 512;

EncodingOption pairs_option() {
  return choice_option("pairs", kPairings, RotaryOptions().pairing,
                       "2m and 2m+1, or m and m+Dh/2, rotate together");
}

EncodingOption base_option() {
  return number_option("base", RotaryOptions().base, 2, "base of the frequencies");
}

RotaryOptions rotary_options(const OptionValues& values) {
  return {.pairing = choice_of(values, "pairs", kPairings), .base = values.number("base")};
}

RotaryOptions rope_options(const OptionValues& values) {
  RotaryOptions options = rotary_options(values);
  options.scaling = {.method = choice_of(values, "scaling", kScalings),
                     .factor = values.number("factor"),
                     .length = values.number("length")};
  return options;
}

RotaryOptions xpos_options(const OptionValues& values) {
  RotaryOptions options = rotary_options(values);
  options.scale = values.number("scale");
  return options;
}

void check_rotary(const OptionValues&, const EncodingContext& context) {
  if (context.head_width % 2 != 0)
    throw ConfigError("rotations need an even head width (--width / --heads), not " +
                      std::to_string(context.head_width));
}

constexpr RotaryScaling kUnscaled;

void check_rope(const OptionValues& values, const EncodingContext& context) {
  check_rotary(values, context);
  const RotaryScaling scaling = rope_options(values).scaling;
  const bool reads_length = scaling.method == RotaryScalingMethod::kYarn ||
                            scaling.method == RotaryScalingMethod::kLlama3;
  if (scaling.factor > 1) {
    if (!reads_length && scaling.length != kUnscaled.length)
      throw ConfigError("'length' needs scaling=yarn or llama3");
    return;
  }
  if (scaling.method != kUnscaled.method) throw ConfigError("'scaling' needs a factor above 1");
  if (scaling.length != kUnscaled.length) throw ConfigError("'length' needs a factor above 1");
}

void check_xpos(const OptionValues& values, const EncodingContext& context) {
  check_rotary(values, context);
  const int64_t most = xpos_positions(values.number("scale"));
  if (context.max_positions > most)
    throw ConfigError("fp32 holds the decay of scale=" + values.text("scale") + " for " +
                      std::to_string(most) + " positions, but --max-positions is " +
                      std::to_string(context.max_positions) +
                      ": use a larger scale or fewer positions");
}

}  // namespace

EncodingRow rope_row() {
  return {.name = "rope",
          .formula = "rotate(q_i,i).rotate(k_j,j)/sqrt(Dh)",
          .options = {pairs_option(), base_option(),
                      number_option("factor", kUnscaled.factor, 1,
                                    "for sentences so many times as long as `length`"),
                      choice_option("scaling", kScalings, kUnscaled.method,
                                    "how a factor changes the frequencies"),
                      number_option("length", kUnscaled.length, 1,
                                    "of the longest sentences before; yarn and llama3 use it")},
          .check = check_rope,
          .make = make_encoding<Rotary, rope_options>};
}

EncodingRow xpos_row() {
  return {.name = "xpos",
          .formula = "as rope, pair m times z_m^((i-j)/scale)",
          .sites = {.encoder = false},
          .options = {pairs_option(), base_option(),
                      number_option("scale", kXposScale, 1, "scale of the decay")},
          .check = check_xpos,
          .make = make_encoding<Rotary, xpos_options>};
}

}  // namespace dietmt::encoders
