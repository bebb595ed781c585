// Scores that fall with the distance between words. ALiBi learns nothing, KERPLE two numbers per
// head:
//
//   alibi   q_i . k_j / sqrt(Dh) - 2^(-8 (h+1) / H) |i - j|        (Press et al. 2022)
//   kerple  q_i . k_j / sqrt(Dh) - r1[h] ln(1 + r2[h] |i - j|)     (Chi et al. 2022, logarithmic)
//
// If H is not a power of two, ALiBi takes the slopes of the next smaller power, then every second
// slope of twice that power. In a mix, H is the number of heads that alibi owns: they get the whole
// range of slopes, as if they were all there were. Choose either to run on longer inputs than in
// training.

#include <ATen/ATen.h>

#include <cmath>

#include "encoders/position/encodings/encoding_table.h"
#include "encoders/position/table_cache.h"

namespace dietmt::encoders {
namespace {

class Alibi : public PositionEncoding {
 public:
  explicit Alibi(const EncodingContext& context) : heads_(context.heads) {}
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  int64_t heads_;
  TableCache slopes_;  // [H]
};

struct KerpleOptions {
  Sharing sharing = Sharing::kLayers;
};

class Kerple : public PositionEncoding {
 public:
  Kerple(const KerpleOptions& options, const EncodingContext& context);
  void lower(const Extent& extent, LayerTerms& terms) const override;

 private:
  at::Tensor height_;  // r1 = max(|height|, 0.01): [L|1, H|1], initially U(0, 2)
  at::Tensor width_;   // r2 = max(|width|, 0.01): [L|1, H|1], initially U(0, 1)
};

/// |o| for o = -C .. C, so that no offset of `extent` is clipped. [2C+1]
at::Tensor distances(const Extent& extent, const at::TensorOptions& options) {
  const int64_t clip = reach(extent);
  return at::arange(-clip, clip + 1, options).abs();
}

constexpr double kSmallestKerple = 0.01;

/// ALiBi's slope of each head: [heads].
std::vector<double> alibi_slopes(int64_t heads) {
  int64_t power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> slopes;
  for (int64_t h = 0; h < power; ++h)
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(power)));
  for (int64_t h = 0; static_cast<int64_t>(slopes.size()) < heads; h += 2)
    slopes.push_back(std::exp2(-4.0 * static_cast<double>(h + 1) / static_cast<double>(power)));
  return slopes;
}

void Alibi::lower(const Extent& extent, LayerTerms& terms) const {
  const at::Tensor slopes = slopes_.rows(0, heads_, terms.options(), [&](int64_t, int64_t) {
    return at::tensor(alibi_slopes(heads_), at::kDouble);
  });
  const at::Tensor bias = slopes.unsqueeze(1) * -distances(extent, terms.options());  // [H, 2C+1]
  terms.set(&ScoreTerms::offset_bias, bias.unsqueeze(0));
}

Kerple::Kerple(const KerpleOptions& options, const EncodingContext& context) {
  const auto uniform = [&](double limit) {
    return empty_table(options.sharing, context, {}).uniform_(0.0, limit);
  };
  height_ = register_parameter("height", uniform(2.0));
  width_ = register_parameter("width", uniform(1.0));
}

void Kerple::lower(const Extent& extent, LayerTerms& terms) const {
  const at::Tensor r1 = positive(height_, kSmallestKerple).unsqueeze(-1);
  const at::Tensor r2 = positive(width_, kSmallestKerple).unsqueeze(-1);
  terms.set(&ScoreTerms::offset_bias, -r1 * at::log1p(r2 * distances(extent, terms.options())));
}

KerpleOptions kerple_options(const OptionValues& values) { return {.sharing = sharing_of(values)}; }

double kerple_parameters(const OptionValues& values, const EncodingContext& context) {
  return 2.0 * table_size(kerple_options(values).sharing, context, {});
}

}  // namespace

EncodingRow alibi_row() {
  return {.name = "alibi",
          .formula = "q_i.k_j/sqrt(Dh) - 2^(-8(h+1)/H) |i-j|",
          .position_only = true,
          .make = make_encoding<Alibi>};
}

EncodingRow kerple_row() {
  return {.name = "kerple",
          .formula = "q_i.k_j/sqrt(Dh) - r1[h] ln(1 + r2[h] |i-j|)",
          .position_only = true,
          .options = {share_option(KerpleOptions().sharing)},
          .parameters = kerple_parameters,
          .make = make_encoding<Kerple, kerple_options>};
}

}  // namespace dietmt::encoders
